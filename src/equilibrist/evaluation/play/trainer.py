"""Questions from a solution: a decision met in play, and what an answer costs.

In spots a question is drawn as a hand would come about: cards from all ranges, then actions from the solution's strategies, until the
player who is asked has a choice. At tables before the flop it is a decision by how likely the betting comes there, and a hand by how
likely it is there. The same seed gives the same question.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equilibrist.cards.allins.classes import NAMES, combinations
from equilibrist.cards.range_text import STANDARD, hand_name, hands_of
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.solution import Solution
from equilibrist.solvers.postflop.solutions.board_node import BoardNode
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.tables.table_node import TableNode
from equilibrist.solvers.tables.table_solution import TableSolution
from equilibrist.solvers.three_way.three_way_solution import ThreeWaySolution

TRIES = 50  # hands dealt in search of a decision
GOES_ON = 0.5  # how often a decision is passed by in favour of a later one
MOST_DEALS = 10_000  # hands drawn in search of some that share no card
Verdict = Literal["best", "fine", "inaccuracy", "mistake", "blunder"]
VERDICTS: tuple[tuple[float, Verdict], ...] = (
    (0.05, "best"),
    (0.5, "fine"),
    (2.0, "inaccuracy"),
    (6.0, "mistake"),
)  # up to so many per cent of the pot

Trainable = SpotSolution | ThreeWaySolution | TableSolution


@dataclass(frozen=True)
class TrainingQuestion:
    """One player's hand at a place where it acts."""

    node: BoardNode | TableNode
    hand_name: str
    place: int  # of the hand among the player's hands here
    unit: str  # of values: chips, bb, prize money
    pot_worth: float  # in that unit; prize money at the average price of a chip

    @property
    def player(self) -> str:
        return str(self.node.player)

    @property
    def history(self) -> list[str]:
        """What led here, in words: `BTN raise to 2.5`, `card 8h`."""
        out, here = [], self.node
        while (before := here.before) is not None:
            move = here.line[len(before.line) :].strip(":").partition(":")[0]  # actions without a choice may follow
            out.append(
                f"{before.player} {dict(zip(before.labels, before.actions, strict=True))[move]}"
                if before.player
                else f"card {move}"
            )
            here = before
        return out[::-1]


@dataclass(frozen=True)
class TrainingGrade:
    """What the actions are worth, and what was lost."""

    answer: str
    best: str
    ev_by_action: tuple[float, ...]
    strategy: tuple[float, ...]
    ev_loss: float  # in the solution's unit
    percent_of_pot: float

    @property
    def verdict(self) -> Verdict:
        return next((word for most, word in VERDICTS if self.percent_of_pot <= most), "blunder")


@dataclass
class TrainingScore:
    """A run of questions."""

    asked: int = 0
    good: int = 0  # best or fine
    lost: float = 0.0  # in the solution's unit
    percent: float = 0.0  # of the pots, summed

    def add(self, grade: TrainingGrade) -> None:
        self.asked += 1
        self.good += grade.verdict in ("best", "fine")
        self.lost += grade.ev_loss
        self.percent += grade.percent_of_pot


def trainable(solution: Solution) -> Trainable:
    """Refuses what has no ranges of hold'em hands to be asked about."""
    if isinstance(solution, SpotSolution | ThreeWaySolution | TableSolution):
        return solution
    raise NotApplicableError(
        f"Questions are drawn from solved spots and tables, but '{solution.title[:60]}' is another game; `equilibrist play` plays it."
    )


def draw_question(solution: Trainable, seed: int, player: str | None = None, line: str = "") -> TrainingQuestion:
    """A decision of `player` (of anybody where None is given) at a line or after it, by seed."""
    rng = random.Random(f"question/{seed}")
    if isinstance(solution, TableSolution):
        return _at_table(solution, rng, player, line)
    start = solution.at(line)
    players = start.players
    if player is not None and player not in players:
        raise ParameterError(f"There is no player '{player[:40]}'; the players are {', '.join(players)}.")
    asked = rng.randrange(len(players)) if player is None else players.index(player)
    held = _Deals(start)
    for attempt in range(TRIES):
        found = _one_hand(start, held.draw(rng), rng, asked, last=attempt + 1 == TRIES)
        if found is not None:
            return found
    raise NotApplicableError(
        f"No decision of {players[asked]} came up in {TRIES} hands; ask for another player or line."
    )


