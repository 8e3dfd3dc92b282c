"""Schedules of one's own: what they may give, on trees, forms and spots, and the sentence for what they may not."""

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import ParameterError
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import DCFR, PLUS, VANILLA, factors_of
from equilibrist.solvers.on_form import start_on
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

T = np.arange(1.0, 6.0)
RIVER = eq.Spot(
    board="Ah 7d 2c 9s 4h",
    pot=10,
    stack=20,
    range={"oop": "AA,KK,QQ", "ip": "AK,99"},
    bets={"bet": "60%, a", "raise": "3x"},
)


class Scalars:
    """Vanilla CFR, said in single numbers."""

    def positive(self, t):
        return 1.0

    def negative(self, t):
        return 1

    def keep(self, t):
        return np.float32(1.0)


class Own(Scalars):
    """One function bent."""

    def __init__(self, negative):
        self.negative = negative


def test_single_numbers_stand_for_all_iterations():
    for mine, theirs in zip(factors_of(Scalars(), T), factors_of(VANILLA, T), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(np.stack(factors_of(PLUS, T)), [np.ones(5), np.zeros(5), (T - 1) / T])


def test_the_same_numbers_give_the_same_run_everywhere():
    kuhn, spot = compiled("kuhn"), compile_spot(RIVER)
    for representation in ("sequence", "tree", "public"):
        runs = [CFR(schedule=s, representation=representation).start(kuhn) for s in (Scalars(), VANILLA)]
        for run in runs:
            run.advance(20)
        np.testing.assert_array_equal(runs[0].average_sum, runs[1].average_sum)
    plans = [start_on(CFR(schedule=s), kuhn.sequence_form, generic=True) for s in (Scalars(), VANILLA)]
    boards = [BoardCFR.on_spot(spot, s) for s in (Scalars(), VANILLA)]
    for run in (*plans, *boards):
        run.advance(20)
    assert plans[0].evaluate() == plans[1].evaluate()
    assert boards[0].evaluate() == boards[1].evaluate()


@pytest.mark.parametrize(
    ("negative", "rule"),
    [
        (lambda t: np.ones(2), r"negative\(t\) .* shape \(2,\) for 5 iterations"),
        (lambda t: np.ones((len(t), 1)), r"shape \(5, 1\)"),
        (lambda t: t * np.nan, r"gave nan at iteration 1; a factor is a finite number"),
        (lambda t: np.where(t < 3, 1.0, np.inf), r"gave inf at iteration 3"),
        (lambda t: -1.0, r"gave -1.0 at iteration 1; .* at least 0"),
        (lambda t: None, r"gave None at iteration 1"),
        (lambda t: "much", r"gave much at iteration 1"),
        (lambda t: 0.5 if t < 3 else 1.0, r"negative\(t\) .* raised ValueError .*; t is an array"),
    ],
)
def test_what_is_no_factor_is_named(negative, rule):
    with pytest.raises(ParameterError, match=rule):
        factors_of(Own(negative), T)


def test_what_is_no_schedule_is_refused_when_the_solver_is_made():
    with pytest.raises(ParameterError, match=r"has no positive\(t\)"):
        CFR(schedule=object())
    with pytest.raises(ParameterError, match=r"has no negative\(t\)"):
        eq.solve("kuhn", CFR(schedule=Own(None)), iterations=2)
    assert CFR(schedule=DCFR()).name == "dcfr"
