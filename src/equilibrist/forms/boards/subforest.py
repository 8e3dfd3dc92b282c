"""The betting after one line, or after several, cut out of the forests of a spot or game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Bools, Longs
from equilibrist.forms.boards.betting_forest import number_deals, number_slots
from equilibrist.forms.boards.street_betting import DEAL, StreetForest


def forests_below(
    forests: Sequence[StreetForest], depth: int, nodes: int | Sequence[int], hidden: Sequence[Bools] | None = None
) -> tuple[StreetForest, ...]:
    """What follows one node of a street, or several none of which lies below another, as forests of their own.

    Chips, payoffs and lines stay those of the whole. `hidden` by street [node]: actions that nobody has, whose nodes are left out.
    """
    out = []
    roots = np.array([nodes] if isinstance(nodes, int) else nodes, dtype=np.int64)
    for street, forest in enumerate(forests[depth:], start=depth):
        inside, levels = nodes_below(forest, roots, None if hidden is None else hidden[street])
        out.append(_cut(forest, inside, levels, len(roots)))
        roots = forest.next_root[inside][forest.kind[inside] == DEAL].astype(np.int64)
    return tuple(out)


def nodes_below(
    forest: StreetForest, roots: Sequence[int] | Longs, hidden: Bools | None = None
) -> tuple[Longs, npt.NDArray[np.int32]]:
    """The roots and everything below them that is not hidden, level by level, and where each level begins."""
    nodes, levels = [int(root) for root in roots], [0]
    while levels[-1] < len(nodes):
        begin = levels[-1]
        levels.append(len(nodes))
        for node in nodes[begin : levels[-1]]:
            first = int(forest.first_child[node])
            below = range(first, first + int(forest.children[node]))
            nodes += below if hidden is None else [child for child in below if not hidden[child]]
    return np.array(nodes, dtype=np.int64), np.array(levels, dtype=np.int32)


def slots_of_cut(forest: StreetForest, nodes: Sequence[int] | Longs, player: int, hidden: Bools | None = None) -> Longs:
    """[slot of what `forests_below` cuts out] a player's slot in the whole forest."""
    inside, _ = nodes_below(forest, nodes, hidden)
    own = [int(node) for node in inside if forest.kind[node] == player]
    out = []
    for node in own:
        first = int(forest.first_child[node])
        kept = [a for a in range(int(forest.children[node])) if hidden is None or not hidden[first + a]]
        out += [int(forest.slot[node]) + a for a in kept]
    return np.array(out, dtype=np.int64)


def _cut(forest: StreetForest, nodes: Longs, levels: npt.NDArray[np.int32], roots: int) -> StreetForest:
    number = np.full(len(forest) + 1, -1, dtype=np.int32)  # the last entry is for nodes without a parent
    number[nodes] = np.arange(len(nodes))
    parent = number[forest.parent[nodes]]
    parent[:roots] = -1
    kind, children = forest.kind[nodes], np.bincount(parent[roots:], minlength=len(nodes)).astype(np.int32)
    first_child = np.full(len(nodes), -1, dtype=np.int32)
    above, first = np.unique(parent[roots:], return_index=True)
    first_child[above] = first + roots
    slot, slots = number_slots(kind, children, 2)
    tops, rest = nodes[:roots].tolist(), nodes[roots:].tolist()
    arrays = {name: getattr(forest, name)[nodes] for name in ("paid", "folder", "stake", "win", "lose", "tie")}
    cut = replace(
        forest,
        kind=kind,
        parent=parent,
        first_child=first_child,
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
