"""One street on the device: tables of both players, hands, programs, and the launches of a pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, StreetForest
from equilibrist.solvers.postflop.gpu.cuda_device import CONSTANT_WORDS, Properties, cupy, load_module
from equilibrist.solvers.postflop.gpu.hand_tables import (
    WARP,
    card_sets,
    device_places,
    hand_tables,
    per_lane,
    ranks_on_last,
)
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet
from equilibrist.solvers.postflop.gpu.tree_program import group_roots, roots_of, tree_program

MODES = ("learn", "value", "respond")  # in the order of their numbers in `layout.py`
ACTIONS = (2, 3, 4, 5, 6, 8, 12, 16, 24, 32)  # a kernel is compiled for the next of them
# threads of a block, by measurement on an H200
LAST_THREADS, UPPER_THREADS = 192, 512
REGISTERS_ATTRIBUTE, SHARED_ATTRIBUTE = 4, 8  # of functions, as CUDA's driver numbers them
SHARED_OVERHEAD = 1024  # bytes of shared memory that every block takes besides
LINES = 4  # of all-ins that a block works on
POINTERS = (
    "program", "their_basis", "their_average", "my_regret", "my_basis", "my_average", "reach_above", "reach_below", "value_above",
    "value_below", "fold_value", "far_rows", "places", "entries", "starts", "their_order", "my_order", "parent", "their_count", "my_count",
    "weights", "iteration",
)  # fmt: skip
NUMBERS = (
    "groups", "roots", "next_roots", "their_slots", "my_slots", "folds", "rows", "values", "items", "their_before", "my_before",
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


@dataclass
class Shape:
    """How the passes of one player are cut to the device."""

    sizes: dict[str, int]  # what kernels are compiled for
    threads: int
    shared: int  # bytes of shared memory going down
    up_shared: int
    room: int  # floats of rows in global memory for each block, 0: they are in shared memory


class DeviceStreet:
    """Arrays of one street; `above` is the street before, or nothing for the first."""

    def __init__(
        self, street: SyncedStreet, betting: StreetForest, above: DeviceStreet | None, last: bool, device: Properties
    ) -> None:
        cp = cupy()
        self.street, self.betting, self.above, self.last, self.device = street, betting, above, last, device
        boards = street.boards
        self.boards, self.roots = len(boards.cards), betting.roots
        self.next_roots = max(int((betting.kind == DEAL).sum()), 1)
        self.places = [device_places(own) for own in boards.player]
        self.before = above.places if above is not None else self.places
        # both players all-in: one matrix for each board before will do; where there is one such board alone, it costs more than it saves
        several = above is not None and above.boards > 1
        shown = (betting.kind[: self.roots] == SHOWDOWN) & (betting.tie[: self.roots] == 0.0)  # without rake
        self.called = np.flatnonzero(shown).tolist() if last and several else []
        played = sorted(set(range(self.roots)) - set(self.called))
        widest = int(np.bincount(roots_of(betting), minlength=self.roots).max())
        self.groups = group_roots(betting, widest, self.called)
        self.program = [tree_program(betting, self.groups, me) for me in range(2)]
        self.predictive = bool(street.held[0].predictive)
        shapes = [(self.boards, int(betting.slots[p]), self.places[p]) for p in range(2)]
        self.regret = [cp.zeros(shape, cp.float32) for shape in shapes]
        self.average = [cp.zeros(shape, cp.float32) for shape in shapes]
        self.basis = [cp.zeros(shape, cp.float32) for shape in shapes] if self.predictive else self.regret
        self.reach_below = [cp.zeros((self.boards, self.next_roots, width + 4), cp.float32) for width in self.places]
        self.value_above = [cp.zeros((self.boards, self.roots, width), cp.float32) for width in self.before]
        self.value_below = [cp.zeros((self.boards, self.next_roots, width), cp.float32) for width in self.places]
        self.hands = [self._hands(p) for p in range(2)]
        self.share = cp.asarray(boards.share.astype(np.float32))
        self.parent = cp.asarray(np.maximum(boards.parent, 0).astype(np.int32))
        self.first_child = cp.asarray(boards.first_child.astype(np.int32))
        self.first_image = cp.asarray(boards.first_image.astype(np.int32))
        self.played = cp.asarray(np.array(played, dtype=np.int32))
        self.shape = [self._shape(me) for me in range(2)]
        self.down, self.up, self.argument = list[Launch](), list[Launch](), list[tuple[Any, Any]]()
        self.allin: list[Any] = []

    def _hands(self, player: int) -> dict[str, Any]:
        cp, own, width = cupy(), self.street.boards.player[player], self.places[player]
        tables = hand_tables(self.street.boards, player, self.before[player])
        images = np.tile(np.arange(width, dtype=np.int16), (max(len(own.images), 1), 1))
        kept = min(width, own.places)
        images[: len(own.images), :kept] = own.images[:, :kept]
        arrays: dict[str, Any] = {name: getattr(tables, name) for name in ("places", "entries", "starts", "low")}
        arrays |= {"order": tables.order, "count": own.count.astype(np.int32), "images": images}
        return {name: cp.asarray(array) for name, array in arrays.items()}

    def _shape(self, me: int) -> Shape:
        """What the kernels for one player's passes are compiled for: shared memory decides where rows lie."""
        players, program, them = self.street.boards.player, self.program[me], 1 - me
        hand_sums = per_lane(int(players[them].count.max(initial=1)))
        entry_sums = self.hands[me]["entries"].shape[1] // WARP
        row, value_row = WARP * hand_sums + 4, -(-int(players[me].count.max(initial=1)) // 4) * 4
        threads = LAST_THREADS if self.last else UPPER_THREADS
        sums = threads // WARP * (WARP * entry_sums + 4 + 128)
        rows, values = program.rows * row, program.values * value_row
        near = 4 * (rows + sums + (values if self.last else 0))
        far = max(near, 4 * values) > self.device.shared_per_block
        shared = 4 * sums if far else near
        actions = next(n for n in ACTIONS if n >= max(int(self.betting.children.max(initial=1)), 1))
        fitting = self.device.shared_per_multiprocessor // (shared + SHARED_OVERHEAD)
        sizes = {
            "ACTIONS": actions, "HAND_SUMS": hand_sums, "ENTRY_SUMS": entry_sums, "THREADS": threads,
            "BLOCKS": min(5, max(1, fitting)) if self.last and actions <= 4 else 1, "LAST": int(self.last), "FAR": int(far),
            "LONG": int(len(program.packed()[0]) > CONSTANT_WORDS), "PREDICTIVE": int(self.predictive),
            "THEIR_PLACES": self.places[them], "MY_PLACES": self.places[me], "MY_HANDS": value_row,
        }  # fmt: skip
        return Shape(sizes, threads, shared, 0 if far else 4 * values, rows + values if far else 0)

    def prepare(self, me: int, binary: bytes, between: Any, root_reach: Any, weights: Any, iteration: Any) -> None:
        """Kernels and arguments of the passes of one player."""
        cp, them, program, shape = cupy(), 1 - me, self.program[me], self.shape[me]
        self.between, module = between, load_module(binary)
        words, begin = program.packed()
        _fill(module, "begin", begin)
        if not shape.sizes["LONG"]:
            _fill(module, "program", words)
        items = self.boards * len(self.groups)
        self.down.append(self._launch(module, "down", shape.threads, shape.shared, items))
        if not self.last:
            self.up.append(self._launch(module, "up", shape.threads, shape.up_shared, items))
        folds = 1 if self.last else max(program.folds, 1)  # the last street keeps them in its own rows
        blocks = max([self.down[-1].blocks, *(launch.blocks for launch in self.up[-1:])])
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
            "fold_value": cp.zeros((1 if self.last else self.boards, folds, self.places[me]), cp.float32),
            "far_rows": cp.zeros(max(blocks * shape.room, 1), cp.float32),
            "their_order": self.hands[them]["order"],
            "my_order": self.hands[me]["order"],
            "parent": self.parent,
            "their_count": self.hands[them]["count"],
            "my_count": self.hands[me]["count"],
            "weights": weights,
            "iteration": iteration,
        } | {name: self.hands[me][name] for name in ("places", "entries", "starts")}
        numbers = {
            "groups": len(self.groups), "roots": self.roots, "next_roots": self.next_roots, "their_slots": self.betting.slots[them],
            "my_slots": self.betting.slots[me], "folds": folds, "rows": program.rows, "values": program.values,
            "items": items, "their_before": self.before[them], "my_before": self.before[me], "factor": self.street.factor,
        }  # fmt: skip
        argument = np.zeros((), dtype=ARGUMENT)
        for name, array in arrays.items():
            argument[name] = array.data.ptr
        for name, number in numbers.items():
            argument[name] = number
        self.argument.append((argument, arrays))  # the arrays live as long as what points at them
        if self.called:
            self.allin.append(self._allin(me))

    def _launch(self, module: Any, direction: str, threads: int, shared: int, items: int) -> Launch:
        kernels = {mode: module.get_function(f"{direction}_{mode}") for mode in MODES}
        driver = cupy().cuda.driver
        for kernel in kernels.values():
            driver.funcSetAttribute(kernel.ptr, SHARED_ATTRIBUTE, shared)
        registers = max(int(driver.funcGetAttribute(REGISTERS_ATTRIBUTE, kernel.ptr)) for kernel in kernels.values())
        resident = min(
            self.device.threads // threads,
            self.device.registers // max(registers * threads, 1),
            self.device.shared_per_multiprocessor // (shared + SHARED_OVERHEAD),
        )
        return Launch(kernels, max(1, min(items, self.device.multiprocessors * max(resident, 1))), threads, shared)

    def _allin(self, me: int) -> tuple[Any, ...]:
        """The matrix of called all-ins on the boards before, and the arguments that go with it."""
        cp, them, before = cupy(), 1 - me, self.above
        assert before is not None
        ranks = [cp.asarray(ranks_on_last(self.street.boards, p, self.before[p])) for p in (me, them)]
        cards = [cp.asarray(card_sets(before.street.boards, p, self.before[p])) for p in (me, them)]
        matrix = cp.zeros((before.boards, self.before[them], self.before[me]), cp.float32)
        self.between.get_function("allin_matrix")(
            (before.boards * self.before[them],), (256,),
            (*ranks, *cards, before.first_child, self.share, np.float32(self.street.factor), matrix, np.int32(self.before[me]),
             np.int32(self.before[them])),
        )  # fmt: skip
        betting, called = self.betting, self.called
        stake = cp.asarray(((betting.win[called] - betting.lose[called]) / 2.0).astype(np.float32))
        return matrix, cp.asarray(np.array(called, dtype=np.int32)), stake

    def pass_down(self, mode: str, me: int) -> None:
        self.down[me](mode, self.argument[me][0])

    def pass_up(self, mode: str, me: int) -> None:
        self.up[me](mode, self.argument[me][0])

    def gather(self, me: int, below: DeviceStreet) -> None:
        """Values over the cards to be dealt after this street."""
        width, them, hands = self.places[me], 1 - me, self.hands[me]
        number = len(below.played)
        self.between.get_function("gather_deals")(
            (self.boards * number,), (32, 8),
            (below.value_above[me], self.first_child, below.share, self.first_image, hands["images"], hands["low"], hands["count"],
             self.value_below[me], below.played, np.int32(number), np.int32(below.roots), np.int32(width)),
            shared_mem=4 * width,
        )  # fmt: skip
        if below.called:
            matrix, listed, stake = below.allin[me]
            wide, parts, number = min(width, 128), 4, len(below.called)
            self.between.get_function("allin_values")(
                (self.boards * -(-number // LINES),), (wide, parts),
                (matrix, self.reach_below[them], listed, stake, np.int32(number), self.first_image, hands["images"], hands["low"],
                 hands["count"], self.hands[them]["count"], self.value_below[me], np.int32(below.roots), np.int32(width),
                 np.int32(self.places[them])),
                shared_mem=4 * LINES * (width + parts * wide),
            )  # fmt: skip

    def download(self) -> None:
        """Tables of the device into those of the host."""
        for p, name in self._tables():
            host = getattr(self.street.held[p], name)
            host[:] = self._as_on_host(getattr(self, name)[p], p).ravel()

    def _tables(self) -> list[tuple[int, str]]:
        names = ("regret", "average", "basis") if self.predictive else ("regret", "average")
        return [(p, name) for p in range(2) for name in names]

    def _as_on_host(self, array: Any, p: int) -> Any:
        """[board, block, slot, hand] from [board, slot, hand], slots and hands as there; the padding is empty."""
        cp = cupy()
        number, blocks, slots, size = self.street.shape(p)
        out = cp.zeros((number, slots, blocks * size), cp.float32)
        kept = min(self.places[p], blocks * size)
        inside = cp.arange(kept)[None, None, :] < self.hands[p]["count"][:, None, None]
        out[:, cp.asarray(self.program[0].slots[p]), :kept] = cp.where(inside, array[:, :, :kept], 0.0)
        return cp.asnumpy(cp.ascontiguousarray(out.reshape(number, slots, blocks, size).transpose(0, 2, 1, 3)))

    def upload(self) -> None:
        """Tables of the host into those of the device."""
        cp = cupy()
        for p, name in self._tables():
            number, blocks, slots, size = self.street.shape(p)
            kept = min(self.places[p], blocks * size)
            host = cp.asarray(getattr(self.street.held[p], name)).reshape(number, blocks, slots, size)
            flat = host.transpose(0, 2, 1, 3).reshape(number, slots, blocks * size)
            getattr(self, name)[p][:, :, :kept] = flat[:, cp.asarray(self.program[0].slots[p]), :kept]


def device_bytes(streets: Sequence[SyncedStreet], forests: Sequence[StreetForest]) -> int:
    """Bytes that a run will take on the device: tables, reach and values between streets, hands, all-ins, folds."""
    total, before = 0, [0, 0]
    for depth, (street, betting) in enumerate(zip(streets, forests, strict=True)):
        boards, last = len(street.boards.cards), depth + 1 == len(streets)
        places = [device_places(own) for own in street.boards.player]
        above = before if depth else places
        deals, folds = (int((betting.kind == kind).sum()) for kind in (DEAL, FOLD))
        for p in range(2):
            tables = (3 if street.held[0].predictive else 2) * betting.slots[p]
            values = 0 if last else 2 * deals + folds
            total += boards * 4 * (places[p] * (tables + values) + betting.roots * above[p])
            total += boards * 32 * places[p]  # hands, and where they look
        if last and depth:
            total += 2 * 4 * len(streets[depth - 1].boards.cards) * above[0] * above[1]
        before = places
    return int(total)


def _fill(module: Any, name: str, words: Any) -> None:
    """Write into a module's constant memory."""
    cp = cupy()
    memory = cp.cuda.UnownedMemory(int(module.get_global_var(name)), 4 * len(words), module)
    cp.ndarray(len(words), dtype=cp.int32, memptr=cp.cuda.MemoryPointer(memory, 0))[:] = cp.asarray(words)
