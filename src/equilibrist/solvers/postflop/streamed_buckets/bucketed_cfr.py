"""BucketedCFR: CFR on a poker game of two streets whose hands share buckets on the boards ([Brown20, §5.1]).

The first street is played hand by hand. On the second one all hands of a bucket play alike, whatever the board, so its tables have one
row per bucket, and every iteration streams over all boards. `bucketed_responses.py` has best responses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.matching import discounted
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.streamed_buckets._kernels.minimise_rows import minimise_rows
from equilibrist.solvers.postflop.streamed_buckets.board_stream import stream_on
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame, BucketedProfile


class BucketedCFR:
    """Any member of the CFR family; the opponent's average is added up while the other player learns."""

    def __init__(self, abstract: BucketedGame, solver: CFR, *, threads: int = 1, device: str = "cpu") -> None:
        if solver.bindings or solver.pruning.walks or solver.threshold:
            raise NotApplicableError(
                f"Streamed boards know no models, pruning and thresholds, but '{solver.name}' was given; leave them out."
            )
        self.abstract, self.solver, self.iteration = abstract, solver, 0
        self.stream = stream_on(device, abstract, threads)
        self.matching = (solver.minimiser, solver.when_nonpositive) == (
            "rm",
            "uniform",
        )  # strategies follow from regrets
        self.regret, self.row_regret = self._tables()
        self.average, self.row_average = self._tables()
        if not self.matching:
            self.memory, self.row_memory = self._tables()
            self.strategy = [abstract.first.matched(p, self.regret[p]) for p in range(2)]
            self.row_strategy = [abstract.rows_even(p) for p in range(2)]
            self._stakes = self._ranges()

    def _tables(self) -> tuple[list[Floats], list[Floats]]:
        """Zeros of both players: on the first street [slot, hand], on the boards [slot, bucket]."""
        first, slots = self.abstract.first, [forest.slots for forest in self.abstract.forests]
        whole = [np.zeros((slots[0][p], first.hands)) for p in range(2)]
        return whole, [np.zeros((slots[1][p], self.abstract.buckets)) for p in range(2)]

    def _ranges(self) -> list[tuple[Floats, Floats]]:
        """By player, the range of the counterfactual values of a hand, and of a bucket over all its hands on all boards."""
        abstract, boards = self.abstract, self.abstract.boards[1]
        most = max(float(np.abs([forest.win, forest.lose]).max()) for forest in abstract.forests)
        hand = 2.0 * most * abstract.first.hands
        out: list[tuple[Floats, Floats]] = []
        for p in range(2):
            held = boards.player[p].pair >= 0
            copies = np.broadcast_to(boards.copies[:, None], held.shape)[held]
            hands = np.bincount(abstract.bucket[p][held], copies, abstract.buckets) * abstract.deal.chances[1]
            out.append((np.full(abstract.first.hands, hand), hand * hands.astype(np.float64)))
        return out

    def advance(self, iterations: int) -> None:
        factors = discount_factors(self.solver.schedule, self.iteration, iterations)
        for positive, negative, keep in factors.tolist():
            self.iteration += 1
            if self.solver.updates == "simultaneous":
                gains = [self._gains(me, keep) for me in range(2)]
                for me in range(2):
                    self._minimise(me, gains[me], positive, negative)
            else:
                for me in range(2):
                    self._minimise(me, self._gains(me, keep), positive, negative)

    def _strategies(self, player: int) -> tuple[Floats, Floats]:
        """What is played: on the first street, on the boards."""
        if not self.matching:
            return self.strategy[player], self.row_strategy[player]
        whole, rows = np.maximum(self.regret[player], 0.0), np.maximum(self.row_regret[player], 0.0)
        return self.abstract.first.matched(player, whole), self.abstract.rows_matched(player, rows)

    def _gains(self, me: int, keep: float) -> tuple[Floats, Floats]:
        """My regrets of this iteration on both streets; the opponent's average is added up on the way."""
        first, them = self.abstract.first, 1 - me
        (mine, my_rows), (theirs, their_rows) = self._strategies(me), self._strategies(them)
        reach = first.down(them, theirs)
        rows = (my_rows, their_rows) if me == 0 else (their_rows, my_rows)
        below, gained, entered = self.stream.pass_over(kernels.LEARN, me, reach[first.deals], rows)
        values = first.up(me, reach, first.over_suits(below), mine)
        self.average[them] = keep * self.average[them] + first.by_slot(them, reach)
        self.row_average[them] = keep * self.row_average[them] + entered
        return first.by_slot(me, values) - first.by_node(me, values), gained

    def _minimise(self, me: int, gains: tuple[Floats, Floats], positive: float, negative: float) -> None:
        if self.matching:
            self.regret[me] = discounted(self.regret[me] + gains[0], positive, negative)
            self.row_regret[me] = discounted(self.row_regret[me] + gains[1], positive, negative)
            return
        tables = (self.strategy, self.regret, self.memory), (self.row_strategy, self.row_regret, self.row_memory)
        for forest, gain, stake, here in zip(self.abstract.forests, gains, self._stakes[me], tables, strict=True):
            acting = forest.kind == me
            by_lane = [np.ascontiguousarray(table.T) for table in (gain, *(each[me] for each in here))]
            minimise_rows(
                self.solver.codes,
                self.iteration,
                positive,
                negative,
                stake,
                forest.slot[acting],
                forest.children[acting],
                *by_lane,
            )
            for each, table in zip(here, by_lane[1:], strict=True):
                each[me] = np.ascontiguousarray(table.T)

    def profile(self) -> BucketedProfile:
        """Average strategies."""
        first = [self.abstract.first.matched(p, self.average[p]) for p in range(2)]
        rows = [self.abstract.rows_matched(p, self.row_average[p]) for p in range(2)]
        return BucketedProfile((first[0], first[1]), (rows[0], rows[1]))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything that has been learned, by name."""
        names = ["regret", "average", "row_regret", "row_average"]
        names += [] if self.matching else ["strategy", "memory", "row_strategy", "row_memory"]
        tables = {f"{name}.{p}": getattr(self, name)[p] for name in names for p in range(2)}
        return {"iteration": np.array([self.iteration]), **tables}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        for name, array in state.items():
            if name != "iteration":
                kind, p = name.split(".")
                getattr(self, kind)[int(p)] = array.astype(np.float64)
        self.iteration = int(state["iteration"][0])
