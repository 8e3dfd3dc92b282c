"""Tree programs and hand tables followed step by step in NumPy, one board at a time: what the kernels of the GPU do."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.solvers.postflop.gpu._kernels.hand_tables import BYTES
from equilibrist.solvers.postflop.gpu.hand_tables import (
    card_sets,
    device_places,
    hand_tables,
    lowest_images,
    ranks_on_last,
)
from equilibrist.solvers.postflop.gpu.tree_program import group_roots, tree_program

LEARN, VALUE, RESPOND = 0, 1, 2


class PlainStreet:
    """One street: programs, hand tables and empty tables [board, slot, place], in double precision."""

    def __init__(self, street: Any, forest: Any, above: PlainStreet | None, most: int) -> None:
        self.street, self.forest, self.boards = street, forest, street.boards
        self.places = [device_places(own) for own in self.boards.player]
        self.before = above.places if above else self.places
        self.groups = group_roots(forest, most)
        self.program = [tree_program(forest, self.groups, me) for me in range(2)]
        self.hands = [hand_tables(self.boards, me, self.before[me]) for me in range(2)]
        shape = [(len(self.boards.cards), forest.slots[p], self.places[p]) for p in range(2)]
        self.regret, self.average = [np.zeros(s) for s in shape], [np.zeros(s) for s in shape]

    def on_host(self, table: np.ndarray, p: int) -> np.ndarray:
        """[board, slot of the forest, hand], hands that are there."""
        out = np.zeros((len(table), self.forest.slots[p], int(self.boards.player[p].count.max())))
        out[:, self.program[0].slots[p]] = table[:, :, : out.shape[2]]
        count = self.boards.player[p].count
        return np.where(np.arange(out.shape[2]) < count[:, None, None], out, 0.0)

    def take(self) -> None:
        """The tables of the solver on the CPU."""
        for p in range(2):
            number, blocks, slots, size = self.street.shape(p)
            width = min(blocks * size, self.places[p])
            for name in ("regret", "average"):
                host = getattr(self.street.tables[p], name).reshape(number, blocks, slots, size)
                rows = np.moveaxis(host, 1, 2).reshape(number, slots, blocks * size)
                getattr(self, name)[p][:, :, :width] = rows[:, self.program[0].slots[p], :width]


class PlainRun:
    """Iterations and values over all streets."""

    def __init__(self, run: Any, most: int = 1) -> None:
        self.run, self.streets = run, list[PlainStreet]()
        for street, forest in zip(run.streets, run.forests, strict=True):
            self.streets.append(PlainStreet(street, forest, self.streets[-1] if self.streets else None, most))

    def iterate(self, t: int) -> None:
        schedule = self.run.schedule
        weights = [float(f(np.array([float(t)]))[0]) for f in (schedule.positive, schedule.negative, schedule.keep)]
        for me in range(2):
            self.values(LEARN, me, weights)

    def values(self, mode: int, me: int, weights: Any = (1.0, 1.0, 1.0)) -> np.ndarray:
        first = self.streets[0]
        reach = np.zeros((first.forest.roots, first.places[1 - me] + 1))
        count = int(first.boards.player[1 - me].count[0])
        reach[:, :count] = self.run.root_weights[1 - me].reshape(first.forest.roots, -1)[:, :count]
        return self._board(0, 0, mode, me, weights, reach)

    def _board(self, depth: int, b: int, mode: int, me: int, weights: Any, above: np.ndarray) -> np.ndarray:
        """[root, place on the board before]: values of one board and everything below it."""
        s, them, last = self.streets[depth], 1 - me, depth + 1 == len(self.streets)
        program, own, factor = s.program[me], s.hands[me], float(s.street.factor)
        count, theirs = (int(s.boards.player[p].count[b]) for p in (me, them))
        below = np.zeros((0 if last else self.streets[depth + 1].forest.roots, s.places[them] + 1))
        work = []
        for g in program.groups.tolist():
            rows = np.zeros((g[4], s.places[them] + 1))
            for k in range(g[1]):
                rows[k, : s.places[them]] = above[program.roots[g[0] + k, 0], s.hands[them].order[b]] * factor
            for row, to, n, slot in program.down[program.down_levels[g[2]] : program.down_levels[g[2] + g[3]]]:
                x = (s.regret if mode == LEARN else s.average)[them][b, slot : slot + n]
                plan = np.maximum(x, 0.0)
                total = plan.sum(axis=0)
                plan = np.where(total > 2.0**-100, plan / np.where(total > 2.0**-100, total, 1.0), 1.0 / n)
                rows[to : to + n, :-1] = rows[row, :-1] * plan
                if mode == LEARN:
                    average = s.average[them][b, slot : slot + n]
                    average[:] = average * weights[2] + rows[to : to + n, :-1]
            for root, row, _, _ in program.deals[g[9] : g[9] + g[10]]:
                below[root] = rows[row]
            work.append((g, rows))
        under = np.zeros((len(below), s.places[me]))
        if not last:
            following = self.streets[depth + 1]
            for child in range(s.boards.first_child[b], s.boards.first_child[b + 1]):
                under += float(following.boards.share[child]) * self._board(depth + 1, child, mode, me, weights, below)
            low = own.low[b].astype(int)
            images = s.boards.player[me].images[s.boards.first_image[b] : s.boards.first_image[b + 1]]
            width = min(s.places[me], s.boards.player[me].places)
            whole = under.copy()
            for image in images:
                whole[:, :width] += under[:, np.minimum(image[:width], s.places[me] - 1)]
            under = whole[:, low]
        out = np.zeros((s.forest.roots, s.before[me]))
        for g, rows in work:
            value = np.zeros((program.values, s.places[me]))
            for row, show, fold, _ in program.uses[g[5] : g[5] + g[6]]:
                shown, folded = _evaluate(s, b, me, rows[row, :theirs], count, last)
                if show >= 0:
                    value[show, :count] = shown
                if fold >= 0:
                    value[fold, :count] = folded
            for root, _, row, _ in program.deals[g[9] : g[9] + g[10]]:
                value[row] = under[root]
            for n, slot, row, total in program.up[program.up_levels[g[7]] : program.up_levels[g[7] + g[8]]]:
                worth = np.array([_worth(program, value, total + a) for a in range(n)])
                table = (s.regret if mode == LEARN else s.average)[me][b, slot : slot + n]
                plan = np.maximum(table, 0.0)
                mass = plan.sum(axis=0)
                plan = np.where(mass > 2.0**-100, plan / np.where(mass > 2.0**-100, mass, 1.0), 1.0 / n)
                here = worth.max(axis=0) if mode == RESPOND else (plan * worth).sum(axis=0)
                if mode == LEARN:
                    x = table + worth - here
                    table[:] = np.where(x > 0.0, x * weights[0], x * weights[1])
                value[row] = here
            for k in range(g[1]):
                root, total = program.roots[g[0] + k]
                out[root, own.order[b, :count]] = _worth(program, value, total)[:count]
        return out


def _worth(program: Any, value: np.ndarray, number: int) -> np.ndarray:
    out = np.zeros(value.shape[1])
    for row, bits in program.terms[program.sums[number] : program.sums[number + 1]]:
        out += value[row] * float(np.array(bits, dtype=np.int32).view(np.float32))
    return out


def _evaluate(
    s: PlainStreet, b: int, me: int, reach: np.ndarray, count: int, last: bool
) -> tuple[np.ndarray, np.ndarray]:
    """What a row of reach pays per chip, through prefix sums, as the kernels look them up."""
    tables = s.hands[me]
    by_hand = np.concatenate([[0.0], np.cumsum(reach)])
    pairs = tables.entries[b].reshape(-(-tables.lanes // 2), -1, 2).transpose(1, 0, 2)
    pairs = pairs.reshape(len(pairs), -1)
    entries = pairs[:, : tables.lanes].ravel().astype(int) // BYTES
    by_entry = np.concatenate([[0.0], np.cumsum(np.append(reach, 0.0)[entries])])
    at = tables.places[b, :count].astype(int) // BYTES
    starts = by_entry[tables.starts[b].astype(int) // BYTES]
    c1, c2 = at[:, 6] & 63, at[:, 6] >> 8
    held = np.append(np.diff(starts), 0.0)
    total = by_hand[-1]
    folded = total - held[c1] - held[c2]
    twin = at[:, 7] - 1
    same = np.where(twin >= 0, np.append(reach, 0.0)[np.maximum(twin, 0)], 0.0)
    shown = np.zeros(count)
    if last:
        ends = np.append(starts[:-1] + starts[1:], 0.0)
        shown = by_hand[at[:, 0]] + by_hand[at[:, 1]] - total
        shown -= by_entry[at[:, 2]] + by_entry[at[:, 3]] - ends[c1]
        shown -= by_entry[at[:, 4]] + by_entry[at[:, 5]] - ends[c2]
    return shown, folded + same


def allin_matrix(before: Any, last: Any, me: int, factor: float) -> np.ndarray:
    """[board before, their place, my place] what my hands get per chip against each of theirs, as the kernels make it."""
    widths = [device_places(own) for own in before.player]
    mine, theirs = (ranks_on_last(last, p, widths[p]).astype(int) for p in (me, 1 - me))
    cards = [card_sets(before, p, widths[p]) for p in (me, 1 - me)]
    out = np.zeros((len(before.cards), widths[1 - me], widths[me]))
    for b in range(len(before.cards)):
        for c in range(before.first_child[b], before.first_child[b + 1]):
            both = (mine[c][None, :] >= 0) & (theirs[c][:, None] >= 0)
            out[b] += last.share[c] * np.where(both, np.sign(mine[c][None, :] - theirs[c][:, None]), 0)
        apart = (cards[0][b][None, :] & cards[1][b][:, None]) == 0
        out[b] *= apart & (cards[0][b] > 0)[None, :] & (cards[1][b] > 0)[:, None]
        own = before.player[me]
        low, kept = lowest_images(before, me, widths[me])[b], min(widths[me], own.places)
        whole = out[b][:, low]
        for image in own.images[before.first_image[b] : before.first_image[b + 1], :kept]:
            whole += out[b][:, np.append(image, np.arange(kept, widths[me]))[low]]
        out[b] = whole
    return factor * out
