"""One-sided CFR ([Lu16, §6.1]): the blueprint is frozen, and what a learner wins from it is a lower bound of what can be won.

Cards stay in buckets, the same ones for both; the learner may have more bets. `TranslatedSeat` is a blueprint that reads real bets in its
own tree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.bets.coupled_tree import CoupledTree, couple
from equilibrist.abstraction.bets.translation import Translation, find_mapping
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.betting_tree.betting_tree import betting_tree
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


def learned_exploitability(
    blueprint: PokerBlueprint,
    learning: int,
    scoring: int,
    *,
    bets: str = "",
    mapping: str = "rand-pshar",
    seed: int = 0,
) -> Learned:
    """What learners in both seats win on average, with the blueprint's own bets or with `bets` such as '33%, 75%, 150%, a'.

    Bets that the blueprint does not know it reads by `mapping`.
    """
    if learning < 1 or scoring < 1:
        raise ParameterError(f"Learning and scoring take at least 1 deal, but {learning} and {scoring} were given.")
    own = blueprint.abstract
    tree = betting_tree(replace(blueprint.plan, menu={"menu": {"bet": bets}}).rules) if bets else own.tree
    table = DealBlocks(AbstractPoker(tree, own.buckets), seed)
    readers = [make_reader(table.game, blueprint, seat, find_mapping(mapping)) for seat in range(2)]
    first, second = (learn_against(table, reader, learning, scoring) for reader in readers)
    return Learned((first.value + second.value) / 2.0, float(np.hypot(first.error, second.error)) / 2.0)
