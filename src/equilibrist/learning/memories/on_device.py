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

    def __init__(
        self,
        capacity: int,
        device: torch.device,
        *,
        fixed: bool = False,
        **columns: tuple[tuple[int, ...], torch.dtype],
    ) -> None:
        """`columns`: shape of one row and dtype, by name.

        Room is taken as rows come, or with `fixed` all at once, so that rows stay where captured work reads them.
        """
        self.capacity, self.device, self._shapes = capacity, device, columns
        self.offered = 0
        room = capacity if fixed else 0
        self._columns = {
            name: torch.zeros((room, *shape), dtype=kind, device=device) for name, (shape, kind) in columns.items()
        }

    def __len__(self) -> int:
        return min(self.offered, self.capacity)

    def __getitem__(self, name: str) -> Tensor:
        return self._columns[name][: len(self)]

    @property
    def columns(self) -> Mapping[str, Tensor]:
        """All places, also those that are still empty."""
        return self._columns

    @property
    def nbytes(self) -> int:
        """Bytes that are taken now."""
        return sum(column.nbytes for column in self._columns.values())

    def add(self, random: torch.Generator, **rows: Tensor) -> None:
        """Offer rows, in order; of rows that come to the same place the last one stays. `random` draws where memories lie, or on a CPU."""
        count = len(next(iter(rows.values())))
        self._grow(min(self.capacity, self.offered + count))
        number = self.offered + torch.arange(count, device=random.device)
        drawn = torch.rand(count, generator=random, dtype=torch.float64, device=random.device)
        if self.offered + count <= self.capacity:
            for name, values in rows.items():
                self._columns[name][self.offered : self.offered + count] = values
        else:
            place = torch.where(number < self.capacity, number, (drawn * (number + 1)).long())
            self._write(place.to(self.device), rows)
        self.offered += count

    def _write(self, place: Tensor, rows: Mapping[str, Tensor]) -> None:
        target, source = last_at(place, self.capacity)
        for name, values in rows.items():
            self._columns[name][target] = values[source].to(self._columns[name].dtype)

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
            self._grow(len(self))
            self._columns[key][: len(self)] = torch.from_numpy(np.array(array)).to(self.device, kind)

    def _grow(self, rows: int) -> None:
        have = len(next(iter(self._columns.values())))
        if rows <= have:
            return
        room = min(self.capacity, max(rows, 2 * have))
        for name, (shape, kind) in self._shapes.items():
            column = torch.zeros((room, *shape), dtype=kind, device=self.device)
            column[:have] = self._columns[name]
            self._columns[name] = column


def last_at(place: Tensor, capacity: int) -> tuple[Tensor, Tensor]:
    """Places below `capacity`, each once, and the last row that comes to each: on a device writes to one place have no order."""
    found, order = torch.sort(place, stable=True)
    stays = found < capacity
    stays[:-1] &= found[1:] != found[:-1]
    return found[stays], order[stays]
