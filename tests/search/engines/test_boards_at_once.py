"""Boards searched side by side against the same boards searched one after another; on a GPU (`-m gpu`) against the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from equilibrist.search.engines.streamed.board_subgames import BoardSubgames
from equilibrist.search.engines.streamed.boards_at_once import BoardsAtOnce, BoardsEngine, boards_on_gpu
from equilibrist.search.gadget_run import on_host
from equilibrist.search.techniques import TECHNIQUES, find_technique
from equilibrist.solvers.postflop.gpu.device_boards import boards_apart
from reference.plain_boards_apart import PlainBoards, ProgramBoards
from streamed_games import schedule, trunk

BOARDS = range(2, 7)
ITERATIONS = 10
# NumPy under another name: gadgets then work by array expressions, as on a device
ARRAYS = SimpleNamespace(**{name: getattr(np, name) for name in dir(np) if not name.startswith("_")})


@cache
def one_by_one() -> tuple[BoardSubgames, ...]:
    return tuple(BoardSubgames(trunk(), board, schedule()) for board in BOARDS)


@cache
def at_once(arrays: bool = False) -> BoardsAtOnce:
    return BoardsAtOnce(trunk(), BOARDS, PlainBoards(trunk(), BOARDS, schedule(), ARRAYS if arrays else np))


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("what", ["ranges", "masses", "bounds", "estimates"])
def test_what_gadgets_are_told_is_the_same(what: str, player: int) -> None:
    alone = np.concatenate([getattr(each, what)[player] for each in one_by_one()])
    assert getattr(at_once(), what)[player] == pytest.approx(alone, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("arrays", [False, True], ids=["kernels", "arrays"])
@pytest.mark.parametrize("name", sorted(TECHNIQUES))
def test_searches_are_the_same(name: str, arrays: bool) -> None:
    technique, whole = find_technique(name), at_once(arrays)
    for searcher in range(2):
        found = whole.search(technique, searcher, ITERATIONS)
        alone = [each.search(technique, searcher, ITERATIONS) for each in one_by_one()]
        values = np.sum([each.values for each in alone], axis=0)
        assert found.values == pytest.approx(values, rel=1e-3, abs=1e-4 * np.abs(values).max())
        if technique.gadget.needs_values:
            assert found.margin == pytest.approx(min(each.margin for each in alone), rel=1e-3, abs=0.05)
            stated = sum(float(each.tolerances.sum()) for each in alone)
            assert found.tolerance == pytest.approx(stated, rel=1e-3, abs=1e-3)


def test_boards_apart_have_places_of_their_own() -> None:
    boards = trunk().abstract.boards[1]
    apart = boards_apart(boards, BOARDS)
    assert apart.cards == boards.cards[2:7]
    for own, whole in zip(apart.player, boards.player, strict=True):
        for here, board in enumerate(BOARDS):
            count = int(own.count[here])
            assert own.order[here, :count].tolist() == list(range(count))
            assert (own.order[here, count:] == own.places).all()
            assert (own.pair[here] == whole.pair[board]).all()
    for here, board in enumerate(BOARDS):
        ours = apart.groups[apart.group_start[here] : apart.group_start[here + 1]]
        assert (ours == boards.groups[boards.group_start[board] : boards.group_start[board + 1]]).all()


def same_learning(one: BoardsEngine, other: BoardsEngine, iterations: int = 4) -> None:
    """Rows that are played, and passes that begin with regrets at random: from none at all, many actions are worth exactly the same."""
    rng, whole = np.random.default_rng(5), trunk().abstract
    size = len(BOARDS) * whole.roots * int(whole.boards[1].player[0].count[0])
    both = (one, other)

    def alike(what: Callable[[BoardsEngine, Any], Any]) -> None:
        reach = rng.random(size)
        first, second = (on_host(what(engine, engine.xp.asarray(reach))) for engine in both)
        assert second == pytest.approx(first, rel=1e-4, abs=1e-4 * np.abs(first).max())

    for player in range(2):
        buckets = whole.bucket[player][BOARDS.start : BOARDS.stop]
        rows = rng.random((whole.forests[1].slots[player], whole.buckets))
        for engine in both:
            engine.play(player, rows, buckets)
    for player in range(2):
        for respond in (False, True):
            alike(partial(_values, player, respond))
    for engine in both:
        regrets_from_averages(engine)
    for t in range(1, iterations + 1):
        for player in range(2):
            alike(partial(_learn, player))
        for engine in both:
            engine.iteration = t
    for player in range(2):
        alike(partial(_values, player, True))


def _learn(player: int, engine: BoardsEngine, reach: Any) -> Any:
    return engine.learn(player, reach)


def _values(player: int, respond: bool, engine: BoardsEngine, reach: Any) -> Any:
    return engine.values(player, respond=respond, reach=reach)


def regrets_from_averages(engine: Any) -> None:
    """Every engine here has tables of both players on one street, or on one street for each board."""
    if isinstance(engine, PlainBoards):
        pairs = [(t.regret, t.average) for run in engine.runs for t in run.streets[0].tables]
    else:
        pairs = list(zip(engine.street.regret, engine.street.average, strict=True))
    for regret, average in pairs:
        regret[:] = 1000.0 * average


def test_programs_of_a_gpu_learn_on_boards_apart_as_the_cpu_does() -> None:
    same_learning(PlainBoards(trunk(), BOARDS, schedule()), ProgramBoards(trunk(), BOARDS, schedule()))


@pytest.mark.gpu
def test_a_gpu_learns_on_boards_apart_as_the_cpu_does() -> None:
    same_learning(PlainBoards(trunk(), BOARDS, schedule()), boards_on_gpu(trunk(), BOARDS, schedule()))


@pytest.mark.gpu
@pytest.mark.parametrize("name", sorted(name for name in TECHNIQUES if find_technique(name).safe))
def test_safe_searches_on_a_gpu_are_worth_the_same(name: str) -> None:
    """So short a deck has many actions that are worth exactly the same; which of them is played, rounding decides, but not its worth."""
    technique, every = find_technique(name), range(len(trunk().abstract.boards[1].cards))
    cpu = BoardsAtOnce(trunk(), every, PlainBoards(trunk(), every, schedule()))
    gpu = BoardsAtOnce(trunk(), every, boards_on_gpu(trunk(), every, schedule()))
    plain, found, again = (each.search(technique, 0, 100) for each in (cpu, gpu, gpu))
    worth = [trunk().whole_value(1, each.values) for each in (plain, found)]
    assert worth[1] == pytest.approx(worth[0], abs=0.02 * trunk().exploitability)
    assert (again.values == found.values).all()  # bit for bit
