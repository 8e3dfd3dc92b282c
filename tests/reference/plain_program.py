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


class PlainTables:
    """One player's tables [board, slot, hand] on one street, slots as on the device; in 16 bits whole numbers and scales of blocks."""

    def __init__(self, street: Any, p: int, places: int, order: np.ndarray) -> None:
        held, (boards, blocks, slots, size) = street.tables[p], street.shape(p)
        self.street, self.p, self.order, self.places, self.short = street, p, order, places, held.compressed
        self.width, self.block = (blocks * size, size) if self.short else (places, places)
        self.kinds = ("regret", "average", "basis") if held.predictive else ("regret", "average")
        acting = np.flatnonzero(street.betting.kind == p)
        self.acting, self.first = acting, np.argsort(order)[street.betting.slot[acting]]
        self.node = dict(zip(self.first.tolist(), acting.tolist(), strict=True))
        kinds = {"average": np.uint16} if self.short else {}
        self.whole = {
            kind: np.zeros((boards, slots, self.width), kinds.get(kind, np.int16) if self.short else float)
            for kind in self.kinds
        }
        self.scale = {kind: np.zeros((boards, slots, self.width // self.block), np.float32) for kind in self.kinds}

    def _kind(self, kind: str) -> str:
        return "regret" if kind == "basis" and kind not in self.kinds else kind

    def read(self, kind: str, b: int, slot: int, n: int) -> np.ndarray:
        """[action, place] of a node."""
        kind = self._kind(kind)
        rows = self.whole[kind][b, slot : slot + n]
        if self.short:
            rows = rows.astype(np.float32) * np.repeat(self.scale[kind][b, slot], self.block)
        out = np.zeros((n, self.places))
        kept = min(self.places, self.width)
        out[:, :kept] = rows[:, :kept]
        return out

    def write(self, kind: str, b: int, slot: int, rows: np.ndarray) -> None:
        """What a node's rows have become; those of 16 bits share a scale in each block, as `short_tables.py` says."""
        n, kept = len(rows), min(self.places, self.width)
        whole = np.zeros((n, self.width), dtype=np.float32 if self.short else float)
        whole[:, :kept] = rows[:, :kept]
        whole[:, int(self.street.boards.player[self.p].count[b]) :] = 0.0
        if not self.short:
            self.whole[kind][b, slot : slot + n] = whole
            return
        for k in range(self.width // self.block):
            part = slice(k * self.block, (k + 1) * self.block)
            x, top = whole[:, part], np.abs(whole[:, part]).max()
            finest = np.float32(65534.0 if kind == "average" else 32767.0)
            fine = finest / top if top > 1e-30 else np.float32(0.0)
            noise = self._noise(b, k, slot, n) if kind == "average" else np.float32(0.0)
            self.whole[kind][b, slot : slot + n, part] = np.rint(x * fine + noise)
            self.scale[kind][b, slot, k] = top / finest if top > 1e-30 else 0.0

    def _noise(self, b: int, k: int, slot: int, n: int) -> np.ndarray:
        """[action, hand] of a block: sixteen hands after another, from a place that the old scale says."""
        entry = (b * (self.width // self.block) + k) * len(self.street.betting.kind) + self.node[slot]
        begin = int(self.scale["average"][b, slot, k].view(np.int32)) * 40503 + entry * 30011
        at = [(begin + 40503 * (v + 1)) >> 4 & 4095 for v in range(n * self.block // 16)]
        return np.array([self.street.tables[self.p].noise[first : first + 16] for first in at]).reshape(n, self.block)

    def take(self) -> None:
        """The tables of the solver on the CPU."""
        number, blocks, slots, size = self.street.shape(self.p)
        kept = min(blocks * size, self.width)
        for kind in self.kinds:
            held = self.street.tables[self.p]
            host = getattr(held, f"{kind}16" if self.short else kind).reshape(number, blocks, slots, size)
            rows = np.moveaxis(host, 1, 2).reshape(number, slots, blocks * size)
            self.whole[kind][:, :, :kept] = rows[:, self.order, :kept]
            if self.short:
                scales = getattr(held, f"{kind}_scale").reshape(number, blocks, -1)
                self.scale[kind][:, self.first] = scales[:, :, self.acting].transpose(0, 2, 1)

    def on_host(self, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """[board, slot of the forest, hand] of the hands that are there, and what one step of each stands for."""
        whole = self.whole[kind].astype(float)
        step = np.zeros_like(whole)
        if self.short:
            for first, node in self.node.items():
                part = slice(first, first + int(self.street.betting.children[node]))
                step[:, part] = np.repeat(self.scale[kind][:, first], self.block, axis=1)[:, None]
            whole = whole * step
        count = self.street.boards.player[self.p].count
        out = np.zeros((2, *whole.shape[:2], int(count.max())))
        kept = min(whole.shape[2], out.shape[3])
        out[0][:, self.order, :kept], out[1][:, self.order, :kept] = whole[:, :, :kept], step[:, :, :kept]
        return np.where(np.arange(out.shape[3]) < count[:, None, None], out[0], 0.0), out[1]


def host_tables(street: Any, p: int) -> PlainTables:
    """Those of a solver on the CPU, or of one on a GPU when they are fetched."""
    width = street.shape(p)[1] * street.shape(p)[3]
    out = PlainTables(street, p, width, np.arange(street.shape(p)[2]))
    out.take()
    return out


def check_tables(tables: PlainTables, wanted: PlainTables, tolerance: float) -> None:
    """The same numbers; in 16 bits within one step, since rounding may fall to either side of what differs in its last digit."""
    for kind in tables.kinds:
        (found, _), (host, step) = tables.on_host(kind), wanted.on_host(kind)
        off, dust = np.abs(found - host), tolerance * (np.abs(host).max(initial=0.0) + 1e-9)
        assert (off <= 1.01 * step + dust).all(), (kind, tables.p, float((off - step).max()))
        if tables.short and kind == "average" and step.any():
            alike = (off <= 0.01 * step)[step > 0.0].mean()  # with other noise nine of ten agree
            assert alike > 0.95, (tables.p, alike)


class PlainStreet:
    """One street: programs, hand tables and empty tables; arithmetic is in double precision."""

    def __init__(self, street: Any, forest: Any, above: PlainStreet | None, most: int, groups: Any = None) -> None:
        """`groups` of roots, or such of at most so many nodes. `model`: rows of hands that follow a model, by updating player."""
        self.street, self.forest, self.boards = street, forest, street.boards
        self.places = [device_places(own) for own in self.boards.player]
        self.before = above.places if above else self.places
        self.groups, self.model = groups or group_roots(forest, most), dict[int, np.ndarray]()
        self.program = [tree_program(forest, self.groups, me) for me in range(2)]
        self.hands = [hand_tables(self.boards, me, self.before[me]) for me in range(2)]
        self.tables = [PlainTables(street, p, self.places[p], self.program[0].slots[p]) for p in range(2)]

    @property
    def regret(self) -> list[np.ndarray]:
        return [tables.whole["regret"] for tables in self.tables]

    @property
    def average(self) -> list[np.ndarray]:
        return [tables.whole["average"] for tables in self.tables]

    def take(self) -> None:
        """The tables of the solver on the CPU."""
        for tables in self.tables:
            tables.take()


class PlainRun:
    """Iterations and values over all streets."""

    def __init__(self, run: Any, most: int = 1, groups: Any = None) -> None:
        self.run, self.streets, self.share = run, list[PlainStreet](), 0.0
        for depth, (street, forest) in enumerate(zip(run.streets, run.forests, strict=True)):
            above, own = self.streets[-1] if self.streets else None, groups[depth] if groups else None
            self.streets.append(PlainStreet(street, forest, above, most, own))

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
                x = s.tables[them].read("basis" if mode == LEARN else "average", b, slot, n)
                plan = np.maximum(x, 0.0)
                total = plan.sum(axis=0)
                plan = np.where(total > 2.0**-100, plan / np.where(total > 2.0**-100, total, 1.0), 1.0 / n)
                rows[to : to + n, :-1] = rows[row, :-1] * plan
                if mode == LEARN:
                    average = s.tables[them].read("average", b, slot, n)
                    s.tables[them].write("average", b, slot, average * weights[2] + rows[to : to + n, :-1])
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
        for number, (g, rows) in enumerate(work):
            if me in s.model:  # free hands alone go on to the next street; whoever ends here is met with the others
                first = int(program.first_rows[number])
                rows[:, :-1] += self.share * s.model[me][b, first : first + g[4]]
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
                table = s.tables[me].read("basis" if mode == LEARN else "average", b, slot, n)
                plan = np.maximum(table, 0.0)
                mass = plan.sum(axis=0)
                plan = np.where(mass > 2.0**-100, plan / np.where(mass > 2.0**-100, mass, 1.0), 1.0 / n)
                here = worth.max(axis=0) if mode == RESPOND else (plan * worth).sum(axis=0)
                if mode == LEARN:
                    gain = worth - here
                    x = s.tables[me].read("regret", b, slot, n) + gain
                    x = np.where(x > 0.0, x * weights[0], x * weights[1])
                    s.tables[me].write("regret", b, slot, x)
                    if "basis" in s.tables[me].kinds:
                        s.tables[me].write("basis", b, slot, x + gain)
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
