"""Warm starts: substitute values, the constraints of Theorem 6, going on from profiles; regret-free CFR; best so far; nodes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist import load_solution, make_solver, solve
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.forms.compiled import compiled
from equilibrist.forms.history_tree.infoset_forest import payoff_ranges
from equilibrist.solvers.cfr._kernels.substitute import weakened
from equilibrist.solvers.cfr.cfr import steady
from equilibrist.solvers.cfr.warm_start import (
    estimate_iterations,
    probe_run,
    project,
    substitute_values,
    warm_start,
)
from equilibrist.solvers.responses.best_response import best_response, evaluate_policy
from random_games import random_policy, small_zero_sum_games

LEDUC = compiled("leduc(suits=merged)")


def profile_after(iterations, game=LEDUC, solver="cfr"):
    run = make_solver(solver).start(game)
    run.advance(iterations)
    return run.average()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6), st.floats(0, 30))
def test_weakened_maximum_solves_its_equation(values, potential):
    x = weakened(np.array(values), 0, len(values), potential, np.zeros(len(values), dtype=np.int64))
    assert sum(max(v - x, 0.0) ** 2 for v in values) == pytest.approx(potential, abs=1e-9)
    assert x <= max(values)


@settings(max_examples=15, deadline=None)
@given(small_zero_sum_games(), st.integers(1, 50))
def test_constraints_hold_after_bisection(game, iterations):
    """[Brown20, Theorem 6]: (C1) both values add up to at most 0, (C2) the potential at every infoset is bounded."""
    target = compiled(game)
    policy = profile_after(iterations, target)
    found = substitute_values(target, policy, iterations)  # Corollary 1: what CFR has played can always be used
    assert -1e-6 <= sum(found.values) <= 1e-12
    first, spread = target.infosets.first_slot, payoff_ranges(target.tree)
    for i in range(len(target.infosets)):
        gains = found.gain[first[i] : first[i + 1]]
        allowed = found.mass[i] * spread[i] ** 2 * len(gains) / iterations
        assert (np.maximum(gains, 0.0) ** 2).sum() <= allowed + 1e-12


@settings(max_examples=10, deadline=None)
@given(small_zero_sum_games())
def test_without_weakening_values_are_best_responses(game):
    target = compiled(game)
    policy = random_policy(target.infosets, seed=1)
    found = substitute_values(target, policy, 10, weakening=0.0)
    for p in range(2):
        response = best_response(target, policy, p)
        own = target.infosets.player == p
        assert found.values[p] == pytest.approx(response.value, abs=1e-12)
        assert found.infoset_value[own] == pytest.approx(response.infoset_value[own], abs=1e-12)


def test_first_strategy_is_the_profile_where_no_regret_is_positive():
    found = substitute_values(LEDUC, profile_after(50), 50, weakening=0.0)
    assert np.array_equal(found.strategy(), found.policy.probabilities)


# recomputed: lambda 1.1e-5, 2.7e-6, 2.0e-6 on Leduc; requirement: within 1.35 of the uninterrupted run at T = 3162
@pytest.mark.parametrize(("iterations", "weakening"), [(100, 1.1e-5), (500, 2.7e-6), (1000, 2.0e-6)])
def test_leduc_goes_on_as_if_never_interrupted(iterations, weakening):
    warm = warm_start(LEDUC, profile_after(iterations), iterations=iterations)
    assert warm.settings["warm_start"]["weakening"] == pytest.approx(weakening, rel=0.25)
    whole = solve(LEDUC, "cfr", iterations=3162).exploitability
    assert solve(LEDUC, "cfr", iterations=3162, resume=warm).exploitability < 1.35 * whole
    careless = warm_start(LEDUC, profile_after(iterations), iterations=iterations, weakening=0.02)
    assert solve(LEDUC, "cfr", iterations=3162, resume=careless).exploitability > 5 * whole


@pytest.mark.parametrize("solver", ["cfr", "cfr(on=tree)", "cfr(on=public)", "cfr(on=pruned)", "cfr(pruning=partial)", "cfr(pruning=rbp)",
                                    "cfr(pruning=brp)", "cfr(updates=simultaneous)", "lcfr", "lcfr(pruning=brp)", "cfr+",
                                    "cfr+(average=uniform,pruning=brp)", "dcfr", "dcfr(beta=0.5,pruning=rbp)"])  # fmt: skip
def test_every_member_of_the_family_can_be_started(solver):
    """The average right after the start is the profile itself; from there it gets better."""
    policy = profile_after(300)
    warm = warm_start(LEDUC, policy, iterations=300, solver=solver)
    run = make_solver(solver).start(LEDUC)
    run.restore(warm.state)
    assert run.iteration == 300
    reached = np.repeat(evaluate_reach(policy) > 1e-9, np.diff(LEDUC.infosets.first_slot))
    assert run.average().probabilities[reached] == pytest.approx(policy.probabilities[reached], abs=1e-9)
    assert solve(LEDUC, solver, iterations=3000, resume=warm).exploitability < 0.65 * warm.exploitability


def evaluate_reach(policy):
    """Own reach of each infoset."""
    from equilibrist.solvers.responses.best_response import own_reach

    plan, first = own_reach(LEDUC.forest, policy.probabilities), LEDUC.infosets.first_slot
    return np.array([plan[first[i] : first[i + 1]].sum() for i in range(len(LEDUC.infosets))])


def test_scales_are_those_of_constant_regrets():
    """LCFR weighs iteration t by t / (T + 1) after its discount, so T regrets of 1 come to T / 2; averages to (T + 1) / 2."""
    t = np.arange(1.0, 101.0)
    assert steady(t / (t + 1.0), before=False) == pytest.approx(50.0)
    assert steady((t - 1.0) / t, before=True) == pytest.approx(50.5)
    assert steady(np.full(100, 0.5), before=False) == pytest.approx(1.0)


def test_pruned_and_plain_warm_starts_agree():
    """Everything that pruning proves with is planted too: the same iterates, fewer nodes."""
    policy = profile_after(200)
    runs = []
    for solver in ("cfr(on=pruned)", "cfr(pruning=partial)"):
        run = make_solver(solver).start(LEDUC)
        run.start_from(substitute_values(LEDUC, policy, 200))
        run.advance(20)
        runs.append(run)
    assert runs[1].regrets() == pytest.approx(runs[0].regrets(), abs=1e-7)
    assert runs[1].nodes_touched < runs[0].nodes_touched
    plain = make_solver("cfr").start(LEDUC)
    plain.start_from(substitute_values(LEDUC, policy, 200))
    plain.advance(20)
    assert runs[0].last().probabilities == pytest.approx(plain.last().probabilities, abs=1e-6)


def test_projection():
    assert project([2.0, 1.0, 2.0 / 3.0]) == pytest.approx((2.0, -1.0))
    assert project([8.0, 4.0 * 2**0.5, 8.0 / 3**0.5], None) == pytest.approx((8.0, -0.5))
    constant, _ = project(probe_run(LEDUC, make_solver("cfr"), 10))
    assert constant == pytest.approx(6.2, rel=0.05)  # recomputed
    policy = profile_after(100)
    assert estimate_iterations(LEDUC, policy) == round(constant / evaluate_policy(LEDUC, policy).exploitability)
    with pytest.raises(ParameterError, match="fall"):
        project([1.0, 2.0], None)


def test_naive_warm_start_fails():
    """[Brown20, §3.2.2]: [[1, 0], [0, 2]] from (0.67, 0.33), next to equilibrium: without substitute values play turns pure at once."""
    game = compiled("matrix")
    run = make_solver("cfr(updates=simultaneous)").start(game)
    run.strategy[:] = [1.0, 0.67, 0.33, 1.0, 0.67, 0.33]
    run._refresh()
    run.advance(1)
    assert run.regret[[1, 2, 4, 5]] == pytest.approx([0.0033, -0.0067, -0.0033, 0.0067], abs=1e-12)
    assert run.strategy[[1, 2, 4, 5]].tolist() == [1.0, 0.0, 0.0, 1.0]
    run.advance(1)
    assert run.regret[[1, 2]] == pytest.approx([0.0033, 1.9933], abs=1e-12)


def test_solve_and_files(tmp_path):
    solve(LEDUC, "es-mccfr", iterations=20_000).save(tmp_path / "rough.eqb")
    rough = load_solution(tmp_path / "rough.eqb")
    warm = solve(LEDUC, "cfr", iterations=400, warm_start=rough)
    cold = solve(LEDUC, "cfr", iterations=400)
    assert warm.exploitability < 1.5 * cold.exploitability
    assert solve(LEDUC, "cfr", iterations=60, warm_start=rough.policy, warm_iterations=50).iterations == 60


def test_refusals():
    uniform = LEDUC.infosets.uniform()
    with pytest.raises(NotApplicableError, match="regret matching"):
        warm_start(LEDUC, uniform, solver="cfr(minimiser=hedge)")
    with pytest.raises(NotApplicableError, match="CFR family"):
        solve(LEDUC, "fp", warm_start=uniform)
    with pytest.raises(NotApplicableError, match="on=boards"):
        warm_start(LEDUC, uniform, solver="cfr(on=boards)")
    with pytest.raises(NotApplicableError, match="too exploitable"):
        warm_start(LEDUC, random_policy(LEDUC.infosets), iterations=900_000)
    with pytest.raises(NotApplicableError, match="zero-sum"):
        warm_start("kuhn(players=3)", compiled("kuhn(players=3)").infosets.uniform())
    with pytest.raises(FormatError, match="does not cover"):
        warm_start(LEDUC, compiled("kuhn").infosets.uniform())
    with pytest.raises(ParameterError, match="1 to 1,000,000"):
        warm_start(LEDUC, uniform, iterations=0)
    with pytest.raises(ParameterError, match="'weakening'"):
        warm_start(LEDUC, uniform, iterations=5, weakening=-1.0)
    with pytest.raises(ParameterError, match="'resume' or 'warm_start'"):
        solve(LEDUC, "cfr", warm_start=uniform, resume=solve(LEDUC, "cfr", iterations=2))
    with pytest.raises(ParameterError, match="give 'warm_start' too"):
        solve(LEDUC, "cfr", warm_iterations=5)


# -- regret-free CFR ---------------------------------------------------------------------------------------------------


def test_regret_free_cfr_keeps_up_with_regret_matching():
    """[Brown20, Figure 3.8]: within 0.8 to 1.25 of regret matching at T = 10, 100, 1000 (there: .1012, .0310, .00862)."""
    games = [compiled(f"random-matrix(rows=100,columns=100,seed={seed})") for seed in range(4)]
    for mark in (10, 100, 1000):
        means = [
            np.mean([solve(game, solver, iterations=mark).exploitability for game in games])
            for solver in ("cfr(updates=simultaneous)", "regret-free-cfr")
        ]
        assert 0.8 < means[1] / means[0] < 1.25


def test_regret_free_cfr_equates_what_both_averages_stand_for():
    """L^2 |A| / sum of squared positive parts is the same for both players, with opposite values."""
    run = make_solver("regret-free-cfr").start(compiled("random-matrix(rows=5,columns=7,seed=3)"))
    run.advance(20)
    gains, losses = run.payoffs @ run.column, -(run.row @ run.payoffs)
    run.advance(1)
    row, column = run.latest
    played = row > 0
    scale = (gains[played] - gains[played].min()) / (row[played] - row[played].min() + 1e-300)
    assert np.nanmax(scale[np.isfinite(scale)]) == pytest.approx(np.nanmedian(scale[scale > 0]), rel=1e-6)
    value = gains[played][0] - row[played][0] * np.nanmedian(scale[scale > 0])
    squares = (np.maximum(gains - value, 0) ** 2).sum(), (np.maximum(losses + value, 0) ** 2).sum()
    assert 5 / squares[0] == pytest.approx(7 / squares[1], rel=1e-6)
    assert column.sum() == pytest.approx(1.0)


def test_regret_free_cfr_resumes_and_refuses(tmp_path):
    whole = solve("rps-plus", "regret-free-cfr", iterations=500)
    assert whole.value[0] == pytest.approx(0.0, abs=0.02)
    half = solve("rps-plus", "regret-free-cfr", iterations=200)
    resumed = solve("rps-plus", "regret-free-cfr", iterations=500, resume=half)
    assert np.array_equal(resumed.policy.probabilities, whole.policy.probabilities)
    with pytest.raises(NotApplicableError, match="not a matrix game"):
        solve("kuhn", "regret-free-cfr", iterations=1)


# -- best so far, nodes --------------------------------------------------------------------------------------------------


def test_the_best_profile_is_kept():
    """CFR+ with regret-based pruning is noisy; the best profile met is what the text reports ([Brown20, §3.3.4])."""
    solver = "cfr+(pruning=rbp,updates=simultaneous)"
    last, best = (solve(LEDUC, solver, iterations=3000, keep_best=keep) for keep in (False, True))
    assert best.exploitability <= last.exploitability
    assert evaluate_policy(LEDUC, best.policy).exploitability == pytest.approx(best.exploitability, abs=1e-12)
    assert best.extra["best_iteration"] <= 3000
    again = solve(LEDUC, solver, iterations=3010, keep_best=True, resume=best)
    assert again.exploitability <= best.exploitability


def test_stopping_by_nodes():
    for solver in ("cfr(on=pruned)", "es-mccfr", "pure-cfr", "cs-mccfr"):
        solution = solve(LEDUC, solver, nodes=20_000)
        assert 20_000 <= solution.extra["nodes_touched"] < 24_000
    assert solve(LEDUC, "cfr(pruning=partial)", nodes=10**9, iterations=5).iterations == 5
    with pytest.raises(NotApplicableError, match="Nodes touched are counted by"):
        solve(LEDUC, "dcfr", nodes=100)
    with pytest.raises(ParameterError, match="'nodes' must be at least 1"):
        solve(LEDUC, "es-mccfr", nodes=0)
