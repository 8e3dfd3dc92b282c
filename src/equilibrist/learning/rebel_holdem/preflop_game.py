"""The game and its round before the flop by the 169 classes of hands: lines that reach the flop, and how classes fare against each other.

Everybody bets 75 % of the pot or all-in after the flop and raises all-in there; before it raises are to 2 big blinds, then to 6, or all-in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np

from equilibrist.cards.allins.pairs import pair_outcomes
from equilibrist.cards.evaluator import hand_index
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.units import number_text
from equilibrist.forms.boards.poker_streets import betting_streets, deal_of
from equilibrist.games.poker.rules import PokerRules
from equilibrist.search.depth_limited.hand_classes import ClassStreet
from equilibrist.solvers.blueprint.plan import CLASSES, BlueprintPlan

STACK = 20  # big blinds
FLOP_BETS = {"bet": "75%, a", "raise": "a"}  # what values of hands are learned with
PREFLOP = {"raise": "50%, a", "raise2": "100%, a", "raise3": "a"}
LEAST_BEHIND = 0.02  # of the pot: with less nobody can bet any more


def two_sizes(stack: int = STACK, added: Sequence[Sequence[float]] = ()) -> BlueprintPlan:
    """Hold'em with two bet sizes; raises `added` before the flop are chips on top of the bet faced."""
    before = dict(PREFLOP)
    for number, sizes in enumerate(added):
        key = "raise" if number == 0 else f"raise{number + 1}"
        usual = before.get(key, "a")
        before[key] = ", ".join([*(f"{number_text(size)}c" for size in sizes), usual])
    menu: Mapping[str, Any] = {"menu": {**FLOP_BETS, "preflop": before}}
    return BlueprintPlan(f"nolimit-holdem(stack={100 * stack})", menu, CLASSES)


@dataclass(frozen=True)
class PreflopGame:
    """What a search before the flop knows; player 0 is out of position later, the big blind."""

    stack: int = STACK
    added: tuple[tuple[float, ...], ...] = ()  # raises that a table has seen

    @cached_property
    def plan(self) -> BlueprintPlan:
        return two_sizes(self.stack, self.added)

    @cached_property
    def rules(self) -> PokerRules:
        return self.plan.rules

    @cached_property
    def street(self) -> ClassStreet:
        return ClassStreet(betting_streets(self.rules)[0], deal_of(self.rules), _images())

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """[leaf] the words of each line that reaches the flop."""
        return tuple(self.street.forest.line(int(node)) for node in self.street.deals)

    @cached_property
    def pots(self) -> Floats:
        """[leaf] chips."""
        return 2.0 * np.asarray(self.street.forest.stake, dtype=np.float64)[self.street.deals]

    @cached_property
    def behind(self) -> Floats:
        """[leaf] chips that each player has left."""
        return float(self.rules.stack) - 0.5 * self.pots

    @cached_property
    def depths(self) -> Floats:
        """[leaf] the same as shares of the pot."""
        return self.behind / self.pots

    @cached_property
    def open(self) -> Longs:
        """Leaves where somebody can still bet."""
        return np.flatnonzero(self.depths > LEAST_BEHIND)

    @cached_property
    def cell(self) -> Longs:
        """[class] its number in the order of `cards/allins/classes.py`."""
        return np.asarray(hands_of(STANDARD).cell, dtype=np.int64)[self.street.first]

    @cached_property
    def edges(self) -> Floats:
        """[class, class] chance of the first to win less its chance to lose if all cards come."""
        order = np.ix_(self.cell, self.cell)
        return np.asarray(2.0 * pair_outcomes().equity[order] - 1.0)

    @cached_property
    def meets(self) -> Floats:
        """[class, class] hands of the second that share no card with one of the first."""
        return np.asarray(self.street.met(np.eye(self.street.hands)).T)

    @cached_property
    def equity(self) -> Floats:
        """[class] against an even range."""
        return np.asarray(0.5 + 0.5 * (self.edges * self.meets).sum(axis=1) / self.meets.sum(axis=1))

    def by_hand(self, weights: Floats) -> Floats:
        """[..., 1326] from numbers of classes [..., class]."""
        return np.asarray(weights[..., self.street.class_of])

    def by_class(self, values: Floats, hands: Longs) -> tuple[Floats, Floats]:
        """Means of values of some hands [hand] over each class's, and the share of its hands that is there."""
        of, size = self.street.class_of[hands], self.street.hands
        kept = np.bincount(of, minlength=size).astype(np.float64)
        return np.bincount(of, values, minlength=size) / np.maximum(kept, 1.0), kept / self.street.size


def _images() -> Longs:
    """[relabelling of suits but the identity, hand] where it takes each hand."""
    hands = hands_of(STANDARD)
    cards = np.stack([hands.low, hands.high], axis=1).astype(np.int64)
    out = []
    for order in permutations(range(STANDARD.suits)):
        moved = cards // STANDARD.suits * STANDARD.suits + np.array(order)[cards % STANDARD.suits]
        out.append(hand_index(moved))
    return np.stack(out[1:]).astype(np.int64)
