"""Pruned walks: equal to unpruned CFR where theory says so, equal to naive twins elsewhere, counted and freed as claimed."""

import numpy as np
import pytest
from hypothesis import given, settings

from equilibrist import load_solution, make_solver, solve
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import METHODS, ZERO_REACH, Custom, Pruning
from equilibrist.solvers.pruned_cfr import iteration_weights as walk_weights
from equilibrist.solvers.pruned_cfr._kernels import pruned_learning as kernels
from equilibrist.solvers.pruned_cfr._kernels.pruned_walk import LIVE, NOWHERE
from equilibrist.solvers.pruned_cfr.memory_pool import PLANS, POOLED, SPARE, moved
from equilibrist.solvers.responses.best_response import own_reach
from random_games import RandomGame, small_zero_sum_games
from reference.naive_pruning import NaivePruning

LEDUC = compiled("leduc(suits=merged)")  # 1,936 histories, 672 sequences (recomputed)


def started(solver, game=LEDUC, iterations=0):
    run = make_solver(solver).start(game)
    run.advance(iterations)
    return run


# -- partial pruning changes nothing -----------------------------------------------------------------------------


@pytest.mark.sampled(6)
@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("solver", ["cfr({})", "cfr+({})", "cfr+(average=uniform,{})", "lcfr({})", "lcfr+({})", "dcfr({})",
                                    "dcfr(beta=0.5,{})", "hs-dcfr({})"])  # fmt: skip
def test_partial_pruning_changes_nothing(solver, updates):
    """Identical regrets and averages, fewer nodes.

    Infosets are met in another order, so sums round differently, and regret matching makes roundings grow with time.
    """
    whole = started(solver.format(f"updates={updates},on=pruned"))
    pruned = started(solver.format(f"updates={updates},pruning=partial"))
    for iterations, tolerance in ((10, 1e-12), (30, 1e-8)):
        for run in (whole, pruned):
            run.advance(iterations - run.iteration)
        assert pruned.regrets() == pytest.approx(whole.regrets(), abs=tolerance * np.abs(whole.regrets()).max())
        assert pruned.sums() == pytest.approx(whole.sums(), abs=tolerance * whole.sums().max())
    assert whole.nodes_touched == 30 * 2 * 1936
    assert pruned.nodes_touched < 0.85 * whole.nodes_touched


@settings(max_examples=20, deadline=None)
@given(small_zero_sum_games())
def test_partial_pruning_changes_nothing_on_random_games(game):
    target = compiled(game)
    whole, pruned = (started(f"lcfr({what})", target, 40) for what in ("on=pruned", "pruning=partial"))
    # forty iterations of regret matching enlarge the last digits, as on Leduc above
    assert pruned.regrets() == pytest.approx(whole.regrets(), abs=1e-8 * np.abs(whole.regrets()).max())
    assert pruned.sums() == pytest.approx(whole.sums(), abs=1e-8 * whole.sums().max())


@pytest.mark.parametrize("solver", ["cfr", "cfr+", "lcfr", "dcfr", "dcfr(beta=0.5)", "cfr(minimiser=hedge)", "pcfr+"])
def test_walks_play_as_the_sequence_form_does(solver):
    """Walks average what the opponent meets; with simultaneous updates that is the usual average."""
    base, _, rest = solver.partition("(")
    inside = f"{rest.rstrip(')')}," if rest else ""
    runs = [started(f"{base}({inside}updates=simultaneous,on={on})", iterations=12) for on in ("sequence", "pruned")]
    assert runs[1].last().probabilities == pytest.approx(runs[0].last().probabilities, abs=1e-9)
    assert runs[1].average().probabilities == pytest.approx(runs[0].average().probabilities, abs=1e-9)
    runs = [started(f"{base}({inside}on={on})", iterations=12) for on in ("sequence", "pruned")]
    assert runs[1].last().probabilities == pytest.approx(runs[0].last().probabilities, abs=1e-9)


# -- own actions: naive twins ------------------------------------------------------------------------------------

