"""CFR on games of classes: against CFR on the sequence form, against linear programs, and its certificates."""

from __future__ import annotations

import numpy as np
import pytest

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.compiled import compiled
from equilibrist.forms.hand_classes.classes import classes_from_labels
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, kronecker_form
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.hand_classes.class_cfr import ClassCFR
from equilibrist.solvers.hand_classes.gameshrink_loss import verify_strategy
from equilibrist.solvers.hand_classes.passes import ClassPass, RoundStrategy
from equilibrist.solvers.hand_classes.solve_classes import solve_rounds, start_rounds
from equilibrist.solvers.iteration_loop import Progress
from equilibrist.solvers.linear_programs.plan_program import PlanProgram
from equilibrist.solvers.registry import make_solver

# Games whose finest classes are exactly what players see, so that both representations hold the same game.
SAME = [
    "kuhn",
    "leduc(suits=merged)",
    "rhode-island(ranks=4,suits=1)",
    "nolimit-kuhn",
    "nolimit-leduc(stack=6,sizes=[0.5,1,a])",
]
FAMILY = ["cfr", "cfr+", "lcfr", "dcfr", "dcfr(beta=-0.5,gamma=3)", "pcfr+", "pdcfr+"]


def rules_of(name: str) -> PokerRules:
    game = load_game(name)
    assert isinstance(game, Poker)
    return game.rules


def form_of(name: str, mode: str = "automorphism", threads: int = 1) -> KroneckerForm:
    return kronecker_form(rules_of(name), shrink(rules_of(name), mode), name=name, threads=threads)


def form_scale(name: str) -> float:
    return float(np.abs(form_of(name).rounds[-1].payoff).max())


@pytest.mark.parametrize("solver", FAMILY)
@pytest.mark.sampled(3)
def test_the_family_does_what_it_does_on_the_sequence_form(solver: str) -> None:
    """Sums are added up in another order, and regrets that are zero on paper soon decide; before that all agree to rounding."""
    for name in SAME:
        run, other = start_rounds(form_of(name), solver, bits=64), make_solver(solver).start(compiled(name))
        for iterations in (1, 1, 1):
            run.advance(iterations)
            other.advance(iterations)
            mine, theirs = run.evaluate(), other.evaluate()
            assert mine.value == pytest.approx(theirs.value, abs=1e-10 * form_scale(name))
            assert mine.best_response_value == pytest.approx(theirs.best_response_value, abs=1e-10 * form_scale(name))


@pytest.mark.parametrize("name", ["leduc", "leduc(ranks=5,suits=3)", "rhode-island(ranks=2,suits=2)"])
@pytest.mark.parametrize("mode", ["automorphism", "signature"])
def test_it_finds_the_value_of_the_linear_program(name: str, mode: str) -> None:
    form = form_of(name, mode)
    solution = solve_rounds(form, "dcfr", until=5e-4 * form.rules.ante, bits=64)
    assert solution.converged
    low, high = solution.bracket
    assert high - low == pytest.approx(solution.gap)
    assert low - 1e-9 <= PlanProgram(form, 0).maximise(method="ipm").guarantee <= high + 1e-9


def test_32_bits_and_threads() -> None:
    """Threads own rows, so their number changes nothing; 32 bits change little."""
    name = "rhode-island(ranks=6,suits=3)"
    runs = [
        start_rounds(form_of(name, threads=threads), "dcfr", bits=bits) for threads, bits in ((1, 32), (2, 32), (1, 64))
    ]
    for run in runs:
        run.advance(60)
    alone, shared, exact = (run.evaluate() for run in runs)
    assert all(np.array_equal(a, b) for a, b in zip(runs[0].regret[0], runs[1].regret[0], strict=True))
    assert alone.exploitability == pytest.approx(shared.exploitability, rel=1e-12)
    assert alone.exploitability == pytest.approx(exact.exploitability, rel=0.1)
    assert runs[0].memory_bytes < runs[2].memory_bytes


@pytest.mark.parametrize("name", SAME)
def test_plans_are_those_of_the_form(name: str) -> None:
    """A strategy's plan fulfils the form's equations, and its payoff is the form's gradient times the plan."""
    form = form_of(name)
    run = start_rounds(form, "cfr+", bits=64)
    run.advance(7)
    strategy = run.strategy()
    plans = [strategy.plan(p) for p in range(2)]
    for p in range(2):
        whole = np.ones(form.offset[2])
        whole[form.offset[p] : form.offset[p + 1]] = plans[p]
        infosets = range(form.first_infoset[p], form.first_infoset[p + 1])
        for i in infosets:
            first, count = form.first_sequence[i], form.actions[i]
            assert whole[first : first + count].sum() == pytest.approx(whole[form.parent[i]], abs=1e-12)
    evaluation = strategy.evaluate()
    assert plans[0] @ form.gradient(0, plans[1]) == pytest.approx(evaluation.value[0], abs=1e-9)
    assert plans[1] @ form.gradient(1, plans[0]) == pytest.approx(evaluation.value[1], abs=1e-9)
    for p in range(2):
        for rows, betting in zip(strategy.behaviour(p), form.rounds, strict=True):
            columns = betting.columns[p]
            totals = np.add.reduceat(rows, columns.first, axis=1)
            assert totals == pytest.approx(np.ones_like(totals))


