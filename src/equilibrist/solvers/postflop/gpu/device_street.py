"""One street on the device: tables of both players, hands, programs, and the launches of a pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.forms.boards.street_betting import DEAL, SHOWDOWN
from equilibrist.solvers.postflop.gpu.cuda_device import Properties, cupy, load_module, on_device
from equilibrist.solvers.postflop.gpu.games import Games
from equilibrist.solvers.postflop.gpu.hand_tables import (
    WARP,
    HandTables,
    card_sets,
    device_places,
    hand_tables,
    ranks_on_last,
)
from equilibrist.solvers.postflop.gpu.street_shape import SHARED_OVERHEAD, cut_to_device, most_actions
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet
from equilibrist.solvers.postflop.gpu.tree_program import group_roots, roots_of, tree_program

MODES = ("learn", "value", "respond")  # in the order of their numbers in `layout.py`
REGISTERS_ATTRIBUTE, SHARED_ATTRIBUTE = 4, 8  # of functions, as CUDA's driver numbers them
LINES = 16  # of all-ins that a block works on
COPIED = 1 << 28  # bytes of tables that are copied at a time
POINTERS = (
    "program", "their_basis", "their_average", "my_regret", "my_basis", "my_average", "reach_above", "reach_below", "value_above",
    "value_below", "fold_value", "far_rows", "places", "entries", "starts", "their_order", "my_order", "parent", "their_count", "my_count",
    "weights", "iteration", "listed", "number", "game", "coefficients",
    "their_lock", "my_lock", "their_bound", "my_bound", "their_fixed", "my_fixed",
)  # fmt: skip
NUMBERS = (
    "groups", "roots", "next_roots", "their_slots", "my_slots", "folds", "rows", "values", "items", "their_before", "my_before",
    "value_row", "terms",
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
        self,
        street: SyncedStreet,
        games: Games,
        above: DeviceStreet | None,
        last: bool,
        device: Properties,
        hands: Sequence[HandTables] | None = None,
    ) -> None:
        cp, betting = cupy(), games.betting[0]
        self.street, self.games, self.betting, self.above, self.last, self.device = (
            street,
            games,
            betting,
            above,
            last,
            device,
        )
        boards = street.boards
        self.boards, self.roots = len(boards.cards), betting.roots
        self.next_roots = max(int((betting.kind == DEAL).sum()), 1)
        self.places = [device_places(own) for own in boards.player]
        self.before = above.places if above is not None else self.places
        # both players all-in: one matrix for each board before will do; where there is one such board alone, it costs more than it saves
        several = above is not None and above.boards > 1
        shown = (betting.kind[: self.roots] == SHOWDOWN) & (games.amounts("tie")[:, : self.roots] == 0.0).all(
            axis=0
        )  # without rake
        self.called = np.flatnonzero(shown).tolist() if last and several else []
        played = sorted(set(range(self.roots)) - set(self.called))
        widest = int(np.bincount(roots_of(betting), minlength=self.roots).max())
        self.groups = group_roots(betting, widest, self.called)
        self.program = [tree_program(betting, self.groups, me) for me in range(2)]
        self.predictive = bool(street.held[0].predictive)
        self.locked = any(tables.locked for tables in street.held)
        shapes = [(self.boards, int(betting.slots[p]), self.places[p]) for p in range(2)]
        self.regret = [cp.zeros(shape, cp.float32) for shape in shapes]
        self.average = [cp.zeros(shape, cp.float32) for shape in shapes]
        self.basis = [cp.zeros(shape, cp.float32) for shape in shapes] if self.predictive else self.regret
        self.reach_below = [cp.zeros((self.boards, self.next_roots, width + 4), cp.float32) for width in self.places]
        self.value_above = [cp.zeros((self.boards, self.roots, width), cp.float32) for width in self.before]
        self.value_below = [cp.zeros((self.boards, self.next_roots, width), cp.float32) for width in self.places]
        laid = hands or [hand_tables(boards, p, self.before[p]) for p in range(2)]
        self.hands = [self._hands(p, laid[p]) for p in range(2)]
        self.locks = [self._locks(p) for p in range(2)]
        self.share = cp.asarray(boards.share.astype(np.float32))
        parent = boards.parent if above is not None else np.arange(self.boards)
        self.parent = cp.asarray(parent.astype(np.int32))
        self.first_child = cp.asarray(boards.first_child.astype(np.int32))
        self.first_image = cp.asarray(boards.first_image.astype(np.int32))
        self.played = cp.asarray(np.array(played, dtype=np.int32))
        flags = {"predictive": self.predictive, "batch": games.batch, "locked": self.locked}
        self.shape = [
            cut_to_device(boards.player, betting, self.program[me], me, last, device, flags) for me in range(2)
        ]
        self.down, self.up, self.argument = list[Launch](), list[Launch](), list[tuple[Any, Any]]()
        self.allin: list[Any] = []

    def _hands(self, player: int, tables: HandTables) -> dict[str, Any]:
        cp, own, width = cupy(), self.street.boards.player[player], self.places[player]
        images = np.tile(np.arange(width, dtype=np.int16), (max(len(own.images), 1), 1))
        kept = min(width, own.places)
        images[: len(own.images), :kept] = own.images[:, :kept]
        arrays: dict[str, Any] = {name: getattr(tables, name) for name in ("places", "entries", "starts", "low")}
        arrays |= {"order": tables.order, "count": own.count.astype(np.int32), "images": images}
        return {name: cp.asarray(array) for name, array in arrays.items()}

    def _locks(self, player: int) -> dict[str, Any]:
        """Which hands are bound where, how far, and to what; [board, slot], [lock, place], [lock, action, place]."""
        cp, tables, betting = cupy(), self.street.held[player], self.betting
        if not tables.locked:
            free = cp.full((self.boards, betting.slots[player]) if self.locked else 1, -1, cp.int32)
            return {"lock": free, "bound": cp.zeros(1, cp.float32), "fixed": cp.zeros(1, cp.float32)}
        actions, width = most_actions(betting), self.places[player]
        places = self.street.hands[player].places
        kept = min(width, places)
        number, start = np.full((self.boards, betting.slots[player]), -1, dtype=np.int32), tables.lock_start
        bound = np.zeros((len(start), width), dtype=np.float32)
        fixed = np.zeros((len(start), actions, width), dtype=np.float32)
        bound[:, :kept] = tables.bound.reshape(-1, places)[:, :kept]
        came = np.argsort(self.program[0].slots[player])  # where a slot of the forest went
        for at in np.flatnonzero(tables.lock_of >= 0).tolist():
            (board, node), lock = divmod(at, len(betting.kind)), int(tables.lock_of[at])
            n = int(betting.children[node])
            number[board, came[betting.slot[node]]] = lock
            rows = tables.fixed[start[lock] : start[lock] + n * places].reshape(n, places)
            fixed[lock, :n, :kept] = rows[:, :kept]
        return {"lock": cp.asarray(number), "bound": cp.asarray(bound), "fixed": cp.asarray(fixed)}

    def prepare(
        self, me: int, binaries: Sequence[bytes], between: Any, root_reach: Any, weights: Any, iteration: Any
    ) -> None:
        """Kernels and arguments of the passes of one player; a binary for each of `MODES`."""
        cp, them, program, shape = cupy(), 1 - me, self.program[me], self.shape[me]
        self.between, modules = between, [load_module(binary) for binary in binaries]
        words, begin = (cp.asarray(each) for each in program.packed())
        for module in modules:
            _fill(module, "begin", begin)
            if not shape.sizes["LONG"]:
                _fill(module, "program", words)
        items = self.boards * len(self.groups)
        self.down.append(self._launch(modules, "down", shape.threads, shape.shared, items))
        if not self.last:
            self.up.append(self._launch(modules, "up", shape.threads, shape.up_shared, items))
        folds = 1 if self.last else max(program.folds, 1)  # the last street keeps them in its own rows
        blocks = max([self.down[-1].blocks, *(launch.blocks for launch in self.up[-1:])])
        amounts = (self.games.amounts(name) for name in ("win", "lose", "tie"))
        coefficients = self.games.of_each(program.coefficients(*amounts))
        arrays = {
            "program": words,
            "listed": self.games.listed,
            "number": self.games.number,
            "game": self.games.game,
            "coefficients": cp.asarray(coefficients),
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
            **{f"their_{name}": array for name, array in self.locks[them].items()},
            **{f"my_{name}": array for name, array in self.locks[me].items()},
            "parent": self.parent,
            "their_count": self.hands[them]["count"],
            "my_count": self.hands[me]["count"],
            "weights": weights,
            "iteration": iteration,
        } | {name: self.hands[me][name] for name in ("places", "entries", "starts")}
        numbers = {
            "groups": len(self.groups), "roots": self.roots, "next_roots": self.next_roots, "their_slots": self.betting.slots[them],
            "my_slots": self.betting.slots[me], "folds": folds, "rows": program.rows, "values": program.values,
            "items": items, "their_before": self.before[them], "my_before": self.before[me],
            "value_row": shape.value_row, "terms": len(program.terms), "factor": self.street.factor,
        }  # fmt: skip
        argument = np.zeros((), dtype=ARGUMENT)
        for name, array in arrays.items():
            argument[name] = array.data.ptr
        for name, number in numbers.items():
            argument[name] = number
        self.argument.append((argument, arrays))  # the arrays live as long as what points at them
        if self.called:
            self.allin.append(self._allin(me))

    def _launch(self, modules: Sequence[Any], direction: str, threads: int, shared: int, items: int) -> Launch:
        kernels = {mode: module.get_function(direction) for mode, module in zip(MODES, modules, strict=True)}
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
        folded, hands = cp.empty_like(matrix), before.hands[me]
        self.between.get_function("allin_images")(
            (before.boards * self.before[them],), (256,),
            (matrix, before.first_image, hands["images"], hands["low"], folded, np.int32(self.before[me]), np.int32(self.before[them])),
        )  # fmt: skip
        called, (win, lose) = self.called, (self.games.amounts(name) for name in ("win", "lose"))
        stake = cp.asarray(self.games.of_each(((win[:, called] - lose[:, called]) / 2.0).astype(np.float32)))
        return folded, cp.asarray(np.array(called, dtype=np.int32)), stake

    def pass_down(self, mode: str, me: int) -> None:
        self.down[me](mode, self.argument[me][0])

    def pass_up(self, mode: str, me: int) -> None:
        self.up[me](mode, self.argument[me][0])

    def gather(self, me: int, below: DeviceStreet) -> None:
        """Values over the cards to be dealt after this street."""
        width, hands, number = self.places[me], self.hands[me], len(below.played)
        self.between.get_function("gather_deals")(
            (self.boards * number,), (32, 8),
            (below.value_above[me], self.first_child, below.share, self.first_image, hands["images"], hands["low"], hands["count"],
             self.value_below[me], below.played, np.int32(number), np.int32(below.roots), np.int32(width)),
            shared_mem=4 * width,
        )  # fmt: skip

    def settle_allins(self, me: int, below: DeviceStreet) -> None:
        """Values of the lines on which both players are all-in after this street: they need its reach alone."""
        matrix, listed, stake = below.allin[me]
        width, them, number = self.places[me], 1 - me, len(below.called)
        self.between.get_function("allin_values")(
            (self.boards * -(-number // LINES) * (width // WARP),), (WARP, 8),
            (matrix, self.reach_below[them], listed, stake, np.int32(number), self.games.game, self.hands[them]["count"],
             self.value_below[me], np.int32(below.roots), np.int32(width), np.int32(self.places[them])),
        )  # fmt: skip

    @on_device
    def download(self) -> None:
        """Tables of the device into those of the host."""
        for p, name in self._tables():
            number, blocks, slots, size = self.street.shape(p)
            host = getattr(self.street.held[p], name).reshape(number, blocks, slots, size)
            for part in self._parts(p):
                rows = self._in_order(getattr(self, name)[p][part], p, self.hands[p]["count"][part], blocks * size)
                host[part] = cupy().asnumpy(rows).reshape(-1, slots, blocks, size).transpose(0, 2, 1, 3)

    def _parts(self, p: int) -> list[slice]:
        """Boards whose tables are copied at a time: little room is taken besides."""
        width = max(self.street.shape(p)[1] * self.street.shape(p)[3], self.places[p])
        step = max(1, COPIED // max(4 * self.betting.slots[p] * width, 1))
        return [slice(first, first + step) for first in range(0, self.boards, step)]

    def _tables(self) -> list[tuple[int, str]]:
        names = ("regret", "average", "basis") if self.predictive else ("regret", "average")
        return [(p, name) for p in range(2) for name in names]

    @on_device
    def rows(self, p: int, name: str, boards: Any) -> Any:
        """[board, slot, hand] of some boards on the host, slots as there; the padding is empty."""
        at = cupy().asarray(boards)
        return cupy().asnumpy(self._in_order(getattr(self, name)[p][at], p, self.hands[p]["count"][at], self.places[p]))

    def _in_order(self, array: Any, p: int, count: Any, width: int) -> Any:
        cp, kept = cupy(), min(self.places[p], width)
        out = cp.zeros((len(array), array.shape[1], width), cp.float32)
        inside = cp.arange(kept)[None, None, :] < count[:, None, None]
        out[:, cp.asarray(self.program[0].slots[p]), :kept] = cp.where(inside, array[:, :, :kept], 0.0)
        return out

    @on_device
    def upload(self) -> None:
        """Tables of the host into those of the device."""
        cp = cupy()
        for p, name in self._tables():
            number, blocks, slots, size = self.street.shape(p)
            kept, order = min(self.places[p], blocks * size), cp.asarray(self.program[0].slots[p])
            host = getattr(self.street.held[p], name).reshape(number, blocks, slots, size)
            for part in self._parts(p):
                flat = np.ascontiguousarray(host[part].transpose(0, 2, 1, 3)).reshape(-1, slots, blocks * size)
                getattr(self, name)[p][part, :, :kept] = cp.asarray(flat)[:, order, :kept]


def _fill(module: Any, name: str, words: Any) -> None:
    """Write an array of the device into a module's constant memory."""
    cp = cupy()
    memory = cp.cuda.UnownedMemory(int(module.get_global_var(name)), 4 * len(words), module)
    cp.ndarray(len(words), dtype=cp.int32, memptr=cp.cuda.MemoryPointer(memory, 0))[:] = words
