"""Iterations of a batch of games of one street: a block of threads plays several of one game before it goes on to the next.

Tables stay in the cache meanwhile, and games do not wait for each other at the end of every pass. Streets that a card follows play pass by
pass: their boards meet between passes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from equilibrist.solvers.postflop.gpu.cuda_device import load_module
from equilibrist.solvers.postflop.gpu.device_street import ARGUMENT, DeviceStreet, fill_constant, resident_blocks
from equilibrist.solvers.postflop.gpu.hand_tables import WARP
from equilibrist.solvers.postflop.gpu.street_plan import StreetPlan

SOURCE = "board_rounds.cu"
WORDS = 8_000  # of each player's program in constant memory
OWN = (
    "ACTIONS", "TEAM", "HAND_SUMS", "ENTRY_SUMS", "MODELLED", "IN_PLACE", "THEIR_PLACES", "MY_PLACES", "THEIR_BLOCK", "MY_BLOCK",
    "THEIR_TABLE", "MY_TABLE",
)  # fmt: skip
OWN_SHARED = 16  # bytes of shared memory besides
PIECES = 4  # of the iterations of a game, which are dealt out one after another
NAMESPACES = ("first", "second")  # of the passes of the two players


def threads_for(plan: StreetPlan) -> int:
    """Threads of a block that plays a game by itself; 0 where games are not played so."""
    shapes, one = plan.shape, plan.last and plan.above is None and len(plan.groups) == plan.roots == 1
    near = not any(shape.sizes[name] for shape in shapes for name in ("FAR", "LONG"))
    short = all(len(words) <= WORDS for words, _ in plan.packed)
    threads = min(shape.threads for shape in shapes)
    shared_out = all(threads % (WARP * shape.sizes["TEAM"]) == 0 for shape in shapes)
    room = max(shape.shared for shape in shapes) + OWN_SHARED <= plan.device.shared_per_block
    return threads if plan.which is not None and one and near and short and shared_out and room else 0


def sizes_of(plan: StreetPlan, threads: int) -> dict[str, int]:
    """What the kernel is compiled for."""
    shapes = plan.shape
    common = {name: number for name, number in shapes[0].sizes.items() if name not in OWN}
    own: Mapping[str, int] = {
        f"{space.upper()}_{name}": shape.sizes[name]
        for space, shape in zip(NAMESPACES, shapes, strict=True)
        for name in OWN
    }
    blocks = min(shape.sizes["BLOCKS"] for shape in shapes)
    return {**common, **own, "THREADS": threads, "BLOCKS": blocks, "WORDS": WORDS, "STREET_BYTES": ARGUMENT.itemsize}


class DeviceRounds:
    """The kernel of a street whose passes are prepared."""

    def __init__(self, street: DeviceStreet, threads: int, binary: bytes) -> None:
        shapes, device = street.plan.shape, street.plan.device
        arguments, module = [argument for argument, _ in street.argument], load_module(binary)
        for space, own in zip(NAMESPACES, street.own, strict=True):
            for name in ("begin", "program"):
                fill_constant(module, f"_ZN{len(space)}{space}{len(name)}{name}E", own[name])
        self.kernel, self.arguments, self.threads = module.get_function("rounds"), arguments, threads
        self.shared = max(shape.shared for shape in shapes)
        resident = resident_blocks([self.kernel], device, threads, self.shared)
        self.marks = street.arrays["marks"]
        self.blocks = min(street.plan.items, device.multiprocessors * resident)

    def __call__(self, first: int, upto: int) -> None:
        """Iterations whose weights lie at these places."""
        numbers = (np.int32(first), np.int32(upto), np.int32(-(-(upto - first) // PIECES)))
        self.marks.fill(0)
        self.kernel((self.blocks,), (self.threads,), (*self.arguments, *numbers, self.marks), shared_mem=self.shared)
