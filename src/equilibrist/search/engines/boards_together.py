"""Subgames on many boards of a spot's last street, searched side by side in one run: on a GPU all rivers after a turn ([Brown20, §5.1]).

What `search_board` does for one board after another this does with vectors [board, line, hand], for engines to which many boards are one
call. Boards need not have equally many hands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from equilibrist.core.arrays import Floats, Floats32
from equilibrist.forms.boards.joined_boards import join_boards
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import StreetBoards, deal_boards
from equilibrist.forms.engine import Engine
from equilibrist.search.alternatives import expected
from equilibrist.search.engines.board_subgame import BoardSubgame
from equilibrist.search.engines.games import DEFAULT_SOLVER, BoardSearch, check_ranges
from equilibrist.search.gadget_run import GadgetRun, on_host
from equilibrist.search.gadgets import GadgetInputs, GadgetPlay
from equilibrist.search.techniques import Technique
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.gpu.device_boards import DeviceBoards
from equilibrist.solvers.postflop.solve_game import board_solver
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


class JoinedBoards(Engine, Protocol):
    """An engine whose roots are the lines to each of some boards."""

    def table(self, name: str, player: int) -> Any:
        """[board, slot, place] of a player's regrets or averages, slots as in the forest."""


MakeEngine = Callable[[StreetForest, StreetBoards, int, Schedule, bool], JoinedBoards]


def on_gpu(
    forest: StreetForest, boards: StreetBoards, cards: int, schedule: Schedule, predictive: bool
) -> JoinedBoards:
    return DeviceBoards(forest, boards, cards, schedule, predictive=predictive)


def search_boards_together(
    subgames: Sequence[BoardSubgame],
    searcher: int,
    technique: Technique,
    *,
    solver: str = DEFAULT_SOLVER,
    iterations: int,
    engine: MakeEngine = on_gpu,
) -> list[BoardSearch]:
    """`search_board` of each; the same lines of one forest lead to all of them, and no card comes after them."""
    begin, settings = time.perf_counter(), board_solver(solver)
    predictive = settings.minimiser != "rm"
    for subgame in subgames:
        check_ranges(subgame, searcher, technique)
    each = [subgame.inputs(technique, 1 - searcher) for subgame in subgames]
    (boards,) = join_boards([deal_boards(subgame.deal, subgame.held, isomorphism=False) for subgame in subgames])
    below, cards = subgames[0].below[0], subgames[0].deal.deck.size
    there = engine(below, boards, cards, settings.schedule, predictive)
    held = np.concatenate([subgame.ranges(searcher).ravel() for subgame in subgames])
    run = GadgetRun(there, searcher, technique.gadget, joined_inputs(each), held)
    run.advance(iterations)
    lines = len(subgames[0].nodes)
    answers, gaps = on_host(run.answer()), _gaps(run, each, lines * boards.player[searcher].count)
    averages = [on_host(there.table("average", p)).astype(np.float32) for p in range(2)]
    parts = np.split(answers, np.cumsum([len(inputs.mass) for inputs in each])[:-1])
    seconds = time.perf_counter() - begin
    return [
        BoardSearch(
            subgame=subgame,
            searcher=searcher,
            technique=technique,
            run=_run(subgame, settings.schedule, predictive, [rows[k] for rows in averages], iterations),
            values=expected(parts[k], inputs.mass),
            alternative=inputs.alternative,
            mass=inputs.mass,
            exploitability=gaps[k],
            seconds=seconds,
        )
        for k, (subgame, inputs) in enumerate(zip(subgames, each, strict=True))
    ]


def joined_inputs(each: Sequence[GadgetInputs]) -> GadgetInputs:
    """What gadgets of many subgames are told, one after the other; groups of different subgames stay apart."""

    def joined(name: str) -> Any:
        parts = [getattr(inputs, name) for inputs in each]
        return None if parts[0] is None else np.concatenate(parts)

    first = np.cumsum([0, *(int(inputs.group.max(initial=-1)) + 1 for inputs in each)])
    group = np.concatenate([inputs.group + first[k] for k, inputs in enumerate(each)]).astype(np.int32)
    return GadgetInputs(joined("mass"), group, joined("reach"), joined("alternative"), joined("deviation"))


def _gaps(run: GadgetRun, each: Sequence[GadgetInputs], mine: Any) -> list[float]:
    """How far each subgame is from an equilibrium of its gadget game, in chips; `mine`: numbers of the searcher's vector in each."""
    count = run.counted or 1.0
    entered, stayed = run.entered / count, run.stayed / count
    against = on_host(run.held * run.engine.values(run.searcher, respond=True, reach=entered))
    conceded = [-float(part.sum()) for part in np.split(against, np.cumsum(mine)[:-1])]
    ends = np.cumsum([len(inputs.mass) for inputs in each])[:-1]
    enters, stays, answers = (np.split(on_host(whole), ends) for whole in (entered, stayed, run.answer()))
    return [
        run.gadget.gap(inputs, GadgetPlay(enters[k], stays[k], answers[k], conceded[k]))
        for k, inputs in enumerate(each)
    ]


def _run(
    subgame: BoardSubgame, schedule: Schedule, predictive: bool, averages: Sequence[Floats32], iterations: int
) -> BoardCFR:
    """One subgame's averages [slot, place] as a run on the host."""
    run = subgame.start(schedule, predictive=predictive)
    for p, rows in enumerate(averages):
        street = run.streets[0]
        (_, blocks, slots, size), count = street.shape(p), int(street.boards.player[p].count[0])
        whole: Floats = np.zeros((slots, blocks * size))
        whole[:, :count] = rows[:, :count]
        street.tables[p].average[:] = np.moveaxis(whole.reshape(slots, blocks, size), 1, 0).ravel()
    run.iteration = iterations
    return run