TWINS = {
    "cfr(pruning=rbp,skip=2{})": {},
    "cfr(pruning=brp,skip=2{})": {"responses": True},
    "lcfr(pruning=rbp,skip=2{})": {"weight": float},
    "lcfr(pruning=brp,skip=2{})": {"responses": True, "weight": float},
    "cfr+(average=uniform,pruning=rbp,skip=2{})": {"plus": True},
    "cfr+(average=uniform,pruning=brp,skip=2{})": {"plus": True, "responses": True},
}


def compare(game, solver, iterations, **rules):
    """Regrets (where they are in memory) and cumulative plans; returns how often pruning began and ended."""
    target = compiled(game)
    run = started(solver, target, iterations)
    twin = NaivePruning(target.game, skip=2, **rules)
    twin.run(iterations)
    weight = twin.weight(iterations + 1)  # the kernel's regrets are discounted instead
    regrets, sums, expected = weight * run.regrets(), run.sums(), twin.sums()
    for number, (player, name) in enumerate(zip(target.infosets.player, target.infosets.keys, strict=True)):
        key = (int(player), name.split("|")[-1])
        own = slice(target.infosets.first_slot[number], target.infosets.first_slot[number + 1])
        assert sums[own] == pytest.approx(expected[key], abs=1e-7), key
        if np.isnan(regrets[own]).any():
            assert twin.responses
            assert twin.hidden(key)
        else:
            assert regrets[own] == pytest.approx(twin.regret[key], abs=1e-7), key
    return twin.begun, twin.ended


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("solver", TWINS)
@pytest.mark.parametrize("seed", [0, 1, 3])
@pytest.mark.sampled(5)
def test_pruning_equals_naive_twin(solver, updates, seed):
    """The twin keeps every past strategy, sums intervals anew and asserts Theorem 7 whenever one is over."""
    game = RandomGame(seed, signals=2, depth=4)
    rules = TWINS[solver] | {"simultaneous": updates == "simultaneous"}
    begun, ended = compare(game, solver.format(f",updates={updates}"), 60, **rules)
    assert begun >= 5
    assert ended >= 1


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("solver", ["cfr(pruning=partial,{})", "cfr(pruning=rbp,skip=2,{})", "cfr(pruning=brp,skip=2,{})",
                                    "cfr+(pruning=rbp,skip=2,{})", "dcfr(beta=0.5,pruning=rbp,skip=2,{})"])  # fmt: skip
@pytest.mark.parametrize("game", [RandomGame(1, signals=2, depth=6), "leduc(suits=merged)"], ids=["random", "leduc"])
@pytest.mark.sampled(8)
def test_averages_are_sums_of_realisation_plans(game, solver, updates):
    """Lazily shared out plans equal the brute-force sum, also where nobody has been for long.

    In turn, player 0 is met after its update of the same iteration, player 1 before its own.
    """
    target = compiled(game)
    run = started(solver.format(f"updates={updates}"), target)
    first = np.repeat(target.infosets.player == 0, np.diff(target.infosets.first_slot))
    total = np.zeros(target.infosets.slots)
    for t in range(1, 121):
        before = own_reach(target.forest, run.last().probabilities)
        run.advance(1)
        after = own_reach(target.forest, run.last().probabilities)
        met = np.where(first, after, before) if updates == "alternating" else before
        total += float(run.weights.piece(t, t).share[0]) * met
    assert run.sums() == pytest.approx(total, abs=1e-9 * total.max())


def test_pruning_kuhn_equals_naive_twin():
    assert min(compare("kuhn", "cfr(pruning=rbp,skip=2)", 100)) >= 3
    assert min(compare("kuhn", "cfr(pruning=brp,skip=2)", 100, responses=True)) >= 1


def test_bounds_from_histories_skip_more():
    """sum over histories of reach x largest payoff below is never above reach x U ([Brown20, §3.3.2])."""
    coarse, fine = (started(f"cfr(pruning=rbp,bound={bound})", iterations=2000) for bound in ("infoset", "history"))
    assert fine.nodes_touched < coarse.nodes_touched
    assert fine.evaluate().exploitability < 2.0 * coarse.evaluate().exploitability


