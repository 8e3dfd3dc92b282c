"""The betting after one line, cut out of the forests of a spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equilibrist.forms.boards.street_betting import DEAL, IP, OOP, StreetForest

Ints = npt.NDArray[np.int64]


def forests_below(forests: Sequence[StreetForest], depth: int, root: int) -> tuple[StreetForest, ...]:
    """What follows one root of a later street, as forests of its own; chips, payoffs and lines stay those of the spot."""
    out = []
    roots = np.array([root])
    for forest in forests[depth:]:
        nodes = _descendants(forest, roots)
        out.append(_cut(forest, nodes, len(roots)))
        roots = forest.next_root[nodes][forest.kind[nodes] == DEAL].astype(np.int64)
    return tuple(out)


def _descendants(forest: StreetForest, roots: Ints) -> Ints:
    """The roots and everything below them, in the forest's order."""
    inside = np.zeros(len(forest), dtype=np.bool_)
    inside[roots] = True
    for node in range(forest.roots, len(forest)):
        inside[node] = inside[forest.parent[node]]
    return np.flatnonzero(inside)


def _cut(forest: StreetForest, nodes: Ints, roots: int) -> StreetForest:
    """Breadth-first order is kept by rising numbers, so only the numbers change."""
    number = np.full(len(forest) + 1, -1, dtype=np.int32)  # the last entry is for nodes without a parent or child
    number[nodes] = np.arange(len(nodes))
    kind, children = forest.kind[nodes], forest.children[nodes]
    slot, slots = np.full(len(nodes), -1, dtype=np.int32), []
    for player in (OOP, IP):
        own = kind == player
        ends = np.cumsum(children[own])
        slot[own] = ends - children[own]
        slots.append(int(ends[-1]) if len(ends) else 0)
    next_root = np.full(len(nodes), -1, dtype=np.int32)
    next_root[kind == DEAL] = np.arange((kind == DEAL).sum())
    arrays = {name: getattr(forest, name)[nodes] for name in ("paid", "folder", "stake", "win", "lose", "tie")}
    cut = replace(
        forest,
        kind=kind,
        parent=number[forest.parent[nodes]],
        first_child=number[forest.first_child[nodes]],
        children=children,
        slot=slot,
        slots=(slots[0], slots[1]),
        next_root=next_root,
        levels=np.searchsorted(nodes, forest.levels).astype(np.int32),
        action=tuple(forest.action[node] for node in nodes),
        name=tuple(forest.name[node] for node in nodes),
        before=tuple(forest.before[node] for node in nodes[:roots]),
        **arrays,
    )
    for value in vars(cut).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return cut
