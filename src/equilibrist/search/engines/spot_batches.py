"""Many spots searched at once: on the CPU one a thread, on a GPU those of one shape side by side, each with its own gadget.

`search_cards` takes all cards that may come at a place of a solved spot: every river after a turn, every turn after a flop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.compute.interrupts import InterruptsEndAll
from equilibrist.compute.workers import ThreadWorkers
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.numbers import whole_number
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.engine import Engine
from equilibrist.games.spots.spot import Spot
from equilibrist.search.engines.boards import BatchEngine
from equilibrist.search.engines.spot_task import (
    DEFAULT_SEARCH_SOLVER,
    SearchTask,
    SpotSearch,
    believed,
    gadget_inputs,
    search_task,
    searched,
    spot_with_gadget,
)
from equilibrist.search.engines.spots import asked_at, search_spot
from equilibrist.search.gadget_run import GadgetRun, on_host
from equilibrist.search.gadgets import GadgetInputs, GadgetPlay
from equilibrist.search.techniques import Technique
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import DEFAULT_ITERATIONS, LONGEST_SILENCE
from equilibrist.solvers.postflop.batches.device_groups import lay_out_group, run_of, start_group
from equilibrist.solvers.postflop.batches.grouped_spots import BatchSpots, compile_spots, group_spots, listed_spots
from equilibrist.solvers.postflop.batches.solve_batch import solve_batch
from equilibrist.solvers.postflop.board_runs import method_on_boards
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_spot import solver_on_spots
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

Told = Callable[[int, int], None]  # searches done, of how many


def search_batch(
    spots: Sequence[Spot],
    searcher: str,
    technique: str | Technique = "unsafe",
    *,
    alternatives: Sequence[npt.ArrayLike] | npt.NDArray[Any] | None = None,
    deviations: Sequence[npt.ArrayLike] | npt.NDArray[Any] | None = None,
    solver: str = DEFAULT_SEARCH_SOLVER,
    until: float | str | None = None,
    iterations: int | None = None,
    threads: int = 1,
    bits: int | None = None,
    device: str = "cpu",
    progress: Told | None = None,
) -> list[SpotSearch]:
    """`search_spot` of each, with its own `alternatives` and `deviations` [spot, 1326]; each stops when it has reached the goal.

    On the CPU each of `threads` takes one spot after the other. On a GPU (`device`: cpu, cuda, auto) spots whose betting has one shape
    are searched side by side, their gadgets too.
    """
    listed_spots(spots)
    for what, given in (("alternatives", alternatives), ("deviations", deviations)):
        if given is not None and len(given) != len(spots):
            raise ParameterError(
                f"A batch of {len(spots)} spots takes as many '{what}' [spot, 1326], but {len(given)} were given."
            )
    whole_number("threads", threads, least=1)
    chosen = solver_on_spots(solver)
    obstacle = method_on_boards(chosen).why_not_on_gpu()
    if bits == 16:
        obstacle = "searches side by side have tables of 32 bits there"
    on_gpu = wants_gpu(device, obstacle, streets=len(spots) + 5 - len(spots[0].board))
    told = progress or (lambda done, of: None)
    tasks = [
        search_task(
            spot, searcher, technique, solver=solver, until=until, iterations=iterations, bits=bits,
            device="cuda" if on_gpu else "cpu", alternative=None if alternatives is None else alternatives[k],
            deviation=None if deviations is None else deviations[k],
        )
        for k, spot in enumerate(spots)
    ]  # fmt: skip
    if not on_gpu:
        return _on_threads(tasks, threads, told)
    assert isinstance(chosen, CFR)
    return _on_device(tasks, chosen, told)


def search_cards(
    place: SpotNode,
    searcher: str,
    technique: str | Technique = "resolve",
    *,
    cards: Sequence[str] | None = None,
    bets: Mapping[str, Any] | None = None,
    thresholds: Mapping[str, Any] | None = None,
    **how: Any,
) -> dict[str, SpotSearch]:
    """`search_from` after each of `cards` at a place where one is dealt; by default one card of those that differ by suits only.

    Goals, threads and device are those of `search_batch`.
    """
    if not place.is_deal:
        raise NotApplicableError(
            f"No card comes after '{place.line}'; give a place where the betting of a street is over."
        )
    after = {card: place.play(card) for card in (place.next_cards if cards is None else cards)}
    if cards is None:
        first = {node.solved_board: card for card, node in reversed(after.items())}
        after = {card: after[card] for card in sorted(first.values())}
    if any(node.player is None for node in after.values()):
        raise NotApplicableError(f"Both players are all-in after '{place.line}', so there is nothing to search.")
    asked = [asked_at(node, searcher, technique, bets=bets, thresholds=thresholds) for node in after.values()]
    payoffs: dict[str, Any] = {
        f"{name}s": None if any(each[1].get(name) is None for each in asked) else [each[1][name] for each in asked]
        for name in ("alternative", "deviation")
    }
    found = search_batch([spot for spot, _ in asked], searcher, technique, **payoffs, **how)
    return dict(zip(after, found, strict=True))


def _on_threads(tasks: Sequence[SearchTask], threads: int, told: Told) -> list[SpotSearch]:
    found = list[SpotSearch]()
    with InterruptsEndAll(), closing(ThreadWorkers(threads).map(_alone, tasks)) as coming:
        for one in coming:
            found.append(one)
            told(len(found), len(tasks))
    return found


def _alone(task: SearchTask) -> SpotSearch:
    searcher = ("oop", "ip")[task.seat]
    return search_spot(
        task.spot, searcher, task.technique, alternative=task.alternative, deviation=task.deviation, solver=task.solver,
        until=task.stop.exploitability, iterations=task.stop.iterations, bits=task.bits,
    )  # fmt: skip


def _on_device(tasks: Sequence[SearchTask], solver: CFR, told: Told) -> list[SpotSearch]:
    if not tasks[0].technique.gadget.needs_values:
        goals = [task.stop.exploitability for task in tasks]
        solved = solve_batch(
            [task.spot for task in tasks], solver.name, until=None if goals[0] is None else np.array(goals),
            iterations=tasks[0].stop.iterations, device="cuda", progress=told,
        )  # fmt: skip
        return [believed(task, found, solved.seconds) for task, found in zip(tasks, solved, strict=True)]
    gadgets = [spot_with_gadget(task) for task in tasks]
    grown = compile_spots([spot for spot, _ in gadgets])
    spots = compile_spots(
        [grown.compiled(k) if alike else grown.compiled(k).unmerged() for k, (_, alike) in enumerate(gadgets)]
    )
    found: dict[int, SpotSearch] = {}
    for group in group_spots(spots):
        here = _search_group(spots, group, [tasks[k] for k in group.tolist()], solver)
        found |= dict(zip(group.tolist(), here, strict=True))
        told(len(found), len(tasks))
    return [found[k] for k in range(len(tasks))]


def _search_group(spots: BatchSpots, group: Longs, tasks: Sequence[SearchTask], solver: CFR) -> list[SpotSearch]:
    """Spots of one shape; the device is free again afterwards."""
    batch = start_group(spots, group, lay_out_group(spots, group), solver)

    def run(place: int) -> tuple[BoardCFR, CompiledSpot]:
        one = spots.compiled(int(group[place]))
        return run_of(batch, place, one, solver), one

    return search_together(BatchEngine(batch), tasks, run)


class EngineOfMany(Engine, Protocol):
    """An engine whose vectors hold the hands of many games, game by game."""

    @property
    def owner(self) -> tuple[Longs, Longs]:
        """The game of each number in a vector of each player."""

    def hands(self, player: int) -> Longs:
        """The hand of each number in a player's vector."""

    def range_of(self, player: int) -> Floats:
        """The games' own ranges."""

    def select(self, games: Longs) -> None:
        """Only these go on."""


