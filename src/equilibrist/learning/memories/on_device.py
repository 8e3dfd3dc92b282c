"""A reservoir of samples on a device: each sample so far is kept with the same chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor


class DeviceReservoir:
    """Up to `capacity` rows of several columns, in tensors."""

    def __init__(self, capacity: int, device: torch.device, **columns: tuple[tuple[int, ...], torch.dtype]) -> None:
        """`columns`: shape of one row and dtype, by name. Room is taken as rows come."""
        self.capacity, self.device, self._shapes = capacity, device, columns
        self.offered = 0
        self._columns = {
            name: torch.zeros((0, *shape), dtype=kind, device=device) for name, (shape, kind) in columns.items()
        }

    def __len__(self) -> int:
        return min(self.offered, self.capacity)

    def __getitem__(self, name: str) -> Tensor:
        return self._columns[name][: len(self)]

    def add(self, random: torch.Generator, **rows: Tensor) -> None:
        """Offer rows, in order; of rows that come to the same place the last one stays."""
        count = len(next(iter(rows.values())))
        self._grow(min(self.capacity, self.offered + count))
        number = self.offered + torch.arange(count)
        drawn = (torch.rand(count, generator=random, dtype=torch.float64) * (number + 1)).long()
        place = torch.where(number < self.capacity, number, drawn)
        last = torch.full((self.capacity if self.offered + count > self.capacity else len(self) + count,), -1)
        kept = place < self.capacity
        last.scatter_reduce_(0, place[kept], torch.arange(count)[kept], "amax")
        target = (last >= 0).nonzero().squeeze(1)
        source = last[target].to(self.device)
        for name, values in rows.items():
            self._columns[name][target.to(self.device)] = values[source].to(self._columns[name].dtype)
        self.offered += count

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """What it holds, for a state."""
        kept = {f"{name}.{key}": self[key].cpu().numpy().copy() for key in self._columns}
        return kept | {f"{name}.offered": np.array(self.offered, dtype=np.int64)}

    def restore(self, state: Mapping[str, npt.NDArray[Any]], name: str) -> None:
        """Take a state over."""
        self.offered = int(state[f"{name}.offered"])
        for key, (shape, kind) in self._shapes.items():
            array = state[f"{name}.{key}"]
            if array.shape != (len(self), *shape):
                raise ValueError(f"'{name}.{key}' has the shape {array.shape} instead of {(len(self), *shape)}")
            self._columns[key] = torch.from_numpy(np.array(array)).to(self.device, kind)

    def _grow(self, rows: int) -> None:
        have = len(next(iter(self._columns.values())))
        if rows <= have:
            return
        room = min(self.capacity, max(rows, 2 * have))
        for name, (shape, kind) in self._shapes.items():
            column = torch.zeros((room, *shape), dtype=kind, device=self.device)
            column[:have] = self._columns[name]
            self._columns[name] = column
