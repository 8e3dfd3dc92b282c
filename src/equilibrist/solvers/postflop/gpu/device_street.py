"""One street on the device: tables of both players, hands, programs, and the launches of a pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats32
from equilibrist.solvers.postflop.gpu.cuda_device import Properties, cupy, load_module, on_device
from equilibrist.solvers.postflop.gpu.device_tables import DeviceTables
from equilibrist.solvers.postflop.gpu.games import Games
from equilibrist.solvers.postflop.gpu.hand_tables import (
    WARP,
    HandTables,
    card_sets,
    hand_tables,
    ranks_on_last,
)
from equilibrist.solvers.postflop.gpu.street_plan import StreetPlan, make
from equilibrist.solvers.postflop.gpu.street_shape import SHARED_OVERHEAD

MODES = ("learn", "value", "respond")  # in the order of their numbers in `layout.py`
REGISTERS_ATTRIBUTE, SHARED_ATTRIBUTE = 4, 8  # of functions, as CUDA's driver numbers them
LINES = 16  # of all-ins that a block works on
MODEL_ONLY = ("model", "model_rows", "model_share")
SHORT_ONLY = (
    "their_basis_scale", "their_average_scale", "my_regret_scale", "my_basis_scale", "my_average_scale", "noise",
)  # fmt: skip
POINTERS = (
    "program", "their_basis", "their_average", "my_regret", "my_basis", "my_average", "reach_above", "reach_below", "value_above",
    "value_below", "fold_value", "far_rows", "places", "entries", "starts", "their_order", "my_order", "parent", "their_count", "my_count",
    "weights", "iteration", "listed", "number", "game", "coefficients",
    "their_lock", "my_lock", "their_bound", "my_bound", "their_fixed", "my_fixed",
    *MODEL_ONLY, "their_nodes", *SHORT_ONLY,
)  # fmt: skip
NUMBERS = (
    "groups", "roots", "next_roots", "their_slots", "my_slots", "folds", "rows", "values", "items", "their_before", "my_before",
    "value_row", "terms", "nodes", "model_all",
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
    """Arrays of one street, all of them planned; `above` is the street before, or nothing for the first."""

    def __init__(self, plan: StreetPlan, above: DeviceStreet | None, hands: Sequence[HandTables] | None = None) -> None:
        cp, boards = cupy(), plan.street.boards
        self.plan, self.street, self.betting, self.above, self.last = plan, plan.street, plan.betting, above, plan.last
        self.boards, self.roots, self.places, self.before = plan.boards, plan.roots, plan.places, plan.before
        self.program, self.called = plan.program, plan.called
        self.games: Games = Games.of(plan, above.games if above is not None else None)
        parent = boards.parent if above is not None else np.arange(self.boards)
        filled = {
            "share": boards.share.astype(np.float32),
            "parent": parent.astype(np.int32),
            "first_child": boards.first_child.astype(np.int32),
            "first_image": boards.first_image.astype(np.int32),
            "played": np.array(plan.played, dtype=np.int32),
        }
        if self.called:
            called, (win, lose) = self.called, (plan.amounts(name) for name in ("win", "lose"))
            filled["called"] = np.array(called, dtype=np.int32)
            filled["stake"] = plan.of_each(((win[:, called] - lose[:, called]) / 2.0).astype(np.float32))
        if plan.bits == 16:
            filled["noise"] = plan.street.held[0].noise
        if plan.which is not None:
            filled["marks"] = np.zeros(self.boards + 1, dtype=np.int32)
        planned = plan.arrays()
        self.arrays = {name: make(cp, planned, name, array) for name, array in filled.items()}
        laid = hands or [hand_tables(boards, p, self.before[p]) for p in range(2)]
        self.own = [self._own(p, laid[p]) for p in range(2)]
        self.tables = [
            DeviceTables(self.street, p, plan.tables[p], plan.program[0].slots[p], self.own[p]) for p in range(2)
        ]
        self.down, self.up, self.argument = list[Launch](), list[Launch](), list[tuple[Any, Any]]()

    def _own(self, player: int, laid: HandTables) -> dict[str, Any]:
        """All arrays of one player."""
        plan, own, width = self.plan, self.street.boards.player[player], self.places[player]
        images = np.tile(np.arange(width, dtype=np.int16), (max(len(own.images), 1), 1))
        kept = min(width, own.places)
        images[: len(own.images), :kept] = own.images[:, :kept]
        program, begin = plan.packed[player]
        amounts = (plan.amounts(name) for name in ("win", "lose", "tie"))
        filled = {name: getattr(laid, name) for name in ("places", "entries", "starts", "low", "order")}
        filled |= self._locks(player) | {
            "count": own.count.astype(np.int32),
            "images": images,
            "program": program,
            "begin": begin,
            "coefficients": plan.of_each(self.program[player].coefficients(*amounts)),
            "nodes": plan.nodes_of_slots(player),
        }
        planned = plan.arrays_of(player)
        return {name: make(cupy(), planned, name, filled.get(name)) for name in planned}

    def follow_model(self, me: int, rows: Floats32) -> None:
        """Reach rows [board, row, place] of the opponent's hands that follow a model, for all of its hands."""
        self.own[me]["model"].set(rows)
        self.own[me]["model_rows"].set(self.program[me].first_rows)

    def _locks(self, player: int) -> dict[str, Any]:
        """Which hands are bound where, how far, and to what; [board, slot], [lock, place], [lock, action, place]."""
        tables, betting, planned = self.street.held[player], self.betting, self.plan.arrays_of(player)
        number = np.full(planned["lock"][0], -1, dtype=np.int32)
        bound, fixed = (np.zeros(*planned[name]) for name in ("bound", "fixed"))
        if not tables.locked:
            return {"lock": number, "bound": bound, "fixed": fixed}
        places, start = self.street.hands[player].places, tables.lock_start
        kept = min(self.places[player], places)
        bound[:, :kept] = tables.bound.reshape(-1, places)[:, :kept]
        came = np.argsort(self.program[0].slots[player])  # where a slot of the forest went
        for at in np.flatnonzero(tables.lock_of >= 0).tolist():
            (board, node), lock = divmod(at, len(betting.kind)), int(tables.lock_of[at])
            n = int(betting.children[node])
            number[board, came[betting.slot[node]]] = lock
            rows = tables.fixed[start[lock] : start[lock] + n * places].reshape(n, places)
            fixed[lock, :n, :kept] = rows[:, :kept]
        return {"lock": number, "bound": bound, "fixed": fixed}

    @property
    def regret(self) -> list[Any]:
        return [own["regret"] for own in self.own]

    @property
    def average(self) -> list[Any]:
        return [own["average"] for own in self.own]

    @property
    def value_above(self) -> list[Any]:
        """[board, root, place on the board before] of each player."""
        return [own["value_above"] for own in self.own]

    @property
    def value_below(self) -> list[Any]:
        """[board, root of the next street, place] of each player."""
        return [own["value_below"] for own in self.own]

    def prepare(
        self, me: int, binaries: Sequence[bytes], between: Any, root_reach: Any, weights: Any, iteration: Any
    ) -> None:
        """Kernels and arguments of the passes of one player; a binary for each of `MODES`."""
        them, plan = 1 - me, self.plan
        program, shape, mine, theirs = plan.program[me], plan.shape[me], self.own[me], self.own[them]
        self.between, modules = between, [load_module(binary) for binary in binaries]
        for module in modules:
            fill_constant(module, "begin", mine["begin"])
            if not shape.sizes["LONG"]:
                fill_constant(module, "program", mine["program"])
        self.down.append(self._launch(modules, "down", me, shape.shared))
        if not self.last:
            self.up.append(self._launch(modules, "up", me, shape.up_shared))
        arrays: dict[str, Any] = {
            "reach_above": root_reach[them] if self.above is None else self.above.own[them]["reach_below"],
            "reach_below": theirs["reach_below"],
            "weights": weights,
            "iteration": iteration,
            **{name: getattr(self.games, name) for name in ("game", "listed", "number")},
            **{name: self.arrays[name] for name in ("parent", "noise") if name in self.arrays},
        }
        for name in POINTERS:
            if name in arrays or (plan.bits == 32 and name in SHORT_ONLY):
                continue
            if name in MODEL_ONLY and not plan.modelled[them]:
                continue
            owner, own = (theirs, name[6:]) if name.startswith("their_") else (mine, name.removeprefix("my_"))
            # without predictions strategies are made of the regrets themselves
            arrays[name] = owner[own if own in owner else own.replace("basis", "regret")]
        numbers = {
            "groups": len(plan.groups), "roots": self.roots, "next_roots": max(plan.deals, 1), "their_slots": self.betting.slots[them],
            "my_slots": self.betting.slots[me], "folds": 1 if self.last else max(program.folds, 1),
            "rows": program.values if plan.in_place[me] else program.rows,
            "values": program.values, "items": plan.items, "their_before": self.before[them], "my_before": self.before[me],
            "value_row": shape.value_row, "terms": len(program.terms), "nodes": len(self.betting.kind),
            "model_all": int(program.first_rows[-1]), "factor": self.street.factor,
        }  # fmt: skip
        argument = np.zeros((), dtype=ARGUMENT)
        for name, array in arrays.items():
            argument[name] = array.data.ptr
        for name, number in numbers.items():
            argument[name] = number
        self.argument.append((argument, arrays))  # the arrays live as long as what points at them
        if self.called:
            self._fill_allins(me)

    def _launch(self, modules: Sequence[Any], direction: str, me: int, shared: int) -> Launch:
        kernels = {mode: module.get_function(direction) for mode, module in zip(MODES, modules, strict=True)}
        device, threads = self.plan.device, self.plan.shape[me].threads
        resident = resident_blocks(list(kernels.values()), device, threads, shared)
        blocks = min(self.plan.items, device.multiprocessors * resident)
        return Launch(kernels, max(1, min(blocks, self.plan.far_blocks(me) or blocks)), threads, shared)

    def _fill_allins(self, me: int) -> None:
        """The matrix of called all-ins on the boards before."""
        cp, them, before = cupy(), 1 - me, self.above
        assert before is not None
        planned = self.plan.in_passing()
        ranks, cards = [], []
        for p in (me, them):
            ranks.append(make(cp, planned, f"ranks{p}", ranks_on_last(self.street.boards, p, self.before[p])))
            cards.append(make(cp, planned, f"cards{p}", card_sets(before.street.boards, p, self.before[p])))
        hands = before.own[me]
        self.between.get_function("allin_matrix")(
            (before.boards * self.before[them],), (256,),
            (*ranks, *cards, before.arrays["first_child"], self.arrays["share"], before.arrays["first_image"], hands["images"],
             hands["low"], np.float32(self.street.factor), self.own[me]["allin"], np.int32(self.before[me]), np.int32(self.before[them])),
            shared_mem=4 * self.before[me],
        )  # fmt: skip

    def pass_down(self, mode: str, me: int) -> None:
        self.down[me](mode, self.argument[me][0])

    def pass_up(self, mode: str, me: int) -> None:
        self.up[me](mode, self.argument[me][0])

    def gather(self, me: int, below: DeviceStreet) -> None:
        """Values over the cards to be dealt after this street."""
        width, own, played = self.places[me], self.own[me], below.arrays["played"]
        self.between.get_function("gather_deals")(
            (self.boards * len(played),), (32, 8),
            (below.own[me]["value_above"], self.arrays["first_child"], below.arrays["share"], self.arrays["first_image"], own["images"],
             own["low"], own["count"], own["value_below"], played, np.int32(len(played)), np.int32(below.roots), np.int32(width)),
            shared_mem=4 * width,
        )  # fmt: skip

    def settle_allins(self, me: int, below: DeviceStreet) -> None:
        """Values of the lines on which both players are all-in after this street: they need its reach alone."""
        width, them, number = self.places[me], 1 - me, len(below.called)
        self.between.get_function("allin_values")(
            (self.boards * -(-number // LINES) * (width // WARP),), (WARP, 8),
            (below.own[me]["allin"], self.own[them]["reach_below"], below.arrays["called"], below.arrays["stake"], np.int32(number),
             self.games.game, self.own[them]["count"], self.own[me]["value_below"], np.int32(below.roots), np.int32(width),
             np.int32(self.places[them])),
        )  # fmt: skip

    @on_device
    def download(self) -> None:
        """Tables of the device into those of the host."""
        for p, tables in enumerate(self.tables):
            tables.download(self.own[p]["count"])

    @on_device
    def upload(self) -> None:
        """Tables of the host into those of the device."""
        for tables in self.tables:
            tables.upload()

    @on_device
    def rows(self, p: int, name: str, boards: Any) -> Any:
        """[board, slot, hand] of some boards on the host, slots as there; the padding is empty."""
        return self.tables[p].rows(name, boards, self.own[p]["count"])


def resident_blocks(kernels: Sequence[Any], device: Properties, threads: int, shared: int) -> int:
    """Blocks of threads that a multiprocessor has at a time; the kernels are told how much shared memory they get."""
    driver = cupy().cuda.driver
    for kernel in kernels:
        driver.funcSetAttribute(kernel.ptr, SHARED_ATTRIBUTE, shared)
    registers = max(int(driver.funcGetAttribute(REGISTERS_ATTRIBUTE, kernel.ptr)) for kernel in kernels)
    resident = min(
        device.threads // threads,
        device.registers // max(registers * threads, 1),
        device.shared_per_multiprocessor // (shared + SHARED_OVERHEAD),
    )
    return max(resident, 1)


def fill_constant(module: Any, name: str, words: Any) -> None:
    """Write an array of the device into a module's constant memory."""
    cp = cupy()
    memory = cp.cuda.UnownedMemory(int(module.get_global_var(name)), 4 * len(words), module)
    cp.ndarray(len(words), dtype=cp.int32, memptr=cp.cuda.MemoryPointer(memory, 0))[:] = words
