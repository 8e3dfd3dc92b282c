"""Repeated games played out: kernels against plain loops, and what both players are promised."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import ParameterError
from equilibrist.experiments.gilpin.equilibria.repeated_play import (
    Greedy,
    Mixing,
    both_play,
    oppose_informed,
    oppose_uninformed,
    respond_to_informed,
)
from equilibrist.games.library.repeated import NON_REVEALING, PARTIALLY_REVEALING, REVEALING, RepeatedGame
from equilibrist.solvers.repeated_games.repeated_games import RepeatedSolution, solve_repeated
from reference import naive_repeated

EXAMPLES = {"non-revealing": NON_REVEALING, "revealing": REVEALING, "partially revealing": PARTIALLY_REVEALING}


def random_solution(seed: int, states: int = 3) -> RepeatedSolution:
    rng = np.random.default_rng(seed)
    return solve_repeated(RepeatedGame(rng.uniform(-1, 1, (states, 3, 3)), rng.dirichlet(np.ones(states))), 1e-4)


@pytest.mark.parametrize("opponent", ["mixing", "greedy", "pushing"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_kernel_plays_as_plain_loops_do(opponent: str, seed: int) -> None:
    strategy = random_solution(seed).uninformed
    who = {
        "mixing": Mixing(np.array([0.2, 0.5, 0.3])),
        "greedy": Greedy(np.array([0.0, 1.0, 0.0])),
        "pushing": Greedy(strategy.game.prior, pushing=True),
    }[opponent]
    course = oppose_uninformed(strategy, who, 150, seed)
    assert course.stages[-1] == 150
    assert course.averages[-1] == pytest.approx(naive_repeated.play(strategy, who, 150, seed), abs=1e-12)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6))
def test_distance_falls_as_promised_against_everyone(seed: int) -> None:
    """Blackwell: n E d² stays below states × range²; here over 20 courses, at every marked stage."""
    strategy = random_solution(seed).uninformed
    opponents = [Greedy(e) for e in np.eye(3)] + [Mixing(e) for e in np.eye(3)] + [Greedy(np.ones(3), pushing=True)]
    for opponent in opponents:
        courses = [oppose_uninformed(strategy, opponent, 2000, run) for run in range(20)]
        squares = np.mean([strategy.distance(course.averages) ** 2 for course in courses], axis=0)
        bound = np.array([strategy.distance_bound(int(n)) for n in courses[0].stages])
        assert (np.sqrt(squares) <= bound).all()


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_hundred_thousand_stages(name: str) -> None:
    # [Gilpin09, §11.5.2]: mean payoff at most cav v + 0.02, against the optimal informed player and adversaries
    solution = solve_repeated(EXAMPLES[name])
    assert both_play(solution, 100_000)[-1] == pytest.approx(solution.value, abs=0.02)
    greedy = [
        oppose_uninformed(solution.uninformed, Greedy(e), 100_000).averages[-1, k] for k, e in enumerate(np.eye(2))
    ]
    assert solution.game.prior @ greedy <= solution.upper + 0.02
    fixed = [oppose_uninformed(solution.uninformed, Mixing(e), 100_000).averages[-1] for e in np.eye(2)]
    assert solution.game.prior @ np.max(fixed, axis=0) <= solution.upper + 0.02
    assert respond_to_informed(solution, 100_000)[-1] >= solution.value - 0.02


def test_targets_below_the_plane_are_not_reached() -> None:
    """The promise rests on the plane: with targets below the value, an optimal opponent keeps the mean above them."""
    from dataclasses import replace

    solution = solve_repeated(NON_REVEALING)
    greedy_targets = replace(solution.uninformed, target=solution.uninformed.target - 0.1)
    course = oppose_uninformed(greedy_targets, Mixing(solution.informed.rows[0]), 20_000)
    assert course.mean(NON_REVEALING.prior)[-1] == pytest.approx(0.25, abs=0.02)
    assert greedy_targets.distance(course.averages[-1]) > 0.1


def test_a_best_response_learns_the_draw() -> None:
    """Revealing the state costs: in the first example the opponent then pays nothing, after one stage of doubt."""
    from dataclasses import replace

    informed = replace(
        solve_repeated(NON_REVEALING).informed,
        beliefs=np.eye(2), weights=np.array([0.5, 0.5]), lottery=np.eye(2), rows=np.eye(2),
    )  # fmt: skip
    first, second = (oppose_informed(NON_REVEALING, informed, draw, 1000) for draw in range(2))
    paid = [course.averages[-1, k] * 1000 for k, course in enumerate((first, second))]
    assert sum(paid) <= 1.0 + 1e-9
    assert naive_repeated.best_response(NON_REVEALING, informed, 4) == pytest.approx(0.5 / 4)


def test_best_response_in_play_is_the_one_found_by_brute_force() -> None:
    solution = random_solution(1)
    assert len(solution.informed.weights) > 1
    runs = [respond_to_informed(solution, 3, seed=1000 * run)[-1] for run in range(4000)]
    exact = naive_repeated.best_response(solution.game, solution.informed, 3)
    assert np.mean(runs) == pytest.approx(exact, abs=4 * np.std(runs) / np.sqrt(len(runs)) + 1e-9)


def test_the_same_seed_gives_the_same_course() -> None:
    strategy = solve_repeated(NON_REVEALING).uninformed
    once, again, other = (oppose_uninformed(strategy, Mixing(np.array([0.5, 0.5])), 500, seed) for seed in (3, 3, 4))
    assert np.array_equal(once.averages, again.averages)
    assert not np.array_equal(once.averages, other.averages)
    assert once.stages[0] == 1
    assert (np.diff(once.stages) > 0).all()
    assert len(oppose_uninformed(strategy, Mixing(np.array([0.5, 0.5])), 1).stages) == 1


def test_refusals_name_the_reason() -> None:
    strategy = solve_repeated(NON_REVEALING).uninformed
    with pytest.raises(ParameterError, match="at least 1 stage"):
        oppose_uninformed(strategy, Mixing(np.array([0.5, 0.5])), 0)
    with pytest.raises(ParameterError, match="one number per row, 2 of them, but 3"):
        oppose_uninformed(strategy, Mixing(np.ones(3) / 3), 10)
    with pytest.raises(ParameterError, match="one number per state, 2 of them, but 1"):
        oppose_uninformed(strategy, Greedy(np.ones(1)), 10)
