"""Locks that treat suits alike leave suit isomorphism on; results are those without it."""

import numpy as np
import pytest

from equilibrist import Spot, solve
from equilibrist.evaluation.verification.spots import verify_spot
from equilibrist.games.spots.locks import Lock
from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.postflop.spot_size import spot_size

# clubs, diamonds and hearts of the board; on a flop of one suit the three others are alike
TURN = Spot(
    board="Ts9s6hQs",
    pot=200,
    stack=400,
    range={"oop": "88,A5s,KQo,J8s", "ip": "QQ,J9s,ATo,76s"},
    bets={"bet": "50%, a", "raise": "a"},
)
ALIKE = {
    "one strategy": [Lock("x", {"x": 0.4, "b100": 0.6})],
    "hands by rank": [Lock("b100", {"f": 1.0}, "ATo,76s", weight=0.5), Lock("", {"b400": 1.0}, "88")],
    "both images of a card": [Lock("x:x:8c:x", {"b100": 1.0}), Lock("x:x:8d:x", {"b100": 1.0})],
    "overruled into symmetry": [Lock("x", {"x": 1.0}, "AcTh"), Lock("x", {"b100": 1.0}, "ATo")],
}
APART = {
    "one hand": [Lock("x", {"x": 1.0}, "AcTh")],
    "one of two cards": [Lock("x:x:8c:x", {"b100": 1.0})],
    "images that differ": [Lock("x:x:8c:x", {"b100": 1.0}), Lock("x:x:8d:x", {"x": 1.0})],
}


@pytest.mark.parametrize("locks", ALIKE.values(), ids=ALIKE)
def test_symmetric_locks_are_solved_with_fewer_boards_and_the_same_values(locks):
    spot = TURN.changed(lock=locks)
    runs = [start_spot(spot, "dcfr", isomorphism=wanted) for wanted in (True, False)]
    assert [run.isomorphism for run in runs] == [True, False]
    assert runs[0].memory_bytes < 0.8 * runs[1].memory_bytes
    assert spot_size(spot, "dcfr").table_bytes == runs[0].memory_bytes
    for run in runs:
        run.advance(600)
    merged, apart = (run.evaluate() for run in runs)
    assert merged.value == pytest.approx(apart.value, abs=3e-3)
    assert merged.best_response_value == pytest.approx(apart.best_response_value, abs=3e-3)


@pytest.mark.parametrize("locks", APART.values(), ids=APART)
def test_locks_that_tell_suits_apart_switch_isomorphism_off(locks):
    assert not start_spot(TURN.changed(lock=locks), "dcfr").isomorphism


def test_places_on_boards_that_were_not_kept_show_their_locks(tmp_path):
    spot = TURN.changed(lock=[*ALIKE["both images of a card"], Lock("x", {"b100": "ATo:0.3,76s", "x": "ATo:0.7"})])
    solution = solve(spot, iterations=40)
    assert solution.isomorphism
    solution.save(tmp_path / "l.eqb")
    for one in (solution, load_spot_solution(tmp_path / "l.eqb")):
        for card in ("8c", "8d"):
            assert one.at(f"x:x:{card}:x").frequencies[1] == pytest.approx(1.0, abs=1e-6)
        assert one.at("x:x:8h:x").frequencies[1] < 0.99
        assert verify_spot(one).agrees  # a walk over all boards that knows nothing of suits
    assert np.allclose(solution.at("x:x:8c:x").reach(), load_spot_solution(tmp_path / "l.eqb").at("x:x:8c:x").reach())


def test_frequencies_keep_suits_alike():
    solution = solve(TURN.changed(lock=[Lock("x", {}, frequency={"b100": 0.5})]), until="1%")
    assert solution.isomorphism
