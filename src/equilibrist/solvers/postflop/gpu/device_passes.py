"""Passes over all streets on the device, iterations of them as CUDA graphs: for one game, or for many of one shape side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors
from equilibrist.solvers.postflop.gpu.cuda_device import (
    Properties,
    captured,
    compile_all,
    cupy,
    load_module,
    on_device,
    wait_for_device,
)
from equilibrist.solvers.postflop.gpu.device_rounds import SOURCE, DeviceRounds, sizes_of, threads_for
from equilibrist.solvers.postflop.gpu.device_street import ARGUMENT, MODES, DeviceStreet
from equilibrist.solvers.postflop.gpu.hand_tables import HandTables
from equilibrist.solvers.postflop.gpu.street_plan import StreetPlan, device_bytes, make, root_arrays
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet

WINDOW = 4096  # iterations whose weights lie on the device at a time


def plan_streets(
    streets: Sequence[SyncedStreet],
    betting: Sequence[Sequence[StreetForest]],
    device: Properties,
    which: Longs | None = None,
) -> list[StreetPlan]:
    """What all streets will take; arguments as of `DevicePasses`."""
    plans: list[StreetPlan] = []
    for depth, street in enumerate(streets):
        above = plans[-1] if plans else None
        plans.append(StreetPlan(street, betting[depth], above, depth + 1 == len(streets), device, which))
    return plans


class DevicePasses:
    """`betting`: by street, that of the game, or in a batch the different ones, of which each game has the one that `which` [game] says.

    Boards of the first street are one for each game; without `which` all share the one betting.
    `hands` of each street and player, if they have been laid out already.
    """

    @on_device
    def __init__(
        self,
        streets: Sequence[SyncedStreet],
        betting: Sequence[Sequence[StreetForest]],
        schedule: Schedule,
        which: Longs | None = None,
        hands: Sequence[Sequence[HandTables]] | None = None,
    ) -> None:
        cp, device = cupy(), Properties()
        self.plans = plan_streets(streets, betting, device, which)
        device.refuse_what_does_not_fit(
            device_bytes(self.plans, WINDOW),
            "use fewer bet sizes, narrower ranges, smaller batches, bits=16, or the CPU",
        )
        self.schedule, self.games = schedule, len(streets[0].boards.cards)
        self._window, self._apart = 0, threads_for(self.plans[0])
        with ThreadPoolExecutor(1) as beside:  # kernels are compiled while hands are laid out
            compiling = beside.submit(compile_all, self._wanted())
            self.streets: list[DeviceStreet] = []
            for depth, plan in enumerate(self.plans):
                above = self.streets[-1] if self.streets else None
                self.streets.append(DeviceStreet(plan, above, None if hands is None else hands[depth]))
            planned = root_arrays(self.plans[0], WINDOW)
            made = {name: make(cp, planned, name) for name in planned}
            between, *binaries = compiling.result()
        self._weights, self._count, self._weighed = (made[name] for name in ("weights", "count", "weighed"))
        self.root, self._own = ([made[f"{name}{p}"] for p in range(2)] for name in ("root", "own"))
        self._between = load_module(between)
        for k, (each, me) in enumerate((each, me) for each in self.streets for me in range(2)):
            three = binaries[k * len(MODES) : (k + 1) * len(MODES)]
            each.prepare(me, three, self._between, self.root, self._weights, self._count)
        rounds = binaries[2 * len(self.streets) * len(MODES) :]
        self._rounds = DeviceRounds(self.streets[0], self._apart, rounds[0]) if rounds else None
        self._stream, self._beside = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
        self._graphs: dict[str, Any] = {}
        self.load_weights(0)

    def _wanted(self) -> list[tuple[str, dict[str, int]]]:
        """Sources and sizes of all kernels: those between streets, each pass of each player on each street, rounds."""
        sizes = [shape.sizes | {"STREET_BYTES": ARGUMENT.itemsize} for plan in self.plans for shape in plan.shape]
        passes = [("board_passes.cu", each | {"PASS": number}) for each in sizes for number in range(len(MODES))]
        rounds = [(SOURCE, sizes_of(self.plans[0], self._apart))] if self._apart else []
        return [("deals.cu", {}), *passes, *rounds]

    def set_ranges(self, player: int, rows: Floats32) -> None:
        """[game, root, place] weights of a player's hands where the games begin."""
        width = rows.shape[-1]
        self.root[player][:, :, :width] = cupy().asarray(rows)
        self._own[player][:, :, :width] = cupy().asarray(rows)

    def load_weights(self, iteration: int) -> None:
        """Weights of the iterations after this one."""
        rows = np.zeros((WINDOW + 1, 4), dtype=np.float32)
        rows[:-1, :3] = discount_factors(self.schedule, iteration, WINDOW)
        self._weights.set(rows)
        self._window = iteration
        self._count.fill(0)
        wait_for_device()  # iterations run on another stream

    @on_device
    def advance(self, iteration: int, iterations: int) -> None:
        """So many more after `iteration`."""
        if self._rounds is not None:
            self._advance_rounds(self._rounds, iteration, iteration + iterations)
            return
        graph = self._graph("iterate", self.iterate)
        for t in range(iteration, iteration + iterations):
            if t - self._window >= WINDOW:
                self._stream.synchronize()
                self.load_weights(t)
            graph.launch(self._stream)
        self._stream.synchronize()

    def _advance_rounds(self, rounds: DeviceRounds, iteration: int, end: int) -> None:
        """Several iterations of each game at a time."""
        while iteration < end:
            if iteration - self._window >= WINDOW:
                self.load_weights(iteration)
            upto = min(end, self._window + WINDOW)
            rounds(iteration - self._window, upto - self._window)
            iteration = upto
        self._count.fill(end - self._window)
        wait_for_device()

    def _graph(self, name: str, work: Callable[[], None]) -> Any:
        """Work as a CUDA graph, captured when it is first asked for; it begins after what was done on the default stream."""
        if name not in self._graphs:
            self._graphs[name] = captured(self._stream, work)
        self._stream.wait_event(cupy().cuda.Stream.null.record())
        return self._graphs[name]

    def iterate(self) -> None:
        for me in range(2):
            self.launch("learn", me)
        self._between.get_function("count_iteration")((1,), (1,), (self._count,))

    @on_device
    def learn(self, me: int, weights: Sequence[float], iteration: int) -> None:
        """One pass by itself; `iteration` is that of the next graph."""
        self._weights[WINDOW, :3] = cupy().asarray(np.array(weights, dtype=np.float32))
        self._count.fill(WINDOW)
        self.launch("learn", me)
        self._count.fill(iteration - self._window)

    @on_device
    def launch(self, mode: str, me: int) -> None:
        """A pass for one updating player: down the streets and up again."""
        for street in self.streets[:-1]:
            street.pass_down(mode, me)
        last, stream = self.streets[-1], cupy().cuda.get_current_stream()
        if last.called:
            reached = stream.record()
        last.pass_down(mode, me)
        if last.called:  # on the multiprocessors that the last street leaves first
            self._beside.wait_event(reached)
            with self._beside:
                self.streets[-2].settle_allins(me, last)
                stream.wait_event(self._beside.record())
        for above, below in zip(reversed(self.streets[:-1]), reversed(self.streets[1:]), strict=True):
            above.gather(me, below)
            above.pass_up(mode, me)

    @on_device
    def weighed(self, mode: str) -> Floats:
        """[game, player] values against the opponent's average, weighted by the ranges."""
        self._graph(mode, partial(self._weigh, mode)).launch(self._stream)
        out: Floats = self._weighed.get(stream=self._stream)
        return out

    def _weigh(self, mode: str) -> None:
        first = self.streets[0]
        for me in range(2):
            self.launch(mode, me)
        size = [np.int32(own.size // self.games) for own in self._own]
        self._between.get_function("weigh")(
            (2 * self.games,), (256,),
            (self._own[0], first.value_above[0], size[0], self._own[1], first.value_above[1], size[1], self._weighed),
        )  # fmt: skip

    def root_values(self, me: int) -> Any:
        """[game, root, place] what the last pass of a player found, on the device."""
        return self.streets[0].value_above[me]

    def select(self, games: Longs) -> None:
        """Only these games go on."""
        kept = np.zeros(self.games, dtype=bool)
        kept[games] = True
        for street in self.streets:
            street.games.select(kept)
        wait_for_device()
