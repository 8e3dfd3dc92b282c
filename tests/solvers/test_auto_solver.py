"""`solver="auto"` picks by size and structure and says why."""

import pytest

import equilibrist as eq
from equilibrist.core.errors import TooLargeError
from equilibrist.solvers.auto_solver import choose_solver


@pytest.mark.parametrize(
    ("game", "solver", "words"),
    [
        ("kuhn", "lp", "exact"),
        ("leduc", "dcfr", "poker"),
        ("liars-dice(faces=4)", "dcfr", "chance moves first"),
        ("goofspiel(cards=4)", "pcfr+", "players move at once"),
        ("kuhn(players=3)", "cfr+", "3 players"),
        ("rhode-island", "dcfr", "boards"),
    ],
)
def test_choice_by_structure(game, solver, words):
    choice = choose_solver(eq.compiled(game))
    assert choice.solver == solver
    assert words in choice.reason


def test_an_exact_answer_is_a_linear_program():
    assert choose_solver(eq.compiled("liars-dice(faces=4)"), until=0.0).solver == "lp"


def test_the_reason_is_kept_with_the_solution():
    solution = eq.solve("kuhn", "auto")
    assert solution.solver == "lp"
    assert solution.value[0] == pytest.approx(-1 / 18)
    assert "exact" in solution.settings["chosen"]


def test_what_fits_nothing_is_refused(monkeypatch):
    monkeypatch.setenv("EQUILIBRIST_MEMORY", "1e5")
    with pytest.raises(TooLargeError, match="choose smaller parameters"):
        eq.solve("liars-dice", "auto", iterations=1)
