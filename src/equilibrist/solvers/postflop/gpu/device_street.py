"""One street on the device: tables of both players, hands, programs, and the launches of a pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.solvers.postflop.gpu.cuda_device import CONSTANT_WORDS, Properties, compile_module, cupy
from equilibrist.solvers.postflop.gpu.hand_tables import WARP, device_places, hand_tables, lowest_images, per_lane
from equilibrist.solvers.postflop.gpu.tree_program import TreeProgram, group_roots, tree_program
from equilibrist.solvers.postflop.tables import Street

MODES = ("learn", "value", "respond")
ACTIONS = (2, 3, 4, 5, 6, 8, 12, 16, 24, 32)
# threads of a block, and nodes of a group where one line has no more: by measurement on an H200
LAST_THREADS, UPPER_THREADS = 192, 512
REGISTERS_ATTRIBUTE, SHARED_ATTRIBUTE = 4, 8  # of functions, as CUDA's driver numbers them
POINTERS = (
    "program", "their_basis", "their_average", "my_regret", "my_basis", "my_average", "reach_above", "reach_below", "value_above",
    "value_below", "fold_value", "far_rows", "places", "entries", "starts", "their_order", "my_order", "parent", "their_count", "my_count",
    "weights", "iteration",
)  # fmt: skip
NUMBERS = (
    "groups", "roots", "next_roots", "their_slots", "my_slots", "folds", "rows", "values", "items",
    "their_before", "my_before",
)  # fmt: skip
ARGUMENT = np.dtype(
    [(name, np.uint64) for name in POINTERS] + [(name, np.int32) for name in NUMBERS] + [("factor", np.float32)],
    align=True,
)


@dataclass
class Launch:
    """A kernel with its grid and shared memory."""

    kernels: dict[str, Any]
    blocks: int
    threads: int
    shared: int

    def __call__(self, mode: str, argument: Any) -> None:
        self.kernels[mode]((self.blocks,), (self.threads,), (argument,), shared_mem=self.shared)


class DeviceStreet:
    """Arrays of one street; `above` is the street before, or nothing for the first."""

    def __init__(
        self, street: Street, betting: StreetForest, above: DeviceStreet | None, last: bool, device: Properties
    ) -> None:
        cp = cupy()
        self.street, self.betting, self.above, self.last, self.device = street, betting, above, last, device
        boards = street.boards
        self.boards, self.roots = len(boards.cards), betting.roots
        self.next_roots = int((betting.kind == 4).sum())
        self.places = [device_places(own) for own in boards.player]
        self.before = above.places if above is not None else self.places
        widest = max(int(np.bincount(_tops(betting), minlength=betting.roots).max()), 1)
        self.groups = group_roots(betting, widest)
        self.program = [tree_program(betting, self.groups, me) for me in range(2)]
        self.predictive = bool(street._tables[0].predictive)
        shapes = [(self.boards, int(betting.slots[p]), self.places[p]) for p in range(2)]
        self.regret = [cp.zeros(shape, cp.float32) for shape in shapes]
        self.average = [cp.zeros(shape, cp.float32) for shape in shapes]
        self.basis = [cp.zeros(shape, cp.float32) for shape in shapes] if self.predictive else self.regret
        self.reach_below = [
            cp.zeros((self.boards, max(self.next_roots, 1), self.places[p] + 4), cp.float32) for p in range(2)
        ]
        self.value_above = [cp.zeros((self.boards, self.roots, self.before[p]), cp.float32) for p in range(2)]
        self.value_below = [
            cp.zeros((self.boards, max(self.next_roots, 1), self.places[p]), cp.float32) for p in range(2)
        ]
        self.hands = [hand_tables(boards, p, self.before[p]) for p in range(2)]
        self.kept = [self._kept(p) for p in range(2)]
        self.share = cp.asarray(boards.share.astype(np.float32))
        self.parent = cp.asarray(np.maximum(boards.parent, 0).astype(np.int32))
        self.first_child = cp.asarray(boards.first_child.astype(np.int32))
        self.first_image = cp.asarray(boards.first_image.astype(np.int32))
        self.images = [self._images(p) for p in range(2)]
        self.listed = cp.arange(self.roots, dtype=cp.int32)
        self.between = compile_module("deals.cu", {})
        self.down, self.up, self.argument = [], [], []

    def _kept(self, player: int) -> dict[str, Any]:
        cp, tables = cupy(), self.hands[player]
        return {
            "places": cp.asarray(tables.places),
            "entries": cp.asarray(tables.entries),
            "starts": cp.asarray(tables.starts),
            "low": cp.asarray(tables.low),
            "order": cp.asarray(tables.order),
            "count": cp.asarray(self.street.boards.player[player].count.astype(np.int32)),
        }

    def _images(self, player: int) -> Any:
        own, width = self.street.boards.player[player], self.places[player]
        images = np.tile(np.arange(width, dtype=np.int16), (max(len(own.images), 1), 1))
        kept = min(width, own.places)
        if len(own.images):
            images[:, :kept] = own.images[:, :kept]
        return cupy().asarray(images)

    def prepare(self, me: int, root_reach: Any, weights: Any, iteration: Any) -> None:
        """Kernels and arguments of the passes of one player."""
        cp, them, program = cupy(), 1 - me, self.program[me]
        theirs = self.street.boards.player[them]
        most = int(theirs.count.max(initial=1))
        hand_sums, entry_sums = per_lane(most), self.hands[me].entries.shape[1] // WARP
        row_stride, value_stride = WARP * hand_sums + 4, self.places[me]
        threads = LAST_THREADS if self.last else UPPER_THREADS
        sums = threads // WARP * (WARP * entry_sums + 4 + 128)
        rows = program.rows * row_stride + (program.values * value_stride if self.last else 0)
        far = (
            4 * (rows + sums) > self.device.shared_per_block
            or 4 * program.values * value_stride > self.device.shared_per_block
        )
        shared = 4 * (sums if far else rows + sums)
        words, begin = program.packed()
        long = len(words) > CONSTANT_WORDS
        wide = next(n for n in ACTIONS if n >= max(int(self.betting.children.max(initial=1)), 1))
        wanted = (
            min(5, max(1, self.device.shared_per_multiprocessor // (shared + 1024))) if self.last and wide <= 4 else 1
        )
        sizes = {
            "ACTIONS": wide, "HAND_SUMS": hand_sums, "ENTRY_SUMS": entry_sums, "THREADS": threads, "BLOCKS": wanted,
            "LAST": int(self.last), "FAR": int(far), "LONG": int(long), "PREDICTIVE": int(self.predictive),
            "THEIR_PLACES": self.places[them], "MY_PLACES": self.places[me],
        }  # fmt: skip
        module = compile_module("board_passes.cu", sizes)
        _fill(module, "begin", begin)
        if not long:
            _fill(module, "program", words)
        items = self.boards * len(self.groups)
        self.down.append(self._launch(module, "down", threads, shared, items))
        up_shared = 0 if far else 4 * program.values * value_stride
        if not self.last:
            self.up.append(self._launch(module, "up", threads, up_shared, items))
        blocks = max(self.down[-1].blocks, 0 if self.last else self.up[-1].blocks)
        room = blocks * (program.rows * row_stride + program.values * value_stride) if far else 1
        arrays = {
            "program": cp.asarray(words),
            "their_basis": self.basis[them],
            "their_average": self.average[them],
            "my_regret": self.regret[me],
            "my_basis": self.basis[me],
            "my_average": self.average[me],
            "reach_above": root_reach[them] if self.above is None else self.above.reach_below[them],
            "reach_below": self.reach_below[them],
            "value_above": self.value_above[me],
            "value_below": self.value_below[me],
            "fold_value": cp.zeros((self.boards, max(program.folds, 1), self.places[me]), cp.float32),
            "far_rows": cp.zeros(room, cp.float32),
            "places": self.kept[me]["places"],
            "entries": self.kept[me]["entries"],
            "starts": self.kept[me]["starts"],
            "their_order": self.kept[them]["order"],
            "my_order": self.kept[me]["order"],
            "parent": self.parent,
            "their_count": self.kept[them]["count"],
            "my_count": self.kept[me]["count"],
            "weights": weights,
            "iteration": iteration,
        }
        numbers = {
            "groups": len(self.groups), "roots": self.roots, "next_roots": max(self.next_roots, 1),
            "their_slots": int(self.betting.slots[them]), "my_slots": int(self.betting.slots[me]), "folds": max(program.folds, 1),
            "rows": program.rows, "values": program.values, "items": items, "their_before": self.before[them],
            "my_before": self.before[me],
        }  # fmt: skip
        argument = np.zeros((), dtype=ARGUMENT)
        for name, array in arrays.items():
            argument[name] = array.data.ptr
        for name, number in numbers.items():
            argument[name] = number
        argument["factor"] = self.street.factor
        self.argument.append((argument, arrays))  # the arrays live as long as what points at them

    def _launch(self, module: Any, direction: str, threads: int, shared: int, items: int) -> Launch:
        kernels = {mode: module.get_function(f"{direction}_{mode}") for mode in MODES}
        driver = cupy().cuda.driver
        for kernel in kernels.values():
            driver.funcSetAttribute(kernel.ptr, SHARED_ATTRIBUTE, shared)
        registers = max(int(driver.funcGetAttribute(REGISTERS_ATTRIBUTE, kernel.ptr)) for kernel in kernels.values())
        resident = min(
            self.device.threads // threads,
            self.device.registers // max(registers * threads, 1),
            self.device.shared_per_multiprocessor // (shared + 1024),
        )
        return Launch(kernels, min(items, self.device.multiprocessors * max(resident, 1)), threads, shared)

    def pass_down(self, mode: str, me: int) -> None:
        self.down[me](mode, self.argument[me][0])

    def pass_up(self, mode: str, me: int) -> None:
        self.up[me](mode, self.argument[me][0])

    def gather(self, me: int, below: DeviceStreet) -> None:
        """Values over the cards to be dealt after this street."""
        width = self.places[me]
        self.between.get_function("gather_deals")(
            (self.boards * below.roots,), (32, 8),
            (below.value_above[me], self.first_child, below.share, self.first_image, self.images[me], self.kept[me]["low"],
             self.kept[me]["count"], self.value_below[me], below.listed, np.int32(below.roots), np.int32(below.roots), np.int32(width)),
            shared_mem=4 * width,
        )  # fmt: skip

    def download(self) -> None:
        """Tables of the device into those of the host."""
        for p in range(2):
            for name in ("regret", "average", "basis"):
                array = getattr(self, name)[p]
                if name == "basis" and not self.predictive:
                    continue
                host = getattr(self.street._tables[p], name)
                host[:] = self._as_on_host(array, p).ravel()

    def _as_on_host(self, array: Any, p: int) -> Any:
        """[board, block, slot, hand] from [board, slot, hand], slots and hands as there; the padding is empty."""
        cp = cupy()
        number, blocks, slots, size = self.street.shape(p)
        out = cp.zeros((number, slots, blocks * size), cp.float32)
        kept = min(self.places[p], blocks * size)
        inside = cp.arange(kept)[None, None, :] < self.kept[p]["count"][:, None, None]
        out[:, cp.asarray(self.program[0].slots[p]), :kept] = cp.where(inside, array[:, :, :kept], 0.0)
        return cp.asnumpy(cp.ascontiguousarray(out.reshape(number, slots, blocks, size).transpose(0, 2, 1, 3)))

    def upload(self) -> None:
        """Tables of the host into those of the device."""
        cp = cupy()
        for p in range(2):
            number, blocks, slots, size = self.street.shape(p)
            kept = min(self.places[p], blocks * size)
            for name in ("regret", "average", "basis"):
                if name == "basis" and not self.predictive:
                    continue
                host = cp.asarray(getattr(self.street._tables[p], name)).reshape(number, blocks, slots, size)
                flat = host.transpose(0, 2, 1, 3).reshape(number, slots, blocks * size)
                getattr(self, name)[p][:, :, :kept] = flat[:, cp.asarray(self.program[0].slots[p]), :kept]


def _tops(betting: StreetForest) -> Any:
    from equilibrist.solvers.postflop.gpu.tree_program import roots_of

    return roots_of(betting)


def _fill(module: Any, name: str, words: Any) -> None:
    cp = cupy()
    memory = cp.cuda.UnownedMemory(int(module.get_global_var(name)), 4 * len(words), module)
    pointer = cp.cuda.MemoryPointer(memory, 0)
    cp.ndarray(len(words), dtype=cp.int32, memptr=pointer)[:] = cp.asarray(words)


__all__ = ["DeviceStreet", "TreeProgram", "lowest_images"]
