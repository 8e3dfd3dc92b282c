"""PureChoices: purified strategies in ceil(log2 actions) bits per infoset, read where they lie ([Brown20, §6.3])."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Longs
from equilibrist.core.errors import ParameterError
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker

Bytes = npt.NDArray[np.uint8]


def bits_of(actions: int) -> int:
    """Bits that tell so many actions apart; a single one takes none."""
    return max(actions - 1, 0).bit_length()


@dataclass(frozen=True, eq=False)
class PureChoices:
    """One action for every infoset from a round on; rounds before it stay mixed."""

    first_round: int
    bits: Bytes  # [ceil(bits / 8)], the first bit of a byte is its highest

    def first_bit(self, game: AbstractPoker) -> Longs:
        """[N + 1] where the bits of each node begin."""
        return np.concatenate([[0], np.cumsum(_widths(game, self.first_round))])

    def at(self, begin: int, actions: int, buckets: npt.NDArray[np.integer]) -> Longs:
        """[hand] the action of hands of these buckets at a node whose bits begin here."""
        width = bits_of(actions)
        place = begin + buckets.astype(np.int64)[:, None] * width + np.arange(width)
        found = (self.bits[place >> 3] >> (7 - (place & 7)).astype(np.uint8)) & 1
        weights = 1 << np.arange(width - 1, -1, -1, dtype=np.int64)
        return np.asarray(found @ weights, dtype=np.int64)


def _widths(game: AbstractPoker, first_round: int) -> Longs:
    """[N] bits of each node."""
    tree, sizes = game.tree, np.asarray(game.buckets.sizes, dtype=np.int64)
    each = np.array([bits_of(width) for width in range(int(tree.children.max()) + 1)], dtype=np.int64)
    return np.where(tree.round >= first_round, each[tree.children] * sizes[tree.round], 0)


def mixed_slots(game: AbstractPoker, first_round: int) -> Longs:
    """[N + 1] where the slots of each node begin when only rounds before `first_round` are kept."""
    return np.concatenate([[0], np.cumsum(np.where(game.tree.round < first_round, np.diff(game.first_slot), 0))])


def purified(game: AbstractPoker, packed: Bytes, first_round: int) -> tuple[Bytes, PureChoices]:
    """Mixed strategies [slots] as those of the rounds before, and the likeliest action (the first of equals) from a round on."""
    tree = game.tree
    if not 0 <= first_round < tree.rounds:
        raise ParameterError(
            f"Strategies are purified from one of the rounds 0 to {tree.rounds - 1} on, but {first_round} was given."
        )
    parts: list[npt.NDArray[np.uint8]] = []
    kept = np.zeros(game.slots, dtype=np.bool_)
    for node in tree.decisions.tolist():
        begin, end, actions = int(game.first_slot[node]), int(game.first_slot[node + 1]), int(tree.children[node])
        if tree.round[node] < first_round:
            kept[begin:end] = True
        elif bits_of(actions):
            best = packed[begin:end].reshape(-1, actions).argmax(axis=1)
            shifts = np.arange(bits_of(actions) - 1, -1, -1)
            parts.append(((best[:, None] >> shifts) & 1).astype(np.uint8).ravel())
    bits = np.packbits(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.uint8)
    return packed[kept], PureChoices(first_round, bits)
