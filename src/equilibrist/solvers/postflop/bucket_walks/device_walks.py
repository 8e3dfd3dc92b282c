"""Walks over boards on the device: the opponent's reach goes down street by street, values come up and are added to the board before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats32
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import DEAL, StreetForest
from equilibrist.solvers.postflop.bucket_walks.walk_hands import WalkHands, WalkShape
from equilibrist.solvers.postflop.bucket_walks.walk_program import WalkProgram, reach_program, walk_program
from equilibrist.solvers.postflop.gpu.cuda_device import (
    Properties,
    compile_all,
    cupy,
    load_module,
    on_device,
    wait_for_device,
)

SOURCE = "bucket_walks.cu"
BLOCKS_WANTED = 16384  # of a launch: groups of lines times boards before
REGISTERS = 96  # of a thread
STATIC_BYTES, SHARED_ATTRIBUTE = 1024, 8  # of shared memory that a block takes besides; as CUDA's driver numbers it
POINTERS = (
    "steps", "roots", "groups", "their_rows", "my_rows", "reach_above", "reach_below", "best_below", "value_below", "best_above",
    "value_above", "hands", "entries", "starts", "order", "bucket", "count", "share", "first_child", "gain", "entered",
)  # fmt: skip
NUMBERS = ("number", "all_roots", "next_roots", "before", "buckets", "rows", "first_board", "boards")
WALK = np.dtype(
    [(name, np.uint64) for name in POINTERS] + [(name, np.int32) for name in NUMBERS] + [("factor", np.float32)],
    align=True,
)
TABLES = ("hands", "entries", "starts", "order", "bucket", "count", "share")  # of `WalkHands`, as they are


@dataclass(frozen=True, eq=False)
class WalkStreet:
    """One street's betting and strategies."""

    betting: StreetForest
    rows: tuple[Floats32, Floats32]  # by player [slot, bucket]
    shape: WalkShape
    chance: float  # of one particular board, given the one before and both hands
    boards: int  # at the most, after one first board

    @property
    def deals(self) -> int:
        return int((self.betting.kind == DEAL).sum())


def sizes_of(shape: WalkShape, program: WalkProgram, last: bool, device: Properties) -> dict[str, int]:
    """What kernels are compiled for; `program` is that of the first player, who holds most."""
    shared = shared_bytes(shape, program, True)
    if shared + sum_bytes(shape) > device.shared_per_block:
        raise NotApplicableError(
            f"On one street {program.depth} decisions of a player follow each other, too many for a block of this device with "
            f"{shape.hands:,} hands; leave --device out, or allow fewer raises."
        )
    blocks = min(
        device.shared_per_multiprocessor // (shared + sum_bytes(shape) + STATIC_BYTES),
        device.registers // (REGISTERS * shape.threads),
        device.threads // shape.threads,
    )
    return {
        "THREADS": shape.threads, "ENTRIES": shape.entries, "BLOCKS": max(1, min(blocks, 8)), "LAST": int(last),
        "WALK_BYTES": WALK.itemsize,
    }  # fmt: skip


def shared_bytes(shape: WalkShape, program: WalkProgram, both: bool) -> int:
    """Rows of reach, and what own nodes that are open hold."""
    return 4 * shape.places * (program.rows + (4 if both else 2) * program.depth)


