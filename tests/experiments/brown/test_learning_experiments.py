"""Experiments of learning: values of duels, checks that can fail, curves that go on."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.artifact import load_artifact
from equilibrist.experiments.brown.learning import courses as courses_module
from equilibrist.experiments.brown.learning import (
    deep_cfr_ablations,
    deep_cfr_duel,
    deep_cfr_fhp,
    deep_cfr_sweeps,
    rebel_liars_dice,
)
from equilibrist.experiments.brown.learning import learners_liars_dice as dice
from equilibrist.experiments.brown.learning.courses import CoursePlan, LearningCourse, course, courses
from equilibrist.experiments.brown.learning.deep_cfr_sweeps import STEPS, WALKS, WIDTH
from equilibrist.experiments.findings import Request
from equilibrist.experiments.registry import experiment_cards, run_experiment
from equilibrist.forms.compiled import compiled
from equilibrist.learning.catalogue import load_method
from equilibrist.solvers.responses.best_response import evaluate_policy
from equilibrist.solvers.solve import solve


def test_a_duel_is_played_from_both_seats() -> None:
    """An equilibrium of Kuhn poker wins nothing from itself; against even play it wins what its value from each seat says."""
    game = compiled("kuhn")
    solved = solve("kuhn", solver="lp").policy
    even = game.infosets.uniform()
    assert deep_cfr_duel.duel(game, solved, solved) == pytest.approx(0.0, abs=1e-9)
    won = deep_cfr_duel.duel(game, solved, even)
    assert won > 0.0
    assert won == pytest.approx(-deep_cfr_duel.duel(game, even, solved))
    best = evaluate_policy(game, even).best_response_value
    assert best is not None
    assert won <= 1000 * sum(best) / 2 + 1e-9


def test_finer_abstractions_are_larger_and_less_exploitable() -> None:
    game = compiled(deep_cfr_duel.GAME)
    found = deep_cfr_duel.abstractions(game)
    sizes = [int(name.split()[0]) for name in found]
    assert sizes == sorted(sizes)
    exploited = [evaluate_policy(game, policy).exploitability for policy in found.values()]
    assert exploited == sorted(exploited, reverse=True)


def test_checks_of_duels_fail_where_the_order_is_another() -> None:
    sizes = ["10 clusters", "20 clusters"]
    table = {
        "Deep CFR": {"NFSP": 5.0, "10 clusters": 3.0, "20 clusters": -1.0},
        "NFSP": {"Deep CFR": -5.0, "10 clusters": -3.0, "20 clusters": -2.0},
        "10 clusters": {"Deep CFR": -3.0},
    }
    passed = [check.passed for check in deep_cfr_duel.checks_of(table, sizes)]
    assert passed == [True, False, True, True]


def test_checks_of_sweeps_fail_where_the_order_is_another() -> None:
    early = {WALKS: {30: 3.0, 1000: 2.0}}
    ends = {WALKS: {30: 1.2, 1000: 1.0}, STEPS: {10: 2.0, 100: 1.0}, WIDTH: {8: 2.0, 64: 1.0}}
    assert all(check.passed for check in deep_cfr_sweeps.checks_of(early, ends))
    ends[WALKS][30] = 1.6  # further apart than before
    assert [check.passed for check in deep_cfr_sweeps.checks_of(early, ends)] == [True, True, True, False]
    ends |= {STEPS: {10: 1.0, 100: 1.0}, WIDTH: {8: 1.0, 64: 1.0}}
    early[WALKS][30] = 1.9
    assert not any(check.passed for check in deep_cfr_sweeps.checks_of(early, ends))


def test_sweeps_change_one_value_at_a_time() -> None:
    for setting in (deep_cfr_sweeps.QUICK, deep_cfr_sweeps.FULL):
        for panel, values in setting.swept.items():
            assert setting.usual[panel] in values
        method = deep_cfr_sweeps.method({**setting.usual, WALKS: 7, WIDTH: 9})
        assert (method.traversals, method.steps, method.width) == (7, setting.usual[STEPS], 9)


def test_variants_differ_in_one_part() -> None:
    whole, *changed = deep_cfr_ablations.variants().values()
    for each in changed:
        differ = [key for key, value in vars(whole).items() if getattr(each, key) != value]
        assert len(differ) == 1


def test_tables_of_liars_dice_are_counted_in_histories() -> None:
    game = compiled("liars-dice(faces=3)")
    passes = dice.by_passes(game, 6 * game.tree.histories)
    assert list(passes) == [2.0 * game.tree.histories * k for k in (1, 2, 3)]
    sampled = dice.by_sampling(game, 20_000, seed=0)
    assert 20_000 <= max(sampled) < 21_000
    for curve in (passes, sampled):
        assert min(curve.values()) < next(iter(curve.values()))


def test_a_course_tells_the_learner_that_it_ends_with() -> None:
    game = compiled("kuhn")
    made = course("few", load_method("sd-cfr(traversals=20,steps=5)"), game, Request(), iterations=4, marks=(3,))
    assert made.learner is not None
    assert made.learner.iteration == 4
    assert made.at("policy", iteration=3) >= 0.0
    policy = made.learner.policy()
    assert made.last("policy") == evaluate_policy(game, policy).exploitability
    assert np.isfinite(made.nodes).all()


TINY = {
    part: deep_cfr_fhp.FlopLearning("flop-holdem(ranks=3,suits=3)", 6, 40, 8, 64, 2000, growth=growth)
    for part, growth in ((deep_cfr_fhp.LONGER, 1.0), (deep_cfr_fhp.PRINTED, 0.0))
}


def test_flop_holdem_has_both_averages_of_one_training(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(deep_cfr_fhp, "FULL", TINY)
    monkeypatch.setattr(deep_cfr_fhp, "CURVE", {2: 100, 6: 50})
    monkeypatch.setattr(courses_module, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(deep_cfr_fhp, "_text_checks", lambda found: [])
    found = deep_cfr_fhp.run(Request(full=True))
    curve, fitted = (
        found.measured[f"{deep_cfr_fhp.PRINTED}, {label}"] for label in (deep_cfr_fhp.NETS, deep_cfr_fhp.NET)
    )
    assert set(fitted) == {2, 6} < set(curve)
    assert fitted[6] != curve[6]
    assert deep_cfr_fhp.run(Request(full=True)).measured == found.measured  # nothing is left to do


def test_checks_of_flop_holdem_fail_above_the_text() -> None:
    def passed(net: float, nets: float, early: float) -> list[bool]:
        readings = {deep_cfr_fhp.NET: [early / 1000, net / 1000], deep_cfr_fhp.NETS: [early / 1000, nets / 1000]}
        made = LearningCourse([150, 450], [1, 2], readings)
        return [check.passed for check in deep_cfr_fhp._text_checks(made)]

    assert passed(37.0, 39.9, 99.0) == [True, True, True]
    assert passed(40.1, 39.9, 99.0) == [True, False, True]
    assert passed(37.0, 40.1, 101.0) == [False, True, False]


def test_a_course_without_memories_goes_on_with_new_samples(monkeypatch, tmp_path) -> None:
    """The state that is kept has no samples in it, and the run ends where it was told to."""
    monkeypatch.setattr(courses_module, "cache_folder", lambda: tmp_path)
    method, game = load_method("sd-cfr(traversals=20,steps=5,memory=500)"), compiled("kuhn")
    first = course("few", method, game, Request(full=True), iterations=4, memories=False)
    (kept,) = tmp_path.glob("experiments/learning/*.eqc")
    assert not [name for name in load_artifact(kept, "checkpoint").arrays if name.startswith("memory/")]
    more = course("few", method, game, Request(full=True), iterations=7, memories=False)
    assert more.iterations[: len(first.iterations)] == first.iterations
    assert more.learner.iteration == 7
    assert more.learner.regrets[0].offered[0] > first.learner.regrets[0].offered[0]


def two_hands(seed: int) -> CoursePlan:
    method = load_method("rebel(inside=4,hands=4,width=8,batch=8,depth=1,averaged=0.5)")
    return CoursePlan(f"few, seed {seed}", method, "kuhn", 3, seed, (1, 2, 3), later=(2, 3))


def test_courses_in_other_processes_come_to_the_same_and_go_on(tmp_path, monkeypatch) -> None:
    """Readings that are put off are of the states that were kept; a second run finds everything."""
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path / "one"))
    here = courses(two_hands, (0, 1), Request())
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path / "two"))
    there = courses(two_hands, (0, 1), Request(full=True, jobs=2))
    assert [made.exploitability for made in there.values()] == [made.exploitability for made in here.values()]
    assert {made.learner for made in there.values()} == {None}
    kept = tmp_path / "two" / "experiments" / "learning"
    told = [json.loads(path.read_text()) for path in kept.glob("*.json")]
    assert [len(each["points"]) for each in told if "points" in each] == [3, 3]
    assert {each["value"] for each in told if "value" in each} == {
        v for each in here.values() for v in each.exploitability["policy"][1:]
    }
    monkeypatch.setattr("equilibrist.learning.rebel.rebel.ReBeLLearner.advance", None)
    again = courses(two_hands, (0, 1), Request(full=True))
    assert [made.exploitability for made in again.values()] == [made.exploitability for made in here.values()]


def test_where_time_is_over_the_last_states_that_were_kept_are_measured(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path))
    monkeypatch.setattr(Request, "is_late", property(lambda request: True))
    whole = two_hands(0)
    (early,) = courses(lambda seed: replace(whole, iterations=9, later=(1, 5)), (0,), Request(full=True)).values()
    assert early.iterations == [1]
    monkeypatch.undo()
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path / "other"))
    (made,) = courses(lambda seed: whole, (0,), Request()).values()
    assert early.exploitability["policy"] == [made.at("policy", iteration=1)]


def test_only_the_last_states_are_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path))
    plan = replace(two_hands(0), iterations=5, later=(5, 4, 3, 2, 1))
    (made,) = courses(lambda seed: plan, (0,), Request(full=True)).values()
    assert np.isfinite(made.exploitability["policy"]).tolist() == [False, False, True, True, True]
    kept = tmp_path / "experiments" / "learning"
    assert len([path for path in kept.glob("*.eqc") if path.stem.count("-") == 1]) == 3
    plan = replace(plan, later=())
    assert made.last("policy") == courses(lambda seed: plan, (0,), Request())[0].last("policy")


def test_wherever_time_is_over_a_mean_is_of_the_last_part_of_a_training() -> None:
    """Three checkpoints evenly apart, none more than four times as far back as they are apart, and no short measures among them."""
    for label, sizes in rebel_liars_dice.ITERATIONS.items():
        for size, end in sizes.items():
            kept = rebel_liars_dice.plan((size, label, 0), full=True).later
            apart = end - kept[-2]
            assert kept[-1] == end
            for over in range(150, end + 1):
                reached = [mark for mark in kept if mark <= over][-3:]
                assert len(reached) == 3
                assert over - reached[0] <= 4 * apart
                assert set(np.diff(reached)) <= {apart, 2 * apart}  # a measure on the way may take the place of one


def test_short_measures_on_the_way_are_no_checkpoints() -> None:
    iterations, played = [80, 100, 105, 120], [0.3, 0.9, 0.2, 0.1]
    made = LearningCourse(iterations, [0] * 4, {rebel_liars_dice.PLAYED: played})
    assert rebel_liars_dice.checkpoints(made) == [(80, 0.3), (105, 0.2), (120, 0.1)]


def test_a_training_that_ends_early_is_measured_as_it_is(monkeypatch) -> None:
    """Not as it was at the last point of its curve; what was never looked at is not a number."""
    method, game, looks = load_method("sd-cfr(traversals=20,steps=5)"), compiled("kuhn"), iter(range(100))
    monkeypatch.setattr(Request, "is_late", property(lambda request: next(looks) >= 10))
    made = course("few", method, game, Request(), iterations=1000)
    assert made.iterations[-1] == made.learner.iteration < 1000
    assert made.last("policy") == evaluate_policy(game, made.learner.policy()).exploitability
    assert np.isnan(made.at("policy", iteration=900))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [card.id for card in experiment_cards() if card.side_by_side])
def test_whatever_ends_early_says_how_far_it_came(name: str) -> None:
    found = run_experiment(name, seconds=0.0, jobs=2)
    assert found.status
    assert json.dumps(found.to_json())
