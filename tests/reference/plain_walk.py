"""Walks over boards followed step by step in NumPy: what the kernels of `bucket_walks.cu` do, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.solvers.blueprint.exact.device_flops import DealtFlop, walk_streets
from equilibrist.solvers.blueprint.exact.street_passes import BoardWorth
from equilibrist.solvers.postflop._kernels import layout
from equilibrist.solvers.postflop.bucket_walks._kernels.walk_hands import BYTES
from equilibrist.solvers.postflop.bucket_walks.device_stream import parts_of
from equilibrist.solvers.postflop.bucket_walks.walk_hands import WalkShape, walk_hands
from equilibrist.solvers.postflop.bucket_walks.walk_program import (
    ACT,
    CLOSE,
    DEALT,
    END,
    EVALUATE,
    OPEN,
    PAY,
    REACH,
    reach_program,
    walk_program,
)


class PlainWalks:
    """A `FlopEngine` without a device."""

    def __init__(self, streets: Any, group: int = 20) -> None:
        self.streets, self.walked = streets, walk_streets(streets)
        self.up = [[walk_program(s.betting, me, group) for me in range(2)] for s in self.walked]
        self.down = [[reach_program(s.betting, me, group) for me in range(2)] for s in self.walked[:-1]]

    def memory(self) -> int:
        return 0

    def worth(self, cards: Any, reach: Any, pause: Any = None) -> BoardWorth:
        flop = DealtFlop(self.streets, self.walked, cards)
        (best, value), (other, _) = (self._play(flop, me, flop.placed(reach[1 - me])) for me in range(2))
        return BoardWorth((flop.by_hand(best), flop.by_hand(other)), flop.by_hand(value))

    def _play(self, flop: DealtFlop, me: int, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        above = [reach.astype(float)[None]]  # by street [board before, root, place]
        for depth, programs in enumerate(self.down):
            street, hands = self.walked[depth], flop.hands[depth]
            below = np.zeros((len(hands.count), street.deals, street.shape.places))
            for b in range(len(hands.count)):
                for root in programs[me].roots:
                    self._reach(depth, b, me, hands, programs[me], root, above[-1], below[b])
            above.append(below)
        values = [np.zeros((2, 1, 1, 1))]
        for depth in range(len(self.walked) - 1, -1, -1):
            values.append(self._up(depth, me, flop, above[depth], values[-1]))
            if depth:
                _over_suits(flop.hands[depth - 1], values[-1])
        return values[-1][0, 0], values[-1][1, 0]

    def _enter(self, depth: int, hands: Any, b: int, root: int, above: np.ndarray) -> np.ndarray:
        entered: np.ndarray = above[hands.parent[b], root, hands.order[b]] * self.walked[depth].chance
        return entered

    def _reach(
        self, depth: int, b: int, me: int, hands: Any, program: Any, root: Any, above: np.ndarray, below: np.ndarray
    ) -> None:
        rows = np.zeros((program.rows, self.walked[depth].shape.places))
        rows[0] = self._enter(depth, hands, b, root[0], above)
        for word, _, number, _ in program.steps[root[1] : root[2]].tolist():
            step, to, source = word & 255, word >> 8 & 255, word >> 16
            if step == REACH:
                rows[to] = rows[source] * self.walked[depth].rows[1 - me][number][hands.bucket[b]]
            else:
                assert step == DEALT
                below[number] = rows[source]

    def _up(self, depth: int, me: int, flop: DealtFlop, above: np.ndarray, below: np.ndarray) -> np.ndarray:
        """[best or value, board before, root, place before]."""
        hands, program = flop.hands[depth], self.up[depth][me]
        out = np.zeros((2, *above.shape))
        for b, count in enumerate(hands.count):
            assert hands.children[hands.parent[b]] <= b < hands.children[hands.parent[b] + 1]
            for root in program.roots:
                board = Board(
                    self.walked[depth].shape, hands, b, self.walked[depth].rows, below[:, min(b, below.shape[1] - 1)]
                )
                found = board.walk(me, program, root, self._enter(depth, hands, b, root[0], above))
                out[:, hands.parent[b], root[0], hands.order[b, :count]] += hands.share[b] * found[:, :count]
        return out


class Board:
    """One board: hands, rows of both players, and what comes from below [best or value, root of the next street, place]."""

    def __init__(self, shape: Any, hands: Any, b: int, rows: Any, below: np.ndarray) -> None:
        self.shape, self.hands, self.b, self.rows, self.below = shape, hands, b, rows, below
        self.gain: dict[int, np.ndarray] = {}  # by slot [place]
        self.entered: dict[int, np.ndarray] = {}

    def played(self, player: int, slot: int) -> np.ndarray:
        row: np.ndarray = self.rows[player][slot][self.hands.bucket[self.b]].astype(float)
        return row

    def walk(self, me: int, program: Any, root: Any, reach: np.ndarray, learning: bool = False) -> np.ndarray:
        """[best or value, place] of one root; in learning nothing is left out, and gains and reach of actions are noted."""
        width = self.shape.places
        rows, paid = np.zeros((program.rows, width)), np.zeros((2, width))
        rows[0] = reach
        best, total, waiting = np.zeros((2, width)), np.zeros((2, width)), []
        at = root[1]
        while at < root[2]:
            word, first, second, third = program.steps[at].tolist()
            step, to, source = word & 255, word >> 8 & 255, word >> 16
            at += 1
            if step == REACH:
                rows[to] = rows[source] * self.played(1 - me, second)
                self.entered[second] = rows[to].copy()
                at = at if rows[to].any() or learning else third
            elif step == EVALUATE:
                paid = _evaluate(self.shape, self.hands, self.b, rows[source], second)
            elif step == PAY:
                total = total + _amount(second) * paid[0] + _amount(third) * paid[1]
            elif step == DEALT:
                total = total + self.below[:, second]
            elif step == OPEN:
                waiting.append((best, total))
                assert len(waiting) <= program.depth
                best, total = np.stack([np.full(width, -np.inf), np.zeros(width)]), np.zeros((2, width))
            elif step == CLOSE:
                for slot in range(second, second + third):
                    self.gain[slot] = self.gain[slot] - best[1]
                here, (best, total) = best, waiting.pop()
                total = total + here
            else:
                assert step in (ACT, END)
                if step == END:
                    total = np.tile(_amount(second) * paid[0] + _amount(third) * paid[1], (2, 1))
                slot = first if step == END else second
                self.gain[slot] = total[1]
                best = np.stack([np.maximum(best[0], total[0]), best[1] + self.played(me, slot) * total[1]])
                total = np.zeros((2, width))
        assert not waiting
        return total


class PlainStream:
    """A `Stream` without a device."""

    def __init__(self, abstract: Any, boards: int, spans: int) -> None:
        self.abstract, self.shape = abstract, WalkShape(int(abstract.last_boards.player[0].count.max()))
        self.before = WalkShape(len(abstract.deal.hands)).places
        self.hands = walk_hands(abstract.by_hand, abstract.boards[-2], abstract.bucket[0], self.shape, self.before)
        self.parts = parts_of(self.hands.bucket, self.hands.count, self.hands.parent, abstract.buckets, boards, spans)
        self.programs = [walk_program(abstract.last, me, 20) for me in range(2)]

    @property
    def earlier(self) -> Any:
        return self.abstract.earlier

    def pass_over(self, mode: int, me: int, reach: Any, rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        forest, hands, learning = self.abstract.last, self.hands, mode == layout.LEARN
        number, width = len(self.abstract.boards[-2].cards), reach.shape[-1]
        above = np.zeros((forest.roots, number, self.before))
        above[:, :, :width] = reach.reshape(forest.roots, number, width)
        out = np.zeros((2, forest.roots, number, self.before))
        sums = [np.zeros((slots, self.abstract.buckets)) for slots in forest.slots]
        for part in self.parts:
            assert (part.spans[0], part.spans[-1]) == (part.first, part.last)
            learned = [np.zeros((slots, part.last - part.first, self.shape.places)) for slots in forest.slots]
            for begin, end, parent in zip(part.spans[:-1], part.spans[1:], part.parent, strict=True):
                assert (hands.parent[begin:end] == parent).all()
            for b in range(part.first, part.last):
                parent = hands.parent[b]
                board, count = Board(self.shape, hands, b, rows, np.zeros((2, 1, 1))), hands.count[b]
                for root in self.programs[me].roots:
                    begun = above[root[0], parent, hands.order[b]] * self.abstract.deal.chances[-1]
                    found = board.walk(me, self.programs[me], root, begun, learning)
                    out[:, root[0], parent, hands.order[b, :count]] += hands.share[b] * found[:, :count]
                for table, noted in ((learned[me], board.gain), (learned[1 - me], board.entered)):
                    for slot, row in noted.items():
                        table[slot, b - part.first] = row
            share = np.repeat(hands.share[part.first : part.last], self.shape.places)
            for total, table in zip(sums, learned, strict=True):
                weighed = (table.reshape(len(table), len(share)) * share)[:, part.members]
                for bucket in range(self.abstract.buckets):
                    total[:, bucket] += weighed[:, part.begin[bucket] : part.begin[bucket + 1]].sum(axis=1)
        values = out[0 if mode == layout.RESPOND else 1, :, :, :width].reshape(reach.shape)
        return (values, sums[me], sums[1 - me]) if learning else (values, np.zeros((0, 1)), np.zeros((0, 1)))


def _amount(bits: int) -> float:
    return float(np.array(bits, dtype=np.int32).view(np.float32))


def _evaluate(shape: Any, hands: Any, b: int, reach: np.ndarray, asked: int) -> np.ndarray:
    """[showdown or fold, place] through prefix sums, as the kernels look them up; what is not asked for is not a number."""
    by_hand = np.concatenate([[0.0], np.cumsum(reach)])
    pairs = hands.entries[b].reshape(-1, shape.threads, 2).transpose(1, 0, 2).reshape(shape.threads, -1)
    entries = pairs[:, : shape.entries].ravel().astype(int) // BYTES
    by_entry = np.concatenate([[0.0], np.cumsum(reach[entries])])
    at = hands.hands[b].astype(int) // BYTES
    starts = by_entry[hands.starts[b].astype(int) // BYTES]
    c1, c2 = at[:, 6] & 63, at[:, 6] >> 8
    out, total = np.full((2, shape.places), np.nan), by_hand[-1]
    if asked & 1:
        ends = np.append(starts[:-1] + starts[1:], 0.0)
        out[0] = by_hand[at[:, 0]] + by_hand[at[:, 1]] - total
        out[0] -= by_entry[at[:, 2]] + by_entry[at[:, 3]] - ends[c1]
        out[0] -= by_entry[at[:, 4]] + by_entry[at[:, 5]] - ends[c2]
    if asked & 2:
        held = np.append(np.diff(starts), 0.0)
        out[1] = total - held[c1] - held[c2] + np.where(at[:, 7] > 0, reach[at[:, 7] - 1], 0.0)
    return np.where(np.isnan(out) & (asked != 3), 0.0, out)


def _over_suits(hands: Any, values: np.ndarray) -> None:
    """In place [.., board, root, place]: sums over the relabellings of suits that leave a board as it is."""
    for b in range(len(hands.count)):
        images, low = hands.images[hands.first_image[b] : hands.first_image[b + 1]], hands.low[b].astype(int)
        if len(images):
            rows = values[:, b]
            values[:, b] = (rows + sum(rows[..., image] for image in images.astype(int)))[..., low]