def grade_answer(question: TrainingQuestion, answer: str) -> TrainingGrade:
    """What an action costs against the solution's own play."""
    node = question.node
    if answer not in node.labels:
        raise ParameterError(f"'{answer[:40]}' is not on offer; expected one of {', '.join(node.labels)}.")
    values = node.ev_by_action[question.place]
    loss = float(values.max() - values[node.labels.index(answer)])
    return TrainingGrade(
        answer,
        node.labels[int(values.argmax())],
        tuple(values.tolist()),
        tuple(node.strategy[question.place].tolist()),
        loss,
        100.0 * loss / question.pot_worth,
    )


def _at_table(solution: TableSolution, rng: random.Random, player: str | None, line: str) -> TrainingQuestion:
    """A decision and a class of hands, both by how likely they come up."""
    tree, table = solution.tree, solution.table
    begin = solution.at(line).line
    after = np.array([not begin or each == begin or each.startswith(f"{begin}:") for each in tree.lines])
    weight = solution.reached * after
    if player is not None:
        weight = weight * (tree.seat == table.seat(player))
    if not weight.any():
        who = player or "anybody"
        where = f" after '{begin}'" if begin else ""
        raise NotApplicableError(f"No decision of {who} comes up{where}; ask for another seat or line.")
    node = solution.at(tree.lines[_drawn(weight, rng)])
    hands = combinations() * node.reach() * node.met() * ~np.isnan(node.ev_by_action).any(axis=1)
    if not hands.any():
        raise NotApplicableError(f"Nobody comes to '{node.line}' with any hand; ask for another line.")
    place = _drawn(hands, rng)
    price = table.prize_pool / sum(table.stacks) if table.payouts else 1.0 / table.big_blind
    return TrainingQuestion(node, NAMES[place], place, solution.unit, node.pot * price)


def _one_hand(
    start: BoardNode, held: tuple[int, ...], rng: random.Random, asked: int, last: bool
) -> TrainingQuestion | None:
    """Play one hand; None where no decision was kept."""
    node, kept = start, None
    while not node.is_over:
        if node.is_deal:
            cards = [card for card in node.next_cards if not _holds(held, card)]
            node = node.play(rng.choice(cards))
            continue
        place = int(np.searchsorted(node.hands, held[node.kind]))
        mixed = node.strategy[place]
        if node.kind == asked and len(node.labels) > 1 and not np.isnan(node.ev_by_action[place]).any():
            kept = TrainingQuestion(node, hand_name(held[asked]), place, "chips", node.pot)
            if not last and rng.random() > GOES_ON:
                return kept
        node = node.play(rng.choices(node.labels, mixed.tolist())[0])
    return kept


class _Deals:
    """Hands of all players at a place, by how likely they come there."""

    def __init__(self, start: BoardNode) -> None:
        self.hands = [start.hands_of(seat) for seat in range(len(start.players))]
        self.weights = [np.cumsum(start.reach(seat)) for seat in range(len(start.players))]
        if not all(weight.size and weight[-1] > 0.0 for weight in self.weights):
            raise NotApplicableError(f"Nobody comes to '{start.line}' with any hand; ask for another line.")

    def draw(self, rng: random.Random) -> tuple[int, ...]:
        """Hands that share no card."""
        table = hands_of(STANDARD)
        for _ in range(MOST_DEALS):
            held = tuple(int(own[_place(weight, rng)]) for own, weight in zip(self.hands, self.weights, strict=True))
            if len({card for hand in held for card in (table.low[hand], table.high[hand])}) == 2 * len(held):
                return held
        raise NotApplicableError("The ranges hardly ever hold different cards, so no hand can be dealt.")


def _drawn(weights: Floats, rng: random.Random) -> int:
    """A place by its weight."""
    return _place(np.cumsum(weights), rng)


def _place(sums: Floats, rng: random.Random) -> int:
    """The same of running sums; one of weight 0 is never drawn."""
    return int(
        np.searchsorted(sums, rng.random() * sums[-1], side="right").clip(
            max=np.flatnonzero(np.diff(sums, prepend=0.0))[-1]
        )
    )


def _holds(held: tuple[int, ...], card: str) -> bool:
    return any(card in (hand_name(hand)[:2], hand_name(hand)[2:]) for hand in held)
