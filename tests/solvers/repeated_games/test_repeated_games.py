"""Repeated games with lack of information on one side: known values, envelopes by chords, guarantees by brute force."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist import load_solution, verify
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.games.library.repeated import (
    NON_REVEALING,
    PARTIALLY_REVEALING,
    REVEALING,
    FiniteRepetition,
    RepeatedGame,
)
from equilibrist.solvers.repeated_games import repeated_games
from equilibrist.solvers.repeated_games.concavification import Cover, adaptively, by_grid, simplex_grid
from equilibrist.solvers.repeated_games.repeated_games import non_revealing_value, solve_repeated
from equilibrist.solvers.solve import solve
from reference import naive_repeated


@st.composite
def some_games(draw: st.DrawFn, most_states: int = 3, least_states: int = 1) -> RepeatedGame:
    """Up to 3 x 3, with real payoffs or with few different ones, which makes ties."""
    shape = draw(st.integers(least_states, most_states)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    payoffs = rng.uniform(-3, 5, shape) if draw(st.booleans()) else rng.integers(-2, 3, shape)
    return RepeatedGame(payoffs, rng.dirichlet(np.ones(shape[0])))


def at(game: RepeatedGame, belief: np.ndarray) -> RepeatedGame:
    return RepeatedGame(game.payoffs, belief)


KNOWN = [  # [Gilpin09, §11.3]: value, beliefs in state A, probability of each in state A
    (NON_REVEALING, 0.25, [0.5], [1.0]),
    (REVEALING, 0.0, [0.0, 1.0], [0.0, 1.0]),
    (PARTIALLY_REVEALING, 1.0, [0.25, 0.75], [0.25, 0.75]),
]


@pytest.mark.parametrize("method", ["adaptive", "grid"])
@pytest.mark.parametrize(("game", "value", "beliefs", "lottery"), KNOWN)
def test_examples_of_the_text(
    game: RepeatedGame, value: float, beliefs: list[float], lottery: list[float], method: str
) -> None:
    epsilon = {"adaptive": 1e-6, "grid": 0.01}[method]
    solution = solve_repeated(game, epsilon, method)
    low, high = game.range
    assert solution.value == pytest.approx(value, abs=1e-12)
    assert value - 1e-12 <= solution.upper <= value + epsilon * (high - low)
    assert solution.converged
    order = np.argsort(solution.informed.beliefs[:, 0])
    assert solution.informed.beliefs[order, 0] == pytest.approx(np.array(beliefs), abs=1e-12)
    assert solution.informed.lottery[0, order] == pytest.approx(np.array(lottery), abs=1e-12)
    assert solution.informed.lottery[1, order] == pytest.approx(np.array(lottery[::-1]), abs=1e-12)


def test_values_without_revealing() -> None:
    q = np.linspace(0, 1, 21)
    beliefs = np.stack([q, 1 - q], axis=1)
    assert non_revealing_value(NON_REVEALING, beliefs) == pytest.approx(q * (1 - q))  # [Gilpin09, §11.3.1]
    assert non_revealing_value(REVEALING, beliefs) == pytest.approx(-q * (1 - q))  # [Gilpin09, §11.3.2]
    bends = np.interp(q, [0, 0.25, 0.5, 0.75, 1], [0, 1, 0, 1, 0])  # [Gilpin09, §11.3.3]
    assert non_revealing_value(PARTIALLY_REVEALING, beliefs) == pytest.approx(bends)
    assert non_revealing_value(REVEALING, np.array([0.5, 0.5])).shape == ()


def test_bends_of_a_piecewise_linear_v_are_found_exactly() -> None:
    """From a prior whose bisections never meet 1/4 or 3/4."""
    solution = solve_repeated(at(PARTIALLY_REVEALING, np.array([0.3, 0.7])), 1e-8)
    assert sorted(solution.informed.beliefs[:, 0]) == pytest.approx([0.25, 0.75], abs=1e-12)
    assert sorted(solution.informed.weights) == pytest.approx([0.1, 0.9], abs=1e-12)
    assert solution.error <= 1e-12
    assert solution.games < 12


def test_an_irrational_belief() -> None:
    """Optimal beliefs need not be rational ([Gilpin09, chapter 11, footnote 3]): no grid holds this one."""
    # rows 1 and 2 make q(1-q), row 3 pays 0.2q - (1-q) whatever the column, so v(q) is the larger of the two
    game = RepeatedGame([[[1, 0], [0, 0], [0.2, 0.2]], [[0, 0], [0, 1], [-1, -1]]], [0.8, 0.2])
    solution = solve_repeated(game, 1e-8)
    # tangent to q(1-q) at t through (1, 0.2): t(1-t) + (1-2t)(1-t) = 0.2, so (1-t)^2 = 0.2
    tangent = 1 - np.sqrt(0.2)
    assert sorted(solution.informed.beliefs[:, 0]) == pytest.approx([tangent, 1.0], abs=1e-3)
    slope = 1 - 2 * tangent
    assert solution.value == pytest.approx(0.2 - slope * 0.2, abs=3e-8)


@settings(max_examples=25, deadline=None)
@given(some_games(most_states=2, least_states=2))
def test_value_agrees_with_chords(game: RepeatedGame) -> None:
    low, high = game.range
    solution = solve_repeated(game, 1e-6)
    steps = 40
    chords = naive_repeated.envelope_at(game, steps)
    assert solution.converged
    assert solution.lower - 1e-9 <= solution.upper
    assert solution.upper >= chords - 1e-9
    assert solution.lower <= chords + (high - low) / (2 * steps) + 1e-9  # v is Lipschitz, so chords miss little


@settings(max_examples=25, deadline=None)
@given(some_games())
def test_methods_agree(game: RepeatedGame) -> None:
    low, high = game.range
    grid, adaptive = solve_repeated(game, 0.1, "grid"), solve_repeated(game, 1e-4)
    assert grid.lower <= adaptive.upper + 1e-9
    assert adaptive.lower <= grid.upper + 1e-9
    assert grid.error <= 0.05 * (high - low) + 1e-7  # half of what was asked for
    assert adaptive.converged


@settings(max_examples=30, deadline=None)
@given(some_games(), st.integers(0, 10**6))
def test_cav_is_concave_and_above_v(game: RepeatedGame, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.dirichlet(np.ones(game.shape[0]), 2)
    share = rng.uniform()
    middle = share * first + (1 - share) * second
    found = [solve_repeated(at(game, belief), 1e-4) for belief in (first, second, middle)]
    assert found[2].upper >= share * found[0].lower + (1 - share) * found[1].lower - 1e-9
    for belief, solution in zip((first, second, middle), found, strict=True):
        assert solution.lower >= non_revealing_value(game, belief) - 1e-9  # p itself is looked at


@settings(max_examples=25, deadline=None)
@given(some_games(), st.integers(0, 10**6))
def test_cav_is_v_where_v_is_concave(game: RepeatedGame, seed: int) -> None:
    """With one row v is the least of linear functions, hence concave."""
    one_row = RepeatedGame(game.payoffs[:, :1], game.prior)
    solution = solve_repeated(one_row, 1e-6)
    low, high = one_row.range
    assert solution.value == pytest.approx(
        float(non_revealing_value(one_row, game.prior)), abs=1e-6 * (high - low) + 1e-9
    )
    # with one column it is the greatest of them, hence convex: everything is revealed
    one_column = RepeatedGame(game.payoffs[:, :, :1], game.prior)
    vertices = non_revealing_value(one_column, np.eye(game.shape[0]))
    assert solve_repeated(one_column, 1e-6).value == pytest.approx(float(game.prior @ vertices), abs=1e-5)


@settings(max_examples=40, deadline=None)
@given(some_games(), st.integers(0, 10**6))
def test_the_plane_lies_above_v_and_touches_cav_at_the_prior(game: RepeatedGame, seed: int) -> None:
    solution = solve_repeated(game, 1e-4)
    beliefs = np.random.default_rng(seed).dirichlet(np.full(game.shape[0], 0.5), 500)
    assert (beliefs @ solution.uninformed.target >= non_revealing_value(game, beliefs) - 1e-9).all()
    assert game.prior @ solution.uninformed.target == pytest.approx(solution.upper)


@settings(max_examples=40, deadline=None)
@given(some_games())
def test_the_lottery_averages_to_the_prior(game: RepeatedGame) -> None:
    informed = solve_repeated(game, 1e-4).informed
    assert len(informed.weights) <= game.shape[0]
    assert informed.weights @ informed.beliefs == pytest.approx(game.prior, abs=1e-9)
    assert informed.lottery.sum(axis=1) == pytest.approx(np.ones(game.shape[0]))
    joint = game.prior[:, None] * informed.lottery  # state and belief drawn: Bayes gives the beliefs back
    posterior = (joint / joint.sum(axis=0)).T
    assert posterior == pytest.approx(informed.beliefs, abs=1e-8)


@settings(max_examples=20, deadline=None)
@given(some_games(most_states=2, least_states=2))
def test_the_informed_player_gets_its_guarantee_from_best_responses(game: RepeatedGame) -> None:
    solution = solve_repeated(game, 1e-4)
    earned = [naive_repeated.best_response(game, solution.informed, stages) for stages in (1, 2, 3)]
    assert min(earned) >= solution.lower - 1e-8
    assert earned[0] >= earned[1] - 1e-9 >= earned[2] - 2e-9  # the opponent learns


@settings(max_examples=10, deadline=None)
@given(some_games(most_states=2, least_states=2))
def test_finite_games_are_worth_more_and_less_with_every_stage(game: RepeatedGame) -> None:
    solution = solve_repeated(game, 1e-6)
    one, two = (solve(FiniteRepetition(game, n), "lp").value[0] for n in (1, 2))
    assert one >= two - 1e-8
    assert two >= solution.lower - 1e-8


@settings(max_examples=20, deadline=None)
@given(some_games(), st.floats(0.1, 100), st.floats(-50, 50))
def test_units_do_not_matter(game: RepeatedGame, scale: float, shift: float) -> None:
    plain = solve_repeated(game, 1e-4)
    other = solve_repeated(RepeatedGame(scale * game.payoffs + shift, game.prior), 1e-4)
    low, high = game.range
    assert other.value == pytest.approx(scale * plain.value + shift, abs=scale * (2e-4 * (high - low) + 1e-8))
    assert other.error <= scale * 1e-4 * (high - low) + 1e-8 * scale


def test_impossible_states_change_nothing() -> None:
    payoffs = np.concatenate([PARTIALLY_REVEALING.payoffs, np.full((1, 2, 3), 4.0)])
    solution = solve_repeated(RepeatedGame(payoffs, [0.5, 0.5, 0.0]))
    assert solution.value == pytest.approx(1.0, abs=1e-12)
    assert (solution.informed.beliefs[:, 2] == 0).all()
    assert solution.informed.lottery.sum(axis=1) == pytest.approx(np.ones(3))
    beliefs = np.random.default_rng(0).dirichlet(np.ones(3), 500)
    heights = beliefs @ solution.uninformed.target
    assert (heights >= non_revealing_value(solution.game, beliefs) - 1e-9).all()


@pytest.mark.parametrize("rare", [1e-6, 1e-9, 1e-13, 1e-300])
def test_rare_states(rare: float) -> None:
    for game in (NON_REVEALING, REVEALING, PARTIALLY_REVEALING):
        solution = solve_repeated(at(game, np.array([1.0 - rare, rare])))
        assert solution.converged
        assert solution.value == pytest.approx(0.0, abs=1e-5)  # all three are worth 4 rare at most
        assert solution.informed.lottery.sum(axis=1) == pytest.approx([1.0, 1.0])


def test_games_without_choice() -> None:
    only = solve_repeated(RepeatedGame([[[3.0]]], [1.0]))
    assert (only.lower, only.upper) == (3.0, 3.0)
    constant = solve_repeated(RepeatedGame(np.full((3, 2, 2), -1.5), [0.2, 0.3, 0.5]), 0.1, "grid")
    assert constant.lower == pytest.approx(-1.5)


def test_the_uninformed_player_answers_what_it_sees() -> None:
    strategy = solve_repeated(PARTIALLY_REVEALING).uninformed
    assert strategy.target == pytest.approx([1.0, 1.0])
    assert strategy.mix(None) is strategy.idle
    assert strategy.mix(np.array([0.5, 1.0])) is strategy.idle
    # too much was paid in state A alone: column M costs nothing there
    assert strategy.mix(np.array([2.0, 0.0])) == pytest.approx([0, 1, 0])
    assert strategy.distance(np.array([[1.3, 1.4], [0.0, 3.0], [1.0, -9.0]])) == pytest.approx([0.5, 2.0, 0.0])
    assert strategy.guarantee(10**10) == pytest.approx(1.0, abs=1e-4)


def test_the_lottery_is_drawn_as_it_says() -> None:
    informed = solve_repeated(PARTIALLY_REVEALING).informed
    rng = np.random.default_rng(0)
    drawn = np.bincount([informed.choose(0, rng) for _ in range(4000)], minlength=2) / 4000
    assert drawn == pytest.approx(informed.lottery[0], abs=0.03)


def test_grid_points() -> None:
    grid = simplex_grid(3, 4)
    assert len(grid) == len({tuple(point) for point in grid}) == 15  # binom(6, 2), [Gilpin09, §11.4.2]
    assert grid.sum(axis=1) == pytest.approx(np.ones(15))
    assert (grid >= 0).all()
    assert simplex_grid(1, 7).tolist() == [[1.0]]


@settings(max_examples=25, deadline=None)
@given(some_games(least_states=2), st.integers(0, 10**6))
def test_cells_cover_the_simplex_and_bound_what_is_inside(game: RepeatedGame, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cover = Cover(game.payoffs, game.prior)
    for _ in range(4):
        cover.split(np.flatnonzero(rng.uniform(size=len(cover.cells)) < 0.6))
    corners = cover.beliefs[cover.cells]  # [cell, corner, state]
    whole = np.abs(np.linalg.det(corners)).sum()
    assert whole == pytest.approx(1.0, abs=1e-9)  # volumes add up: nothing is lost, nothing overlaps
    plane = rng.uniform(*game.range, game.shape[0])
    bound = cover.excess(plane, 0.0)
    inside = np.einsum("sc,ncq->nsq", rng.dirichlet(np.ones(game.shape[0]), 20), corners)
    excess = non_revealing_value(game, inside) - inside @ plane
    assert (excess <= bound[:, None] + 1e-9).all()


def test_bisection_needs_fewer_games_than_the_grid() -> None:
    rng = np.random.default_rng(1)
    payoffs, prior = rng.uniform(size=(3, 3, 3)), rng.dirichlet(np.ones(3))
    coarse, fine = by_grid(payoffs, prior, 0.02), adaptively(payoffs, prior, 0.01)
    assert fine.games < coarse.games / 100
    assert fine.lower <= coarse.upper
    assert coarse.lower <= fine.upper


def test_an_unfinished_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    payoffs, prior = rng.uniform(size=(3, 4, 4)), rng.dirichlet(np.ones(3))
    game = RepeatedGame(payoffs, prior)
    whole = solve_repeated(game, 1e-5)
    monkeypatch.setitem(repeated_games.METHODS, "adaptive", partial(adaptively, most_points=10))
    short = solve_repeated(game, 1e-5)
    assert whole.converged
    assert not short.converged
    assert short.lower <= whole.upper
    assert whole.lower <= short.upper


def test_refusals_name_the_reason() -> None:
    with pytest.raises(ParameterError, match=r"'gird' is not one of adaptive, grid. Did you mean 'grid'\?"):
        solve_repeated(REVEALING, method="gird")
    for epsilon in (0.0, -1.0, 2.0, float("nan")):
        with pytest.raises(ParameterError, match="share of the payoff range"):
            solve_repeated(REVEALING, epsilon)
    with pytest.raises(TooLargeError, match="method='adaptive'"):
        solve_repeated(RepeatedGame(np.zeros((4, 2, 2)), [0.25] * 4), 0.01, "grid")
    with pytest.raises(ParameterError, match="each of 2 states"):
        non_revealing_value(REVEALING, np.array([0.2, 0.3, 0.5]))


# The strategies of the infinite game, played for some stages


@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize(("game", "value"), [(game, value) for game, value, *_ in KNOWN])
def test_the_informed_player_gets_the_value_in_any_number_of_stages(
    game: RepeatedGame, value: float, stages: int
) -> None:
    found = solve(FiniteRepetition(game, stages), "concavification")
    low, high = game.range
    conceded, secured = found.evaluation.best_response_value[0], -found.evaluation.best_response_value[1]
    assert secured >= value - 1e-6 * (high - low)
    exact = solve(FiniteRepetition(game, stages), "lp").value[0]
    assert secured - 1e-9 <= exact <= conceded + 1e-9
    bound = solve_repeated(game).uninformed.guarantee(stages)
    assert conceded <= bound + 1e-9
    assert found.extra["infinite_value"] == pytest.approx([value, value], abs=1e-5)
    assert f"at most {bound:.4g} in {stages}" in found.extra["remarks"][0]


def test_the_informed_player_plays_as_its_lottery_says() -> None:
    """By drawing: the belief once, then its row mix at every stage."""
    base = at(PARTIALLY_REVEALING, np.array([0.4, 0.6]))
    found, strategy = solve(FiniteRepetition(base, 2), "concavification"), solve_repeated(base).informed
    rng, world, seen = np.random.default_rng(0), 1, np.zeros((2, 2))
    for _ in range(40_000):
        mix = strategy.rows[strategy.choose(world, rng)]
        seen[tuple(rng.choice(2, 2, p=mix))] += 1
    for first in range(2):
        drawn = seen[first, 0] / seen[first].sum()
        assert found.policy[f"s2:r{first + 1}c1/row"]["r1"] == pytest.approx(drawn, abs=0.02)


def test_more_stages_are_less_exploitable_and_files_keep_the_facts(tmp_path: Path) -> None:
    lost = [solve(f"repeated(stages={n})", "concavification").exploitability for n in (1, 3, 5)]
    assert lost == sorted(lost, reverse=True)
    found = solve("repeated(stages=3)", "concavification(epsilon=0.001,method=grid)")
    found.save(tmp_path / "stages.eqb")
    again = load_solution(tmp_path / "stages.eqb")
    assert again.extra == found.extra
    assert verify(again).agrees


def test_other_games_and_settings_are_refused() -> None:
    with pytest.raises(NotApplicableError, match="'kuhn' is none"):
        solve("kuhn", "concavification")
    with pytest.raises(ParameterError, match="share of the payoff range"):
        solve("repeated", "concavification(epsilon=2.0)")
    with pytest.raises(ParameterError, match="'gridd' is not one of adaptive, grid"):
        solve("repeated", "concavification(method=gridd)")
