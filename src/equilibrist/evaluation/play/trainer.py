"""Questions from a solution: a decision met in play, and what an answer costs.

A question is drawn as a hand would come about: cards from both ranges, then actions from the solution's strategies, until the player who is
asked has a choice. The same seed gives the same question.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equilibrist.cards.range_text import STANDARD, hand_name, hands_of
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

TRIES = 50  # hands dealt in search of a decision
GOES_ON = 0.5  # how often a decision is passed by in favour of a later one
Verdict = Literal["best", "fine", "inaccuracy", "mistake", "blunder"]
VERDICTS: tuple[tuple[float, Verdict], ...] = (
    (0.05, "best"),
    (0.5, "fine"),
    (2.0, "inaccuracy"),
    (6.0, "mistake"),
)  # up to so many per cent of the pot


@dataclass(frozen=True)
class TrainingQuestion:
    """One player's hand at a place where it acts."""

    node: SpotNode
    player: int
    hand: int  # number
    place: int  # of the hand among the player's hands here

    @property
    def hand_name(self) -> str:
        return hand_name(self.hand)


@dataclass(frozen=True)
class TrainingGrade:
    """What the actions are worth, and what was lost."""

    answer: str
    best: str
    ev_by_action: tuple[float, ...]
    strategy: tuple[float, ...]
    ev_loss: float  # chips
    percent_of_pot: float

    @property
    def verdict(self) -> Verdict:
        return next((word for most, word in VERDICTS if self.percent_of_pot <= most), "blunder")


def draw_question(solution: SpotSolution, seed: int, player: str | None = None) -> TrainingQuestion:
    """A decision of `player` (either where None is given), by seed."""
    rng = random.Random(f"question/{seed}")
    asked = rng.randrange(2) if player is None else PLAYERS.index(player)
    for attempt in range(TRIES):
        found = _one_hand(solution, rng, asked, last=attempt + 1 == TRIES)
        if found is not None:
            return found
    raise NotApplicableError(f"No decision of {PLAYERS[asked]} came up in {TRIES} hands; ask for the other player.")


def grade_answer(question: TrainingQuestion, answer: str) -> TrainingGrade:
    """What an action costs against the solution's own play."""
    node = question.node
    if answer not in node.labels:
        raise ParameterError(f"'{answer}' is not on offer; expected one of {', '.join(node.labels)}.")
    values = node.ev_by_action[question.place]
    loss = float(values.max() - values[node.labels.index(answer)])
    return TrainingGrade(
        answer,
        node.labels[int(values.argmax())],
        tuple(values.tolist()),
        tuple(node.strategy[question.place].tolist()),
        loss,
        100.0 * loss / node.pot,
    )


def _one_hand(solution: SpotSolution, rng: random.Random, asked: int, last: bool) -> TrainingQuestion | None:
    """Play one hand; None where no decision was kept."""
    node, held, kept = solution.root, _deal(solution, rng), None
    while not node.is_over:
        if node.is_deal:
            cards = [card for card in node.next_cards if not _holds(held, card)]
            node = node.play(rng.choice(cards))
            continue
        place = _place(node, held[node.kind])
        mixed = node.strategy[place]
        if node.kind == asked and len(node.labels) > 1 and not np.isnan(node.ev_by_action[place]).any():
            kept = TrainingQuestion(node, asked, held[asked], place)
            if not last and rng.random() > GOES_ON:
                return kept
        node = node.play(rng.choices(node.labels, mixed.tolist())[0])
    return kept


def _deal(solution: SpotSolution, rng: random.Random) -> tuple[int, int]:
    """Two hands that share no card, by both ranges."""
    table, weights = hands_of(STANDARD), [solution.spot.weights(p) for p in range(2)]
    for _ in range(10_000):
        one, two = (rng.choices(range(table.count), each.tolist())[0] for each in weights)
        if len({table.low[one], table.high[one], table.low[two], table.high[two]}) == 4:
            return one, two
    raise NotApplicableError("The two ranges hardly ever hold different cards, so no hand can be dealt.")


def _place(node: SpotNode, hand: int) -> int:
    return int(np.searchsorted(node.hands, hand))


def _holds(held: tuple[int, int], card: str) -> bool:
    return any(card in (hand_name(hand)[:2], hand_name(hand)[2:]) for hand in held)
