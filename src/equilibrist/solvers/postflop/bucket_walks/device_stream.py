"""DeviceStream: passes over all boards with rows of buckets, on a GPU; what is learned is summed up by bucket in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.core.arrays import Array, Floats, Ints
from equilibrist.solvers.postflop._kernels import layout
from equilibrist.solvers.postflop.bucket_walks.device_walks import (
    BLOCKS_WANTED,
    SHARED_ATTRIBUTE,
    SOURCE,
    TABLES,
    load_program,
    pack_walk,
    shared_bytes,
    sizes_of,
)
from equilibrist.solvers.postflop.bucket_walks.walk_hands import WalkShape, walk_hands
from equilibrist.solvers.postflop.bucket_walks.walk_program import walk_program
from equilibrist.solvers.postflop.gpu.cuda_device import Properties, compile_all, cupy, load_module, on_device

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame
    from equilibrist.solvers.postflop.streamed_buckets.earlier_streets import EarlierStreets

LEAST_BOARDS = 8  # of a span, which one block of threads adds up
PART_BYTES = 8 << 30  # of what is learned on the boards of a part
VECTORS_BETWEEN = 6  # of doubles that a node or a slot of a street between takes for each hand
WARPS = 8  # of a block that sums up by bucket


@dataclass(frozen=True)
class BoardPart:
    """Boards first .. last-1: spans that blocks add up, and their hands in order of buckets."""

    first: int
    last: int
    spans: Ints  # [S + 1] first board of each
    parent: Ints  # [S] board before the boards of each, the same for all of them
    members: Ints  # [hands] board of the part * places + place
    begin: Ints  # [buckets + 1] first member of each bucket


def parts_of(bucket: Ints, count: Ints, parent: Ints, buckets: int, boards: int, spans: int) -> list[BoardPart]:
    """Parts of at most so many boards, cut to about so many spans; `bucket` [board, place]."""
    out, number = list[BoardPart](), len(count)
    for first in range(0, number, boards):
        last = min(first + boards, number)
        held = np.arange(bucket.shape[1])[None, :] < count[first:last, None]
        of = bucket[first:last][held]
        order = np.argsort(of, kind="stable")
        ends = _span_ends(first, last, parent, spans)
        begin = np.searchsorted(of[order], np.arange(buckets + 1)).astype(np.int32)
        members = np.flatnonzero(held)[order].astype(np.int32)
        out.append(BoardPart(first, last, ends, parent[ends[:-1]].astype(np.int32), members, begin))
    return out


def _span_ends(first: int, last: int, parent: Ints, spans: int) -> Ints:
    """Where spans of boards begin, and the last one ends: boards after one board, in pieces where there are few such boards before."""
    borders = [first, *(np.flatnonzero(np.diff(parent[first:last])) + first + 1).tolist(), last]
    pieces, ends = -(-spans // (len(borders) - 1)), [first]
    for begin, end in pairwise(borders):
        here = max(1, min(pieces, (end - begin) // LEAST_BOARDS))
        ends += [begin + (end - begin) * k // here for k in range(1, here + 1)]
    return np.array(ends, dtype=np.int32)


class DeviceStream:
    """As `BoardStream`, for all that passes over boards."""

    @on_device
    def __init__(self, abstract: BucketedGame, part_bytes: int = PART_BYTES) -> None:
        cp, device = cupy(), Properties()
        self.abstract, boards, forest = abstract, abstract.by_hand, abstract.last
        self.shape = WalkShape(int(boards.player[0].count.max()))
        self.before = WalkShape(len(abstract.deal.hands)).places
        slots, number = sum(forest.slots), len(boards.cards)
        most = max(1, min(number, part_bytes // max(1, 4 * slots * self.shape.places)))
        made = [walk_program(forest, me, 1) for me in range(2)]
        group = max(len(program.steps) for program in made) * (number // LEAST_BOARDS) // BLOCKS_WANTED
        self.programs = [walk_program(forest, me, group) for me in range(2)]
        hands = walk_hands(boards, abstract.boards[-2], abstract.bucket[0], self.shape, self.before)
        spans = -(-BLOCKS_WANTED // max(len(program.groups) - 1 for program in self.programs))
        self.parts = parts_of(hands.bucket, hands.count, hands.parent, abstract.buckets, most, spans)
        device.refuse_what_does_not_fit(self.memory_bytes(most), "use fewer bets, or the CPU")
        self._hands = {name: cp.asarray(getattr(hands, name)) for name in TABLES}
        self._steps = [load_program(program) for program in self.programs]
        self._parts = [
            {name: cp.asarray(getattr(part, name)) for name in ("spans", "parent", "members", "begin")}
            for part in self.parts
        ]
        widest = max(len(part.parent) for part in self.parts)
        self._reach, self._best, self._value = (
            cp.zeros((widest, forest.roots, self.before), cp.float32) for _ in range(3)
        )
        self._learned = [cp.zeros((forest.slots[p], most, self.shape.places), cp.float32) for p in range(2)]
        module = load_module(compile_all([(SOURCE, sizes_of(self.shape, made[0], True, device))])[0])
        self._collect = module.get_function("collect")
        self._walk = {name: module.get_function(name) for name in ("respond_and_value", "learn")}
        self._shared = [shared_bytes(self.shape, program, True) for program in self.programs]
        for function in self._walk.values():
            cp.cuda.driver.funcSetAttribute(function.ptr, SHARED_ATTRIBUTE, max(self._shared))

    @cached_property
    def earlier(self) -> EarlierStreets:
        """The first street on the host, those between it and the last on the device."""
        return self.abstract.earlier_on(cupy())

    def memory_bytes(self, most: int) -> int:
        """On the device, with parts of so many boards."""
        forest, buckets, boards = self.abstract.last, self.abstract.buckets, len(self.abstract.last_boards.cards)
        widest, before = max(len(part.parent) for part in self.parts), len(self.abstract.boards[-2].cards)
        slots = sum(forest.slots)
        return (
            boards * (self.shape.board_bytes + 4 * self.shape.hands)
            + (3 * 4 * widest + (2 * 4 + 8) * before) * forest.roots * self.before
            + slots * (4 * most * self.shape.places + 12 * buckets)
            + sum(self._between_bytes(depth) for depth in range(1, len(self.abstract.forests) - 1))
        )

    def _between_bytes(self, depth: int) -> int:
        """Of a street between the first and the last: reach and values of both players, what they learn, and what passes take besides."""
        forest, lanes = self.abstract.forests[depth], len(self.abstract.boards[depth].cards) * self.abstract.first.hands
        return 8 * VECTORS_BETWEEN * (len(forest) + sum(forest.slots)) * lanes

    @on_device
    def pass_over(self, mode: int, me: int, reach: Array, rows: Sequence[Floats]) -> tuple[Array, Floats, Floats]:
        """As `BoardStream.pass_over`; rows and reach may lie on the device already, and values lie where reach does."""
        cp, learning = cupy(), mode == layout.LEARN
        played = [cp.ascontiguousarray(cp.asarray(each, dtype=cp.float32)) for each in rows]
        above = self._above(reach)
        total = cp.zeros(above.shape)
        sums = [cp.zeros((self.abstract.last.slots[p], self.abstract.buckets)) for p in range(2)]
        for part, arrays in zip(self.parts, self._parts, strict=True):
            self._reach[: len(part.parent)] = above[arrays["parent"]]
            self._best.fill(0.0)
            self._value.fill(0.0)
            self._pass(part, arrays, learning, me, played)
            self._add(part, self._best if mode == layout.RESPOND else self._value, total)
            if learning:
                for p in range(2):
                    self._sum_up(part, arrays, p, sums[p])
        hands = cp.ascontiguousarray(total.transpose(1, 0, 2)[:, :, : reach.shape[-1]]).reshape(reach.shape)
        values: Array = cp.asnumpy(hands) if isinstance(reach, np.ndarray) else hands
        if not learning:
            return values, np.zeros((0, self.abstract.buckets)), np.zeros((0, self.abstract.buckets))
        return values, cp.asnumpy(sums[me]), cp.asnumpy(sums[1 - me])

    def _above(self, reach: Array) -> Any:
        """[board before, root, place] in single precision, from [root, (board before,) hand]."""
        cp, boards = cupy(), len(self.abstract.boards[-2].cards)
        out = cp.zeros((boards, self.abstract.roots, self.before), cp.float32)
        rows = cp.asarray(reach).reshape(self.abstract.roots, boards, -1)
        out[:, :, : reach.shape[-1]] = rows.transpose(1, 0, 2)
        return out

    def _add(self, part: BoardPart, found: Any, total: Any) -> None:
        """Values of spans to those of the boards before, in a fixed order."""
        nth = np.arange(len(part.parent)) - np.searchsorted(part.parent, part.parent)
        for k in range(int(nth.max()) + 1):
            spans = np.flatnonzero(nth == k)
            total[cupy().asarray(part.parent[spans])] += found[cupy().asarray(spans)]

    def _pass(self, part: BoardPart, arrays: dict[str, Any], learning: bool, me: int, rows: Sequence[Any]) -> None:
        program, spans = self.programs[me], len(part.spans) - 1
        groups = len(program.groups) - 1
        argument = pack_walk(
            self._steps[me] | self._hands | {
                "their_rows": rows[1 - me], "my_rows": rows[me], "reach_above": self._reach, "best_above": self._best,
                "value_above": self._value, "first_child": arrays["spans"], "gain": self._learned[me], "entered": self._learned[1 - me],
            },
            number=groups, all_roots=self.abstract.roots, next_roots=1, before=self.before, buckets=self.abstract.buckets,
            rows=program.rows, first_board=part.first, boards=self._learned[0].shape[1], factor=self.abstract.deal.chances[-1],
        )  # fmt: skip
        self._walk["learn" if learning else "respond_and_value"](
            (spans * groups,), (self.shape.threads,), (argument,), shared_mem=self._shared[me]
        )

    def _sum_up(self, part: BoardPart, arrays: dict[str, Any], player: int, out: Any) -> None:
        slots, buckets = out.shape
        if out.size:
            self._collect(
                (-(-out.size // WARPS),), (32 * WARPS,),
                (self._learned[player], arrays["members"], arrays["begin"], self._hands["share"][part.first :], out, np.int32(slots),
                 np.int32(buckets), np.int32(self._learned[player].shape[1])),
            )  # fmt: skip
