"""What a decision of a hold'em hand against a blueprint was worth, action by action.

On turn and river the rest of the hand is solved from both players' ranges: the opponent's by its own stated strategy, the person's as the
blueprint would have played there. Before that, hands are dealt from the opponent's range and played to their end, both players following
the blueprint. Everything is bounded by a time limit; what cannot be said is refused with the reason.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.agents.blueprint.hand_to_spot import held_range, same_size, street_betting, street_words
from equilibrist.agents.review.hindsight import Decided, hand_weights
from equilibrist.cards.range_text import STANDARD
from equilibrist.cards.ranges import Range
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.player import Player
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import Game
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.blueprint.values.rollout_values import action_worths
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
from equilibrist.solvers.postflop.solve_spot import solve_spot

SOLVED_FROM = 2  # betting round: the turn
SIZES = ("50%, 100%, a", "100%, a")  # bets and raises of solved streets, beside those that were made
UNTIL = "0.5%"
PRESENT = 1e-3  # share of the likeliest hand at which the own hand is put into the range where it hardly belongs


@dataclass(frozen=True)
class Valued:
    """Chips of each action, folding now being 0."""

    method: Literal["solved", "blueprint"]
    actions: tuple[str, ...]  # in words
    ev: tuple[float, ...]
    chosen: int
    error: float  # chips: of the loss, at 95 %; of a solved street, its exploitability
    note: str = ""

    @property
    def loss(self) -> float:
        return max(self.ev) - self.ev[self.chosen]


class DecisionReviewer:
    """Reviews decisions of one hand against a player."""

    def __init__(self, game: Game, player: Player, seat: int, salt: random.Random) -> None:
        """`salt` is the player's own chance in that hand, so that bets are read as they were then."""
        if not isinstance(player, BlueprintPlayer):
            raise NotApplicableError(
                "Only trained blueprints, with or without search, say what they would do everywhere."
            )
        if (
            not isinstance(game, Poker)
            or game.rules.players != 2
            or game.rules.deck != STANDARD
            or game.rules.hole != 2
        ):
            raise NotApplicableError("Decisions are valued in heads-up hold'em with 52 cards.")
        self.game, self.player, self.seat = game, player, seat
        player.reset(1 - seat, game, salt)

    def value(self, own: Decided, before: Sequence[Decided], *, seconds: float, threads: int = 1) -> Valued:
        """The actions of one decision; `before` are the opponent's decisions up to it."""
        assert own.view.chips is not None
        theirs = hand_weights(self.game, self.player, before, own.view.chips.board)
        if theirs is None or not theirs.max() > 0.0:
            raise NotApplicableError(
                "The opponent did something that its strategy does not know, so its range is unknown."
            )
        if own.view.chips.round >= SOLVED_FROM:
            return self._solved(own, theirs, seconds, threads)
        return self._played_out(own, theirs)

    def _solved(self, own: Decided, theirs: Floats, seconds: float, threads: int) -> Valued:
        """The rest of the hand solved from this decision on, the bets that were made being on the menu."""
        view, chips = own.view, own.view.chips
        assert chips is not None
        words, paid = street_words(view, chips.round), self.player.paid_before(view, chips.round)
        spot = Spot(
            board="".join(map(STANDARD.label, chips.board)),
            pot=2.0 * paid,
            range=dict(zip(PLAYERS, self._ranges(own, theirs), strict=True)),
            line=":".join(words),
            **street_betting(self.game.rules, chips.round, [*words, own.action], paid, SIZES),
        )
        solved = solve_spot(spot, until=UNTIL, seconds=seconds, threads=threads)
        place = solved.root
        row = np.flatnonzero(place.hands == _hand_number(chips.hole))
        if not len(row) or not np.isfinite(values := place.ev_by_action[row[0]]).all():
            raise NotApplicableError("This hand cannot meet the opponent's range here.")
        return Valued("solved", place.actions, tuple(values.tolist()), _taken(place, own.action), solved.exploitability)

    def _ranges(self, own: Decided, theirs: Floats) -> list[Range]:
        """Of both players at a decision: the opponent's as given, the own one as the blueprint would have come here."""
        chips = own.view.chips
        assert chips is not None
        mine, place = self.player.ranges(own.view, chips.round + 1)[self.seat], _hand_number(chips.hole)
        mine[place] = max(mine[place], PRESENT * mine.max(initial=1e-9))
        found = [held_range(weights, chips.board) for weights in (mine, theirs)]
        if found[0] is None or found[1] is None:
            raise NotApplicableError("The ranges here are empty: the blueprint never comes to this place.")
        return [found[0], found[1]] if self.seat == 0 else [found[1], found[0]]

    def _played_out(self, own: Decided, theirs: Floats) -> Valued:
        """Both follow the blueprint to the end of the hand."""
        chips = own.view.chips
        assert chips is not None
        node, chosen = self.player.reading(own.view).node, self.player.read_as(own.view, own.action)
        if node < 0 or chosen is None:
            raise NotApplicableError("The blueprint's betting tree knows no decision here.")
        worth = action_worths(self.player.blueprint, node, chips.hole, chips.board, theirs)
        tree = self.player.blueprint.abstract.tree
        labels = tree.actions(node)
        scale = chips.pot / float(tree.pot[node])  # other than 1 where bets off the tree were made before
        read = labels[chosen] != own.action and labels[chosen][0] in "br"
        note = f"Your {_in_words(own.action)} is read as {_in_words(labels[chosen])}." if read else ""
        return Valued(
            "blueprint",
            tuple(map(_in_words, labels)),
            tuple(scale * each for each in worth.mean),
            chosen,
            1.96 * scale * worth.loss_error[chosen],
            note,
        )


def _hand_number(hole: Sequence[int]) -> int:
    high, low = max(hole), min(hole)
    return high * (high - 1) // 2 + low


def _taken(place: SpotNode, action: str) -> int:
    """Which action of a solved place was taken."""
    for number, label in enumerate(place.labels):
        if label[0] == action[0] if action[0] in "fxc" else same_size(place, label, action):
            return number
    raise NotApplicableError(f"The solved street does not know '{action}'.")


_WORDS = {"f": "fold", "x": "check", "c": "call", "b": "bet ", "r": "raise to "}


def _in_words(label: str) -> str:
    return (_WORDS[label[0]] + label[1:]).strip()
