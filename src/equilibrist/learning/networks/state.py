"""Networks, optimisers and random generators as arrays of a state, and back; a state that does not fit is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

Arrays = dict[str, npt.NDArray[Any]]


def net_arrays(net: torch.nn.Module, name: str) -> Arrays:
    """Weights of a net, each under `name.`."""
    return {f"{name}.{key}": value.detach().cpu().numpy().copy() for key, value in net.state_dict().items()}


def load_net(net: torch.nn.Module, state: Mapping[str, npt.NDArray[Any]], name: str) -> None:
    """Weights back into a net of the same shape."""
    own = net.state_dict()
    net.load_state_dict({key: _fitting(state, f"{name}.{key}", value) for key, value in own.items()})


def optimiser_arrays(optimiser: torch.optim.Optimizer, name: str) -> Arrays:
    """What an optimiser remembers of each parameter; learning rates are the method's to set again."""
    out: Arrays = {}
    for number, kept in optimiser.state_dict()["state"].items():
        for key, value in kept.items():
            array = value.detach().cpu().numpy().copy() if isinstance(value, torch.Tensor) else np.asarray(value)
            out[f"{name}.{number}.{key}"] = array
    return out


def load_optimiser(optimiser: torch.optim.Optimizer, state: Mapping[str, npt.NDArray[Any]], name: str) -> None:
    """The memory of an optimiser back."""
    own = optimiser.state_dict()
    kept: dict[int, dict[str, Any]] = {}
    for full, array in state.items():
        if full.startswith(f"{name}."):
            number, key = full.removeprefix(f"{name}.").split(".", 1)
            kept.setdefault(int(number), {})[key] = torch.from_numpy(np.array(array))
    optimiser.load_state_dict({"state": kept, "param_groups": own["param_groups"]})


def generator_array(generator: torch.Generator) -> npt.NDArray[np.uint8]:
    """State of a random generator."""
    array: npt.NDArray[np.uint8] = generator.get_state().numpy().copy()
    return array


def load_generator(generator: torch.Generator, array: npt.NDArray[Any]) -> None:
    """A random generator goes on where the array was taken."""
    generator.set_state(torch.from_numpy(np.array(array, dtype=np.uint8)))


def _fitting(state: Mapping[str, npt.NDArray[Any]], name: str, like: torch.Tensor) -> torch.Tensor:
    array = state[name]
    if tuple(array.shape) != tuple(like.shape):
        raise ValueError(f"'{name}' has the shape {tuple(array.shape)} instead of {tuple(like.shape)}")
    return torch.from_numpy(np.array(array)).to(like.dtype)
