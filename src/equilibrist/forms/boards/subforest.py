"""The betting after one line, or after several, cut out of the forests of a spot or game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Longs
from equilibrist.forms.boards.betting_forest import number_deals, number_slots
from equilibrist.forms.boards.street_betting import DEAL, StreetForest


def forests_below(forests: Sequence[StreetForest], depth: int, nodes: int | Sequence[int]) -> tuple[StreetForest, ...]:
    """What follows one node of a street, or several none of which lies below another, as forests of their own.

    Chips, payoffs and lines stay those of the whole.
    """
    out = []
    roots = np.array([nodes] if isinstance(nodes, int) else nodes, dtype=np.int64)
    for forest in forests[depth:]:
        inside, levels = nodes_below(forest, roots)
        out.append(_cut(forest, inside, levels, len(roots)))
        roots = forest.next_root[inside][forest.kind[inside] == DEAL].astype(np.int64)
    return tuple(out)


def nodes_below(forest: StreetForest, roots: Sequence[int] | Longs) -> tuple[Longs, npt.NDArray[np.int32]]:
    """The roots and everything below them, level by level, and where each level begins."""
    nodes, levels = [int(root) for root in roots], [0]
    while levels[-1] < len(nodes):
        begin = levels[-1]
        levels.append(len(nodes))
        for node in nodes[begin : levels[-1]]:
            first = int(forest.first_child[node])
            nodes += range(first, first + int(forest.children[node]))
    return np.array(nodes, dtype=np.int64), np.array(levels, dtype=np.int32)


def _cut(forest: StreetForest, nodes: Longs, levels: npt.NDArray[np.int32], roots: int) -> StreetForest:
    number = np.full(len(forest) + 1, -1, dtype=np.int32)  # the last entry is for nodes without a child
    number[nodes] = np.arange(len(nodes))
    kind, children = forest.kind[nodes], forest.children[nodes]
    slot, slots = number_slots(kind, children, 2)
    parent = number[forest.parent[nodes]]
    parent[:roots] = -1
    tops, rest = nodes[:roots].tolist(), nodes[roots:].tolist()
    arrays = {name: getattr(forest, name)[nodes] for name in ("paid", "folder", "stake", "win", "lose", "tie")}
    cut = replace(
        forest,
        kind=kind,
        parent=parent,
        first_child=number[forest.first_child[nodes]],
        children=children,
        slot=slot,
        slots=(slots[0], slots[1]),
        next_root=number_deals(kind == DEAL),
        levels=levels,
        action=(*("" for _ in tops), *(forest.action[node] for node in rest)),
        name=(*("" for _ in tops), *(forest.name[node] for node in rest)),
        before=tuple(forest.before[node] if node < forest.roots else f"{forest.line(node)}:" for node in tops),
        **arrays,
    )
    for value in vars(cut).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return cut
