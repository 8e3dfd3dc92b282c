"""BucketedCFR: CFR on a poker game whose hands share buckets on the boards of the last street ([Brown20, §5.1]).

All other streets are played hand by hand (`earlier_streets.py`). On the last one all hands of a bucket play alike, whatever the board, so
its tables have one row per bucket, and every iteration streams over all boards. `bucketed_responses.py` has best responses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Array, Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.streamed_buckets.board_stream import stream_on
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame, BucketedProfile
from equilibrist.solvers.postflop.streamed_buckets.earlier_streets import on_host
from equilibrist.solvers.postflop.streamed_buckets.street_tables import StreetTables, like


class BucketedCFR:
    """Any member of the CFR family; the opponent's average is added up while the other player learns."""

    def __init__(self, abstract: BucketedGame, solver: CFR, *, threads: int = 1, device: str = "cpu") -> None:
        if solver.bindings or solver.pruning.walks or solver.threshold:
            raise NotApplicableError(
                f"Streamed boards know no models, pruning and thresholds, but '{solver.name}' was given; leave them out."
            )
        self.abstract, self.solver, self.iteration = abstract, solver, 0
        self.stream = stream_on(device, abstract, threads)
        self.earlier = self.stream.earlier
        self.matching = (solver.minimiser, solver.when_nonpositive) == ("rm", "uniform")
        even = [[street.even(p) for p in range(2)] for street in self.earlier.streets]
        even.append([abstract.rows_even(p) for p in range(2)])
        stakes = [None] * len(even) if self.matching else self._stakes()
        self.tables = [
            StreetTables(forest, *pair)
            for forest, pair in zip(abstract.forests, zip(even, stakes, strict=True), strict=True)
        ]  # by street

    def _stakes(self) -> list[Any]:
        """By street and player, the range of the counterfactual values of a hand, and of a bucket over all its hands on all boards."""
        abstract, chances = self.abstract, self.abstract.deal.chances
        most = max(float(np.abs([forest.win, forest.lose]).max()) for forest in abstract.forests)
        hand = 2.0 * most * abstract.first.hands
        out: list[Any] = [
            [np.full(int(np.prod(street.lanes)), hand * float(np.prod(chances[: depth + 1])))] * 2
            for depth, street in enumerate(self.earlier.streets)
        ]
        rows = []
        for p in range(2):
            held = abstract.last_boards.player[p].pair >= 0
            copies = np.broadcast_to(abstract.copies[:, None], held.shape)[held]
            hands = np.bincount(abstract.bucket[p][held], copies, abstract.buckets) * float(np.prod(chances))
            rows.append(hand * hands.astype(np.float64))
        return [*out, rows]

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

    def _strategies(self, player: int) -> tuple[list[Array], Floats]:
        """What is played: on the earlier streets, on the boards of the last."""
        if not self.matching:
            *before, rows = (tables.strategy[player] for tables in self.tables)
            return before, rows
        weights = [np.maximum(tables.regret[player], 0.0) for tables in self.tables]
        return self._matched(player, weights)

    def _matched(self, player: int, weights: list[Array]) -> tuple[list[Array], Floats]:
        """Strategies of all streets in proportion to weights."""
        before = [street.matched(player, each) for street, each in zip(self.earlier.streets, weights, strict=False)]
        return before, self.abstract.rows_matched(player, weights[-1])

    def _gains(self, me: int, keep: float) -> list[Array]:
        """My regrets of this iteration by street; the opponent's average is added up on the way."""
        earlier, them = self.earlier, 1 - me
        (mine, my_rows), (theirs, their_rows) = self._strategies(me), self._strategies(them)
        reach = earlier.down(them, theirs)
        rows = (my_rows, their_rows) if me == 0 else (their_rows, my_rows)
        below, gained, entered = self.stream.pass_over(kernels.LEARN, me, earlier.leaving(reach), rows)
        values, gains = earlier.up(me, reach, below, mine), list[Array]()
        for street, tables, come, worth in zip(earlier.streets, self.tables, reach, values, strict=False):
            tables.count(them, keep, street.by_slot(them, come))
            gains.append(street.by_slot(me, worth) - street.by_node(me, worth))
        self.tables[-1].count(them, keep, entered)
        return [*gains, gained]

    def _minimise(self, me: int, gains: list[Array], positive: float, negative: float) -> None:
        for tables, gain in zip(self.tables, gains, strict=True):
            if self.matching:
                tables.add(me, gain, positive, negative)
            else:
                tables.minimise(me, gain, self.solver.codes, self.iteration, positive, negative)

    def profile(self) -> BucketedProfile:
        """Average strategies."""
        (mine, my_rows), (theirs, their_rows) = (
            self._matched(p, [tables.average[p] for tables in self.tables]) for p in range(2)
        )
        between = (tuple(mine[1:]), tuple(theirs[1:]))
        return BucketedProfile((mine[0], theirs[0]), (my_rows, their_rows), between=between)

    def _named(self) -> dict[str, tuple[list[Array], int]]:
        """Everything that has been learned, by name: where it is kept."""
        prefixes = ["", *(f"street{d}_" for d in range(1, len(self.tables) - 1)), "row_"]
        names = ("regret", "average") if self.matching else ("regret", "average", "strategy", "memory")
        return {
            f"{prefix}{name}.{p}": (getattr(tables, name), p)
            for prefix, tables in zip(prefixes, self.tables, strict=True)
            for name in names
            for p in range(2)
        }

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything that has been learned, by name."""
        tables = {name: on_host(kept[p]) for name, (kept, p) in self._named().items()}
        return {"iteration": np.array([self.iteration]), **tables}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        for name, (kept, p) in self._named().items():
            kept[p] = like(kept[p], state[name].astype(np.float64))
        self.iteration = int(state["iteration"][0])
