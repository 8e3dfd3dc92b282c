"""UnionFind: sets that only grow together, in almost constant time per operation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class UnionFind:
    """Elements 0 .. n-1, each in a set of its own at first."""

    def __init__(self, elements: int) -> None:
        self._above = list(range(elements))
        self._size = [1] * elements
        self.sets = elements

    def find(self, element: int) -> int:
        """The element that stands for the set."""
        above = self._above
        while above[element] != element:
            above[element] = above[above[element]]
            element = above[element]
        return element

    def unite(self, one: int, other: int) -> None:
        a, b = self.find(one), self.find(other)
        if a == b:
            return
        if self._size[a] < self._size[b]:
            a, b = b, a
        self._above[b] = a
        self._size[a] += self._size[b]
        self.sets -= 1

    def representatives(self) -> NDArray[np.int64]:
        """[elements] who stands for each."""
        return np.array([self.find(element) for element in range(len(self._above))], np.int64)