# -- best response below actions that are not played ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("solver", "published"),
    [("cfr(on=pruned,updates=simultaneous)", 1.94e-2), ("cfr(zero_reach=safe,updates=simultaneous)", 1.93e-2),
     ("cfr(zero_reach=scaled,updates=simultaneous)", 1.64e-2), ("cfr(zero_reach=always,updates=simultaneous)", 1.11e-2),
     ("cfr(zero_reach=always)", 2.26e-3)],
)  # fmt: skip
def test_best_response_in_zero_reach_sequences(solver, published):
    """[Brown20, §3.3.1]: total exploitability on Leduc at T = 10,000, recomputed; rounding moves it by some percent."""
    assert started(solver, iterations=10_000).evaluate().nash_conv == pytest.approx(published, rel=0.06)


# -- recomputed exploitability at equal nodes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("solver", "published", "iterations"),
    [("cfr(on=pruned)", 8.0e-2, 259), ("cfr(pruning=partial)", 3.8e-2, 574), ("cfr(pruning=rbp)", 3.0e-2, 732),
     ("cfr(pruning=brp)", 2.6e-2, 740), ("cfr+(average=uniform,pruning=partial)", 3.2e-2, None),
     ("cfr+(average=uniform,pruning=brp)", 2.9e-2, None), ("cfr+(pruning=partial)", 2.5e-3, None)],
)  # fmt: skip
def test_leduc_at_a_million_nodes(solver, published, iterations):
    """[Brown20, Figures 3.14 and 3.20] recomputed, first column: total exploitability and iterations."""
    run = started(solver)
    run.advance_nodes(10**6)
    assert run.evaluate().nash_conv == pytest.approx(published, rel=0.12)
    if iterations is not None:
        assert run.iteration == pytest.approx(iterations, rel=0.03)


# -- memory --------------------------------------------------------------------------------------------------------


def pool_bytes(tables):
    """Bytes of the tables that pruning can shrink."""
    pools = {id(array): array.nbytes for array in (getattr(tables, name) for name in (*POOLED, *PLANS))}
    return sum(pools.values())


def test_freed_memory_is_really_given_back():
    """Living sequences move to smaller arrays, sharing and results unharmed."""
    run = started("cfr(pruning=brp,forget=0.1)")
    full = pool_bytes(run.tables)
    run.advance(3000)
    assert run.live_fraction < 0.95
    run.tables = moved(run.tables, 0, run.layout.widest)
    tables = run.tables
    assert len(tables.strategy) == int(SPARE * tables.tally[LIVE]) + run.layout.widest
    assert tables.value is tables.ends
    assert tables.total is tables.average
    freed = tables.place == tables.tally[NOWHERE]
    assert freed.sum() == len(tables.place) - tables.tally[LIVE] > 0
    assert pool_bytes(tables) / full == pytest.approx(SPARE * tables.tally[LIVE] / len(tables.place), abs=0.05)
    before = run.evaluate().exploitability
    run.advance(50)
    assert run.evaluate().exploitability == pytest.approx(before, rel=0.2)


@pytest.mark.parametrize(
    "solver", ["cfr(pruning=brp,skip=3)", "cfr(pruning=brp,skip=3,forget=0.1)", "lcfr(pruning=brp,skip=3)"]
)
def test_nothing_reads_freed_memory(solver):
    """Freed entries hold NaN; one that were read would spread."""
    run = started(solver, iterations=1500)
    tables = run.tables
    live = tables.place != tables.tally[NOWHERE]
    assert np.isnan(tables.strategy[-1])
    assert np.isnan(tables.total[-1])
    assert not live.all()
    for name in ("strategy", "regret", "bound"):
        assert not np.isnan(getattr(tables, name)[tables.place[live]]).any()
    assert not np.isnan(run.sums()).any()
    assert run.evaluate().exploitability < 0.05


def test_a_read_of_freed_memory_would_be_seen():
    """The poison works: marked as freed without being out of use, an entry spoils the answer."""
    run = started("cfr(pruning=brp,skip=3)", iterations=1500)
    played = np.flatnonzero(run.tables.strategy[:-1] > 0.5)
    run.tables.strategy[played[:20]] = np.nan
    run.advance(5)
    assert np.isnan(run.sums()).any()