def sum_bytes(shape: WalkShape) -> int:
    """Prefix sums of a block."""
    return 4 * (shape.places + shape.threads * shape.entries + 4) + 8 * (64 + shape.threads // 32)


def walk_bytes(streets: Sequence[WalkStreet], in_flight: int) -> int:
    """Bytes on the device: strategies, hands of the boards that are there, what passes between streets."""
    total = sum(rows.nbytes for street in streets for rows in street.rows)
    total += in_flight * sum(street.boards * street.shape.board_bytes for street in streets)
    total += sum(3 * 4 * street.boards * street.deals * street.shape.places for street in streets[:-1])
    return total + 3 * 4 * streets[0].betting.roots * streets[0].shape.places


class _Kernels:
    """Programs, strategies and launches of one street."""

    def __init__(self, street: WalkStreet, before: int, parents: int, last: bool, device: Properties) -> None:
        cp = cupy()
        self.street, self.last, self.before = street, last, before
        made = [walk_program(street.betting, me, 1) for me in range(2)]
        group = [len(program.steps) * parents // BLOCKS_WANTED for program in made]
        self.up = [walk_program(street.betting, me, group[me]) for me in range(2)]
        self.down = [] if last else [reach_program(street.betting, me, 64) for me in range(2)]
        self.sizes = sizes_of(street.shape, self.up[0], last, device)
        self.rows = [cp.asarray(rows) for rows in street.rows]
        self.arrays = [[load_program(program) for program in programs] for programs in (self.up, self.down)]

    def prepare(self, binary: bytes) -> None:
        module, driver = load_module(binary), cupy().cuda.driver
        self.respond = [module.get_function(name) for name in ("respond_and_value", "respond")]
        for me, function in enumerate(self.respond):
            shared = shared_bytes(self.street.shape, self.up[me], me == 0)
            driver.funcSetAttribute(function.ptr, SHARED_ATTRIBUTE, shared)
        if not self.last:
            self.reach_deals, self.over_suits = (module.get_function(name) for name in ("reach_deals", "over_suits"))
            most = max(shared_bytes(self.street.shape, program, False) for program in self.down)
            driver.funcSetAttribute(self.reach_deals.ptr, SHARED_ATTRIBUTE, most)

    def argument(self, way: int, me: int, dealt: dict[str, Any], links: dict[str, Any]) -> Any:
        program, street = (self.up, self.down)[way][me], self.street
        arrays = self.arrays[way][me] | {name: dealt[name] for name in TABLES} | links
        arrays |= {"their_rows": self.rows[1 - me], "my_rows": self.rows[me], "first_child": dealt["children"]}
        return pack_walk(
            arrays, number=len(program.groups) - 1, all_roots=street.betting.roots, next_roots=max(street.deals, 1), before=self.before,
            buckets=street.rows[me].shape[1], rows=program.rows, factor=street.chance,
        )  # fmt: skip


def pack_walk(arrays: Mapping[str, Any], **numbers: float) -> Any:
    """The argument of a kernel; what is not named is nothing."""
    out = np.zeros((), dtype=WALK)
    for name, array in arrays.items():
        out[name] = array.data.ptr
    for name, number in numbers.items():
        out[name] = number
    return out


def load_program(program: WalkProgram) -> dict[str, Any]:
    """On the device; steps have one more at the end, which is looked at ahead and not followed."""
    arrays = {"steps": np.pad(program.steps, ((0, 1), (0, 0))), "roots": program.roots, "groups": program.groups}
    return {name: cupy().asarray(array) for name, array in arrays.items()}


class DeviceWalks:
    """Streets from one first board on, ready for one such board after the other."""

    @on_device
    def __init__(self, streets: Sequence[WalkStreet], in_flight: int = 1) -> None:
        """`in_flight`: boards that may be loaded at a time."""
        cp, device = cupy(), Properties()
        self.memory_bytes = walk_bytes(streets, in_flight)
        device.refuse_what_does_not_fit(
            self.memory_bytes, "use a blueprint with fewer bets or buckets, or leave --device out"
        )
        self.streets = streets
        self.kernels, before, parents = list[_Kernels](), streets[0].shape.places, 1
        for depth, street in enumerate(streets):
            self.kernels.append(_Kernels(street, before, parents, depth + 1 == len(streets), device))
            before, parents = street.shape.places, street.boards
        for each, binary in zip(self.kernels, compile_all([(SOURCE, k.sizes) for k in self.kernels]), strict=True):
            each.prepare(binary)
        first, self._nothing = streets[0], cp.zeros(4, cp.float32)
        self._root = [cp.zeros((first.betting.roots, first.shape.places), cp.float32) for _ in range(3)]
        # of each street but the last, by board, root of the next one and place: the opponent's reach, my best and blueprint values
        self._below = [
            [cp.zeros((street.boards, max(street.deals, 1), street.shape.places), cp.float32) for _ in range(3)]
            for street in streets[:-1]
        ]
        wait_for_device()  # whoever plays may do so on another stream

    @on_device
    def load(self, hands: Sequence[WalkHands]) -> list[dict[str, Any]]:
        """Hands of all streets, on the device, there for every stream."""
        names = (*TABLES, "parent", "children", "low", "first_image", "images")
        dealt = [{name: cupy().asarray(getattr(each, name)) for name in names} for each in hands]
        cupy().cuda.get_current_stream().synchronize()
        return dealt

    @on_device
    def play(self, dealt: Sequence[dict[str, Any]], me: int, reach: Floats32) -> tuple[Floats32, Floats32]:
        """[root, place] my values by a best response and, for the first player, by my rows, against the opponent's reach."""
        self._root[0].set(np.ascontiguousarray(reach))
        for depth in range(len(self.streets) - 1):
            self._hand_on(depth, me, dealt[depth])
        for each in (self._root, *self._below):
            for values in each[1:]:
                values.fill(0.0)
        for depth in range(len(self.streets) - 1, -1, -1):
            self._respond(depth, me, dealt)
        best, value = (cupy().asnumpy(values) for values in self._root[1:])
        return best, value

    def _above(self, depth: int) -> list[Any]:
        return self._below[depth - 1] if depth else self._root

    def _links(self, depth: int) -> dict[str, Any]:
        above = self._above(depth)
        below = [self._nothing] * 3 if depth + 1 == len(self.streets) else self._below[depth]
        return {
            "reach_above": above[0], "best_above": above[1], "value_above": above[2], "reach_below": below[0], "best_below": below[1],
            "value_below": below[2],
        }  # fmt: skip

    def _hand_on(self, depth: int, me: int, dealt: dict[str, Any]) -> None:
        """The opponent's reach where cards come after a street."""
        kernels, program = self.kernels[depth], self.kernels[depth].down[me]
        self._below[depth][0].fill(0.0)
        blocks = len(dealt["count"]) * (len(program.groups) - 1)
        if blocks:
            kernels.reach_deals(
                (blocks,), (kernels.street.shape.threads,), (kernels.argument(1, me, dealt, self._links(depth)), dealt["parent"]),
                shared_mem=shared_bytes(kernels.street.shape, program, False),
            )  # fmt: skip

    def _respond(self, depth: int, me: int, dealt: Sequence[dict[str, Any]]) -> None:
        kernels, here = self.kernels[depth], dealt[depth]
        shape, program = kernels.street.shape, kernels.up[me]
        parents, roots = len(here["children"]) - 1, kernels.street.betting.roots
        blocks = parents * (len(program.groups) - 1)
        if blocks:
            kernels.respond[me](
                (blocks,), (shape.threads,), (kernels.argument(0, me, here, self._links(depth)),),
                shared_mem=shared_bytes(shape, program, me == 0),
            )  # fmt: skip
        if depth:
            before = dealt[depth - 1]
            for values in self._above(depth)[1 : 3 - me]:
                self.kernels[depth - 1].over_suits(
                    (parents * roots,), (256,), (values, before["first_image"], before["images"], before["low"], np.int32(roots))
                )  # fmt: skip
