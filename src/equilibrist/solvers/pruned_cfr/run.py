"""CFR at work on walks over histories: nodes are counted, and what pruning allows is left out, settled or freed.

The average is that of what the opponent meets: with alternating updates the first player's is one iteration later than on
other representations (both are usual; proofs of pruning need this one).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.core.arrays import Array, Floats
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled
from equilibrist.solvers.cfr.schedules import METHODS, ZERO_REACH
from equilibrist.solvers.pruned_cfr._kernels.pruned_cfr import run_pruned_cfr
from equilibrist.solvers.pruned_cfr._kernels.pruned_learning import INTERVALS, RESPONSES, Rules
from equilibrist.solvers.pruned_cfr._kernels.pruned_proofs import room_needed
from equilibrist.solvers.pruned_cfr._kernels.pruned_walk import (
    COUNTED,
    INFOSET,
    LIVE,
    LIVE_PLANS,
    NODES,
    NOWHERE,
    NOWHERE_PLANS,
    PARENT,
    REACHES,
    SEEN,
    TOUCHED,
    VALUES,
    complete,
)
from equilibrist.solvers.pruned_cfr.iteration_weights import Weights
from equilibrist.solvers.pruned_cfr.layout import walk_layout
from equilibrist.solvers.pruned_cfr.memory_pool import PLANS, POOLED, change_units, empty_tables, moved, wasteful
from equilibrist.solvers.responses.best_response import evaluate_policy

if TYPE_CHECKING:
    from equilibrist.solvers.cfr.cfr import CFR
    from equilibrist.solvers.cfr.warm_start import Substitute


NO_LIMIT = (1 << 63) - 1
FREED, LARGEST = (
    -(2.0**1022),
    2.0**1023,
)  # in saved tables: entries that are free (NaN), and those without a bound (infinite)
SAVED = ("place", "shelf", *POOLED[:3], "bound", *PLANS, "marks", "sums", "stored", "proof", "checked", "tally")


class PrunedCFR:
    """One walk per player and iteration; counts every history it touches, checks and settlements included."""

    first_check = 4
    check_growth = 1.1

    def __init__(self, solver: CFR, game: Compiled) -> None:
        self.solver, self.game, self.iteration = solver, game, 0
        self.layout = walk_layout(game)
        self.weights = Weights(solver.schedule, floored=solver.minimiser == "signed-rm+")
        self.separate = solver.pruning.own_actions and not self.weights.alike
        self.method = METHODS.index(solver.pruning.method)
        self.units = (0, 0)
        memory = solver.minimiser in ("hedge", "predictive-rm+")
        self.tables = empty_tables(self.layout, self._uniform(), self.method, memory=memory, separate=self.separate)

    def _uniform(self) -> Floats:
        return self.layout.from_slots(self.game.infosets.uniform().probabilities, 1.0)

    def rules(self) -> Rules:
        solver, pruning = self.solver, self.solver.pruning
        return Rules(
            codes=solver.codes,
            method=self.method,
            skip=float(pruning.skip),
            tight=pruning.bound == "history",
            cut=float(solver.threshold),
            zero_reach=ZERO_REACH.index(pruning.zero_reach),
            forget=float(pruning.forget),
            fast=self.weights.growing,
            separate=self.separate,
        )

    def advance(self, iterations: int, nodes: int = NO_LIMIT) -> None:
        """Work on, up to the iteration that reaches so many nodes touched in all."""
        goal = self.iteration + iterations
        while self.iteration < goal and self.nodes_touched < nodes:
            piece = self.weights.piece(self.iteration + 1, goal)
            change_units(self.tables, self.units, piece.units, self.separate)
            self.units = piece.units
            progress = np.zeros(4, dtype=np.int64)
            while run_pruned_cfr(
                piece.first, piece.positive, piece.negative, piece.weight, piece.scale, piece.weights, piece.share,
                *self.weights.logarithms, self.solver.updates == "simultaneous", nodes,
                self.layout.arrays, self.tables, self.rules(), progress,
            ):  # fmt: skip
                self._move(int(room_needed(self.layout.arrays, self.tables)))
            self.iteration += int(progress[0])
        if wasteful(self.tables):
            self._move(0)

    def _move(self, need: int) -> None:
        self.tables = moved(self.tables, need, self.layout.widest)

    def advance_nodes(self, nodes: int) -> None:
        """Work on to the end of the iteration in which the walks have touched so many nodes in all."""
        while self.nodes_touched < nodes:
            self.advance(1 << 10, nodes)

    def start_from(self, start: Substitute) -> None:
        """Go on as if a profile had been played so far, every sum as those iterations would have left it."""
        tables, layout, t = self.tables, self.layout, start.iterations
        self.iteration, self.units = t, self.weights.units(t)
        living, own = layout.sequences, self.method >= INTERVALS
        gain = layout.from_slots(start.gain, 0.0)
        tables.strategy[:living] = layout.from_slots(start.strategy(), 1.0)
        tables.regret[:living] = np.where(gain > 0.0, *self.weights.steady(t)) * gain
        plan = layout.from_slots(start.plan, 1.0)
        weights, shares = float(self.weights.piece(t, t).weights[0]), self.weights.shares(t)
        tables.average[:living] = shares * plan
        tables.total[:living] = (weights if own else shares) * plan  # the same array where both agree
        before = layout.arrays.info[:-1, PARENT]
        tables.sums[:, SEEN], tables.sums[:, COUNTED] = tables.total[before], tables.average[before]
        tables.sums[:, VALUES] = weights * start.infoset_value[layout.infoset_order]
        tables.sums[:, REACHES] = weights * start.mass[layout.infoset_order]
        tables.marks[:, TOUCHED] = t
        if self.method == INTERVALS:
            tables.stored[:] = weights * layout.from_slots(start.terminal_value, 0.0)

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

    def counts(self) -> dict[str, Any]:
        """Work and space, for `Solution.extra`."""
        found: dict[str, Any] = {"nodes_touched": self.nodes_touched, "nodes_unit": "histories"}
        if self.method == RESPONSES:
            found |= {"live_fraction": self.live_fraction, "live_averages": self.live_averages}
        return found

    def sums(self) -> Floats:
        """[slots] cumulative plans as the average weighs them, pushed down to the leaves; the run is left as it is."""
        tables = self.tables._replace(total=self.tables.total.copy(), sums=self.tables.sums.copy())
        tables = tables._replace(average=self.tables.average.copy() if self.separate else tables.total)
        complete(self.layout.arrays, tables, self.separate)
        dropped = tables.shelf == tables.tally[NOWHERE_PLANS]
        return self.layout.to_slots(np.where(dropped, 0.0, tables.average[tables.shelf]))

    def average(self) -> TabularPolicy:
        return normalise(self.game.infosets, self.sums())

    def last(self) -> TabularPolicy:
        """The current strategy; uniform where it has been freed."""
        tables = self.tables
        freed = tables.place == tables.tally[NOWHERE]
        strategy = np.where(freed, self._uniform(), tables.strategy[tables.place])
        return TabularPolicy(self.game.infosets, self.layout.to_slots(strategy))

    def regrets(self) -> Floats:
        """[slots] at the present iteration, also where nobody has come for a while; NaN where they have been freed."""
        tables, arrays = self.tables, self.layout.arrays
        regret = tables.regret[tables.place]
        since = np.where(arrays.sequence[:, INFOSET] >= 0, tables.marks[arrays.sequence[:, INFOSET], TOUCHED], 0)
        self.weights.units(self.iteration)
        logs = np.where(regret > 0, *(x[self.iteration] - x[since] for x in self.weights.logarithms))
        return self.layout.to_slots(np.exp(logs) * regret)

    def evaluate(self) -> Evaluation:
        return evaluate_policy(self.game, self.average())

    def state(self) -> dict[str, Array]:
        saved = {name: _finite(getattr(self.tables, name)) for name in SAVED}
        return saved | {"iteration": np.array([self.iteration]), "units": np.array(self.units)}

    def restore(self, state: Mapping[str, Array]) -> None:
        new = {}
        for name in SAVED:
            have, given = getattr(self.tables, name), _unfinite(state[name])
            if given.shape != have.shape and name not in (*POOLED, *PLANS):
                raise ValueError(f"{name} has {given.size} entries instead of {have.size}")
            new[name] = given.astype(have.dtype)
        size = int(new["tally"][NOWHERE]) + self.layout.widest
        if len(new["strategy"]) != size or len(new["regret"]) != size:
            raise ValueError(f"the pool has {len(new['strategy'])} entries instead of {size}")
        new["value"] = np.zeros(size)
        new["ends"] = np.zeros(size) if self.method == INTERVALS else new["value"]
        if not self.separate:
            new["average"] = new["total"]
        self.tables = self.tables._replace(**new)
        self.iteration = int(state["iteration"][0])
        self.units = (int(state["units"][0]), int(state["units"][1]))


def _finite(table: Array) -> Array:
    """A copy whose free entries and missing bounds are numbers, as files want them."""
    if not np.issubdtype(table.dtype, np.floating):
        return table.copy()
    return np.nan_to_num(table, copy=True, nan=FREED, posinf=LARGEST, neginf=-LARGEST)


def _unfinite(table: Array) -> Array:
    """The reverse of `_finite`."""
    if not np.issubdtype(table.dtype, np.floating):
        return table
    out = table.copy()
    for number, meant in ((FREED, np.nan), (LARGEST, np.inf), (-LARGEST, -np.inf)):
        out[table == number] = meant
    return out
