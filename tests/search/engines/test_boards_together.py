"""All rivers of a turn searched in one run, as a GPU does it, against one river after the other on the CPU."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.evaluation.verification import search_safety
from equilibrist.evaluation.verification.search_safety import search_spot_and_measure
from equilibrist.forms.boards.street_betting import IP, street_forests
from equilibrist.games.spots.spot import Spot
from equilibrist.search.engines.board_subgame import BoardProfile, BoardSubgame
from equilibrist.search.engines.boards_together import search_boards_together
from equilibrist.search.engines.games import search_board
from equilibrist.search.techniques import find_technique
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.gpu import device_boards
from equilibrist.solvers.postflop.solve_spot import start_spot
from reference.emulated_device import COMPILER, use_emulation
from reference.host_device import use_host
from reference.plain_boards_apart import ProgramEngine

TURN = Spot(
    board="Td9d6hQc",
    pot=100,
    stack=100,
    range={"oop": "AA,KQs,JTs,T7o", "ip": "KK,QQ,AJs,76s:0.5"},
    bets={"bet": "50%", "raise": "a"},
)


def rivers(boards: list[int], learned: int = 3) -> list[BoardSubgame]:
    """Some boards below an unfinished strategy, with all lines that lead to them."""
    run, forests = start_spot(TURN, isomorphism=False), street_forests(TURN)
    run.advance(learned)
    profile = BoardProfile(run, forests)
    roots = [node for node in range(forests[1].roots) if forests[1].kind[node] <= IP]
    return [BoardSubgame.of(profile, (board,), roots) for board in boards]


@pytest.mark.parametrize("technique", ["unsafe", "resolve", "maxmargin", "reach-maxmargin"])
def test_boards_side_by_side_are_those_one_by_one(technique: str) -> None:
    chosen, searcher = find_technique(technique), 1
    subgames = rivers([0, 7, 30])
    counts = {len(subgame.hands(0)) for subgame in subgames}
    assert len(counts) > 1  # boards have different numbers of hands
    together = search_boards_together(subgames, searcher, chosen, iterations=2, engine=ProgramEngine)
    for subgame, found in zip(subgames, together, strict=True):
        alone = search_board(subgame, searcher, chosen, stop=Stop(iterations=2))
        assert found.values == pytest.approx(alone.values, abs=1e-3 * TURN.pot)
        assert found.exploitability == pytest.approx(alone.exploitability, abs=1e-3 * TURN.pot)
        for node in np.flatnonzero(subgame.below[0].kind == searcher).tolist():
            mine, wanted = (each.run.streets[0].strategy(0, node) for each in (found, alone))
            assert mine == pytest.approx(wanted, abs=1e-3)


def test_a_spot_is_measured_as_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = eq.solve(TURN, iterations=20)
    cpu = search_spot_and_measure(solution, "", "resolve", 5)
    calls = list[int]()

    def at_once(subgames: Any, searcher: int, **how: Any) -> Any:
        calls.append(len(subgames))
        return search_boards_together(subgames, searcher, engine=ProgramEngine, **how)

    monkeypatch.setattr(search_safety, "wants_gpu", lambda *_, **__: True)
    monkeypatch.setattr(search_safety, "search_boards_together", at_once)
    there = search_spot_and_measure(solution, "", "resolve", 5, device="cuda")
    assert sum(calls) == 2 * 48
    assert there.solved == cpu.solved
    assert there.after == pytest.approx(cpu.after, abs=1e-3 * TURN.pot)
    assert there.safe


def test_boards_with_different_hands_lie_where_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The layout for a device: reach goes to its places, board by board and line by line."""
    from equilibrist.forms.boards.joined_boards import join_boards
    from equilibrist.forms.boards.street_boards import deal_boards
    from equilibrist.solvers.cfr.schedules import Discounted

    host = use_host(monkeypatch)
    monkeypatch.setattr(device_boards, "cupy", lambda: host)
    subgames = rivers([0, 7, 30])
    (boards,) = join_boards([deal_boards(one.deal, one.held, isomorphism=False) for one in subgames])
    engine = device_boards.DeviceBoards(subgames[0].below[0], boards, 52, Discounted())
    reach = np.concatenate([one.ranges(0).ravel() for one in subgames])
    engine._set_reach(0, reach)
    for k, one in enumerate(subgames):
        rows = one.ranges(0)
        assert np.array_equal(engine.passes.root[0][k, :, : rows.shape[1]], rows.astype(np.float32))
        assert not engine.passes.root[0][k, :, rows.shape[1] :].any()


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="g++ is not installed")
@pytest.mark.parametrize("technique", ["resolve", "reach-maxmargin"])
def test_kernels_search_boards_side_by_side(technique: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels of a GPU, run on the host."""
    subgames, chosen = rivers([0, 7, 30]), find_technique(technique)
    alone = [search_board(subgame, 0, chosen, stop=Stop(iterations=2)) for subgame in subgames]
    device = use_emulation(monkeypatch, tmp_path)
    monkeypatch.setattr(device_boards, "cupy", lambda: device)
    for wanted, found in zip(alone, search_boards_together(subgames, 0, chosen, iterations=2), strict=True):
        assert found.values == pytest.approx(wanted.values, abs=1e-3 * TURN.pot)
        assert found.exploitability == pytest.approx(wanted.exploitability, abs=1e-3 * TURN.pot)


@pytest.mark.gpu
@pytest.mark.parametrize("technique", ["unsafe", "resolve", "reach-maxmargin"])
def test_everywhere_on_a_gpu_is_as_good_as_on_the_cpu(technique: str) -> None:
    solution = eq.solve(TURN, iterations=20)
    measure = partial(search_spot_and_measure, solution, "", technique, 300)
    cpu, gpu = measure(), measure(device="cuda")
    assert gpu.solved == cpu.solved
    assert gpu.after == pytest.approx(cpu.after, abs=0.01 * TURN.pot)
    assert gpu.safe == cpu.safe
    line = partial(search_spot_and_measure, solution, "x", technique, 300)
    assert line(device="cuda").after == pytest.approx(line().after, abs=0.01 * TURN.pot)
