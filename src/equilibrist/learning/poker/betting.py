"""Betting trees as a network and as walks see them: numbers for each decision, outputs for each action."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Ints
from equilibrist.forms.betting_tree.betting_tree import CALLED, FOLD, FOLDED, RAISED, BettingTree

SLOTS = 6  # actions of a round that have a place, as in [Brown20, §4.1.2]; more where a round can have more
RAISE = 2  # output of the smallest raise; 0: fold, 1: check or call


class BettingLines:
    """Decisions of a betting tree for two players, in the tree's order."""

    def __init__(self, tree: BettingTree) -> None:
        self.tree = tree
        self.decisions: Ints = tree.decisions
        self.place = np.full(len(tree), -1)  # [N] of a decision among the decisions
        self.place[self.decisions] = np.arange(len(self.decisions))
        self.outputs_of = [self._outputs(node) for node in self.decisions]
        self.outputs = 1 + max(max(each) for each in self.outputs_of)
        self.legal = np.zeros((len(self.decisions), self.outputs), dtype=np.bool_)
        for number, each in enumerate(self.outputs_of):
            self.legal[number, each] = True
        self.player = tree.player[self.decisions].astype(np.int64)
        self.round = tree.round[self.decisions].astype(np.int64)
        self.numbers = self._numbers()

    def children(self, number: int) -> list[int]:
        """Nodes behind the actions of a decision."""
        node = self.decisions[number]
        first = int(self.tree.first_child[node])
        return list(range(first, first + int(self.tree.children[node])))

    def stake(self, node: int, player: int) -> tuple[float, bool]:
        """What a player wins at an end, and whether the cards decide its sign."""
        paid = self.tree.paid[node]
        amount = float(paid.min())
        if self.tree.kind[node] == FOLD:
            lost = bool((int(self.tree.folded[node]) >> player) & 1)
            return (-amount if lost else amount), False
        return amount, True

    def _outputs(self, node: int) -> list[int]:
        out, raises = [], 0
        first = int(self.tree.first_child[node])
        for child in range(first, first + int(self.tree.children[node])):
            step = self.tree.step[child]
            out.append(0 if step == FOLDED else 1 if step == CALLED else RAISE + raises)
            raises += step == RAISED
        return out

    def _numbers(self) -> npt.NDArray[Any]:
        """[decision, 2 x slots x rounds]: whether anybody acted at each step of each round, and the chips put in as a share of the pot.

        A check has happened and puts in nothing: otherwise to act first and to act after a check would look the same.
        """
        steps = [self._steps(int(node)) for node in self.decisions]
        slots = max(SLOTS, max((place + 1 for each in steps for _, place, _ in each), default=0))
        out = np.zeros((len(steps), self.tree.rounds, slots, 2), dtype=np.float32)
        for number, each in enumerate(steps):
            for street, place, share in each:
                out[number, street, place] = 1.0, share
        return out.reshape(len(steps), -1)

    def _steps(self, node: int) -> list[tuple[int, int, float]]:
        """Round, place in it, and share of the pot of all actions before a decision."""
        line = []
        while node > 0:
            above = int(self.tree.parent[node])
            share = float(self.tree.amount[node] / max(self.tree.pot[above], 1e-9))
            line.append((int(self.tree.round[above]), share))
            node = above
        out: list[tuple[int, int, float]] = []
        for street, share in reversed(line):
            place = sum(1 for before in out if before[0] == street)
            out.append((street, place, share))
        return out
