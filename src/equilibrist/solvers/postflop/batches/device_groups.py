"""Spots of one shape on a GPU, and one of them as a solution of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.solution import SolveRecord
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.joined_boards import deal_rivers, join_boards
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop.gpu.device_batch import DeviceBatch
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

NEVER = 1_000_000  # iterations, where goals alone end a batch


@dataclass(frozen=True)
class SolvedGroup:
    """What was found for each spot of a group."""

    iterations: Longs
    exploitability: Floats
    values: Floats
    by_hand: tuple[Floats, Floats]
    solutions: Sequence[Callable[[], SpotSolution]]  # none where strategies were not kept


def solve_group(
    spots: Sequence[CompiledSpot],
    solver: CFR,
    goals: Floats,
    most: int | None,
    strategies: bool,
    told: Callable[[int], None],
) -> SolvedGroup:
    """`told` hears how many spots are left."""
    batch = start_group(spots, solver)
    batch.solve(goals, NEVER if most is None else most, lambda iteration, left: told(left))
    values, (first, second) = batch.values()
    solutions = [partial(solution_of, batch, k, spot, solver) for k, spot in enumerate(spots)] if strategies else []
    return SolvedGroup(batch.iterations, batch.exploitability, values, (first, second), solutions)


def start_group(spots: Sequence[CompiledSpot], solver: CFR) -> DeviceBatch:
    """A batch at iteration 0."""
    weights = [np.stack([np.asarray(spot.weights[p], dtype=np.float64) for spot in spots]) for p in range(2)]
    rivers = len(spots[0].forests) == 1
    boards = (
        deal_rivers([spot.spot.board for spot in spots], weights) if rivers else join_boards([s.boards for s in spots])
    )
    betting = list(zip(*(spot.forests for spot in spots), strict=True))
    return DeviceBatch(
        betting, spots[0].deal, boards, weights, solver.schedule, predictive=solver.minimiser != "rm"
    )  # fmt: skip


def solution_of(batch: DeviceBatch, number: int, spot: CompiledSpot, solver: CFR) -> SpotSolution:
    """One game's tables on the host, as a solution of its spot."""
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

    run = BoardCFR.on_spot(spot, solver.schedule, predictive=solver.minimiser != "rm")
    for depth, street in enumerate(run.streets):
        for p in range(2):
            boards, blocks, slots, size = street.shape(p)
            tables: Any = street.tables[p]
            for name in ("regret", "average", *(("basis",) if tables.predictive else ())):
                rows = batch.tables(number, depth, p, name)
                whole = np.zeros((boards, slots, blocks * size), dtype=np.float32)
                kept = min(rows.shape[2], blocks * size)
                whole[:, :, :kept] = rows[:, :, :kept]
                getattr(tables, name)[:] = whole.reshape(boards, slots, blocks, size).transpose(0, 2, 1, 3).ravel()
    run.iteration = int(batch.iterations[number])
    record = SolveRecord(solver=solver.name, iterations=run.iteration, seconds=0.0, settings={"device": "cuda"})
    return SpotSolution.of_run(run, spot.spot, record)
