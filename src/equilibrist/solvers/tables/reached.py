"""How likely the betting of a table comes to each decision and each end, hands taken for independent."""

from __future__ import annotations

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, combinations
from equilibrist.core.arrays import Floats
from equilibrist.forms.table_tree.table_tree import TableTree


def reached(tree: TableTree, strategy: Floats) -> tuple[Floats, Floats]:
    """[decision] and [end] chances under a strategy [slot, class]."""
    counts = combinations().astype(np.float64)
    begin = [tree.table.weights(seat) for seat in range(tree.table.seats)]
    reach = np.concatenate([np.zeros((tree.slot_count, CLASSES)), np.stack(begin)])
    for slot in range(tree.slot_count):
        reach[slot] = reach[tree.before[slot]] * strategy[slot]
    mass = reach @ counts
    decisions, ends = np.zeros(tree.decisions), np.zeros(tree.ends)
    decisions[0] = 1.0
    for decision in range(tree.decisions):
        for place in range(tree.first[decision], tree.first[decision + 1]):
            child, slot = tree.children[place], tree.slots[place]
            if mass[tree.before[slot]] > 0.0:
                chance = decisions[decision] * mass[slot] / mass[tree.before[slot]]
                if child >= 0:
                    decisions[child] = chance
                else:
                    ends[-1 - child] = chance
    return decisions, ends
