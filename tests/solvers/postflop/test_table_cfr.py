"""Minimisers apart from the passes: the same as fused where both exist, and as runs in the space of plans where not."""

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.forms.compiled import compiled
from equilibrist.games.catalogue import load_game
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.board_form import BoardForm
from equilibrist.solvers.postflop.board_runs import DealtBoards
from equilibrist.solvers.postflop.solve_game import start_boards
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.postflop.table_cfr import TableCFR
from equilibrist.solvers.registry import make_solver

RIVER = Spot(
    board="KhTd7c4s2h",
    pot=60.0,
    stack=90.0,
    range={"oop": "AA,KQs,T9s,65s", "ip": "KK,AKo,JTs,A5s,98s:0.5"},
    bets={"bet": "50%, a", "raise": "a"},
)
TURN = Spot(
    board="KhTd7c4s",
    pot=60.0,
    stack=60.0,
    range={"oop": "AA,KsQs,Th9h", "ip": "KK,JhTh:0.5,6c5c"},
    bets={"bet": "50%", "raise": "a"},
)


def tables(spot: Spot, name: str, **how: object) -> TableCFR:
    return TableCFR(make_solver(name), **DealtBoards.of_spot(compile_spot(spot)).parts, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize("name", ["cfr", "cfr+", "dcfr", "lcfr", "pcfr+"])
def test_the_same_as_learning_in_the_pass(spot: Spot, name: str) -> None:
    fused, apart = start_spot(spot, name), tables(spot, name)
    for iterations in (1, 1, 3):  # rounding breaks ties later on
        fused.advance(iterations)
        apart.advance(iterations)
        assert apart.evaluate().value == pytest.approx(fused.evaluate().value, abs=1e-3)
        assert apart.exploitability() == pytest.approx(fused.exploitability(), abs=1e-3)


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize(
    ("name", "iterations"),  # signed RM+ makes much of a regret that is positive by a last digit
    [
        ("cfr(minimiser=hedge)", 4), ("cfr(updates=simultaneous)", 4), ("cfr(when_nonpositive=argmax)", 4),
        ("cfr(minimiser=signed-rm+)", 1),
    ],
)  # fmt: skip
def test_the_same_as_in_the_space_of_plans(spot: Spot, name: str, iterations: int) -> None:
    """Averages are counted one pass later on boards, so that not they but the next strategies are compared."""
    solver = make_solver(name)
    form = BoardForm(start_spot(spot, isomorphism=False), "spot")
    plans, run = solver.on(form), TableCFR(solver, **DealtBoards.of_spot(compile_spot(spot, isomorphism=False)).parts)
    plans.advance(iterations)
    run.advance(iterations)
    for p in range(2):
        for street, (own, place) in zip(run.streets, form.entries[p], strict=True):
            basis = np.maximum(street.tables[p].basis[place], 0.0)
            mine, theirs = plans.strategy[form.offset[p] + own], basis
            group = np.searchsorted(form.first_sequence, form.offset[p] + own, side="right") - 1
            total = np.bincount(group, weights=theirs)[group]
            even = 1.0 / np.bincount(group)[group]
            played = np.where(total > 1e-30, theirs / np.where(total > 1e-30, total, 1.0), even)
            assert np.mean(np.abs(played - mine) > 1e-3) < 0.01  # but for ties that rounding breaks


@pytest.mark.parametrize("name", ["cfr(minimiser=hedge)", "cfr(updates=simultaneous)", "cfr+(updates=simultaneous)"])
def test_suits_threads_and_files_change_nothing(name: str) -> None:
    merged, whole = (
        tables(TURN, name, threads=2),
        TableCFR(make_solver(name), **DealtBoards.of_spot(compile_spot(TURN, isomorphism=False)).parts),
    )
    merged.advance(60)
    whole.advance(60)
    assert merged.evaluate().value == pytest.approx(whole.evaluate().value, abs=0.05)
    again = tables(TURN, name)
    again.restore(merged.state())
    again.advance(5)
    merged.advance(5)
    assert again.exploitability() == pytest.approx(merged.exploitability(), abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["cfr(updates=simultaneous)", pytest.param("cfr+(updates=simultaneous)", marks=pytest.mark.slow)]
)
def test_whole_games_on_their_boards(name: str) -> None:
    """As far from equilibrium as on the sequence form of the same game, but for ties that rounding breaks."""
    game = load_game("rhode-island(ranks=4,suits=2)")
    run, tree = start_boards(game, name), make_solver(name).on(compiled(game).sequence_form)  # type: ignore[arg-type]
    assert isinstance(run, TableCFR)
    run.advance(20)
    tree.advance(20)
    assert run.exploitability() == pytest.approx(tree.evaluate().exploitability, rel=0.01)
    run.advance(80)  # ties have grown by then: both wander around each other, by up to 7 % after 200 iterations
    tree.advance(80)
    assert run.evaluate().value == pytest.approx(tree.evaluate().value, rel=0.01)
    assert run.exploitability() == pytest.approx(tree.evaluate().exploitability, rel=0.1)


def test_what_tables_cannot_do_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="16 bits"):
        tables(RIVER, "cfr(minimiser=hedge)", bits=16)
    with pytest.raises(NotApplicableError, match="walks over histories"):
        tables(RIVER, "cfr(pruning=partial)")
