"""Hands of a poker game up to suits: their cards for a network, and deals as classes of hands, round by round."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.isomorphism import HandIndexer
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.blueprint._kernels.blueprint import shuffle
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.mccfr._kernels.packing import random_state

Array = npt.NDArray[Any]
NO_CARD = -1


def lossless_plan(game: str, rounds: int) -> BlueprintPlan:
    """The game itself: every hand up to suits is a bucket of its own."""
    return BlueprintPlan(game, {}, f"isomorphism(sizes={'/'.join(['all'] * rounds)})")


class HandCards:
    """Classes of hands of all rounds, one after the other: class c of round r is hand `first[r] + c`."""

    def __init__(self, game: AbstractPoker) -> None:
        if game.tree.players != 2:
            raise NotApplicableError("Deals and betting side by side are for two players; this game has more.")
        self.game, self.rules = game, game.rules
        self.sizes = game.buckets.sizes
        self.first = np.concatenate([[0], np.cumsum(self.sizes)])
        self.groups = (self.rules.hole, *(dealt for dealt in self.rules.board if dealt))

    @property
    def count(self) -> int:
        return int(self.first[-1])

    @cached_property
    def cards(self) -> Array:
        """[hand, card] int8, hole cards and then the board in the order of its deals; NO_CARD for what is still to come."""
        out = np.full((self.count, sum(self.groups)), NO_CARD, dtype=np.int8)
        for number, size in enumerate(self.sizes):
            shown = self.shown(number)
            streets = self._streets(number)
            cards = HandIndexer(self.groups[:streets], self.rules.deck).unindex(np.arange(size))
            out[self.first[number] + self.game.buckets.bucket(number, cards), :shown] = cards
        return out

    @cached_property
    def before(self) -> list[Array]:
        """By round: class of the round before, for each class; of the first round nothing."""
        out = [np.zeros(0, dtype=np.int64)]
        for number in range(1, len(self.sizes)):
            cards = self.cards[self.first[number] : self.first[number + 1], : self.shown(number - 1)]
            out.append(self.game.buckets.bucket(number - 1, np.ascontiguousarray(cards)))
        return out

    def shown(self, number: int) -> int:
        """Cards that a player sees in a round."""
        return self.rules.hole + sum(self.rules.board[: number + 1])

    def deal(self, random: Array, count: int) -> tuple[Array, Array]:
        """Hands [count, player, round] and who wins a showdown: 1, 0 or -1 [count] as the first player sees it."""
        hole, board = self.rules.hole, sum(self.rules.board)
        deals = np.empty((count, 2 * hole + board), dtype=np.int8)
        with np.errstate(over="ignore"):
            shuffle(random, self.rules.deck.size, deals)
        hands = np.empty((count, 2, len(self.sizes)), dtype=np.int64)
        strength = []
        for player in range(2):
            cards = np.concatenate([deals[:, player * hole : (player + 1) * hole], deals[:, 2 * hole :]], axis=1)
            for number in range(len(self.sizes)):
                seen = np.ascontiguousarray(cards[:, : self.shown(number)])
                hands[:, player, number] = self.first[number] + self.game.buckets.bucket(number, seen)
            strength.append(self.game.buckets.strength(cards).astype(np.int64))
        return hands, np.sign(strength[0] - strength[1])

    def _streets(self, number: int) -> int:
        return 1 + sum(1 for dealt in self.rules.board[: number + 1] if dealt)


def deal_random(seed: int) -> Array:
    """The state of a generator of deals."""
    return random_state(seed)
