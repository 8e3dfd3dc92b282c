"""`solve_batch`: many spots at once, thousands of rivers or turns, each with its own board, ranges, amounts and goal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equilibrist.compute.interrupts import InterruptsEndAll
from equilibrist.compute.workers import ThreadWorkers
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.numbers import finite_number, whole_number
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_arrays import HANDS, SpotArrays
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.batches.batch_layout import values_of_hands
from equilibrist.solvers.postflop.batches.grouped_spots import BatchSpots, compile_spots, listed_spots
from equilibrist.solvers.postflop.batches.river_groups import RiverGroup, RiverShape, share_out_rivers
from equilibrist.solvers.postflop.board_runs import method_on_boards
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, read_target, solve_spot, solver_on_spots

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

BatchProgress = Callable[[int, int], None]  # spots done, of how many


@dataclass(frozen=True)
class SolvedBatch:
    """What was found for each spot, in the order given."""

    spots: Sequence[Spot]
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
    spots: Spot | Sequence[Spot | CompiledSpot],
    solver: str = DEFAULT_SPOT_SOLVER,
    *,
    boards: Any = None,
    ranges: Any = None,
    pots: Any = None,
    stacks: Any = None,
    until: float | str | Sequence[float | str | None] | npt.NDArray[Any] | None = None,
    iterations: int | None = None,
    threads: int = 1,
    device: str = "cpu",
    strategies: bool = True,
    progress: BatchProgress | None = None,
) -> SolvedBatch:
    """Solve many spots; `until` is one goal for all, or one for each, in chips or as `0.3%` of the pot.

    `spots` is a list, or one spot whose betting all have: then `boards` [spot, cards] (numbers or text), `ranges` [spot, 2, 1326], `pots`
    and `stacks` [spot] say how they differ, and what is left out is as in that spot. Without `strategies` values alone are kept, so that a
    batch may take more than fits in memory.

    On a GPU (`device`: cpu, cuda, auto) spots whose betting has one shape are solved side by side, whatever their amounts. On the CPU
    each thread takes one spot after the other, or some rivers together.
    """
    arrays = {"boards": boards, "ranges": ranges, "pots": pots, "stacks": stacks}
    if isinstance(spots, Spot):
        here = compile_spots(SpotArrays.of(spots, **arrays))
    elif any(each is not None for each in arrays.values()):
        named = ", ".join(name for name, each in arrays.items() if each is not None)
        raise ParameterError(
            f"Arrays ({named}) say how spots differ from one spot, but a list was given; give the one."
        )
    else:
        here = compile_spots(spots if isinstance(spots, SpotArrays) else listed_spots(spots))
    goals = _goals(here.pots, until)
    most = None if iterations is None else whole_number("iterations", iterations, least=1)
    chosen = solver_on_spots(solver)
    obstacle = method_on_boards(chosen).why_not_on_gpu()
    begun = time.perf_counter()
    number = len(here.which)
    streets = number + max(map(len, here.betting)) - 1  # several rivers are worth a GPU, a single one is not
    if wants_gpu(device, obstacle, streets=streets):
        assert isinstance(chosen, CFR)
        settled = all(lock.settled for spot in here.sized for lock in spot.locks)
        found = (_on_device if settled else _in_rounds)(here, chosen, goals, most, strategies, progress)
    else:
        found = _on_threads(here, solver, goals, most, threads, strategies, progress)
    return SolvedBatch(here.spots, *found[:4], time.perf_counter() - begun, found[5], strategies, found[4])


def _goals(pots: Floats, until: Any) -> Floats:
    """[spot] in chips; not a number where there is none."""
    number, until = len(pots), until.tolist() if isinstance(until, np.ndarray) else until
    if not isinstance(until, list | tuple):
        return _chips(pots, until)
    if len(until) != number:
        raise ParameterError(f"A batch of {number} spots takes one goal or as many, but {len(until)} were given.")
    return np.concatenate([_chips(pots[k : k + 1], goal) for k, goal in enumerate(until)])


def _chips(pots: Floats, goal: float | str | None) -> Floats:
    if goal is None:
        return np.full(len(pots), np.nan)
    amount, of_pot = read_target(goal) if isinstance(goal, str) else (finite_number("until", goal), False)
    return amount / 100.0 * pots if of_pot else np.full(len(pots), amount)


Found = tuple[Longs, Floats, Floats, tuple[Floats, Floats], Callable[[int], Any], str]


def _on_threads(
    spots: BatchSpots,
    solver: str,
    goals: Floats,
    most: int | None,
    threads: int,
    strategies: bool,
    progress: BatchProgress | None,
) -> Found:
    """Rivers in groups, everything else spot by spot; each thread takes one of these after the other."""
    whole_number("threads", threads, least=1)
    chosen = solver_on_spots(solver)
    fused = method_on_boards(chosen).why_not_on_gpu() is None
    rivers, others = share_out_rivers(spots, chosen, threads) if fused else ([], list(range(len(goals))))
    iterations, exploitability, values, by_hand = _empty(len(goals))
    solutions: dict[int, Callable[[], SpotSolution]] = {}

    def goal_of(number: int) -> float | None:
        return None if np.isnan(goals[number]) else float(goals[number])

    def solve_one(number: int) -> Longs:
        spot = spots.compiled(number)
        one = solve_spot(spot, solver, until=goal_of(number), iterations=most)
        iterations[number], exploitability[number], values[number] = (
            one.iterations,
            one.exploitability,
            one.evaluation.value,
        )
        for p in range(2):
            by_hand[p][number] = _by_hand(one, spot, p)
        if strategies:
            solutions[number] = partial(_known, one)
        return np.array([number])

    def solve_rivers(shape: RiverShape, numbers: Longs) -> Longs:
        group = RiverGroup(spots, shape, numbers, chosen)
        group.solve(goals[numbers], most)
        iterations[numbers] = group.games.iteration
        for p in range(2):
            by_hand[p][numbers] = group.by_hand(p)
        for place, number in enumerate(numbers.tolist()):
            found = group.stated(place)
            exploitability[number], values[number] = found.exploitability, found.value
            if strategies:
                solutions[number] = partial(group.solution, place, Stop(goal_of(number), most), solver)
        return numbers

    jobs = [partial(solve_rivers, *each) for each in rivers] + [partial(solve_one, number) for number in others]
    done = 0
    with InterruptsEndAll(), closing(ThreadWorkers(threads).as_done(_call, jobs)) as coming:
        for numbers in coming:
            for _ in numbers:
                done += 1
                if progress is not None:
                    progress(done, len(goals))
    return iterations, exploitability, values, by_hand, lambda k: solutions[k](), "cpu"


def _call(job: Callable[[], Longs]) -> Longs:
    return job()


def _known(solution: SpotSolution) -> SpotSolution:
    return solution


def _empty(number: int) -> tuple[Longs, Floats, Floats, tuple[Floats, Floats]]:
    """Room for what is found for so many spots."""
    by_hand = (np.full((number, HANDS), np.nan), np.full((number, HANDS), np.nan))
    return np.zeros(number, dtype=np.int64), np.zeros(number), np.zeros((number, 2)), by_hand


def _by_hand(solution: SpotSolution, spot: CompiledSpot, player: int) -> Floats:
    """[1326]"""
    run = solution.boards.run
    own, theirs = run.streets[0].boards.player[player], np.asarray(spot.weights[1 - player], dtype=np.float64)
    found = np.asarray(run.values(player), dtype=np.float64)
    return values_of_hands(spot.deal, found[None], theirs[None], own.count, own.pair).ravel()


def _on_device(
    spots: BatchSpots,
    solver: CFR,
    goals: Floats,
    most: int | None,
    strategies: bool,
    progress: BatchProgress | None,
) -> Found:
    from equilibrist.solvers.postflop.batches.device_groups import solve_groups

    number = len(goals)
    iterations, exploitability, values, by_hand = _empty(number)
    solutions: dict[int, Callable[[], SpotSolution]] = {}

    def told(done: int) -> None:
        if progress is not None:
            progress(done, number)

    for group, solved in solve_groups(spots, solver, goals, most, strategies, told):
        iterations[group], exploitability[group] = solved.iterations, solved.exploitability
        values[group] = solved.values
        for p in range(2):
            by_hand[p][group] = solved.by_hand[p]
        solutions |= dict(zip(group.tolist(), solved.solutions, strict=strategies))
    return iterations, exploitability, values, by_hand, lambda k: solutions[k](), "cuda"


def _in_rounds(
    spots: BatchSpots,
    solver: CFR,
    goals: Floats,
    most: int | None,
    strategies: bool,
    progress: BatchProgress | None,
) -> Found:
    """Locks by frequency take several solves; each round is a batch of its own. `progress` hears of the end."""
    from equilibrist.solvers.postflop.batches.frequency_rounds import solve_in_rounds

    def solve(here: Sequence[CompiledSpot], numbers: Longs) -> SolvedBatch:
        until = [None if np.isnan(goal) else float(goal) for goal in goals[numbers]]
        return solve_batch(list(here), solver.name, until=until, iterations=most, device="cuda")

    last = solve_in_rounds([spots.compiled(k) for k in range(len(goals))], solve)
    if progress is not None:
        progress(len(last), len(last))
    iterations, exploitability, values, first, second = (
        np.array(each)
        for each in zip(*((one.iterations, one.exploitability, one.values, *one.by_hand) for one in last), strict=True)
    )
    return iterations, exploitability, values, (first, second), lambda k: last[k].solution(), "cuda"
