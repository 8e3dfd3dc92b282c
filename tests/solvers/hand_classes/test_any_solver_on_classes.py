"""Games of buckets by every solver on plans: solved, saved, opened, resumed, verified, warm started, with models."""

from functools import lru_cache

import numpy as np
import pytest

from equilibrist import Binding, load_solution, solve, verify
from equilibrist.core.errors import EquilibristError
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import PLUS

TINY = "bucket-holdem(buckets=2,boards=0,rounds=2,ranks=5)"


@lru_cache
def exact():
    return solve(TINY, "dcfr", iterations=500)  # on the sequence form


@pytest.mark.parametrize("solver", ["cfr(minimiser=hedge)", "cfr(updates=simultaneous)", "flop", "cfr-br", "egt"])
def test_a_journey(tmp_path, solver):
    first = solve(TINY, solver, on="buckets", iterations=60)
    assert first.kind == "buckets"
    start = solve(TINY, solver, on="buckets", iterations=2)
    assert first.exploitability < 0.7 * start.exploitability
    gap = first.exploitability + exact().exploitability
    assert first.evaluation.value[0] == pytest.approx(exact().evaluation.value[0], abs=gap)
    first.save(tmp_path / "tiny.eqb")
    opened = load_solution(tmp_path / "tiny.eqb")
    assert verify(opened).agrees
    on = solve(TINY, solver, iterations=80, resume=opened)
    whole = solve(TINY, solver, on="buckets", iterations=80)
    assert on.exploitability == pytest.approx(whole.exploitability, rel=1e-9)


@pytest.mark.parametrize("solver", ["cfr", "dcfr"])
def test_a_profile_starts_a_run(tmp_path, solver):
    solve(TINY, "dcfr", on="buckets", iterations=60).save(tmp_path / "tiny.eqb")
    profile = load_solution(tmp_path / "tiny.eqb")
    warm = solve(TINY, solver, on="buckets", warm_start=profile, warm_iterations=60, iterations=70)
    cold = solve(TINY, "cfr", on="buckets", iterations=70)
    assert warm.iterations == 70
    if solver == "cfr":  # discounts weigh the first iterations after it far more than the profile
        assert warm.exploitability < 0.5 * cold.exploitability
    later = solve(TINY, solver, on="buckets", warm_start=profile, iterations=3000)
    assert later.exploitability < warm.exploitability
    gap = later.exploitability + exact().exploitability
    assert later.evaluation.value[0] == pytest.approx(exact().evaluation.value[0], abs=gap)


@pytest.mark.parametrize("mode", ["per_hand", "per_infoset"])
def test_models_bind_as_on_the_sequence_form(mode):
    """The same restricted game on matrices of classes and on the sequence form of the tree: same values, same best responses."""
    model = solve(TINY, "cfr", on="buckets", iterations=3)
    found = []
    for policy, on in ((model.policy, "buckets"), (model.tabular(), None)):
        solver = CFR(schedule=PLUS, bindings=(Binding(policy, 1, 0.6, mode),))
        found.append(solve(TINY, solver, on=on, iterations=50))
    assert found[0].evaluation.value == pytest.approx(found[1].evaluation.value, rel=1e-9)
    assert found[0].evaluation.best_response_value == pytest.approx(found[1].evaluation.best_response_value, rel=1e-9)
    assert found[0].settings["bindings"] == found[1].settings["bindings"]
    free = solve(TINY, "cfr+", iterations=50)
    assert abs(found[0].evaluation.value[0] - free.evaluation.value[0]) > 1e-3
    with pytest.raises(EquilibristError, match="belong to that other game"):
        verify(found[0])


def test_ranges_are_never_exceeded():
    """`spread` bounds what sequences of an infoset can differ by, for random plans of the opponent."""
    from equilibrist.forms.contract import random_plan
    from equilibrist.forms.hand_classes.bucket_form import bucket_form
    from equilibrist.games.catalogue import load_game

    form = bucket_form(load_game(TINY))
    spread, generator = form.spread(), np.random.default_rng(1)
    assert len(spread) == int(form.first_infoset[2])
    for _ in range(5):
        plan = random_plan(form, generator)
        for p in range(2):
            out = form.gradient(p, plan[form.offset[1 - p] : form.offset[2 - p]])
            for i in range(int(form.first_infoset[p]), int(form.first_infoset[p + 1])):
                first = int(form.first_sequence[i] - form.offset[p])
                here = out[first : first + int(form.actions[i])]
                assert here.max() - here.min() <= spread[i] + 1e-12
    assert compiled(TINY).sequence_form.offset[2] == form.offset[2]


def test_refusals():
    profile = solve(TINY, "dcfr", iterations=5)
    for how, words in (
        ({"warm_start": profile}, "on=buckets"),
        ({"warm_start": solve(TINY, on="buckets", iterations=3), "solver": "egt"}, "regret matching"),
        ({"solver": "undominated"}, "not by 'undominated'"),
        ({"solver": "os-mccfr"}, "use es-mccfr"),
    ):
        with pytest.raises(EquilibristError, match=words):
            solve(TINY, on="buckets", iterations=5, **how)
