"""Memories of rows of numbers: a reservoir, in which each row so far is kept with the same chance, and a ring of the newest rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class SampleMemory:
    """Up to `capacity` rows of several columns; columns are arrays that share their first axis."""

    def __init__(self, capacity: int, ring: bool = False, **columns: tuple[tuple[int, ...], Any]) -> None:
        """`columns`: shape of one row and dtype, by name. Room is taken as rows come."""
        self.capacity, self.ring = capacity, ring
        self.offered = 0
        self._shapes = columns
        self._columns = {name: np.zeros((0, *shape), dtype) for name, (shape, dtype) in columns.items()}

    def __len__(self) -> int:
        return min(self.offered, self.capacity)

    def __getitem__(self, name: str) -> Array:
        """Rows kept, in no particular order."""
        return self._columns[name][: len(self)]

    @property
    def nbytes(self) -> int:
        """Bytes when it is full."""
        return sum(
            self.capacity * int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize
            for shape, kind in self._shapes.values()
        )

    def add(self, random: np.random.Generator, **rows: Array) -> None:
        """Offer rows, in order."""
        count = len(next(iter(rows.values())))
        self._grow(min(self.capacity, self.offered + count))
        place = self._places(count, random)
        # of rows that come to the same place the last one stays
        kept, last = np.unique(place[::-1], return_index=True)
        source = (count - 1 - last)[kept >= 0]
        for name, values in rows.items():
            self._columns[name][kept[kept >= 0]] = values[source]
        self.offered += count

    def draw(self, random: np.random.Generator, count: int) -> Array:
        """Numbers of rows drawn evenly, with replacement."""
        drawn: Array = random.integers(0, len(self), size=count)
        return drawn

    def arrays(self, name: str) -> dict[str, Array]:
        """What it holds, for a state."""
        return {f"{name}.{key}": self[key].copy() for key in self._columns} | {
            f"{name}.offered": np.array(self.offered, dtype=np.int64)
        }

    def restore(self, state: Mapping[str, Array], name: str) -> None:
        """Take a state over."""
        self.offered = int(state[f"{name}.offered"])
        for key, (shape, kind) in self._shapes.items():
            array = state[f"{name}.{key}"]
            if array.shape != (len(self), *shape):
                raise ValueError(f"'{name}.{key}' has the shape {array.shape} instead of {(len(self), *shape)}")
            self._columns[key] = np.array(array, dtype=kind)

    def _places(self, count: int, random: np.random.Generator) -> Array:
        """Where each row goes, or -1."""
        number = self.offered + np.arange(count)
        if self.ring:
            return number % self.capacity
        place = np.where(number < self.capacity, number, (random.random(count) * (number + 1)).astype(np.int64))
        return np.where(place < self.capacity, place, -1)

    def _grow(self, rows: int) -> None:
        have = len(next(iter(self._columns.values())))
        if rows <= have:
            return
        room = min(self.capacity, max(rows, 2 * have))
        for name, (shape, kind) in self._shapes.items():
            column = np.zeros((room, *shape), kind)
            column[:have] = self._columns[name]
            self._columns[name] = column
