"""CFR at work on walks over histories: nodes are counted, and what pruning allows is left out, settled or freed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.core.solution import Evaluation
from equilibrist.games.compiled import Compiled
from equilibrist.solvers._kernels import pruned_cfr as kernels
from equilibrist.solvers._kernels import pruned_walk as walks
from equilibrist.solvers._kernels.pruned_walk import (
    BASE,
    COUNTED,
    LIVE,
    LIVE_PLANS,
    NODES,
    REACHES,
    SEEN,
    STORED,
    TALLY,
    TOP,
    TOP_PLANS,
    VALUES,
    Tables,
)
from equilibrist.solvers.best_response import evaluate_policy
from equilibrist.solvers.pruning import METHODS, ZERO_REACH
from equilibrist.solvers.walk_layout import walk_layout
from equilibrist.solvers.walk_weights import UNIT_BITS, Weights

if TYPE_CHECKING:
    from equilibrist.solvers.cfr import CFR

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

NO_LIMIT = (1 << 63) - 1
SPARE = 1.25  # pools are this much larger than what lives in them, and shrink when it falls below half
POOLED = ("strategy", "regret", "memory", "value", "ends", "bound")  # one entry per living sequence
PLANS = ("total", "average")
SAVED = ("place", "shelf", *POOLED[:3], "bound", *PLANS, "marks", "sums", "proof", "checked", "tally")


class WalkRun:
    """One walk per player and iteration; counts every history it touches, checks and settlements included."""

    first_check = 4
    check_growth = 1.1

    def __init__(self, solver: CFR, game: Compiled) -> None:
        self.solver, self.game, self.iteration = solver, game, 0
        self.layout = walk_layout(game)
        floored = solver.minimiser == "signed-rm+"
        self.weights = Weights(solver.schedule, floored)
        self.separate = solver.pruning.own_actions and not self.weights.alike
        self.method = METHODS[solver.pruning.method]
        self.units = (0, 0)
        self.tables = self._empty_tables()

    def _empty_tables(self) -> Tables:
        arrays, sequences = self.layout.arrays, self.layout.sequences
        infosets, own = len(arrays.spread), self.method >= kernels.INTERVALS
        pool = sequences + 1  # the last entry is nobody's
        value, total = np.zeros(pool), np.append(np.zeros(sequences), np.nan)
        tally = np.zeros(TALLY, dtype=np.int64)
        tally[[TOP, LIVE, TOP_PLANS, LIVE_PLANS]] = sequences
        return Tables(
            place=np.arange(sequences, dtype=np.int32),
            strategy=np.append(self._uniform(), np.nan),
            regret=np.append(np.zeros(sequences), np.nan),
            memory=np.zeros(pool if self.solver.minimiser == "hedge" else 1),
            value=value,
            ends=np.zeros(pool) if self.method == kernels.INTERVALS else value,
            bound=np.append(np.full(sequences, kernels.FREE), np.nan) if own else np.zeros(1),
            shelf=np.arange(sequences, dtype=np.int32),
            total=total,
            average=total.copy() if self.separate else total,
            marks=np.zeros((infosets, 3), dtype=np.int64),
            sums=np.zeros((infosets, 5)),
            proof=np.zeros((sequences if own else 1, 4)),
            checked=np.full(sequences if self.method == kernels.RESPONSES else 1, -(1 << 40)),
            stack=np.zeros(len(arrays.nodes) + infosets, dtype=np.int32),
            weight=np.zeros(len(arrays.nodes)),
            visited=np.zeros((2, infosets), dtype=np.int32),
            lists=np.zeros((2, sequences if own else 1), dtype=np.int32),
            tally=tally,
        )

    def _uniform(self) -> Floats:
        return self.layout.from_slots(self.game.infosets.uniform().probabilities, 1.0)

    def rules(self) -> kernels.Rules:
        solver, pruning = self.solver, self.solver.pruning
        kind, nonpositive, rate, horizon, _ = solver.codes()
        return kernels.Rules(
            kind=kind,
            nonpositive=nonpositive,
            rate=rate,
            horizon=horizon,
            method=self.method,
            skip=float(pruning.skip),
            tight=pruning.bound == "history",
            cut=float(solver.threshold),
            zero_reach=ZERO_REACH[pruning.zero_reach],
            forget=float(pruning.forget),
            fast=self.solver.schedule.fast if hasattr(self.solver.schedule, "fast") else False,
            separate=self.separate,
        )

    def advance(self, iterations: int, nodes: int = NO_LIMIT) -> None:
        """Work on, up to the iteration that reaches so many nodes touched in all."""
        goal = self.iteration + iterations
        while self.iteration < goal and self.nodes_touched < nodes:
            piece = self.weights.piece(self.iteration + 1, goal)
            self._change_units(piece.units)
            progress = np.zeros(4, dtype=np.int64)
            while kernels.run_pruned_cfr(
                piece.first, piece.positive, piece.negative, piece.weight, piece.scale, piece.weights, piece.share,
                self.weights.log_positive, self.weights.log_negative, self.solver.updates == "simultaneous", nodes,
                self.layout.arrays, self.tables, self.rules(), progress,
            ):  # fmt: skip
                self._resize(kernels.room_needed(self.layout.arrays, self.tables))
            self.iteration += int(progress[0])
        if self.method == kernels.RESPONSES:
            self._shrink()

    def advance_nodes(self, nodes: int) -> None:
        """Work on to the end of the iteration in which the walks have touched so many nodes in all."""
        while self.nodes_touched < nodes:
            self.advance(1 << 10, nodes)

    def _change_units(self, units: tuple[int, int]) -> None:
        """Powers of two, so that nothing is rounded."""
        tables = self.tables
        regrets, averages = (UNIT_BITS * (old - new) for old, new in zip(self.units, units, strict=True))
        if regrets:
            columns = tables.sums[:, [SEEN, VALUES, REACHES]]
            tables.sums[:, [SEEN, VALUES, REACHES]] = np.ldexp(columns, regrets)
            tables.proof[:, [STORED, BASE]] = np.ldexp(tables.proof[:, [STORED, BASE]], regrets)
            for array in (tables.total, tables.bound):
                array[:] = np.ldexp(array, regrets)
        if averages and self.separate:
            tables.sums[:, COUNTED] = np.ldexp(tables.sums[:, COUNTED], averages)
            tables.average[:] = np.ldexp(tables.average, averages)
        self.units = units

    def _shrink(self) -> None:
        tables = self.tables
        for pool, live in ((tables.strategy, LIVE), (tables.total, LIVE_PLANS)):
            if len(pool) > 2 * SPARE * tables.tally[live] + 64:
                self._resize(0)

    def _resize(self, need: int) -> None:
        """Move what lives into new arrays with room for `need` more sequences and some to spare; the old ones go."""
        tables = self.tables
        moved: dict[str, Any] = {}
        for index, names, top in (("place", POOLED, TOP), ("shelf", PLANS, TOP_PLANS)):
            where = getattr(tables, index)
            old = len(getattr(tables, names[0])) - 1
            live = np.flatnonzero(where != old)
            size = int(SPARE * (len(live) + need)) + 1
            new = np.full(len(where), size - 1, dtype=np.int32)
            new[live] = np.arange(len(live))
            tables.tally[top] = len(live)
            moved[index] = new
            for name in names:
                array = getattr(tables, name)
                if len(array) == old + 1:
                    moved[name] = np.full(size, np.nan)
                    moved[name][: len(live)] = array[where[live]]
        if not self.separate:
            moved["average"] = moved["total"]
        if self.method != kernels.INTERVALS:
            moved["ends"] = moved["value"]
        self.tables = tables._replace(**moved)

    @property
    def nodes_touched(self) -> int:
        return int(self.tables.tally[NODES])

    @property
    def live_fraction(self) -> float:
        """Share of all sequences whose regrets are in memory."""
        return (int(self.tables.tally[LIVE]) - 2) / (self.layout.sequences - 2)

    @property
    def live_averages(self) -> float:
        """Share of all sequences whose cumulative plan is in memory."""
        return (int(self.tables.tally[LIVE_PLANS]) - 2) / (self.layout.sequences - 2)

    @property
    def pool_bytes(self) -> int:
        """Bytes of the tables that pruning can shrink."""
        tables = self.tables
        kept = {id(array): array.nbytes for array in (getattr(tables, name) for name in (*POOLED, *PLANS))}
        return sum(kept.values())

    def counts(self) -> dict[str, Any]:
        """Work and space, for `Solution.extra`."""
        found: dict[str, Any] = {"nodes_touched": self.nodes_touched, "nodes_unit": "histories"}
        if self.method == kernels.RESPONSES:
            found |= {
                "live_fraction": self.live_fraction,
                "live_averages": self.live_averages,
                "pool_bytes": self.pool_bytes,
            }
        return found

    def sums(self) -> Floats:
        """[slots] cumulative plans as the average weighs them, pushed down to the leaves; the run is left as it is."""
        tables = self.tables._replace(total=self.tables.total.copy(), sums=self.tables.sums.copy())
        tables = tables._replace(average=self.tables.average.copy() if self.separate else tables.total)
        walks.complete(self.layout.arrays, tables, self.separate)
        plans = tables.average[tables.shelf]
        plans[tables.shelf == len(tables.total) - 1] = 0.0
        return self.layout.to_slots(plans)

    def average(self) -> TabularPolicy:
        return normalise(self.game.infosets, self.sums())

    def last(self) -> TabularPolicy:
        """The current strategy; uniform where it has been freed."""
        tables = self.tables
        freed = tables.place == len(tables.strategy) - 1
        return TabularPolicy(
            self.game.infosets, self.layout.to_slots(np.where(freed, self._uniform(), tables.strategy[tables.place]))
        )

    def regrets(self) -> Floats:
        """[slots] as they stand; NaN where they have been freed."""
        freed = self.tables.place == len(self.tables.strategy) - 1
        return self.layout.to_slots(np.where(freed, np.nan, self.tables.regret[self.tables.place]))

    def evaluate(self) -> Evaluation:
        return evaluate_policy(self.game, self.average())

    def state(self) -> dict[str, Array]:
        saved = {name: getattr(self.tables, name).copy() for name in SAVED}
        return saved | {"iteration": np.array([self.iteration]), "units": np.array(self.units)}

    def restore(self, state: Mapping[str, Array]) -> None:
        new = {}
        for name in SAVED:
            have, given = getattr(self.tables, name), state[name]
            if given.shape != have.shape and name not in (*POOLED, *PLANS):
                raise ValueError(f"{name} has {given.size} entries instead of {have.size}")
            new[name] = given.astype(have.dtype)
        size = len(new["strategy"])
        new["value"] = np.zeros(size)
        new["ends"] = np.zeros(size) if self.method == kernels.INTERVALS else new["value"]
        if not self.separate:
            new["average"] = new["total"]
        self.tables = self.tables._replace(**new)
        self.iteration = int(state["iteration"][0])
        self.units = (int(state["units"][0]), int(state["units"][1]))
