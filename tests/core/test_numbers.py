"""Numbers given to the public functions: what is not of its kind is refused before anything is computed."""

import math

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import ParameterError
from equilibrist.core.numbers import finite_number, whole_number, yes_or_no
from equilibrist.solvers.iteration_loop import Stop


def test_numbers_of_their_kind_are_taken():
    assert whole_number("n", np.int64(3)) == 3
    assert type(whole_number("n", np.int64(3))) is int
    assert finite_number("x", np.float32(0.5)) == 0.5
    assert finite_number("x", 2) == 2.0
    assert yes_or_no("b", False) is False
    assert Stop(exploitability=0, iterations=np.int32(7), seconds=1).iterations == 7


@pytest.mark.parametrize("bad", [2.5, 2.0, "3", True, math.nan, -1, 2**63, [1], None])
def test_what_is_no_whole_number_is_refused(bad):
    with pytest.raises(ParameterError, match="'n' "):
        whole_number("n", bad)


@pytest.mark.parametrize("bad", [math.inf, math.nan, "1", True, -0.5, [1.0], 1j])
def test_what_is_no_finite_number_is_refused(bad):
    with pytest.raises(ParameterError, match="'x' "):
        finite_number("x", bad)


@pytest.mark.parametrize(
    "goal",
    [
        {"iterations": 2.5},
        {"iterations": True},
        {"iterations": 0},
        {"nodes": 1e6},
        {"seconds": math.inf},
        {"seconds": math.nan},
        {"seconds": "5"},
        {"until": math.inf},
        {"until": [1]},
        {"until": True},
        {"seed": -1},
        {"seed": 0.5},
        {"threads": 1.5},
        {"threads": 0},
        {"keep_best": 1},
    ],
)
def test_solve_refuses_goals_of_another_kind(goal):
    name = next(iter(goal))
    with pytest.raises(ParameterError, match=f"'{name}' "):
        eq.solve("kuhn", **goal)


@pytest.mark.parametrize(
    "setting", [{"hands": 2.5}, {"seed": "1"}, {"block": 0}, {"seconds": math.nan}, {"patience": 0.5}]
)
def test_matches_refuse_numbers_of_another_kind(setting):
    with pytest.raises(ParameterError, match=f"'{next(iter(setting))}' "):
        eq.MatchSettings(("random", "random"), **setting)


def test_what_is_solved_can_be_read_back(tmp_path):
    eq.solve("kuhn", iterations=np.int64(3)).save(tmp_path / "kuhn.eqb")
    assert eq.load_solution(tmp_path / "kuhn.eqb").iterations == 3
