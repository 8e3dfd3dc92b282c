"""Nets of some iterations, kept so that memories can be filled again: evenly spaced, never many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from equilibrist.learning.networks.state import load_net, net_arrays

KEPT = 24
Arrays = dict[str, npt.NDArray[Any]]


class KeptNets:
    """Nets of all players, by the iteration that began with them."""

    def __init__(self, most: int = KEPT, half: bool = False) -> None:
        """`half`: weights are rounded to half precision, 11 bits."""
        self.most, self.half, self.stride = most, half, 1
        self.nets: dict[int, list[Arrays]] = {}

    def __len__(self) -> int:
        return len(self.nets)

    def keep(self, iteration: int, nets: Sequence[torch.nn.Module]) -> None:
        """One of every `stride` iterations; of too many, every second one is dropped, and the stride doubles."""
        if (iteration - 1) % self.stride:
            return
        self.nets[iteration] = [self._rounded(net_arrays(net, "net")) for net in nets]
        if len(self.nets) > self.most:
            self.stride *= 2
            self.nets = {stamp: kept for stamp, kept in self.nets.items() if (stamp - 1) % self.stride == 0}

    def _rounded(self, arrays: Arrays) -> Arrays:
        return {key: value.astype(np.float16) for key, value in arrays.items()} if self.half else arrays

    def spans(self, end: int) -> Iterator[tuple[int, int, list[Arrays]]]:
        """First iteration, the one after the last, and the nets that stand for them."""
        stamps = sorted(self.nets)
        for stamp, after in zip(stamps, [*stamps[1:], end], strict=True):
            yield stamp, after, self.nets[stamp]

    def arrays(self) -> Arrays:
        """For a state."""
        out: Arrays = {
            "kept": np.array(sorted(self.nets), dtype=np.int64),
            "kept_stride": np.array(self.stride, dtype=np.int64),
        }
        for stamp, nets in self.nets.items():
            for player, arrays in enumerate(nets):
                out |= {f"kept{stamp}.{player}.{key}": value for key, value in arrays.items()}
        return out

    def restore(self, small: Mapping[str, npt.NDArray[Any]], players: int) -> None:
        """Take a state over."""
        self.stride = int(small["kept_stride"])
        self.nets = {
            int(stamp): [_part(small, f"kept{stamp}.{player}.") for player in range(players)]
            for stamp in small["kept"].tolist()
        }


def load_kept(nets: Sequence[torch.nn.Module], arrays: Sequence[Arrays]) -> None:
    """Kept weights into nets of the same shape."""
    for net, own in zip(nets, arrays, strict=True):
        load_net(net, own, "net")


def _part(small: Mapping[str, npt.NDArray[Any]], begin: str) -> Arrays:
    return {key.removeprefix(begin): np.array(value) for key, value in small.items() if key.startswith(begin)}