def search_together(
    engine: EngineOfMany, tasks: Sequence[SearchTask], run_at: Callable[[int], tuple[BoardCFR, CompiledSpot]]
) -> list[SpotSearch]:
    """Gadgets of all games in one run; a game whose gap has reached its goal is left as it is.

    `run_at` gives the tables of one game when all have ended.
    """
    begun, seat, number = time.perf_counter(), tasks[0].seat, len(tasks)
    games = _Games(engine, tasks)
    run = GadgetRun(engine, seat, tasks[0].technique.gadget, games.inputs, engine.range_of(seat))
    goals = np.array([-1.0 if task.stop.exploitability is None else task.stop.exploitability for task in tasks])
    most = tasks[0].stop.iterations or (DEFAULT_ITERATIONS if (goals < 0.0).any() else None)
    gaps, iterations, left = np.zeros(number), np.zeros(number, dtype=np.int64), np.arange(number)
    check = run.first_check
    while len(left):
        upto = check if most is None else min(check, most)
        run.advance(upto - run.iteration)
        gaps[left], iterations[left] = games.gaps(run)[left], upto
        on = gaps[left] > goals[left] if upto != most else np.zeros(len(left), dtype=bool)
        left = left[on]
        wanted = left[goals[left] > 0.0]
        above = max(float((gaps[wanted] / goals[wanted]).min(initial=np.inf)), 1.0)
        soonest = int(upto * min(above ** (1.0 / run.steepest), LONGEST_SILENCE))
        check = max(check + run.first_check // 2, int(check * run.check_growth), soonest)
        engine.select(left)
    engine.select(np.arange(number))
    answer, seconds = on_host(run.answer()), time.perf_counter() - begun
    return [
        _found(task, games, k, gaps[k], int(iterations[k]), answer, run_at, seconds) for k, task in enumerate(tasks)
    ]


def _found(
    task: SearchTask,
    games: _Games,
    number: int,
    gap: float,
    iterations: int,
    answer: Floats,
    run_at: Callable[[int], tuple[BoardCFR, CompiledSpot]],
    seconds: float,
) -> SpotSearch:
    run, spot = run_at(number)
    run.iteration = iterations
    goal = task.stop.exploitability
    record = task.record(seconds, converged=goal is not None and gap <= goal)
    solution = SpotSolution.of_run(run, spot.spot, record)
    own = games.theirs[number]
    return searched(task, solution, games.hands[own], games.each[number], answer[own], float(gap), seconds)


class _Games:
    """What the gadgets of all games are told, and where each game lies in the vectors."""

    def __init__(self, engine: EngineOfMany, tasks: Sequence[SearchTask]) -> None:
        seat, number = tasks[0].seat, len(tasks)
        self.hands = engine.hands(1 - seat)
        mine, theirs = engine.owner[seat], engine.owner[1 - seat]
        self.mine, self.theirs = (
            [slice(*np.searchsorted(owner, (k, k + 1)).tolist()) for k in range(number)] for owner in (mine, theirs)
        )
        own, held = engine.hands(seat), engine.range_of(seat)
        self.each = list[GadgetInputs]()
        for task, one, other in zip(tasks, self.mine, self.theirs, strict=True):
            weights = np.zeros(1326)
            weights[own[one]] = held[one]
            self.each.append(gadget_inputs(task, weights, self.hands[other]))

        def joined(name: str) -> Any:
            parts = [getattr(each, name) for each in self.each]
            return None if parts[0] is None else np.concatenate(parts)

        self.inputs = GadgetInputs(
            joined("mass"), theirs.astype(np.int32), joined("reach"), joined("alternative"), joined("deviation")
        )

    def gaps(self, run: GadgetRun) -> Floats:
        """[game] how far each is from an equilibrium of its gadget game, in chips."""
        count = run.counted or 1.0
        entered, stayed = run.entered / count, run.stayed / count
        against = on_host(run.held * run.engine.values(run.searcher, respond=True, reach=entered))
        enters, stays, answer = on_host(entered), on_host(stayed), on_host(run.answer())
        return np.array(
            [
                run.gadget.gap(
                    inputs, GadgetPlay(enters[other], stays[other], answer[other], -float(against[one].sum()))
                )
                for inputs, one, other in zip(self.each, self.mine, self.theirs, strict=True)
            ]
        )
