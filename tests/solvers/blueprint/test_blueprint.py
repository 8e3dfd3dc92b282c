"""Blueprint training: right on games that can be checked, repeatable, and hard to lose."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist import compiled, load_game
from equilibrist.core.artifact import save_artifact
from equilibrist.core.errors import (
    CannotWriteError,
    EquilibristError,
    FormatError,
    NotApplicableError,
    ParameterError,
    TooLargeError,
)
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker, ExactBuckets, lift
from equilibrist.solvers.blueprint.folder import (
    BLUEPRINT,
    PLAN,
    STATE,
    TrainingOrder,
    resume_training,
    start_training,
    training_facts,
)
from equilibrist.solvers.blueprint.plan import EXACT, BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun, check_memory
from equilibrist.solvers.blueprint.strategy import load_blueprint
from equilibrist.solvers.blueprint.training import PruneRule, Training
from equilibrist.solvers.responses.best_response import evaluate_policy

ROOT = Path(__file__).parents[3]
LEDUC = BlueprintPlan("leduc", cards=EXACT)


def abstract(name):
    rules = load_game(name).rules
    return AbstractPoker(betting_tree(rules), ExactBuckets(rules))


def trained(name, training, blocks, threads=1):
    run = BlueprintRun(abstract(name), training, planned=blocks * BLOCK, threads=threads)
    run.advance(blocks)
    return run


# Leduc has 936 infosets; external sampling gets near 0.02 after half a million deals (uniform play: 2.37)
@pytest.mark.parametrize(
    "training",
    [
        Training(),
        Training(weighting="none"),
        Training(storage="int32"),
        Training(prune=PruneRule("threshold", below=-100, floor=-120)),
        Training(prune=PruneRule("fading", below=-100, floor=-120)),
    ],
    ids=["linear", "plain", "whole numbers", "threshold", "fading"],
)
@pytest.mark.sampled(2)
def test_leduc_is_learned(training):
    run = trained("leduc", training, 130)
    policy = lift(run.game, compiled("leduc").tree.infosets, run.packed())
    evaluation = evaluate_policy(compiled("leduc"), policy)
    assert evaluation.exploitability < 0.045
    assert evaluation.value[0] == pytest.approx(-0.0856, abs=0.02)  # by linear program
    assert run.health().infosets == 936


def test_threads_learn_the_same_game():
    run = trained("leduc", Training(), 130, threads=2)
    policy = lift(run.game, compiled("leduc").tree.infosets, run.packed())
    assert evaluate_policy(compiled("leduc"), policy).exploitability < 0.045


def test_three_players_of_kuhn_lose_little():
    run = trained("kuhn(players=3)", Training(), 60)
    policy = lift(run.game, compiled("kuhn(players=3)").tree.infosets, run.packed())
    assert evaluate_policy(compiled("kuhn(players=3)"), policy).exploitability < 0.008


def test_pruning_skips_walks_and_floors_regrets():
    plain = trained("leduc", Training(weighting="none"), 40)
    pruned = trained("leduc", Training(weighting="none", prune=PruneRule("threshold", below=-5, floor=-6)), 40)
    assert pruned.nodes_touched < 0.97 * plain.nodes_touched
    assert pruned.regret.min() >= -6 * pruned.stack - 1e-3
    assert plain.regret.min() < -6 * plain.stack


@settings(max_examples=60, deadline=None)
@given(data=st.data(), players=st.integers(2, 5))
def test_payoffs_are_those_of_the_rules(data, players):
    paid = np.array([data.draw(st.lists(st.integers(1, 6), min_size=players, max_size=players))], dtype=np.float64)
    folded = data.draw(st.integers(0, 2**players - 2))
    live = [p for p in range(players) if not folded >> p & 1]
    paid[0, [p for p in range(players) if folded >> p & 1]] = np.minimum(
        paid[0, [p for p in range(players) if folded >> p & 1]], paid[0, live].max()
    )
    strength = np.array([data.draw(st.lists(st.integers(1, 3), min_size=players, max_size=players))], dtype=np.int32)
    kind = np.array([kernels.FOLD if len(live) == 1 else 2], dtype=np.int8)
    empty = np.zeros(1, dtype=np.int32)
    tree = kernels.Tree(
        empty.astype(np.int8),
        kind,
        empty.astype(np.int8),
        empty,
        empty,
        np.array([folded], dtype=np.int32),
        paid,
        np.zeros(2, dtype=np.int64),
        1,
    )
    net = [kernels.settle(0, p, tree, strength, 0) for p in range(players)]
    assert net == pytest.approx(naive_payoffs(paid[0], live, strength[0]), abs=1e-9)
    assert sum(net) == pytest.approx(0.0, abs=1e-9)


def naive_payoffs(paid, live, strength):
    """One chip at a time: whoever is in for it and strongest shares it."""
    net = -paid.astype(float)
    for level in range(int(paid.max())):
        inside = [p for p in live if paid[p] > level]
        chips = sum(amount > level for amount in paid)
        winners = [p for p in inside if strength[p] == max(strength[q] for q in inside)]
        for p in winners:
            net[p] += chips / len(winners)
    return net.tolist()


def test_one_thread_repeats_itself_and_other_seeds_differ():
    first, again, other = (trained("leduc", Training(seed=seed), 6) for seed in (1, 1, 2))
    assert np.array_equal(first.regret, again.regret)
    assert not np.array_equal(first.regret, other.regret)


def test_going_on_is_the_same_as_never_having_stopped(tmp_path):
    order = TrainingOrder(LEDUC, Training(), 12 * BLOCK)
    whole = start_training(tmp_path / "whole", order)
    start_training(tmp_path / "cut", order, seconds=0.0)
    assert training_facts(tmp_path / "cut")["finished"] is False
    cut = resume_training(tmp_path / "cut")
    assert training_facts(tmp_path / "cut")["finished"] is True
    assert np.array_equal(whole.packed, cut.packed)
    assert np.array_equal(load_blueprint(tmp_path / "cut" / BLUEPRINT).packed, whole.packed)


def test_killed_at_any_moment_it_goes_on(tmp_path):
    code = (
        "from pathlib import Path\nimport sys\n"
        "from equilibrist.solvers.blueprint.folder import *\n"
        "from equilibrist.solvers.blueprint.plan import BlueprintPlan\n"
        f"start_training(Path({str(tmp_path / 'run')!r}), TrainingOrder(BlueprintPlan('leduc', cards='exact'), Training(), {10**9}), "
        "checkpoint_seconds=0.05, report=lambda p: print(p.iterations, flush=True))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (tmp_path / "run" / STATE).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = training_facts(tmp_path / "run")["iterations"]
    assert before > 0
    resume_training(tmp_path / "run", seconds=0.2)
    assert training_facts(tmp_path / "run")["iterations"] > before


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    order = TrainingOrder(LEDUC, Training(), 40 * BLOCK)
    start_training(tmp_path / "run", order, seconds=0.0)
    before = (tmp_path / "run" / STATE).read_bytes()
    warnings, real = [], save_artifact

    def full(path, artifact):
        if path.parent.name == "run":
            raise CannotWriteError("Cannot write: No space left on device; free some.")
        real(path, artifact)

    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("equilibrist.solvers.blueprint.folder.save_artifact", full)
    with pytest.raises(CannotWriteError, match=r"No space left.* is in '.*home/run-") as refusal:
        resume_training(
            tmp_path / "run", report=lambda p: warnings.append(p.warning), checkpoint_seconds=0.0
        )  # goes on to the end
    monkeypatch.undo()
    assert any("No space left" in warning for warning in warnings)
    assert (tmp_path / "run" / STATE).read_bytes() == before
    rescued = Path(str(refusal.value).split("is in '")[1].split("'")[0])
    assert training_facts(rescued)["finished"]
    resume_training(tmp_path / "run")
    assert (rescued / STATE).read_bytes() == (tmp_path / "run" / STATE).read_bytes()


def test_a_full_disk_that_gets_room_again_costs_nothing(tmp_path, monkeypatch):
    """Two checkpoints fail, later ones do not: the training never ends early."""
    failures, real = iter([True, True]), save_artifact

    def full(path, artifact):
        if next(failures, False):
            raise CannotWriteError("Cannot write: No space left on device; free some.")
        real(path, artifact)

    monkeypatch.setattr("equilibrist.solvers.blueprint.folder.save_artifact", full)
    start_training(tmp_path / "run", TrainingOrder(LEDUC, Training(), 12 * BLOCK), checkpoint_seconds=0.0)
    assert training_facts(tmp_path / "run")["finished"]


def test_one_process_at_a_time_trains_in_a_folder(tmp_path):
    start_training(tmp_path / "run", TrainingOrder(LEDUC, Training(), 2 * BLOCK))

    def at_work(progress):
        with pytest.raises(NotApplicableError, match="Another process is at work in"):
            resume_training(tmp_path / "run")

    resume_training(tmp_path / "run", iterations=4 * BLOCK, report=at_work)
    resume_training(tmp_path / "run", iterations=5 * BLOCK)


def test_a_place_that_cannot_be_written_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWriteError, match="Not a directory; choose a place where folders can be made"):
        start_training(tmp_path / "file" / "run", TrainingOrder(LEDUC, Training(), BLOCK))


@pytest.mark.parametrize("name", [PLAN, STATE, BLUEPRINT])
def test_damaged_files_are_refused(tmp_path, name):
    start_training(tmp_path / "run", TrainingOrder(LEDUC, Training(), 2 * BLOCK))
    path = tmp_path / "run" / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(FormatError):
        load_blueprint(path) if name == BLUEPRINT else resume_training(tmp_path / "run", iterations=4 * BLOCK)


@pytest.mark.parametrize(
    ("error", "said", "make"),
    [
        (ParameterError, "not empty", lambda path: start_training(path, TrainingOrder(LEDUC, Training(), BLOCK))),
        (ParameterError, "fewer", lambda path: resume_training(path, iterations=1)),
        (NotApplicableError, "poker games", lambda path: BlueprintPlan("rps").rules),
        (
            FormatError,
            "no buckets",
            lambda path: BlueprintPlan("nolimit-holdem(stack=2000, sizes=a)", cards="none.eqb").game(),
        ),
        (NotApplicableError, "too many to be told apart", lambda path: abstract("nolimit-holdem(stack=400, sizes=a)")),
        (ParameterError, "floor <= below", lambda path: PruneRule("threshold", below=5.0)),
        (ParameterError, "float32 or int32", lambda path: Training(storage="int8")),
    ],
)
def test_impossible_trainings_are_refused(tmp_path, error, said, make):
    start_training(tmp_path / "run", TrainingOrder(LEDUC, Training(), BLOCK))
    with pytest.raises(EquilibristError, match=said) as caught:
        make(tmp_path / "run")
    assert isinstance(caught.value, error)


def test_what_does_not_fit_in_memory_is_refused_before(monkeypatch):
    monkeypatch.setattr("equilibrist.solvers.blueprint.run.memory_limit", lambda: 1000)
    with pytest.raises(TooLargeError, match="infoset-actions"):
        check_memory(abstract("leduc"), Training())


def test_what_cannot_be_trained_leaves_no_folder(tmp_path):
    for plan in (
        BlueprintPlan("leduc", cards="none.eqb"),
        BlueprintPlan("nolimit-holdem(stack=400, sizes=a)", cards=EXACT),
    ):
        with pytest.raises(EquilibristError):
            start_training(tmp_path / "run", TrainingOrder(plan, Training(), BLOCK))
        assert not (tmp_path / "run").exists()