def test_best_responses_are_found_by_the_plain_recursion() -> None:
    form = form_of("rhode-island(ranks=3,suits=2)", "signature")
    run = start_rounds(form, "dcfr")
    run.advance(5)
    strategy = run.strategy()
    best = strategy.evaluate().best_response_value
    assert best is not None
    for p in range(2):
        value = form.gradient(p, strategy.plan(1 - p))
        base = form.offset[p]
        for i in range(form.first_infoset[p + 1] - 1, form.first_infoset[p] - 1, -1):
            first = form.first_sequence[i] - base
            value[form.parent[i] - base] += value[first : first + form.actions[i]].max()
        assert best[p] == pytest.approx(value[0], abs=1e-9)


def test_lifting_changes_nothing_among_the_same_classes_and_costs_among_finer_ones() -> None:
    rules = rules_of("leduc")
    coarse, fine = (kronecker_form(rules, shrink(rules, mode)) for mode in ("signature", "automorphism"))
    solution = solve_rounds(coarse, "cfr+", until=1e-3, bits=64)
    again = solution.strategy.lifted(coarse).evaluate()
    assert again.exploitability == pytest.approx(solution.exploitability, abs=1e-12)
    lifted = solution.strategy.lifted(fine).evaluate()
    assert lifted.value[0] == pytest.approx(solution.evaluation.value[0], abs=1e-9)  # the same play, the same payoff
    assert lifted.exploitability > 0.05  # signatures are not lossless
    with pytest.raises(NotApplicableError, match="not coarser"):
        solve_rounds(fine, iterations=1).strategy.lifted(coarse)
    with pytest.raises(ParameterError, match="rules differ"):
        solution.strategy.lifted(form_of("leduc(ranks=4)"))


def test_verified_shrinking() -> None:
    rules = rules_of("leduc")
    full = kronecker_form(rules, shrink(rules))
    signature = verify_strategy(solve_rounds(kronecker_form(rules, shrink(rules, "signature")), until=1e-3), full)
    assert signature.loss > 0.05
    assert not signature.lossless(1e-2)
    assert signature.nemesis == pytest.approx(-signature.evaluation.exploitability)
    by_suits = verify_strategy(solve_rounds(full, until=1e-3), full)
    assert by_suits.loss == pytest.approx(0.0, abs=1e-12)
    assert by_suits.lossless(1e-9)


def test_asymmetric_classes() -> None:
    """One player sees only ranks in the second round, the other all: the bracket is that of the program."""
    rules = rules_of("leduc(ranks=4)")
    fine = shrink(rules)
    blind = classes_from_labels(rules, [fine.table[0], np.zeros_like(fine.table[1])])
    form = kronecker_form(rules, fine, blind)
    solution = solve_rounds(form, "dcfr", until=1e-3, bits=64)
    low, high = solution.bracket
    assert low <= PlanProgram(form, 0).maximise().guarantee <= high
    assert low > PlanProgram(kronecker_form(rules, fine), 0).maximise().guarantee  # not seeing costs something


def test_a_run_goes_on_where_it_was() -> None:
    form = form_of("leduc")
    straight, halted = start_rounds(form, "pcfr+"), start_rounds(form, "pcfr+")
    straight.advance(20)
    halted.advance(12)
    again = start_rounds(form, "pcfr+")
    again.restore(halted.state())
    again.advance(8)
    assert again.evaluate() == straight.evaluate()
    with pytest.raises(ValueError, match="shape"):
        start_rounds(form_of("kuhn"), "pcfr+").restore(halted.state())


def test_progress_is_told() -> None:
    told: list[Progress] = []
    solution = solve_rounds(form_of("leduc"), until=0.01, progress=told.append)
    assert told[-1].iteration == solution.iterations
    assert told[-1].exploitability == pytest.approx(solution.exploitability)


def test_refusals() -> None:
    form = form_of("kuhn")
    with pytest.raises(NotApplicableError, match="CFR family"):
        solve_rounds(form, "lp")
    with pytest.raises(NotApplicableError, match="regret matching"):
        solve_rounds(form, "cfr(minimiser=hedge)")
    with pytest.raises(NotApplicableError, match="alternating"):
        solve_rounds(form, "cfr(updates=simultaneous)")
    with pytest.raises(NotApplicableError, match="uniformly"):
        solve_rounds(form, "cfr(when_nonpositive=argmax)")
    with pytest.raises(ParameterError, match="32 or 64"):
        solve_rounds(form, bits=16)


@pytest.mark.slow
def test_rhode_island_signature_game() -> None:
    """The recomputed course of CFR+, and the proven bracket of the value."""
    form = form_of("rhode-island", "signature", threads=2)
    run = start_rounds(form, "cfr+(average=quadratic)")
    for iterations, gap in ((300, 7.6), (600, 2.8), (1000, 1.28)):
        run.advance(iterations - run.iteration)
        assert run.evaluate().nash_conv == pytest.approx(gap, rel=0.03)
    solution = solve_rounds(form, until=0.05)
    low, high = solution.bracket
    assert low <= -66.62
    assert high >= -66.72


def test_the_exact_pass_takes_any_weights() -> None:
    """All weights zero is uniform play."""
    form = form_of("kuhn")
    zeros = ClassPass(form).evaluate(ClassCFR(make_solver("cfr"), form).average)
    assert zeros == RoundStrategy(form, ClassCFR(make_solver("cfr"), form).regret).evaluate()
    assert zeros.value[0] == pytest.approx(0.125)  # Kuhn, both players uniform
