"""SharedPasses: passes over all boards below a board, by one thread or many, the same bits with any number of them.

Pieces of work are the way down of a board and runs of its last boards (`_kernels/shared_passes.py`). How boards are cut into pieces
depends on the boards alone; how many threads there are decides only who does which, and how far the ways down run ahead.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Executor, wait
from functools import partial
from typing import Any

import numpy as np

from equilibrist.compute.atomics import LINE
from equilibrist.compute.bundles import bundle, bundle_rows
from equilibrist.compute.lanes import LANES, aligned
from equilibrist.core.arrays import Floats32, Longs
from equilibrist.solvers.postflop._kernels import shared_passes as kernels
from equilibrist.solvers.postflop.passes.worker import Worker

PIECES = 144  # of a pass, about: sixteen threads are even with nine pieces each
MOST_PIECES = 12  # of a board: each has values of its own, which are added up
LONGEST_CALL = 0.25  # seconds: Ctrl-C is answered between calls


class SharedPasses:
    """Passes over the last two or three streets; the first of these is the `top`."""

    def __init__(self, workers: Sequence[Worker], pool: Executor | None) -> None:
        self.workers, self.pool = workers, pool
        self.streets = workers[0].streets
        self.top = max(0, len(self.streets) - 3)
        self.levels = len(self.streets) - 1 - self.top
        self._rate = 0.0  # passes a second
        self._orders: list[kernels.Order] = []  # by board of the top street
        self._room: kernels.Room | None = None
        self._packed: dict[Worker, tuple[list[Any], Any]] = {}  # what levels were made of, and these
        self._control = np.zeros(0, dtype=np.int64)

    def repeat(self, mode: int, factors: Floats32, ranges: Sequence[Floats32]) -> None:
        """Iterations of both players, in calls that do not take long."""
        done, values = 0, [np.zeros_like(each) for each in ranges]
        while done < len(factors):
            begin, rows = time.perf_counter(), factors[done : done + max(1, int(self._rate * LONGEST_CALL))]
            self.run(0, mode, (0, 1), rows, ranges, values)
            self._rate = len(rows) / max(time.perf_counter() - begin, 1e-9)
            done += len(rows)

    def run(
        self,
        board: int,
        mode: int,
        players: tuple[int, int],
        factors: Floats32,
        ranges: Sequence[Floats32],
        values: Sequence[Floats32],
    ) -> None:
        """Passes for the first to the last of `players`, once for every row of `factors`, on one board of the top street.

        `ranges` are both players' reach above it; values are added to those of the player.
        """
        self._work(self._order(board), True, mode, players, factors, (*ranges, *values))

    def below(self, mode: int, me: int, weights: Any, reach: Floats32) -> Floats32:
        """My values where cards come on the first board, from the opponent's reach there; the board itself is left to the caller."""
        assert self.top == 0, "there are boards above"
        order, them, nothing = self._order(0), 1 - me, self.workers[0].nothing
        assert self._room is not None
        self._room.reach.array[them * self._room.reach.step[0] :][: len(reach)] = reach
        self._work(order, False, mode, (me, me), np.array([weights], dtype=np.float32), (nothing,) * 4)
        found: Floats32 = self._room.value.array[: self._room.value.size[0, me]].copy()
        return found

    def _work(
        self,
        order: kernels.Order,
        whole: bool,
        mode: int,
        players: tuple[int, int],
        factors: Floats32,
        ends: tuple[Floats32, ...],
    ) -> None:
        """One call for each thread."""
        self._start(order)
        crowd = self.workers[: len(order.level)]
        jobs = [partial(self._call, worker, order, whole, mode, players, factors, ends) for worker in crowd]
        others = [self.pool.submit(job) for job in jobs[1:]] if self.pool is not None else []
        try:
            jobs[0]()
        finally:  # what was begun is finished, even where an interrupt comes between
            wait(others)
        for each in others:
            each.result()

    def _call(
        self,
        worker: Worker,
        order: kernels.Order,
        whole: bool,
        mode: int,
        players: tuple[int, int],
        factors: Floats32,
        ends: tuple[Floats32, ...],
    ) -> None:
        kernels.run_passes(
            mode, whole, players, factors, order, self._room, self._levels(worker), ends, self._control, worker.nothing
        )

    def _levels(self, worker: Worker) -> Any:
        """The first street, the one between or the first again, and the last, with memory of a worker's own."""
        depths = (self.top, self.top + self.levels - 1, len(self.streets) - 1)
        packed = [worker.packed(depth) for depth in depths]
        known = self._packed.get(worker)
        if known is None or any(new is not old for new, old in zip(packed, known[0], strict=True)):
            levels = [
                kernels.Level(
                    street, side0[0], side1[0], *(bundle_rows(self._memory(worker, depth, p)) for p in range(2))
                )
                for depth, (street, side0, side1) in zip(depths, packed, strict=True)
            ]
            known = self._packed[worker] = packed, bundle_rows(levels)
        return known[1]

    def _memory(self, worker: Worker, depth: int, player: int) -> list[Any]:
        """Scratch memory for each board of a street at work; all but what its ends pay is the same."""
        own, level = worker.scratch[depth][player], depth - self.top
        if level == self.levels:
            return [own]
        paid = (
            (strip_of(self._shown, level, slot, player), strip_of(self._folded, level, slot, player))
            for slot in range(self._most_slots(level))
        )
        return [own._replace(showdown_value=shown, fold_value=folded) for shown, folded in paid]

    def _order(self, board: int) -> kernels.Order:
        """The pieces below a board of the top street; makes room for them at first."""
        if not self._orders:
            tops = range(len(self.streets[self.top].boards.cards))
            self._orders = [bundle(make_order(self._below(top), top, len(self.workers))) for top in tops]
            self._room = bundle(self._make_room())
            slots = sum(self._most_slots(level) for level in range(self.levels))
            self._control = aligned((1 + kernels.WORDS * slots) * LINE, np.int64)
        return self._orders[board]

    def _most_slots(self, level: int) -> int:
        return max(int(order.slots[level]) for order in self._orders)

    def _below(self, board: int) -> list[Longs]:
        """First boards below those of each level, and an end: level 0 is the board alone."""
        first = np.asarray(self.streets[self.top].boards.first_child, dtype=np.int64)[board : board + 2]
        if self.levels == 1:
            return [first]
        return [first, np.asarray(self.streets[self.top + 1].boards.first_child[first[0] : first[1] + 1], np.int64)]

    def _make_room(self) -> kernels.Room:
        """Memory for as many boards of each level as are ever at work at a time."""
        depths, worker = range(self.top, self.top + self.levels), self.workers[0]
        slots = [self._most_slots(level) for level in range(self.levels)]
        pieces = [max(int(order.pieces[level].max()) for order in self._orders) for level in range(self.levels)]
        twice, by_piece = [2 * number for number in slots], [a * b for a, b in zip(slots, pieces, strict=True)]
        scratch = [worker.scratch[depth] for depth in depths]
        self._shown = make_strips(slots, [[own.showdown_value for own in both] for both in scratch])
        self._folded = make_strips(slots, [[own.fold_value for own in both] for both in scratch])
        return kernels.Room(
            reach=make_strips(twice, [worker.next_reach[depth] for depth in depths]),
            value=make_strips(by_piece, [worker.next_value[depth] for depth in depths]),
            pieces=np.array(pieces, dtype=np.int64),
            width=np.array([[worker.width(depth + 1, p) for p in range(2)] for depth in depths], dtype=np.int64),
            width_above=np.array([[worker.width(depth, p) for p in range(2)] for depth in depths], dtype=np.int64),
            roots=np.array([self.streets[depth + 1].forest.roots for depth in depths], dtype=np.int64),
        )

    def _start(self, order: kernels.Order) -> None:
        """Nothing begun, all slots free."""
        self._control[:] = 0
        for level in range(self.levels):
            slots = int(order.slots[level])
            places = (order.offset[level] + np.arange(slots)) * kernels.WORDS + kernels.FREED
            self._control[places * LINE] = np.arange(slots) - slots + 1


