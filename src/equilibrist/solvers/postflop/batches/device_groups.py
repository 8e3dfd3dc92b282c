"""Spots of one shape on a GPU, and one of them as a solution of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.core.arrays import Floats, Ints, Longs
from equilibrist.core.solution import SolveRecord
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.joined_boards import deal_rivers, deal_turns, join_boards, suits_merge
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import DEFAULT_ITERATIONS, Stop
from equilibrist.solvers.postflop.batches.batch_layout import BatchLayout, join_locks
from equilibrist.solvers.postflop.batches.device_batch import DeviceBatch, batch_bytes
from equilibrist.solvers.postflop.batches.grouped_spots import LARGEST_GROUP, BatchSpots, group_spots
from equilibrist.solvers.postflop.gpu.cuda_device import Properties
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

NEVER = 1_000_000  # iterations, where goals alone end a batch
MOST_BOARDS = 24_576  # of the last street side by side, as of 512 turns: the next are laid out meanwhile
PIECE = 1024  # spots whose ranges are looked at together
USED_SHARE = 0.8  # of the device's free memory
KEPT_SHARE = (
    0.05  # of all of its memory that may lie idle between groups: groups of other sizes, and processes, cannot use it
)


@dataclass(frozen=True)
class SolvedGroup:
    """What was found for each spot of a group."""

    iterations: Longs
    exploitability: Floats
    values: Floats
    by_hand: tuple[Floats, Floats]
    solutions: Sequence[Callable[[], SpotSolution]]  # none where strategies were not kept


def solve_groups(
    spots: BatchSpots,
    solver: CFR,
    goals: Floats,
    most: int | None,
    strategies: bool,
    told: Callable[[int], None],
) -> Iterator[tuple[Longs, SolvedGroup]]:
    """Numbers of spots and what was found for them, group after group: while the device solves one, threads lay out the next.

    `goals` [spot] are not numbers where there are none; `told` hears how many spots are done.
    """
    groups, done = fitting_groups(spots, solver), 0
    with ThreadPoolExecutor(1) as ahead:
        laid = ahead.submit(lay_out_group, spots, groups[0])
        for number, group in enumerate(groups):
            layout = laid.result()
            if number + 1 < len(groups):
                laid = ahead.submit(lay_out_group, spots, groups[number + 1])
            done += len(group)
            batch = start_group(spots, group, layout, solver)
            here = partial(_count_done, told, done)
            yield group, solve_group(spots, group, batch, solver, goals[group], most, strategies, here)
            del layout, batch  # before the next takes memory
            Properties().give_back(KEPT_SHARE)


def fitting_groups(spots: BatchSpots, solver: CFR) -> list[Longs]:
    """Groups of one shape in equal parts that fit on the device, and are no larger than brings speed."""
    out = list[Longs]()
    for group in group_spots(spots, len(spots.which)):
        most = min(LARGEST_GROUP, _games_that_fit(spots, group, solver))
        out += np.array_split(group, -(-len(group) // max(1, most)))
    return out


def _games_that_fit(spots: BatchSpots, group: Longs, solver: CFR) -> int:
    """At most, from what the widest of them and as many again take."""
    widest = group[np.unique([int(np.argmax(_hands_held(spots, p, group))) for p in range(2)])]
    need = []
    for some in (widest, np.repeat(widest, 2)):
        layout = lay_out_group(spots, some)
        need.append(batch_bytes(*_betting_of(spots, some), layout, predictive=solver.minimiser != "rm"))
    each, boards = (need[1] - need[0]) / len(widest), len(layout.boards[-1].cards) / (2 * len(widest))
    alone, device = need[0] - each * len(widest), Properties()
    room = USED_SHARE * device.free_bytes() - alone
    if room < each * len(group):
        room = USED_SHARE * device.reclaimed_bytes() - alone
    return int(min(room / each, MOST_BOARDS / boards))


def _hands_held(spots: BatchSpots, player: int, group: Longs) -> Longs:
    """[game] how many hands a player may hold, looked at in pieces: all weights at once take gigabytes."""
    pieces = (group[begin : begin + PIECE] for begin in range(0, len(group), PIECE))
    return np.concatenate([np.count_nonzero(spots.weights(player, each) > 0.0, axis=1) for each in pieces])


def _betting_of(spots: BatchSpots, group: Longs) -> tuple[list[tuple[StreetForest, ...]], Longs]:
    """[street][k] the different betting of a group, and which of them each game has."""
    known, which = np.unique(spots.which[group], return_inverse=True)
    return list(zip(*(spots.betting[k] for k in known.tolist()), strict=True)), which.ravel()


def _count_done(told: Callable[[int], None], end: int, left: int) -> None:
    told(end - left)


def solve_group(
    spots: BatchSpots,
    group: Longs,
    batch: DeviceBatch,
    solver: CFR,
    goals: Floats,
    most: int | None,
    strategies: bool,
    told: Callable[[int], None],
) -> SolvedGroup:
    """One batch from its start to all its goals; `told` hears how many spots are left."""
    batch.solve(np.nan_to_num(goals, nan=-1.0), limits_of(goals, most), lambda iteration, left: told(left))
    values, (first, second) = batch.values()

    def solution(place: int) -> SpotSolution:
        stop = Stop(None if np.isnan(goals[place]) else float(goals[place]), most)
        return solution_of(batch, place, spots.compiled(int(group[place])), solver, stop)

    solutions = [partial(solution, place) for place in range(len(group))] if strategies else []
    return SolvedGroup(batch.iterations, batch.exploitability, values, (first, second), solutions)


def limits_of(goals: Floats, most: int | None) -> Longs:
    """Iterations of each game: as many as were asked for, else the usual number where there is no goal."""
    return np.where(np.isnan(goals), DEFAULT_ITERATIONS, NEVER) if most is None else np.full(len(goals), most)


def lay_out_group(spots: BatchSpots, group: Longs) -> BatchLayout:
    """Boards, hands and ranges; nothing of it needs the device."""
    weights = (spots.weights(0, group), spots.weights(1, group))
    deal = Deal.holdem(spots.boards(group[:1])[0].tolist())
    locked = any(spot.locks for spot in spots.sized)
    boards = _dealt_at_once(spots.boards(group), weights, locked)
    games = [spots.compiled(k) for k in group.tolist()] if locked or boards is None else []
    if boards is None:
        boards = join_boards([game.boards for game in games])
    return BatchLayout.of(deal, boards, weights, join_locks(games, boards) if locked else ())


def _dealt_at_once(boards: Ints, weights: tuple[Floats, Floats], locked: bool) -> tuple[StreetBoards, ...] | None:
    """Boards of all games where each is dealt like the others: rivers, and turns whose ranges tell suits apart."""
    if boards.shape[1] == 5:
        return deal_rivers(boards, weights)
    if boards.shape[1] == 4 and not locked and not suits_merge(boards, weights).any():
        return deal_turns(boards, weights)
    return None


def start_group(spots: BatchSpots, group: Longs, layout: BatchLayout, solver: CFR) -> DeviceBatch:
    """A batch at iteration 0."""
    betting, which = _betting_of(spots, group)
    return DeviceBatch(betting, which, layout, solver.schedule, predictive=solver.minimiser != "rm")


def solution_of(batch: DeviceBatch, number: int, spot: CompiledSpot, solver: CFR, stop: Stop) -> SpotSolution:
    """One game as a solution of its spot; `stop` is what it was solved to."""
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

    run = run_of(batch, number, spot, solver)
    measured = run.evaluate()
    record = SolveRecord(
        solver=solver.name,
        seconds=float(batch.seconds[number]),
        converged=stop.exploitability is not None and measured.exploitability <= stop.exploitability,
        settings=stop.to_json() | {"device": "cuda"},
    )
    return SpotSolution.of_run(run, spot.spot, record, evaluation=measured)


def run_of(batch: DeviceBatch, number: int, spot: CompiledSpot, solver: CFR) -> BoardCFR:
    """One game's tables on the host."""
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
    return run
