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
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.batches.grouped_spots import BatchSpots
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
    spots: BatchSpots,
    group: Longs,
    solver: CFR,
    goals: Floats,
    most: int | None,
    strategies: bool,
    told: Callable[[int], None],
) -> SolvedGroup:
    """`goals` [spot of the group], not a number where there is none; `told` hears how many spots are left."""
    batch = start_group(spots, group, solver)
    batch.solve(np.nan_to_num(goals, nan=-1.0), NEVER if most is None else most, lambda iteration, left: told(left))
    values, (first, second) = batch.values()

    def solution(place: int) -> SpotSolution:
        stop = Stop(None if np.isnan(goals[place]) else float(goals[place]), most)
        return solution_of(batch, place, spots.compiled(int(group[place])), solver, stop)

    solutions = [partial(solution, place) for place in range(len(group))] if strategies else []
    return SolvedGroup(batch.iterations, batch.exploitability, values, (first, second), solutions)


def start_group(spots: BatchSpots, group: Longs, solver: CFR) -> DeviceBatch:
    """A batch at iteration 0."""
    weights = [spots.weights(p, group) for p in range(2)]
    known, which = np.unique(spots.which[group], return_inverse=True)
    betting = [spots.betting[k] for k in known.tolist()]
    if len(betting[0]) == 1:
        boards = deal_rivers(spots.boards(group), weights)
    else:
        boards = join_boards([spots.compiled(k).boards for k in group.tolist()])
    deal = Deal.holdem(spots.boards(group[:1])[0].tolist())
    return DeviceBatch(
        list(zip(*betting, strict=True)), which.ravel(), deal, boards, weights, solver.schedule, predictive=solver.minimiser != "rm"
    )  # fmt: skip


def solution_of(batch: DeviceBatch, number: int, spot: CompiledSpot, solver: CFR, stop: Stop) -> SpotSolution:
    """One game's tables on the host, as a solution of its spot; `stop` is what it was solved to."""
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
    measured = run.evaluate()
    record = SolveRecord(
        solver=solver.name,
        seconds=float(batch.seconds[number]),
        converged=stop.exploitability is not None and measured.exploitability <= stop.exploitability,
        settings=stop.to_json() | {"device": "cuda"},
    )
    return SpotSolution.of_run(run, spot.spot, record, evaluation=measured)
