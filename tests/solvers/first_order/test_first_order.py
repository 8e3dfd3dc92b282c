"""Prox functions, the excessive gap technique and mirror methods against naive twins, bounds and known values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import equilibrist as eq
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.sequence_form.operator_form import OperatorForm
from equilibrist.games.formats.efg.reader import read_efg
from equilibrist.games.library.matrix import MatrixGame
from equilibrist.solvers.first_order.excessive_gap import egt
from equilibrist.solvers.first_order.mirror_prox import Extragradient
from equilibrist.solvers.first_order.prox import Prox
from equilibrist.solvers.plan_space.field import Field
from equilibrist.solvers.registry import make_solver
from random_games import RandomGame, small_zero_sum_games
from reference.naive_treeplex import NaiveEGT, Treeplex
from reference.naive_treeplex import Prox as NaiveProx

METHODS = [
    "egt",
    "egt(variant=1)",
    "egt(variant=aggressive)",
    "egt(prox=euclidean,weights=growing)",
    "smoothing(accuracy=0.05)",
    "iterated-smoothing",
    "iterated-smoothing(step=lan-lu-monteiro)",
    "mirror-prox",
    "mirror-prox(prox=entropy,average=uniform)",
    "optimistic-md",
    "magnetic-md",
]


class Opaque:
    """Products without entries."""

    def __init__(self, payoff):
        self.gradient = payoff.gradient


def implicit(form):
    """The same problem behind the protocol, so that nothing can be fused."""
    largest = float(np.abs(form.payoff.value).max())
    arrays = (form.offset, form.first_infoset, form.first_sequence, form.actions, form.parent)
    return OperatorForm(form.name, *arrays, Opaque(form.payoff), largest)


def gap(run):
    return run.evaluate().nash_conv


# --- prox functions


@settings(max_examples=25, deadline=None)
@given(small_zero_sum_games(), st.integers(0, 99), st.sampled_from(["entropy", "euclidean"]), st.booleans())
def test_smoothed_responses_equal_the_formulas_of_the_text(game, seed, kind, growing):
    form = Compiled(game).sequence_form
    field = Field(form)
    prox = Prox(field, kind, "growing" if growing else "one")
    rng = np.random.default_rng(seed)
    g = rng.normal(size=field.sequences) * 10 ** rng.uniform(-1, 1)
    for player in range(2):
        own = field.own(player)
        weight = prox.weight[form.first_infoset[player] : form.first_infoset[player + 1]]
        naive = NaiveProx(Treeplex(form, player), kind, list(weight))
        plan, value = naive.response(g[own])
        found = prox.response(player, g)
        assert found.plan[own] == pytest.approx(plan, abs=1e-11)
        assert found.value == pytest.approx(value, abs=1e-10)
        assert found.value == pytest.approx(float(g[own] @ plan) - naive.value(np.maximum(plan, 1e-200)), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(small_zero_sum_games(), st.integers(0, 99), st.sampled_from(["entropy", "euclidean"]))
def test_a_step_from_a_centre_needs_no_gradient_of_the_prox_function(game, seed, kind):
    """The divergence of a dilated function is the dilated divergence; the text adds the gradient instead."""
    form = Compiled(game).sequence_form
    field = Field(form)
    prox, rng = Prox(field, kind, "one"), np.random.default_rng(seed)
    first, g = rng.normal(size=(2, field.sequences)) * 0.3
    for player in range(2):
        own, naive = field.own(player), NaiveProx(Treeplex(form, player), kind)
        centre = prox.response(player, first)
        if centre.plan[own].min() <= 0:  # where the centre lies on the boundary, the gradient says nothing of behaviour
            continue
        expected, _ = naive.response(naive.gradient(centre.plan[own]) + g[own])
        assert prox.response(player, g, centre=centre.coordinate).plan[own] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("kind", "largest"), [("entropy", math.log(4)), ("euclidean", 0.5 * (1 - 1 / 4))])
def test_largest_distance_on_a_simplex(kind, largest):
    """[Gilpin09, §8.3.1]."""
    field = Field(eq.compiled("random-matrix(rows=4,columns=4)").sequence_form)
    assert Prox(field, kind, "one").largest() == pytest.approx((largest, largest))


def test_large_gradients_do_not_overflow():
    field = Field(eq.compiled("leduc").sequence_form)
    for kind in ("entropy", "euclidean"):
        found = Prox(field, kind, "one").response(0, np.linspace(-1e6, 1e6, field.sequences))
        assert np.isfinite(found.plan).all()
        assert np.isfinite(found.coordinate).all()
        assert found.plan[field.own(0)].sum() > 0


# --- excessive gap


@pytest.mark.parametrize(
    ("name", "kind"), [("kuhn", "entropy"), ("kuhn", "euclidean"), ("leduc(suits=merged)", "entropy")]
)
def test_egt_equals_its_naive_twin_until_rounding_decides(name, kind):
    form = eq.compiled(name).sequence_form
    naive, run = NaiveEGT(form, kind, balance=20), egt(prox=kind, balance=20).on(form)
    for _ in range(24):  # differences double every few steps; balancing falls on steps 0 and 20
        naive.step()
        run.advance(1)
        assert run.mu == pytest.approx(naive.mu, rel=1e-12)
    assert run.answer == pytest.approx(np.concatenate(naive.z), abs=1e-10)
    assert gap(run) == pytest.approx(naive.gap(), abs=1e-10)


def test_egt_on_leduc_comes_to_the_published_gaps():
    """Recomputed: 0.867 after 10 steps exactly; later ones are moved by rounding, so only their size is asked for."""
    run = egt().on(eq.compiled("leduc(suits=merged)").sequence_form)
    found = {}
    for mark in (10, 100, 300, 1000):
        run.advance(mark - run.iteration)
        found[mark] = gap(run)
    assert found[10] == pytest.approx(0.867, abs=0.0005)
    assert found[100] == pytest.approx(0.0753, rel=0.25)
    assert found[300] == pytest.approx(0.0184, rel=0.25)
    assert found[1000] < 0.007
    low, high = run.evaluate().value_bounds
    assert low <= -0.0856064 <= high  # by linear program
    assert run.details()["shrinks"] < 1.03 * 1000  # about 1 % extra


@pytest.mark.parametrize("variant", [1, 2, "aggressive"])
@pytest.mark.parametrize("kind", ["entropy", "euclidean"])
def test_the_condition_holds_at_every_step_and_bounds_the_gap(variant, kind):
    run = egt(prox=kind, variant=variant, balance=7).on(eq.compiled("kuhn").sequence_form)
    for _ in range(150):
        run.advance(1)
        assert run.excess() >= -run.tolerance
        assert -1e-12 <= gap(run) <= run.bound() + 1e-9


def test_plain_egt_keeps_its_bound_on_random_matrices():
    """[Gilpin09, §8.3]: 4 |A| / N sqrt(D1 D2); 60x40, 2,000 steps: bound 7.8e-3, gap 1.1e-3, EGT-2 3.6e-4."""
    plain, second = [], []
    for seed in range(3):
        form = eq.compiled(f"random-matrix(rows=60,columns=40,seed={seed})").sequence_form
        run = egt(variant=1).on(form)
        run.advance(2000)
        assert run.details()["shrinks"] == 2000  # no step had to be repeated
        plain.append(gap(run))
        assert plain[-1] <= 4 * float(np.abs(form.payoff.value).max()) / 2000 * math.sqrt(math.log(60) * math.log(40))
        run = egt().on(form)
        run.advance(2000)
        second.append(gap(run))
    assert np.mean(plain) == pytest.approx(1.1e-3, rel=0.3)
    assert np.mean(second) == pytest.approx(3.6e-4, rel=0.5)


def test_heuristics_help():
    """[Gilpin09, Figures 8.2 and 8.3] on a stand-in: a tenth of the plain gap with both."""
    form = eq.compiled("leduc(suits=merged)").sequence_form
    found = {}
    for name, method in {"plain": egt(variant=1), "1": egt(balance=0), "2": egt(variant=1, balance=10)}.items():
        run = method.on(form)
        run.advance(200)
        found[name] = gap(run)
    assert found["1"] < found["plain"] / 3
    assert found["2"] < found["plain"] / 2


def test_a_step_that_rounding_forbids_begins_anew(monkeypatch):
    run = egt().on(eq.compiled("kuhn").sequence_form)
    run.advance(300)
    before = gap(run)
    run.tolerance = -1.0  # no trial is ever accepted
    run._begin = lambda fit: setattr(run, "tolerance", 1e-11)  # type: ignore[method-assign]
    run.advance(1)
    assert run.iteration == 301
    assert run.prox.home == pytest.approx(run.field.behaviour(run.answer))
    assert gap(run) == pytest.approx(before)


# --- mirror methods


def test_verified_steps_bound_the_gap_of_the_average():
    for optimistic in (False, True):
        for kind in ("entropy", "euclidean"):
            solver = Extragradient(optimistic, kind, "one", power=0.0)
            run = solver.on(eq.compiled("leduc(suits=merged)").sequence_form)
            for _ in range(12):
                run.advance(25)
                assert gap(run) <= run.details()["bound"] + 1e-9


@pytest.mark.parametrize("optimistic", [False, True])
@pytest.mark.parametrize("kind", ["entropy", "euclidean"])
def test_steps_are_valid_and_not_much_shorter_than_they_could_be(optimistic, kind):
    """[Nemirovski04]: the values of both players' steps along the trial's gradients sum to at most 0."""
    run = Extragradient(optimistic, kind, "one", power=0.0).on(eq.compiled("leduc(suits=merged)").sequence_form)
    tried = 0
    for _ in range(60):
        centre, products = run.arrays[0].copy(), run.control[3]
        run.advance(1)
        step, worth = run.control[0] / run.control[1], run.arrays[3]
        found = [run.prox.response(p, worth, 1 / step, centre) for p in range(2)]
        assert sum(response.value for response in found) <= run.limits[0]
        for player in range(2):
            own = run.field.own(player)
            assert run.arrays[1][own][1:] == pytest.approx(found[player].behaviour[own][1:], abs=1e-14)
        tried += run.control[3] - products > (1 if optimistic else 2)
    assert 1 <= tried <= 30  # some steps were too long at first, so they are as long as they can be


@pytest.mark.parametrize("name", ["goofspiel(cards=4)", "leduc(suits=merged)", "kuhn"])
@pytest.mark.parametrize("kind", ["entropy", "euclidean"])
def test_misleading_gradients_do_not_shrink_the_step_to_nothing(name, kind):
    """Where the last trial was far away, no step along its gradient is valid, however short: look again instead."""
    solver = make_solver(f"optimistic-md(prox={kind})")
    run = solver.start(eq.compiled(name))
    steps = []
    for _ in range(60):
        run.advance(1)
        steps.append(run.details()["step"])
    assert min(steps[10:]) > 1e-3 * max(steps)


def test_optimism_halves_the_products():
    runs = [make_solver(name).start(eq.compiled("kuhn")) for name in ("mirror-prox", "optimistic-md")]
    for run in runs:
        run.advance(1000)
    assert 1.8 < runs[0].details()["products"] / runs[1].details()["products"] < 2.2


# --- all methods


@pytest.mark.parametrize("name", METHODS)
def test_methods_find_the_value_of_kuhn(name):
    solution = eq.solve("kuhn", name, iterations=3000)
    low, high = solution.evaluation.value_bounds
    assert low - 1e-12 <= -1 / 18 <= high + 1e-12  # Kuhn 1950
    assert high - low == pytest.approx(2 * solution.exploitability)
    assert solution.exploitability < (0.025 if "0.05" in name else 4e-3)
    checked = eq.evaluate_policy("kuhn", solution.policy)  # another route
    assert checked.best_response_value == pytest.approx(solution.evaluation.best_response_value, abs=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_any_payoff_operator_gives_the_same_run(name):
    form = eq.compiled("leduc(suits=merged)").sequence_form
    fused, parts = make_solver(name).on(form), make_solver(name).on(implicit(form))
    for run in (fused, parts):
        run.advance(30)
    assert parts.field.matrix is None
    assert parts.answer == pytest.approx(fused.answer, abs=1e-9)
    with pytest.raises(NotApplicableError, match="no names"):
        parts.average()


@pytest.mark.parametrize("name", METHODS)
def test_runs_resume_exactly_and_are_deterministic(name, tmp_path):
    whole = eq.solve("leduc(suits=merged)", name, iterations=60)
    first = eq.solve("leduc(suits=merged)", name, iterations=25)
    first.save(tmp_path / "part.eqb")
    rest = eq.solve("leduc(suits=merged)", name, iterations=60, resume=eq.load_solution(tmp_path / "part.eqb"))
    assert np.array_equal(whole.policy.probabilities, rest.policy.probabilities)
    assert rest.iterations == 60
    with pytest.raises(FormatError):
        eq.solve("kuhn", name, iterations=60, resume=first)


@settings(max_examples=12, deadline=None)
@given(small_zero_sum_games(), st.sampled_from(METHODS))
@example(
    RandomGame(seed=0, signals=1, depth=2), "mirror-prox"
)  # any step is valid there, so steps must not grow for ever
def test_methods_agree_with_the_linear_program(game, name):
    target = Compiled(game)
    exact = eq.solve(target, "lp").value[0]
    low, high = eq.solve(target, name, iterations=150).evaluation.value_bounds
    assert low - 1e-9 <= exact <= high + 1e-9


def test_until_is_exploitability():
    for name in ("egt", "smoothing", "mirror-prox"):
        solution = eq.solve("kuhn", name, until=1e-3)
        assert solution.converged
        assert solution.exploitability <= 1e-3
    assert solution.extra["step"] > 0  # what the method knows of itself


def test_interrupts_return_what_there_is():
    def stop(progress):
        if progress.iteration >= 50:
            raise KeyboardInterrupt

    solution = eq.solve("leduc", "egt", until=1e-9, progress=stop)
    assert solution.interrupted
    assert not solution.converged
    again = eq.solve("leduc", "egt", iterations=solution.iterations + 5, resume=solution)
    assert again.iterations == solution.iterations + 5


def test_saddle_points_that_are_no_games_are_solved_too():
    form = eq.compiled("leduc(suits=merged)").sequence_form
    run, again = egt().on(implicit(form)), egt().on(implicit(form))
    run.advance(200)
    assert run.evaluate().nash_conv <= 0.1
    again.restore(run.state())
    again.advance(10)
    run.advance(10)
    assert again.iteration == 210
    assert again.evaluate() == run.evaluate()


# --- refusals


def test_games_that_do_not_fit_are_refused():
    with pytest.raises(NotApplicableError, match="two players, but 'kuhn\\(players=3\\)' has 3"):
        eq.solve("kuhn(players=3)", "egt")
    with pytest.raises(NotApplicableError, match="zero-sum games, but the payoffs of 'both'"):
        eq.solve(MatrixGame("both", [[1, 0], [0, 2]], [[1, 0], [0, 2]]), "mirror-prox")
    forgetful = read_efg(
        'EFG 2 R "forgets" { "1" "2" } p "" 1 1 { "a" "b" } 0 '
        + 2 * 'p "" 1 2 { "c" "d" } 0 t "" 1 "" { 1, -1 } t "" 2 "" { -1, 1 } '
    )
    with pytest.raises(NotApplicableError, match="perfect recall"):
        eq.solve(forgetful, "iterated-smoothing")


def test_operators_that_do_not_fit_are_refused():
    form, other = eq.compiled("kuhn").sequence_form, eq.compiled("leduc").sequence_form
    arrays = (form.offset, form.first_infoset, form.first_sequence, form.actions, form.parent)
    with pytest.raises(NotApplicableError, match="does not fit its infoset trees \\(13 and 13 sequences\\)"):
        egt().on(OperatorForm("mixed up", *arrays, other.payoff))

    class Sideways:
        def gradient(self, player, opponent_plan):
            return form.payoff.gradient(0, opponent_plan)

    with pytest.raises(NotApplicableError, match="not those of one zero-sum matrix"):
        egt().on(OperatorForm("sideways", *arrays, Sideways()))
    short = (form.offset, form.first_infoset, form.first_sequence, form.actions[:-1], form.parent)
    with pytest.raises(NotApplicableError, match="do not fit together"):
        egt().on(OperatorForm("short", *short, form.payoff))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("egt(prox=cubic)", "'prox' is one of entropy, euclidean"),
        ("egt(variant=3)", "'variant' is one of 1, 2, aggressive"),
        ("egt(balance=-1)", "'balance' is a number of steps"),
        ("egt(weights=two)", "'weights' is one of"),
        ("smoothing(accuracy=0)", "'accuracy' must be a number above 0"),
        ("iterated-smoothing(gamma=1)", "'gamma' must be a number above 1"),
        ("iterated-smoothing(step=big)", "'step' is one of"),
        ("mirror-prox(average=cubic)", "'average' is one of"),
        ("magnetic-md(temperature=-1)", "'temperature' must be"),
        ("magnetic-md(decay=-1)", "'decay' lies between"),
    ],
)
def test_bad_parameters_are_refused(name, message):
    with pytest.raises(ParameterError, match=message):
        make_solver(name)


def test_names_say_what_was_chosen():
    assert make_solver("egt").name == "egt"
    assert make_solver("egt(variant=1, prox=euclidean)").name == "egt(prox=euclidean,variant=1)"
    assert make_solver("mirror-prox(average=linear)").name == "mirror-prox(average=linear)"