@pytest.mark.parametrize("seed", [4, 14])
def test_forgotten_plans_start_again_from_zero(seed):
    """However often actions are dropped and come back: no plan is negative, none passes on more than it got."""
    target = compiled(RandomGame(seed, signals=2, depth=4))
    run = started("cfr(pruning=brp,skip=2,forget=1.0)", target, 200)
    sums, first, parent = run.sums(), target.infosets.first_slot, target.forest.parent_slot
    assert sums.min() >= 0.0
    for i in range(len(target.infosets)):
        got = sums[parent[i]] if parent[i] >= 0 else 200.0
        assert sums[first[i] : first[i + 1]].sum() <= got + 1e-9


def test_averages_of_forgotten_actions_are_dropped():
    kept, dropped = (started(f"cfr(pruning=brp,forget={c})", iterations=4000) for c in (0.0, 0.1))
    assert dropped.live_averages < kept.live_averages
    assert dropped.evaluate().exploitability < 2.0 * kept.evaluate().exploitability


# -- running, saving, going on ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["cfr(pruning=partial)", "cfr(pruning=rbp,skip=3)", "cfr(pruning=brp,skip=3,forget=0.05)",
                                    "dcfr(beta=0.5,pruning=rbp,skip=3)", "cfr+(pruning=rbp,skip=3)",
                                    "cfr(minimiser=hedge,threshold=0.5,pruning=rbp)"])  # fmt: skip
def test_resumed_and_cut_runs_equal_uninterrupted_ones(solver, tmp_path):
    whole = solve(LEDUC, solver, iterations=400)
    half = solve(LEDUC, solver, iterations=150)
    half.save(tmp_path / "half.eqb")
    resumed = solve(LEDUC, solver, iterations=400, resume=load_solution(tmp_path / "half.eqb"))
    assert np.array_equal(resumed.policy.probabilities, whole.policy.probabilities)
    assert resumed.extra == whole.extra
    run = started(solver)
    while run.iteration < 400:
        run.advance(min(37, 400 - run.iteration))
        run.evaluate()
    assert np.array_equal(run.average().probabilities, whole.policy.probabilities)


def test_units_of_weights_change_nothing(monkeypatch):
    """DCFR(1.5, 0.5, 2) weighs by exp(2 sqrt(t)); counting in powers of two rounds nothing away."""
    game = compiled("kuhn")
    whole = started("dcfr(beta=0.5,pruning=rbp,skip=5)", game, 3000)
    monkeypatch.setattr(walk_weights, "UNIT_BITS", 24)
    monkeypatch.setattr(walk_weights, "_UNIT", 24 * np.log(2.0))
    monkeypatch.setattr("equilibrist.solvers.pruned_cfr.memory_pool.UNIT_BITS", 24)
    often = started("dcfr(beta=0.5,pruning=rbp,skip=5)", game, 3000)
    assert often.units[0] >= 3
    assert often.average().probabilities == pytest.approx(whole.average().probabilities, abs=1e-9)
    assert whole.evaluate().exploitability < 1e-4


def test_long_runs_with_growing_weights_stay_finite():
    run = started("dcfr(beta=0.5,pruning=rbp)", compiled("kuhn"), 30_000)  # exp(2 sqrt(30000)) is 2^500
    assert run.units[0] >= 1
    assert run.evaluate().exploitability < 1e-5


@pytest.mark.parametrize("solver", ["cfr(pruning=rbp)", "cfr(pruning=brp)", "lcfr(pruning=rbp)", "lcfr(pruning=brp)",
                                    "dcfr(beta=0.5,pruning=rbp)", "cfr+(average=uniform,pruning=brp)"])  # fmt: skip
@pytest.mark.parametrize("game", ["kuhn", "liars-dice(faces=3)", "goofspiel(cards=3)"])
def test_pruned_solvers_converge_to_the_value(solver, game):
    target = compiled(game)
    exact = solve(target, "lp").value[0]
    solution = solve(target, solver, until=2e-3, iterations=50_000)
    assert solution.converged
    assert solution.value[0] == pytest.approx(exact, abs=5e-3)


