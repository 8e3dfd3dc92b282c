"""Boards as a form: the same game as its tree, and solved by every method."""

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.compiled import compiled
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.board_form import BoardForm
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.registry import make_solver
from equilibrist.testing import check_form
from reference.spot_game import SpotGame

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
    range={"oop": "AhAc,KsQs,Th9h", "ip": "KcKd,JhTh:0.5,6c5c"},
    bets={"bet": "50%", "raise": "a"},
)


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
def test_boards_are_the_same_game_as_the_tree(spot: Spot) -> None:
    check_form(BoardForm(start_spot(spot, isomorphism=False), "spot"), compiled(SpotGame(spot)))


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize(
    ("name", "left"),  # left: per cent of the pot after 400 iterations
    [
        ("dcfr", 0.1), ("cfr+", 0.2), ("cfr(minimiser=hedge)", 3.0), ("cfr(updates=simultaneous)", 3.0), ("cfr-br", 3.0),
        ("fp", 1.0), ("linear-fp", 0.6), ("flop", 0.3), ("egt", 0.3), ("mirror-prox", 0.3), ("optimistic-md", 1.0),
    ],
)  # fmt: skip
@pytest.mark.sampled(3)
def test_every_method_agrees_with_vector_cfr(spot: Spot, name: str, left: float) -> None:
    exact = start_spot(spot, "dcfr")
    exact.advance(1000)
    low, high = exact.evaluate().value_bounds
    form = BoardForm(start_spot(spot, isomorphism=False), "spot")
    run = make_solver(name).on(form)
    run.advance(400)
    found = run.evaluate()
    assert 100.0 * found.exploitability / spot.pot < left
    assert found.value_bounds[0] <= high + 1e-3
    assert low <= found.value_bounds[1] + 1e-3
    settled = form.settle(run.answer, run.iteration)
    assert settled.exploitability() == pytest.approx(found.exploitability, abs=2e-4 * spot.pot)


def test_plans_and_tables_say_the_same() -> None:
    """What a run without forms has learned, written as plans, is worth the same."""
    run = start_spot(TURN, "cfr+", isomorphism=False)
    run.advance(50)
    form = BoardForm(run, "turn")
    plan = np.ones(int(form.offset[2]))
    for p in range(2):
        for street, (own, place) in zip(run.streets, form.entries[p], strict=True):
            plan[form.offset[p] + own] = street.tables[p].average[place]
    from equilibrist.solvers.plan_space.field import Field

    expected = run.evaluate()
    field = Field(form)
    found = field.evaluate(field.plan(field.behaviour(plan)))
    assert found.value == pytest.approx(expected.value, abs=1e-3)
    assert found.best_response_value == pytest.approx(expected.best_response_value, abs=1e-3)


def test_what_plans_cannot_say_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="suits merged"):
        BoardForm(start_spot(RIVER), "river")
    with pytest.raises(NotApplicableError, match="raked"):
        BoardForm(start_spot(RIVER.changed(rake={"rate": 0.05, "cap": 3.0}), isomorphism=False), "river")
    with pytest.raises(NotApplicableError, match="16-bit"):
        BoardForm(start_spot(RIVER, isomorphism=False, bits=16), "river")
