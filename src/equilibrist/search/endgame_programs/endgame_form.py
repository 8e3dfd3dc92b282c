"""Endgames as sequence forms: betting repeated for every bucket, payoffs weighted by how buckets meet ([Lu16, §4.2.4]).

`endgame_form` gives an ordinary `SequenceForm`, so that linear programs and the CFR family solve it alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import InfosetIndex
from equilibrist.forms.sequence_form.sequence_form import SequenceForm, SparsePayoff
from equilibrist.search.endgame_programs.endgame_betting import EndgameBetting, SequenceTree
from equilibrist.search.endgame_programs.joint_hands import JointHands

Weighting = Literal["joint", "count"]


@dataclass(frozen=True)
class BucketPairs:
    """How buckets meet, [bucket of player 1, bucket of player 2]."""

    mass: Floats  # probability of the pair
    share: Floats  # player 1's share of the pot at a showdown; 0 where the pair never meets


def bucket_pairs(hands: JointHands, buckets: tuple[Longs, Longs], weighting: Weighting = "joint") -> BucketPairs:
    """Masses and showdown shares of buckets; `count` weighs all possible pairs of hands alike, as the text does ([Lu16, Algorithm 9])."""
    if weighting not in ("joint", "count"):
        raise ParameterError(f"Showdowns are weighted by 'joint' or 'count', but '{weighting}' was given.")
    first, second = (_members(labels) for labels in buckets)
    mass = first @ hands.probability @ second.T
    weight = hands.probability if weighting == "joint" else (hands.probability > 0).astype(np.float64)
    total = first @ weight @ second.T
    won = first @ (weight * (1.0 + hands.sign) / 2.0) @ second.T
    return BucketPairs(mass / mass.sum(), np.divide(won, total, out=np.zeros_like(won), where=total > 0))


def _members(labels: Longs) -> Floats:
    """[bucket, hand] 1 where a hand belongs; hands with -1 belong nowhere."""
    members: Floats = (np.arange(labels.max() + 1)[:, None] == labels).astype(np.float64)
    return members


def endgame_form(betting: EndgameBetting, pairs: BucketPairs) -> SequenceForm:
    """The bucketed endgame: sequence s of bucket b is 1 + b·a + (s - 1) of its player, where a is the number of betting sequences."""
    trees, counts = betting.players, pairs.mass.shape
    own = [tree.sequences * count for tree, count in zip(trees, counts, strict=True)]
    offset = np.array([0, own[0] + 1, own[0] + own[1] + 2], np.int32)
    infosets = [len(tree.lines) * count for tree, count in zip(trees, counts, strict=True)]
    repeated = [
        _repeated(tree, count, int(offset[p])) for p, (tree, count) in enumerate(zip(trees, counts, strict=True))
    ]
    first, parent = (np.concatenate([part[k] for part in repeated]).astype(np.int32) for k in (0, 1))
    slot = np.arange(int(offset[2])) - 1
    slot[int(offset[1]) :] -= 1
    slot[offset[:2]] = -1
    return SequenceForm(
        infosets=_index(trees, counts),
        offset=offset,
        first_infoset=np.array([0, infosets[0], sum(infosets)], np.int32),
        infoset=np.arange(sum(infosets), dtype=np.int32),
        first_sequence=first,
        actions=np.concatenate([np.tile(t.width, n) for t, n in zip(trees, counts, strict=True)]).astype(np.int32),
        parent=parent,
        slot=slot.astype(np.int32),
        payoff=_payoff(betting, pairs, offset),
        zero_sum=True,
        name=f"an endgame with {counts[0]} and {counts[1]} buckets",
    )


def _repeated(tree: SequenceTree, count: int, offset: int) -> tuple[Longs, Longs]:
    """First sequences and parents of all buckets' infosets."""
    jump = tree.sequences * np.arange(count)[:, None]
    first = offset + jump + tree.first
    parent = offset + np.where(tree.parent > 0, jump + tree.parent, 0)
    return first.ravel(), parent.ravel()


def _index(trees: tuple[SequenceTree, SequenceTree], counts: tuple[int, ...]) -> InfosetIndex:
    return InfosetIndex(
        keys=tuple(
            f"{p + 1}|{b}:{line}" for p, tree in enumerate(trees) for b in range(counts[p]) for line in tree.lines
        ),
        player=np.repeat([0, 1], [len(t.lines) * n for t, n in zip(trees, counts, strict=True)]).astype(np.int32),
        actions=tuple(names for p, tree in enumerate(trees) for _ in range(counts[p]) for names in tree.actions),
        public=tuple(line for p, tree in enumerate(trees) for _ in range(counts[p]) for line in tree.lines),
    )


def _payoff(betting: EndgameBetting, pairs: BucketPairs, offset: NDArray[np.int32]) -> SparsePayoff:
    """One entry for every pair of buckets that meet and every end of the betting."""
    one, two = np.nonzero(pairs.mass > 0)
    mass, edge = pairs.mass[one, two], 2.0 * pairs.share[one, two] - 1.0
    value = mass[:, None] * betting.payoff * np.where(betting.showdown, edge[:, None], 1.0)
    column = []
    for player, bucket in enumerate((one, two)):
        last = betting.ends[:, player].astype(np.int64)
        number = np.where(last > 0, bucket[:, None] * betting.players[player].sequences + last, 0)
        column.append(offset[player] + number.ravel())
    row = np.concatenate(column)
    other, worth = np.concatenate(column[::-1]), np.concatenate([value.ravel(), -value.ravel()])
    order = np.lexsort((other, row))
    start = np.searchsorted(row[order], np.arange(int(offset[2]) + 1))
    return SparsePayoff(offset, start.astype(np.int32), other[order].astype(np.int32), worth[order])
