"""Blueprints judged outside their own betting: what a learner with a finer menu wins from them, and what they win from each other.

Cards stay in buckets, the same ones for everybody; only bets differ. `TranslatedSeat` is a blueprint that reads real bets in its own tree.
`learn_against` is one-sided CFR ([Lu16, §6.1]): the blueprint is frozen, the learner's value is a lower bound of what can be won from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.bets.coupled_tree import CoupledTree, couple
from equilibrist.abstraction.bets.translation import Translation
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint._kernels import coupled
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.run import BLOCK, make_frames
from equilibrist.solvers.blueprint.strategy import PokerBlueprint


@dataclass(frozen=True, eq=False)
class TranslatedSeat:
    """One seat of a blueprint at a table whose betting is another tree."""

    blueprint: PokerBlueprint
    coupled: CoupledTree

    @property
    def seat(self) -> int:
        return self.coupled.seat

    @cached_property
    def packed(self) -> Any:
        """For the kernels."""
        c = self.coupled
        slots = self.blueprint.abstract.first_slot
        return coupled.Reader(
            c.real,
            c.model,
            c.first_edge,
            c.width,
            c.child,
            c.action,
            c.chance,
            slots,
            np.asarray(self.blueprint.packed),
        )


def make_reader(table: AbstractPoker, blueprint: PokerBlueprint, seat: int, mapping: Translation) -> TranslatedSeat:
    """A blueprint in a seat of a table; both must have the same buckets."""
    if blueprint.abstract.buckets.hash != table.buckets.hash or blueprint.pure is not None:
        raise NotApplicableError("A blueprint is read with the buckets it was trained with, and before it is purified.")
    return TranslatedSeat(blueprint, couple(table.tree, blueprint.abstract.tree, seat, mapping))


class DealBlocks:
    """Deals of one abstract game, block by block, the same for the same seed."""

    def __init__(self, game: AbstractPoker, seed: int = 0) -> None:
        self.game, self.seed = game, seed
        tree = game.tree
        self.tree = kernels.Tree(
            tree.player, tree.kind, tree.round, tree.first_child, tree.children, tree.folded, tree.paid, game.first_slot,
            tree.rounds,
        )  # fmt: skip

    def block(self, number: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
        """Buckets and strengths of so many deals, and random numbers to go on with."""
        random = np.random.SeedSequence([self.seed, number]).generate_state(4, np.uint64).astype(np.uint64)
        cards = np.empty((BLOCK, self.game.cards), dtype=np.int8)
        kernels.shuffle(random, self.game.rules.deck.size, cards)
        return *self.game.deal(cards), random


@dataclass(frozen=True)
class Learned:
    """What one-sided CFR wins: chips a hand on fresh deals, by the better of its average and its likeliest actions."""

    value: float
    error: float  # standard


def learn_against(table: DealBlocks, reader: TranslatedSeat, learning: int, scoring: int) -> Learned:
    """Learn a response for so many deals, then play so many fresh ones."""
    game, me = table.game, 1 - reader.seat
    regret, average = (np.zeros(game.slots, dtype=np.float32) for _ in range(2))
    frames = make_frames(game)
    begin = -(-learning // BLOCK)
    for number in range(begin):
        bucket, strength, random = table.block(number)
        coupled.train_against(
            me, table.tree, bucket, strength, regret, average, reader.packed, random, frames.place, frames.value, frames.chance
        )  # fmt: skip
        if number == begin // 2:
            average[:] = 0.0  # early strategies are not worth averaging
    best = Learned(-np.inf, 0.0)
    hands = -(-scoring // BLOCK)
    for greedy in (False, True):
        sums = np.zeros(2)
        for number in range(begin, begin + hands):
            bucket, strength, random = table.block(number)
            coupled.play_against(me, greedy, table.tree, bucket, strength, regret, average, reader.packed, random, sums)
        mean, square = sums / (hands * BLOCK)
        if mean > best.value:
            best = Learned(float(mean), float(np.sqrt((square - mean * mean) / (hands * BLOCK))))
    return best


@dataclass(frozen=True, eq=False)
class BlueprintCrossTable:
    """Chips a hand of row against column, mean over both seats of the same deals."""

    names: tuple[str, ...]
    value: Floats  # [k, k]
    error: Floats  # [k, k] standard


def cross_table(
    table: DealBlocks, players: Mapping[str, tuple[TranslatedSeat, TranslatedSeat]], deals: int, first_block: int = 0
) -> BlueprintCrossTable:
    """Everybody against everybody on the same deals, each played in both seats; players are pairs of readers by seat."""
    names, blocks = tuple(players), -(-deals // BLOCK)
    sums, squares = np.zeros((2, len(names), len(names)))
    here, there = np.empty((2, BLOCK))
    for number in range(first_block, first_block + blocks):
        bucket, strength, random = table.block(number)
        for i, j in combinations(range(len(names)), 2):
            one, other = players[names[i]], players[names[j]]
            coupled.play_readers(one[0].packed, other[1].packed, table.tree, bucket, strength, random, here)
            coupled.play_readers(other[0].packed, one[1].packed, table.tree, bucket, strength, random, there)
            won = 0.5 * (here - there)
            sums[i, j] += won.sum()
            squares[i, j] += won @ won
    count = blocks * BLOCK
    mean = sums / count
    error = np.sqrt(np.maximum(squares / count - mean * mean, 0.0) / count)
    return BlueprintCrossTable(names, mean - mean.T, error + error.T)
