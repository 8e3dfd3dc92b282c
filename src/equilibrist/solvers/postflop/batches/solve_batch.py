"""`solve_batch`: many spots at once, thousands of rivers or turns, each with its own board, ranges, amounts and goal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.numbers import whole_number
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import DEFAULT_ITERATIONS
from equilibrist.solvers.postflop.batches.grouped_spots import compile_spots, group_spots
from equilibrist.solvers.postflop.board_runs import method_on_boards
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, solve_spot, solver_on_spots, target_chips

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

BatchProgress = Callable[[int, int], None]  # spots done, of how many


@dataclass(frozen=True)
class SolvedBatch:
    """What was found for each spot, in the order given."""

    spots: tuple[Spot, ...]
    iterations: Longs  # [spot]
    exploitability: Floats  # [spot] chips
    values: Floats  # [spot, player] chips, net of half the pot
    by_hand: tuple[
        Floats, Floats
    ]  # [spot, 1326] of each player: the same for a hand, not a number where it is not held
    seconds: float
    device: str
    strategies: bool  # whether they were kept
    _solution: Callable[[int], SpotSolution] = field(repr=False)

    def __len__(self) -> int:
        return len(self.spots)

    def __iter__(self) -> Iterator[SpotSolution]:
        return (self.solution(k) for k in range(len(self)))

    def solution(self, number: int) -> SpotSolution:
        """One spot's strategies, to show, save, verify or play."""
        if not self.strategies:
            raise NotApplicableError("This batch was solved without strategies; leave 'strategies' out to keep them.")
        return self._solution(range(len(self))[number])


def solve_batch(
    spots: Sequence[Spot | CompiledSpot],
    solver: str = DEFAULT_SPOT_SOLVER,
    *,
    until: float | str | Sequence[float | str] | None = None,
    iterations: int | None = None,
    threads: int = 1,
    device: str = "cpu",
    strategies: bool = True,
    progress: BatchProgress | None = None,
) -> SolvedBatch:
    """Solve many spots; `until` is one goal for all, or one for each, in chips or as `0.3%` of the pot.

    Without `strategies` values alone are kept, so that a batch may take more than fits in memory.

    On a GPU (`device`: cpu, cuda, auto) spots whose betting has one shape are solved side by side, whatever their amounts. On the CPU
    each thread takes one spot after the other.
    """
    here = compile_spots(spots)
    if not here:
        raise ParameterError("A batch has at least one spot, but none was given.")
    goals = _goals(here, until)
    most = None if iterations is None else whole_number("iterations", iterations, least=1)
    chosen = solver_on_spots(solver)
    obstacle = method_on_boards(chosen).why_not_on_gpu(32)
    if any(each.spot.locks for each in here):
        obstacle = "locks in batches are followed on the CPU only"
    begun = time.perf_counter()
    streets = len(here) + len(here[0].forests) - 1  # several rivers are worth a GPU, a single one is not
    if wants_gpu(device, obstacle, streets=streets):
        assert isinstance(chosen, CFR)
        found = _on_device(here, chosen, goals, most, strategies, progress)
    else:
        found = _on_threads(here, solver, goals, most, threads, strategies, progress)
    return SolvedBatch(
        tuple(each.spot for each in here), *found[:4], time.perf_counter() - begun, found[5], strategies, found[4]
    )  # fmt: skip


def _goals(spots: Sequence[CompiledSpot], until: Any) -> list[float | None]:
    """In chips, for each spot."""
    each = list(until) if isinstance(until, list | tuple | np.ndarray) else [until] * len(spots)
    if len(each) != len(spots):
        raise ParameterError(f"A batch of {len(spots)} spots takes one goal or as many, but {len(each)} were given.")
    return [target_chips(goal, spot.spot) for goal, spot in zip(each, spots, strict=True)]


Found = tuple[Longs, Floats, Floats, tuple[Floats, Floats], Callable[[int], Any], str]


def _on_threads(
    spots: Sequence[CompiledSpot],
    solver: str,
    goals: Sequence[float | None],
    most: int | None,
    threads: int,
    strategies: bool,
    progress: BatchProgress | None,
) -> Found:
    whole_number("threads", threads, least=1)
    numbers, kept = list[tuple[Any, ...]](), list[Any]()

    def work(spot: CompiledSpot, goal: float | None) -> tuple[tuple[Any, ...], SpotSolution | None]:
        one = solve_spot(spot, solver, until=goal, iterations=most)
        told = (one.iterations, one.exploitability, one.evaluation.value, *(_by_hand(one, spot, p) for p in range(2)))
        return told, one if strategies else None

    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(work, spot, goal) for spot, goal in zip(spots, goals, strict=True)]
        try:
            for job in jobs:
                told, one = job.result()
                numbers.append(told)
                kept += [one] if one is not None else []
                if progress is not None:
                    progress(len(numbers), len(spots))
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
    iterations, exploitability, values, first, second = (np.array(each) for each in zip(*numbers, strict=True))
    return iterations, exploitability, values, (first, second), kept.__getitem__, "cpu"


def _by_hand(solution: SpotSolution, spot: CompiledSpot, player: int) -> Floats:
    run = solution.boards.run
    own = run.streets[0].boards.player[player]
    pair = own.pair[0, : own.count[0]]
    out = np.full(len(spot.deal.hands), np.nan)
    met = spot.deal.met(np.asarray(spot.weights[1 - player], dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        out[pair] = run.values(player) / met[pair]
    return out


def _on_device(
    spots: Sequence[CompiledSpot],
    solver: CFR,
    goals: Sequence[float | None],
    most: int | None,
    strategies: bool,
    progress: BatchProgress | None,
) -> Found:
    from equilibrist.solvers.postflop.batches.device_groups import solve_group

    if most is None and any(goal is None for goal in goals):
        most = DEFAULT_ITERATIONS
    number = len(spots)
    iterations, exploitability = np.zeros(number, dtype=np.int64), np.zeros(number)
    values, by_hand = (
        np.zeros((number, 2)),
        tuple(np.full((number, len(spots[0].deal.hands)), np.nan) for _ in range(2)),
    )
    solutions: dict[int, Callable[[], SpotSolution]] = {}
    done = 0
    for group in group_spots(spots):
        here = [spots[k] for k in group]
        limits = np.array([-1.0 if goals[k] is None else goals[k] for k in group], dtype=np.float64)

        def told(left: int, size: int = len(group), before: int = done) -> None:
            if progress is not None:
                progress(before + size - left, number)

        solved = solve_group(here, solver, limits, most, strategies, told)
        iterations[group], exploitability[group], values[group] = (
            solved.iterations,
            solved.exploitability,
            solved.values,
        )
        for p in range(2):
            by_hand[p][group] = solved.by_hand[p]
        solutions |= dict(zip(group, solved.solutions, strict=strategies))
        done += len(group)
    return iterations, exploitability, values, (by_hand[0], by_hand[1]), lambda k: solutions[k](), "cuda"
