"""What a blueprint of hold'em does before the flop, by the 169 classes of hands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, combinations
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.betting_tree.betting_tree import DECISION, FOLDED, RAISED, RUNOUT, BettingTree
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

BOARD = 5  # cards of hold'em's board, for which equities of pairs of hands are known


@dataclass(frozen=True, eq=False)
class FirstRound:
    """Decisions before the flop, and with what each hand gets there."""

    blueprint: PokerBlueprint

    @property
    def tree(self) -> BettingTree:
        return self.blueprint.abstract.tree

    @property
    def is_holdem(self) -> bool:
        """Whether hands are two cards of a whole deck."""
        rules = self.blueprint.abstract.rules
        return rules.hole == 2 and rules.deck == STANDARD

    @property
    def has_whole_boards(self) -> bool:
        """Whether an all-in is shown down on five board cards."""
        return sum(self.blueprint.abstract.rules.board) == BOARD

    @cached_property
    def decisions(self) -> list[int]:
        """Nodes where somebody acts, parents before children."""
        tree = self.tree
        found: list[int] = np.flatnonzero((tree.kind == DECISION) & (tree.round == 0)).tolist()
        return found

    @cached_property
    def strategies(self) -> dict[int, Floats]:
        """[class, action] by decision."""
        hands = hands_of(STANDARD)
        bucket = self.blueprint.abstract.buckets.bucket(0, np.stack([hands.low, hands.high], axis=1).astype(np.int8))
        return {node: _by_class(self.blueprint.strategies(node, bucket), hands.cell) for node in self.decisions}

    @cached_property
    def reach(self) -> dict[int, Floats]:
        """[player, class] by decision: chance that the player's own actions lead there."""
        tree = self.tree
        out = {0: np.ones((tree.players, CLASSES))}
        for node in self.decisions:
            first, rows = int(tree.first_child[node]), self.strategies[node]
            for action in range(int(tree.children[node])):
                out[first + action] = out[node].copy()
                out[first + action][int(tree.player[node])] *= rows[:, action]
        return out

    def share(self, node: int, hand: int) -> float:
        """How often a class gets to a decision of its own, others as they play on average."""
        me, weights = int(self.tree.player[node]), combinations() / combinations().sum()
        others = (float(row @ weights) for p, row in enumerate(self.reach[node]) if p != me)
        return float(self.reach[node][me, hand]) * float(np.prod(list(others)))

    def raises(self, node: int) -> int:
        """How often was raised so far."""
        count = 0
        while node > 0:
            count += self.tree.step[node] == RAISED
            node = int(self.tree.parent[node])
        return int(count)

    def folds(self, node: int) -> bool:
        """Whether folding is on offer; it is the first action then."""
        return bool(self.tree.step[self.tree.first_child[node]] == FOLDED)

    def meets_all_in(self, node: int) -> bool:
        """Whether a call ends the betting, and nothing but a call and a fold is on offer."""
        first = int(self.tree.first_child[node])
        return self.folds(node) and self.tree.children[node] == 2 and self.tree.kind[first + 1] == RUNOUT

    def all_in(self, node: int) -> bool:
        """Whether somebody has nothing left to bet."""
        rules = self.tree.rules
        return float(self.tree.paid[node].max()) >= (min(rules.stacks) if rules.stacks else rules.stack)


def _by_class(rows: Floats, cell: Longs) -> Floats:
    """[class, action] means of [hand, action]."""
    out = np.zeros((CLASSES, rows.shape[1]))
    np.add.at(out, cell, rows)
    return out / combinations()[:, None]
