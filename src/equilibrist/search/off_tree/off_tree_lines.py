"""OffTreeLines: bets on two streets of betting that one player never learned of, one inside the other ([Brown20, §5.1.7]).

What `OffTree` is for a public tree this is for forests of lines without cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Bools, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import StreetForest

Image = tuple[float, int]  # probability, node of the same street


@dataclass(frozen=True)
class OffTreeLines:
    """The betting of a finer game, and the nodes right after actions that are not in the smaller one."""

    forests: tuple[StreetForest, StreetForest]
    after: tuple[Bools, Bools]  # by street [node]

    @classmethod
    def where(cls, forests: tuple[StreetForest, StreetForest], unknown: Callable[[str, str], bool]) -> OffTreeLines:
        """`unknown` says of a line and an action there whether the smaller game lacks it."""
        first, second = (
            np.array(
                [
                    above >= 0 and unknown(forest.line(above).replace("/", ":"), forest.action[node])
                    for node, above in enumerate(forest.parent.tolist())
                ],
                dtype=np.bool_,
            )
            for forest in forests
        )
        return cls(forests, (first, second))

    def above_root(self, root: int) -> int:
        """The node of the first street after which a line of the second begins."""
        return int(np.flatnonzero(self.forests[0].next_root == root)[0])

    @cached_property
    def taken(self) -> tuple[Ints, Ints]:
        """By street [player, node] how many off-tree actions of each player lead there."""
        found = tuple(np.zeros((2, len(forest)), dtype=np.int32) for forest in self.forests)
        for street, forest in enumerate(self.forests):
            out = found[street]
            for node, above in enumerate(forest.parent.tolist()):
                if above >= 0:
                    out[:, node] = out[:, above]
                    if self.after[street][node]:
                        out[forest.kind[above], node] += 1
                elif street:
                    out[:, node] = found[0][:, self.above_root(node)]
        return found[0], found[1]

    def levels(self, searcher: int) -> int:
        """How many off-tree actions the opponent can take in one game."""
        return int(max(taken[1 - searcher].max() for taken in self.taken))

    def roots(self, street: int, searcher: int, level: int) -> list[int]:
        """Nodes right after the opponent's `level`-th off-tree action, where the searcher has taken none."""
        forest, taken = self.forests[street], self.taken[street]
        new = np.flatnonzero(self.after[street] & (taken[1 - searcher] == level) & (taken[searcher] == 0))
        return [int(node) for node in new if forest.kind[forest.parent[node]] != searcher]

    def hidden(self, searcher: int, level: int) -> tuple[Bools, Bools]:
        """By street [node] off-tree actions that are not known when the opponent has taken up to `level` of them."""
        first, second = (
            after & ((taken[searcher] > 0) | (taken[1 - searcher] > level))
            for after, taken in zip(self.after, self.taken, strict=True)
        )
        return first, second

    def path(self, street: int, node: int) -> Iterator[tuple[int, int]]:
        """Decisions on the way to a node of a street, from the last one up: where it was, and the node it led to."""
        parent = self.forests[street].parent
        while parent[node] >= 0:
            yield int(parent[node]), node
            node = int(parent[node])

    def by_depth(self, nodes: list[int]) -> Iterator[list[int]]:
        """Nodes of the second street in groups none of which has a node below another."""
        depth = np.searchsorted(self.forests[1].levels, nodes, side="right")
        for each in np.unique(depth):
            yield [node for node, deep in zip(nodes, depth, strict=True) if deep == each]

    def images(
        self, searcher: int, shares: tuple[float, float]
    ) -> tuple[dict[int, list[Image]], dict[int, list[Image]]]:
        """By street, for each node where the searcher has taken no off-tree action: the known nodes that it is taken for.

        Every off-tree action of the opponent is taken for the one before or after it in the menu, with these probabilities.
        """
        first = self._images(0, searcher, shares, {0: [(1.0, 0)]})
        begin = {}
        for node, images in first.items():
            if (root := int(self.forests[0].next_root[node])) >= 0:
                begin[root] = [(share, int(self.forests[0].next_root[image])) for share, image in images]
        return first, self._images(1, searcher, shares, begin)

    def _images(
        self, street: int, searcher: int, shares: tuple[float, float], begin: dict[int, list[Image]]
    ) -> dict[int, list[Image]]:
        forest, out = self.forests[street], dict(begin)
        for node, above in enumerate(forest.parent.tolist()):
            if above < 0 or above not in out or (self.after[street][node] and forest.kind[above] == searcher):
                continue
            action = node - int(forest.first_child[above])
            steps = tuple(zip(shares, (-1, 1), strict=True)) if self.after[street][node] else ((1.0, 0),)
            out[node] = [
                (share * given, self._child(street, image, action + step, node))
                for given, image in out[above]
                for share, step in steps
            ]
        return out

    def _child(self, street: int, node: int, action: int, like: int) -> int:
        forest = self.forests[street]
        child = int(forest.first_child[node]) + action
        known = 0 <= action < forest.children[node] and not self.after[street][child]
        if not known or (forest.kind[child], forest.children[child]) != (forest.kind[like], forest.children[like]):
            raise NotApplicableError(
                f"'{forest.line(like)}' has no neighbours on both sides that are played alike; use deeper stacks."
            )
        return child