def strip_of(strips: kernels.Strips, level: int, number: int, player: int) -> Floats32:
    """One strip of a level, as kernels find it."""
    first = int(strips.first[level] + number * strips.step[level])
    found: Floats32 = strips.array[first : first + int(strips.size[level, player])]
    return found


def make_strips(strips: Sequence[int], like: Sequence[Sequence[Floats32]]) -> kernels.Strips:
    """So many strips on each level, each with room for either player's array; `like` has the arrays by level and player."""
    sizes = [[len(array) for array in both] for both in like]
    steps = [-(-max(1, *both) // LANES) * LANES for both in sizes]
    ends = np.cumsum([0, *(a * b for a, b in zip(strips, steps, strict=True))], dtype=np.int64)
    return kernels.Strips(
        aligned(int(ends[-1])), ends[:-1].copy(), np.array(steps, dtype=np.int64), np.array(sizes, dtype=np.int64)
    )


def make_order(below: Sequence[Longs], board: int, threads: int) -> kernels.Order:
    """In which order the pieces of a pass are begun; `below` as `SharedPasses._below` gives it."""
    first = below[0]
    boards = [1, len(below[1]) - 1] if len(below) > 1 else [1, 0]
    begin, last_level = [board, int(first[0])], len(below) - 1
    last = np.diff(below[-1])  # last boards of each board of the last level
    parts = np.maximum(1, np.minimum(last, min(MOST_PIECES, -(-PIECES // len(last)))))
    pieces, rank = np.zeros((2, max(boards)), dtype=np.int64), np.zeros((2, max(boards)), dtype=np.int64)
    pieces[0, 0] = boards[1] if last_level else parts[0]
    begun = np.argsort(-last, kind="stable")  # long ones first: what is left for the end is short
    if last_level:
        pieces[1], rank[1, begun] = parts, np.arange(boards[1])
    at_work = -(-threads // int(parts.min())) + 1 if threads > 1 else 0
    ahead = min(len(last), max(1, at_work)) if last_level else 1
    rows = [(0, board, 0, -1, -1)] if last_level else []
    rows += [_down(last_level, begin, k) for k in begun[:ahead].tolist()]
    for place, k in enumerate(begun.tolist()):
        cuts = below[-1][k] + last[k] * np.arange(parts[k] + 1) // parts[k]
        rows += [(last_level, begin[last_level] + k, j, int(cuts[j]), int(cuts[j + 1])) for j in range(parts[k])]
        if place + ahead < len(begun):
            rows.append(_down(last_level, begin, int(begun[place + ahead])))
    level, boards_of, piece, begins, ends = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    slots = np.array([1, min(boards[1], ahead + at_work) if last_level else 0], dtype=np.int64)
    return kernels.Order(
        level=level,
        board=boards_of,
        piece=piece,
        first=begins,
        last=ends,
        begin=np.array(begin, dtype=np.int64),
        boards=np.array(boards, dtype=np.int64),
        slots=slots,
        offset=np.array([0, 1], dtype=np.int64),
        rank=rank,
        pieces=pieces,
    )


def _down(level: int, begin: Sequence[int], k: int) -> tuple[int, int, int, int, int]:
    """The way down of a board."""
    return level, begin[level] + k, 0, -1, -1
