"""Hold'em decisions searched again on their boards, by every technique ([Brown20, §5.1]).

`search_spot` takes a `Spot` (which may begin in the middle of a street): the searcher's range in it and, for techniques that need
them, alternative payoffs of the opponent's hands. `search_from` takes both from a node of a solved spot, so that a coarse solution is
a blueprint and bets that it does not know are answered.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.depth_limited.spots import solve_street, start_street, street_only
from equilibrist.search.engines.boards import board_engine
from equilibrist.search.engines.spot_rest import spot_at, street_paid
from equilibrist.search.engines.spot_task import (
    DEFAULT_SEARCH_SOLVER,
    SearchTask,
    SpotSearch,
    believed,
    gadget_inputs,
    hands_on,
    search_task,
    searched,
    spot_with_gadget,
)
from equilibrist.search.gadget_run import GadgetGap, GadgetRun, on_host
from equilibrist.search.node_alternatives import alternatives_at
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.iteration_loop import Loop
from equilibrist.solvers.postflop.gpu.devices import refuse_gpu
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_spot import solve_spot, start_spot
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


def search_spot(
    spot: Spot,
    searcher: str,
    technique: str | Technique = "unsafe",
    *,
    alternative: npt.ArrayLike | None = None,
    deviation: npt.ArrayLike | None = None,
    solver: str = DEFAULT_SEARCH_SOLVER,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    bits: int | None = None,
    device: str = "cpu",
    depth: str = "end",
    continuations: Continuations | None = None,
) -> SpotSearch:
    """Solve a spot for one player. `alternative` [1326]: the share of the pot each of the opponent's hands would have elsewhere, NaN where
    a hand cannot be held; all techniques but `unsafe` need it, and take every such hand for possible. Distributional ones also need
    its `deviation`.

    With `depth="street"` this street alone is searched, and `continuations` say what happens below it. Tables have 16 bits unless the
    target is fine or `bits` says otherwise; depth-limited ones and those on a GPU (`device`: cpu, cuda, auto) have 32.
    """
    task = search_task(
        spot, searcher, technique, alternative=alternative, deviation=deviation, solver=solver, until=until, iterations=iterations,
        seconds=seconds, threads=threads, bits=bits, device=device, depth=depth, continuations=continuations,
    )  # fmt: skip
    if task.below is not None and task.below.values is None:
        refuse_gpu(
            device,
            "Spots searched to the end run on a GPU, and one street with values of a network, but one street with continuations is "
            "searched on the CPU; leave 'device' out.",
        )
    return _with_gadget(task) if task.technique.gadget.needs_values else _believing(task)


def search_from(
    place: SpotNode,
    searcher: str,
    technique: str | Technique = "resolve",
    *,
    bet: str | None = None,
    bets: Mapping[str, Any] | None = None,
    thresholds: Mapping[str, Any] | None = None,
    **how: Any,
) -> SpotSearch:
    """Search again from a node of a solved spot, with its ranges and its values as alternatives.

    `bet` is what the opponent has done instead of anything the solution knows (`b165`, `r400`): the search begins after it, and the
    alternatives are those before it. `bets` and `thresholds` are the menus from here on; the solution's own, if absent.
    """
    spot, payoffs = asked_at(place, searcher, technique, bet=bet, bets=bets, thresholds=thresholds)
    return search_spot(spot, searcher, technique, **payoffs, **how)


def asked_at(
    place: SpotNode,
    searcher: str,
    technique: str | Technique,
    *,
    bet: str | None = None,
    bets: Mapping[str, Any] | None = None,
    thresholds: Mapping[str, Any] | None = None,
) -> tuple[Spot, dict[str, Any]]:
    """The spot to search at a node of a solved one, and what its technique compares with: `alternative` and `deviation`."""
    chosen = find_technique(technique)
    if place.is_deal or place.is_over:
        raise NotApplicableError(
            f"Nobody acts after '{place.line}', so there is nothing to search; give a place where a player acts."
        )
    spot, opponent = spot_at(place), 1 - PLAYERS.index(searcher) if searcher in PLAYERS else 0
    if bet is not None:
        if place.player == searcher:
            raise ParameterError(f"{searcher} itself acts after '{place.line}', so '{bet}' is no answer to search for.")
        spot = spot.changed(line=":".join((*spot.line, bet)))
    spot = spot.changed(
        **({} if bets is None else {"bets": bets}), **({} if thresholds is None else {"thresholds": thresholds})
    )
    if not chosen.gadget.needs_values:
        return spot, {}
    alternative, deviation = alternatives_at(place, opponent, chosen)
    if bet is not None:  # the pot that shares are counted in is the one before the bet
        alternative += spot.opening.paid[opponent] - float(place.forest.paid[place.node, opponent] - street_paid(place))
    return spot, {"alternative": alternative, "deviation": deviation}


def _believing(task: SearchTask) -> SpotSearch:
    """Both ranges are believed: the spot itself is solved, which is what a run with a constant gadget does, and faster."""
    begin, stop = time.perf_counter(), task.stop
    if task.below is None:
        how: dict[str, Any] = {"iterations": stop.iterations, "seconds": stop.seconds, "threads": task.threads}
        found = solve_spot(task.spot, task.solver, until=stop.exploitability, bits=task.bits, device=task.device, **how)
    else:
        found = solve_street(task.spot, task.solver, stop, task.below, task.seat, task.threads, task.device)
    return believed(task, found, time.perf_counter() - begin)


def _with_gadget(task: SearchTask) -> SpotSearch:
    begin, cpu, seat = time.perf_counter(), time.process_time(), task.seat
    spot, alike = spot_with_gadget(task)
    run: BoardCFR
    if task.below is None:
        run = start_spot(spot, task.solver, threads=task.threads, isomorphism=alike, bits=task.bits, device=task.device)
    else:
        run = start_street(
            spot, task.solver, task.below, seat, threads=task.threads, isomorphism=alike, device=task.device
        )
    hands, engine = hands_on(run, 1 - seat), board_engine(run)
    inputs = gadget_inputs(task, run.weights[seat], hands)
    entering = GadgetRun(engine, seat, task.technique.gadget, inputs, engine.range_of(seat))
    loop: Loop[GadgetGap] = Loop(entering, task.stop, None, 0.0)

    def solution(stopped: bool) -> SpotSearch:
        gap, target = loop.final_evaluation().exploitability, task.stop.exploitability
        whole = SpotSolution.of_run(
            run,
            spot,
            replace(
                task.record(loop.elapsed(), converged=target is not None and gap <= target and not stopped),
                cpu_seconds=time.process_time() - cpu,
                interrupted=stopped,
            ),
        )
        if task.below is not None:
            whole = street_only(whole, run, task.below, seat)
        return searched(task, whole, hands, inputs, on_host(entering.answer()), gap, time.perf_counter() - begin)

    return loop.finish(solution)