def test_solutions_say_what_was_touched():
    solution = solve("kuhn", "cfr(pruning=brp)", iterations=50)
    assert solution.extra["nodes_touched"] > 0
    assert 0 < solution.extra["live_fraction"] <= 1
    assert solution.settings["representation"] == "pruned"
    assert solve("kuhn", "cfr(pruning=partial)", nodes=5000).extra["nodes_touched"] == pytest.approx(5000, abs=120)


# -- refusals --------------------------------------------------------------------------------------------------------


def test_the_old_name_of_walks_is_refused_with_the_new_one():
    with pytest.raises(ParameterError, match="on=pruned"):
        make_solver("cfr(on=walk)")  # the old name


@pytest.mark.parametrize(
    ("solver", "reason"),
    [("dcfr(pruning=rbp)", "multiplies negative regrets by 0.5"), ("hs-dcfr(pruning=rbp)", "pointless|no guarantee"),
     ("dcfr(beta=-inf,pruning=rbp)", "floored and discounted"), ("lcfr+(pruning=brp)", "floored and discounted"),
     ("cfr+(pruning=brp)", "weigh iterations alike"), ("cfr(average=linear,pruning=brp)", "weigh iterations alike"),
     ("dcfr(beta=0.5,pruning=brp)", "weighted alike"), ("pcfr+(pruning=partial)", "stale"),
     ("cfr(minimiser=hedge,pruning=partial)", "positive probability"), ("cfr(when_nonpositive=argmax,pruning=rbp)", "uniform"),
     ("cfr(minimiser=hedge,threshold=0.5,pruning=brp)", "without thresholds")],
)  # fmt: skip
def test_unsound_combinations_are_refused_with_the_reason(solver, reason):
    with pytest.raises(NotApplicableError, match=reason):
        make_solver(solver)


@pytest.mark.parametrize(
    ("solver", "reason"),
    [("cfr(pruning=rpb)", "Did you mean 'rbp'"), ("cfr(pruning=rbp,skip=-1)", "'skip' is a number"),
     ("cfr(pruning=rbp,forget=0.1)", "add pruning=brp"), ("cfr(bound=history)", "add pruning=rbp"),
     ("cfr(pruning=rbp,zero_reach=safe)", "leave 'zero_reach' out"), ("cfr(pruning=rbp,skip=soon)", "'skip' of 'cfr' takes a number")],
)  # fmt: skip
def test_bad_settings_are_refused(solver, reason):
    with pytest.raises(ParameterError, match=reason):
        make_solver(solver)


def test_games_and_representations_that_cannot_be_walked_are_refused():
    with pytest.raises(NotApplicableError, match="two players"):
        solve("kuhn(players=3)", "cfr(pruning=partial)", iterations=1)
    with pytest.raises(NotApplicableError, match="two players"):
        solve("tests/data/absent_minded_driver.efg", "cfr(pruning=rbp)", iterations=1)
    with pytest.raises(NotApplicableError, match="on=sequence"):
        solve("kuhn", "cfr(pruning=rbp,on=sequence)", iterations=1)
    with pytest.raises(NotApplicableError, match="wipes out"):
        CFR(schedule=Custom(lambda t: 1.0, lambda t: 1.0, lambda t: float(t != 3)), pruning=Pruning("partial")).start(
            compiled("kuhn")
        ).advance(5)


def test_searches_on_spots_refuse_pruning():
    from equilibrist.solvers.postflop.solve_spot import spot_solver

    with pytest.raises(NotApplicableError, match="not 'cfr\\(pruning=partial\\)'"):
        spot_solver("cfr(pruning=partial)")


def test_kernel_constants_match_the_names():
    assert METHODS == ("none", "partial", "rbp", "brp")
    assert (kernels.NOTHING, kernels.PARTIAL, kernels.INTERVALS, kernels.RESPONSES) == (0, 1, 2, 3)
    assert ZERO_REACH == ("play", "safe", "scaled", "always")
    assert (kernels.PLAY, kernels.SAFE, kernels.SCALED, kernels.ALWAYS) == (0, 1, 2, 3)
