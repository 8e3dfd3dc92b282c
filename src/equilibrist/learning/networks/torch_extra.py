"""PyTorch: whether it is here, which device, and tensors from and to arrays of a state."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from equilibrist.core.errors import MissingExtraError, NotApplicableError, ParameterError

if TYPE_CHECKING:
    import torch

DEVICES = ("cpu", "cuda", "auto")


def need_torch() -> None:
    """Refuse to learn without PyTorch."""
    if importlib.util.find_spec("torch") is None:
        raise MissingExtraError("torch", "deep", "Learning")


def torch_device(name: str) -> torch.device:
    """'cpu', 'cuda' or 'auto' (CUDA where there is one).

    On a CPU PyTorch gets one thread: for nets of this size more of them wait for each other, and sums would depend on their number.
    """
    need_torch()
    import torch

    if name not in DEVICES:
        raise ParameterError(f"Devices are {', '.join(DEVICES)}, but '{name}' was given.")
    if name == "cuda" and not torch.cuda.is_available():
        raise NotApplicableError(
            "'cuda' was asked for, but PyTorch finds no CUDA device here; leave --device out, or give 'auto'."
        )
    found = torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")
    if found.type == "cpu":
        torch.set_num_threads(1)
    return found


@contextmanager
def quick_products(device: torch.device) -> Iterator[None]:
    """On CUDA, factors of matrix products are rounded to 10 bits (TF32) and added up in single precision."""
    import torch

    if device.type != "cuda":
        yield
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def captures(device: torch.device) -> bool:
    """Whether work on a device is captured once and replayed, so that everything stays where it is."""
    return str(device.type) == "cuda"


def compiled_here(device: torch.device) -> bool:
    """Whether steps of learning are compiled: on CUDA, where PyTorch's compiler is complete."""
    return device.type == "cuda" and importlib.util.find_spec("triton") is not None
