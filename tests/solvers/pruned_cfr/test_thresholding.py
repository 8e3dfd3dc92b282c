"""Dynamic thresholding: what survives, what it costs (Theorems 8 and 9), what it saves; gradients without small branches."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist import make_solver, solve
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.cfr._kernels.regret import HEDGE, MATCHING
from equilibrist.solvers.first_order.excessive_gap import ExcessiveGapRun, egt
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.pruned_cfr._kernels.thresholds import cut_small, threshold
from equilibrist.solvers.pruned_cfr.dynamic_thresholding import BranchGradient, ThresholdedForm
from random_games import random_policy, small_zero_sum_games

LEDUC = compiled("leduc(suits=merged)")


def least_probability(actions, t, cut, kind=HEDGE):
    """The bound for iteration t at an infoset with so many actions; `cut` is d = C - 1, where regret may grow by the factor C."""
    return float(threshold(kind, cut, actions, t))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=8), st.floats(0.0, 1.0))
def test_cut_strategies_are_strategies(weights, least):
    strategy = np.array(weights) / sum(weights)
    before = strategy.copy()
    cut_small(strategy, 0, len(weights), least)
    assert strategy.sum() == pytest.approx(1.0)
    assert strategy[np.argmax(before)] > 0.0  # at least one survives, also where everything is below the bound
    assert ((strategy == 0.0) <= (before < least)).all()
    assert np.array_equal(np.argsort(strategy[strategy > 0]), np.argsort(before[strategy > 0]))


def test_thresholds_follow_the_theorems():
    """(C-1) sqrt(ln n) / (sqrt(2) n^2 sqrt(t)) and (C^2-1) / (2 C n^2 sqrt(t)); [Brown20, §3.4.1]."""
    assert least_probability(3, 16, 0.5) == pytest.approx(0.5 * math.sqrt(math.log(3)) / (math.sqrt(2) * 9 * 4))
    assert least_probability(3, 16, 0.5, MATCHING) == pytest.approx((2.25 - 1) / (2 * 1.5 * 9 * 4))
    assert least_probability(1, 16, 0.5) == 0.0


@pytest.mark.parametrize("cut", [0.5, 2.0])
@pytest.mark.parametrize("seed", range(5))
def test_theorem_8_bounds_the_regret(cut, seed):
    """Hedge with thresholds on random rewards in [0, 1]: regret at most C sqrt(2 ln n T), for the rate of the proof."""
    rng, n, horizon = np.random.default_rng(seed), 4, 2000
    rate = math.sqrt(2.0 * math.log(n) / horizon)
    total, earned = np.zeros(n), 0.0
    for t in range(1, horizon + 1):
        strategy = np.exp(rate * (total - total.max()))
        strategy /= strategy.sum()
        cut_small(strategy, 0, n, least_probability(n, t, cut))
        reward = (rng.random(n) < rng.choice([0.2, 0.8], n)).astype(float)
        reward[np.argmax(strategy)] *= rng.random() < 0.5  # an adversary that dislikes what is played most
        earned += strategy @ reward
        total += reward
    assert total.max() - earned <= (1.0 + cut) * math.sqrt(2.0 * math.log(n) * horizon)


# recomputed, Leduc, Hedge, T = 10,000: total exploitability and nodes at d = 0, 0.5, 2
@pytest.mark.parametrize(
    ("solver", "exploitability", "nodes"),
    [("cfr(minimiser=hedge,on=pruned)", 6.5e-3, 3.87e7), ("cfr(minimiser=hedge,threshold=0.5,pruning=partial)", 6.1e-3, 2.5e7),
     ("cfr(minimiser=hedge,threshold=2,pruning=partial)", 5.6e-3, 2.5e7)],
)  # fmt: skip
def test_hedge_with_thresholds_saves_nodes_for_nothing(solver, exploitability, nodes):
    run = make_solver(solver).start(LEDUC)
    run.advance(10_000)
    assert run.evaluate().nash_conv == pytest.approx(exploitability, rel=0.12)
    assert run.nodes_touched == pytest.approx(nodes, rel=0.03)


def test_hedge_skips_more_with_regret_based_pruning():
    partial, intervals = (
        make_solver(f"cfr(minimiser=hedge,threshold=0.5,pruning={what})").start(LEDUC) for what in ("partial", "rbp")
    )
    for run in (partial, intervals):
        run.advance(3000)
    assert intervals.nodes_touched < 0.8 * partial.nodes_touched
    assert intervals.evaluate().exploitability < 1.3 * partial.evaluate().exploitability


def test_a_pruned_hedge_action_would_not_have_been_played():
    """(3.21): with the bound in place of its regret, Hedge would still give the action less than the threshold."""
    solver = make_solver("cfr(minimiser=hedge,threshold=0.5,pruning=rbp,skip=5,rate=theory)")
    run, proven = solver.start(compiled("kuhn")), 0
    arrays, tables = run.layout.arrays, run.tables
    for t in range(1, 401):
        run.advance(1)
        for i in range(len(arrays.spread)):
            first, n = arrays.info[i, 1], arrays.info[i, 2]
            own = tables.place[first : first + n]
            bound, regret = tables.bound[own], tables.regret[own]
            rate = math.sqrt(8.0 * math.log(n)) / (arrays.spread[i] * math.sqrt(t))  # [Brown20, §3.4.3]
            free = np.isinf(bound)
            for b in bound[~free] if tables.marks[i, 1] == t else ():
                others = np.exp(rate * (regret[free] - b)).sum()
                assert 1.0 / (1.0 + others) < least_probability(n, t + 1, 0.5) * (1 + 1e-9)
                proven += 1
            assert (tables.strategy[own][~free] == 0.0).all()
    assert proven > 50


def test_thresholds_are_refused_elsewhere():
    with pytest.raises(NotApplicableError, match="Hedge and for regret matching"):
        make_solver("cfr(minimiser=signed-rm+,threshold=0.5)")
    with pytest.raises(ParameterError, match="'threshold'"):
        make_solver("cfr(minimiser=hedge,threshold=-1)")


@settings(max_examples=15, deadline=None)
@given(small_zero_sum_games())
def test_branch_gradient_is_the_gradient(game):
    target = compiled(game)
    form = target.sequence_form
    behaviour = form.strategy(random_policy(target.infosets, seed=4))
    walk = BranchGradient(target)
    for p in range(2):
        theirs = form.plan(behaviour)[form.offset[1 - p] : form.offset[2 - p]]
        assert walk(p, behaviour) == pytest.approx(form.payoff.gradient(p, theirs), abs=1e-12)
    assert walk.nodes_touched == 2 * target.tree.histories


def test_branch_gradient_leaves_small_branches_out():
    form = LEDUC.sequence_form
    behaviour = form.strategy(random_policy(LEDUC.infosets, seed=4))
    walk = BranchGradient(LEDUC)
    exact = walk(0, behaviour)
    all_nodes = walk.nodes_touched
    near = walk(0, behaviour, least=1e-3)
    assert walk.nodes_touched - all_nodes < 0.9 * all_nodes
    assert np.abs(near - exact).max() < 13 * 60 * 1e-3  # largest payoff x branches below an infoset x least
    assert np.abs(near - exact).max() > 0.0


def test_egt_with_a_threshold_touches_fewer_nodes_and_ends_as_near():
    plain, cut = (solve("leduc(suits=merged)", f"egt(threshold={c})", iterations=200) for c in (1e-12, 0.001))
    assert cut.extra["nodes_touched"] < 0.8 * plain.extra["nodes_touched"]
    assert cut.exploitability < 1.25 * plain.exploitability
    whole = ExcessiveGapRun(egt(), Field(ThresholdedForm(LEDUC, 0.0)))  # whose products are those of the matrix
    whole.advance(20)
    same = solve(
        "leduc(suits=merged)", "egt(threshold=1e-12)", iterations=20
    )  # later, rounding decides about step sizes
    assert same.exploitability == pytest.approx(whole.evaluate().exploitability, rel=1e-9)
    again = solve("leduc(suits=merged)", "egt(threshold=0.001)", iterations=250, resume=cut)
    assert again.iterations == 250
    with pytest.raises(NotApplicableError, match="solves games only"):
        make_solver("egt(threshold=0.001)").on(LEDUC.sequence_form)
    with pytest.raises(ParameterError, match="'threshold'"):
        make_solver("egt(threshold=-1.0)")
