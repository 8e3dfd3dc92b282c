"""The betting of a spot or game without some actions of its first street, and where what is left stood before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equilibrist.core.arrays import Ints
from equilibrist.forms.boards.street_betting import DEAL, StreetForest


@dataclass(frozen=True, eq=False)
class CutBetting:
    """Forests without the actions that lead to some nodes, or anything behind them."""

    forests: tuple[StreetForest, ...]
    nodes: tuple[Ints, ...]  # by street: number of each node before
    slots: tuple[tuple[Ints, Ints], ...]  # by street and player: number of each slot before


def without_actions(forests: Sequence[StreetForest], dropped: Collection[int]) -> CutBetting:
    """`dropped` are nodes of the first street that actions lead to; whoever acts before one keeps at least one other action."""
    kept = descendants(forests[0], np.isin(np.arange(len(forests[0])), list(dropped)), alive=False)
    parts = []
    for depth, forest in enumerate(forests):
        roots = np.zeros(0, dtype=np.int32)
        if depth + 1 < len(forests):  # the roots below, in their order
            roots = np.sort(forest.next_root[kept & (forest.kind == DEAL)])
        parts.append(_cut(forest, kept, roots))
        if depth + 1 < len(forests):
            alive = np.zeros(len(forests[depth + 1]), dtype=np.bool_)
            alive[roots] = True
            kept = descendants(forests[depth + 1], alive, alive=True)
    return CutBetting(
        tuple(part[0] for part in parts), tuple(part[1] for part in parts), tuple(part[2] for part in parts)
    )


def descendants(forest: StreetForest, marked: np.ndarray, *, alive: bool) -> np.ndarray:
    """[N] the marked nodes and everything below them; or, if they are not `alive`, everything else."""
    out = marked.copy()
    for node in range(forest.roots, len(forest)):
        out[node] |= out[forest.parent[node]]
    return out if alive else ~out


def _cut(forest: StreetForest, kept: np.ndarray, roots: Ints) -> tuple[StreetForest, Ints, tuple[Ints, Ints]]:
    nodes = np.flatnonzero(kept).astype(np.int32)
    new = np.full(len(forest) + 1, -1, dtype=np.int32)  # a parent of -1 stays one
    new[nodes] = np.arange(len(nodes))
    acting = forest.first_child[nodes] >= 0
    families = [np.flatnonzero(kept[first : first + n]) + first for first, n in _families(forest, nodes)]
    children = np.zeros(len(nodes), dtype=np.int32)
    children[acting] = [len(family) for family in families]
    first_child = np.full(len(nodes), -1, dtype=np.int32)
    first_child[acting] = [new[family[0]] for family in families]
    slot, slots, counts = np.full(len(nodes), -1, dtype=np.int32), list[Ints](), []
    for player in range(2):
        own = np.flatnonzero(forest.kind[nodes] == player)
        slot[own] = np.cumsum(children[own]) - children[own]
        before = [
            forest.slot[n] + np.flatnonzero(kept[f : f + c])
            for n, (f, c) in zip(nodes[own], _families(forest, nodes[own]), strict=True)
        ]
        slots.append(np.concatenate(before).astype(np.int32) if before else np.zeros(0, dtype=np.int32))
        counts.append(int(children[own].sum()))
    below = np.full(int(forest.next_root.max(initial=-1)) + 2, -1, dtype=np.int32)
    below[roots] = np.arange(len(roots))
    arrays = {name: getattr(forest, name)[nodes] for name in ("kind", "paid", "folder", "stake", "win", "lose", "tie")}
    cut = replace(
        forest,
        **arrays,
        parent=new[forest.parent[nodes]],
        first_child=first_child,
        children=children,
        slot=slot,
        slots=(counts[0], counts[1]),
        next_root=below[forest.next_root[nodes]],
        levels=np.concatenate([[0], np.cumsum(kept)])[forest.levels].astype(forest.levels.dtype),
        action=tuple(forest.action[n] for n in nodes.tolist()),
        name=tuple(forest.name[n] for n in nodes.tolist()),
        before=tuple(line for line, stays in zip(forest.before, kept[: forest.roots].tolist(), strict=True) if stays),
    )
    return cut, nodes, (slots[0], slots[1])


def _families(forest: StreetForest, nodes: Ints) -> list[tuple[int, int]]:
    """First child and number of children of those that have any."""
    return [(int(forest.first_child[n]), int(forest.children[n])) for n in nodes.tolist() if forest.first_child[n] >= 0]
