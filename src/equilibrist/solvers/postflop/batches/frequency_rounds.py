"""Spots of a batch whose locks ask for frequencies: the solves that each takes one after the other, those of all spots side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.solvers.postflop.locks.frequency_locks import frequency_solves

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.batches.solve_batch import SolvedBatch
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

SolveRound = Callable[[Sequence[CompiledSpot], Longs], "SolvedBatch"]  # spots, and their numbers in the whole batch


@dataclass(frozen=True)
class LastSolve:
    """The solve that settled one spot."""

    iterations: int
    exploitability: float
    values: Floats
    by_hand: tuple[Floats, Floats]
    solution: Callable[[], SpotSolution]


def solve_in_rounds(spots: Sequence[CompiledSpot], solve: SolveRound) -> list[LastSolve]:
    """Each round is one batch of all spots that are not settled yet; those without such locks are solved in the first."""
    open_spots = {k: frequency_solves(spot) for k, spot in enumerate(spots) if not settled(spot)}
    asked = {k: next(open_spots[k]) if k in open_spots else spot for k, spot in enumerate(spots)}
    done: dict[int, LastSolve] = {}
    while asked:
        numbers = list(asked)
        batch = solve([asked.pop(k) for k in numbers], np.array(numbers))
        for place, k in enumerate(numbers):
            if k not in open_spots:
                done[k] = _last(batch, place, partial(batch.solution, place))
                continue
            try:
                asked[k] = open_spots[k].send(batch.solution(place))
            except StopIteration as end:
                done[k] = _last(batch, place, partial(_known, end.value))
    return [done[k] for k in range(len(spots))]


def settled(spot: CompiledSpot) -> bool:
    """Whether its locks say what every hand does."""
    return all(lock.settled for lock in spot.spot.locks)


def _last(batch: SolvedBatch, place: int, solution: Callable[[], SpotSolution]) -> LastSolve:
    hands = (batch.by_hand[0][place], batch.by_hand[1][place])
    return LastSolve(
        int(batch.iterations[place]), float(batch.exploitability[place]), batch.values[place], hands, solution
    )


def _known(solution: SpotSolution) -> SpotSolution:
    return solution
