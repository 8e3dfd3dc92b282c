"""Trainings in folders: they stop at any moment and go on, and what they write is what other commands read."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import FormatError, ParameterError, TooLargeError
from equilibrist.interfaces.cli.app import app
from equilibrist.learning import LearningOrder, learning_facts, resume_learning, start_learning
from equilibrist.learning.trainings.publishing import NETS, read_card
from equilibrist.solvers.saved_solutions import load_solution

METHOD = "sd-cfr(traversals=40,steps=10,width=16,depth=2)"
ORDER = LearningOrder("kuhn", METHOD, 6, seed=3)


def run(*typed, code=0):
    result = CliRunner().invoke(app, [str(word) for word in typed], prog_name="equilibrist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output + result.stderr
    return result.stdout if code == 0 else result.stderr


@pytest.mark.parametrize("method", [METHOD, METHOD.replace("sd-cfr(", "deep-cfr(memory=300,batch=32,")])
def test_a_run_in_pieces_is_the_run_in_one(tmp_path, method):
    order = LearningOrder("kuhn", method, 6, seed=3)
    whole = start_learning(tmp_path / "whole", order)
    start_learning(tmp_path / "pieces", order, seconds=0.0)
    assert learning_facts(tmp_path / "pieces")["iterations"] == 0
    for iterations in (1, 4, 6):
        pieces = tmp_path / "pieces"
        (pieces / "plan.json").write_text(
            (pieces / "plan.json")
            .read_text()
            .replace(f'"iterations": {learning_facts(pieces)["planned"]}', f'"iterations": {iterations}')
        )
        made = resume_learning(pieces)
    assert np.array_equal(made.policy.probabilities, whole.policy.probabilities)
    assert made.exploitability == whole.exploitability
    names = {path.name for path in (tmp_path / "pieces").iterdir()}
    assert names == {"plan.json", "state.eqb", "memories-6.eqb", "policy.eqb", NETS}


def test_without_memories_it_goes_on_from_nets(tmp_path, caplog):
    start_learning(tmp_path / "run", ORDER, with_memories=False)
    assert not list((tmp_path / "run").glob("memories*"))
    made = resume_learning(tmp_path / "run", iterations=9)
    assert "filled again" in caplog.text
    assert made.iterations == 9
    facts = learning_facts(tmp_path / "run")
    assert facts["finished"]
    assert [point["iterations"] for point in facts["curve"]] == sorted(
        {point["iterations"] for point in facts["curve"]}
    )


@pytest.mark.parametrize(
    "method",
    [METHOD, METHOD.replace("sd-cfr(", "deep-cfr("), "ppo(average=all,width=16,steps=64)", "dream(plays=20,steps=5)"],
)
@pytest.mark.parametrize("memories", [True, False])
def test_going_on_with_what_is_finished_changes_nothing(tmp_path, method, memories):
    folder = tmp_path / "run"
    made = start_learning(folder, LearningOrder("kuhn", method, 4, seed=3), with_memories=memories)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    again = resume_learning(folder, with_memories=memories)
    assert np.array_equal(made.tabular().probabilities, again.tabular().probabilities)
    assert {name for name, data in before.items() if (folder / name).read_bytes() != data} <= {"plan.json"}
    further = resume_learning(folder, iterations=5, with_memories=memories)
    assert further.exploitability < 2.0 * made.exploitability + 0.05


def test_memories_take_what_they_hold(tmp_path):
    method = METHOD.replace("sd-cfr(", "deep-cfr(memory=1000000,")
    start_learning(tmp_path / "run", LearningOrder("kuhn", method, 3, seed=3))
    assert (tmp_path / "run" / "memories-3.eqb").stat().st_size < 100_000


def test_a_folder_without_its_state_is_not_begun_again(tmp_path):
    start_learning(tmp_path / "run", ORDER)
    (tmp_path / "run" / "state.eqb").unlink()
    before = (tmp_path / "run" / "policy.eqb").read_bytes()
    with pytest.raises(FormatError, match=r"no state\.eqb to go on from"):
        resume_learning(tmp_path / "run", seconds=0.0)
    assert (tmp_path / "run" / "policy.eqb").read_bytes() == before


def test_memories_of_another_moment_are_not_left_behind(tmp_path):
    start_learning(tmp_path / "run", ORDER)
    assert list((tmp_path / "run").glob("memories*"))
    resume_learning(tmp_path / "run", iterations=7, with_memories=False)
    assert not list((tmp_path / "run").glob("memories*"))


def test_train_knows_a_folder_of_learning(tmp_path):
    start_learning(tmp_path / "run", ORDER)
    assert "learn resume" in run("train", "status", tmp_path / "run", code=2)
    assert "learn resume" in run("learn", "start", tmp_path / "run", "--game", "kuhn", "--method", METHOD, code=2)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    assert "resume" not in run("learn", "start", tmp_path / "other", "--game", "kuhn", "--method", METHOD, code=2)


def test_the_card_tells_how_nets_were_made(tmp_path):
    made = start_learning(tmp_path / "run", ORDER)
    card = read_card(tmp_path / "run" / NETS)
    assert (card["game"], card["method"], card["iterations"]) == ("kuhn", METHOD, 6)
    assert card["exploitability"] == pytest.approx(made.exploitability)


def test_the_journey(tmp_path):
    """learn → status → show → verify → played against another player → searched → resumed."""
    folder = tmp_path / "run"
    told = json.loads(run("learn", "start", folder, "--game", "kuhn", "--method", METHOD, "--iterations", 5, "--json"))
    assert told["finished"]
    assert told["exploitability"] > 0
    assert "learn resume" not in run("learn", "status", folder)
    policy = folder / "policy.eqb"
    assert load_solution(policy).exploitability == told["exploitability"]
    assert "K" in run("show", policy)
    assert "They agree" in run("verify", policy)
    assert json.loads(run("match", policy, "always-call", "--game", "kuhn", "--hands", 200, "--json"))
    more = json.loads(run("learn", "resume", folder, "--iterations", 8, "--json"))
    assert more["iterations"] == 8
    assert "sd-cfr" in run("learn", "methods")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--game", "kuhn", "--method", "sdcfr"), "Did you mean 'sd-cfr'?"),
        (("--game", "kun", "--method", "sd-cfr"), "kuhn"),
        (("--game", "kuhn", "--method", "sd-cfr(steps=0)"), "1 to 1,000,000"),
        (("--game", "kuhn", "--method", "sd-cfr(window=true)"), "memory"),
        (("--game", "kuhn", "--method", "sd-cfr", "--device", "gpu"), "cuda"),
        (("--game", "kuhn", "--method", "vr-deep-dcfr+(offset=0)"), "offset"),
        (("--game", "kuhn", "--method", "rebel(random_beliefs=true,depth=100)"), "nothing to learn"),
        (("--game", "kuhn", "--method", "sd-cfr(memory=200000000,traversals=1)"), "smaller memory"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, monkeypatch, typed, said):
    monkeypatch.setenv("EQUILIBRIST_MEMORY", "1e9")
    told = run("learn", "start", tmp_path / "run", *typed, code=2)
    assert said in told
    assert told.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_folders_that_are_none(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(ParameterError, match="not empty"):
        start_learning(tmp_path / "full", ORDER)
    with pytest.raises(FormatError, match="no folder of a training"):
        resume_learning(tmp_path / "full")
    start_learning(tmp_path / "run", ORDER)
    with pytest.raises(ParameterError, match="fewer"):
        resume_learning(tmp_path / "run", iterations=2)
    plan = tmp_path / "run" / "plan.json"
    text = plan.read_text()
    plan.write_text(text.replace('"kuhn"', '"leduc"'))
    with pytest.raises(FormatError, match="is of the game 'kuhn', its plan says 'leduc'"):
        resume_learning(tmp_path / "run", iterations=8)
    plan.write_text(text.replace("steps=10", "steps=11"))
    with pytest.raises(FormatError, match="is of the method"):
        resume_learning(tmp_path / "run", iterations=8)
    plan.write_text(text.replace('"seed"', '"sed"'))
    with pytest.raises(FormatError, match="damaged"):
        resume_learning(tmp_path / "run")
    plan.write_text(text)
    state = tmp_path / "run" / "state.eqb"
    state.write_bytes(state.read_bytes()[:1000])
    with pytest.raises(FormatError):
        resume_learning(tmp_path / "run")
    assert TooLargeError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_signals_leave_a_folder_that_goes_on(tmp_path, number):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "equilibrist", "learn", "start", str(folder), "--game", "kuhn", "--method", METHOD]
    process = subprocess.Popen([*command, "--iterations", "1000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (folder / "plan.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    os.kill(process.pid, number)
    process.communicate(timeout=60)
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[number] or (
        process.returncode == 0 and number != signal.SIGKILL
    )
    facts = learning_facts(folder)
    if number != signal.SIGKILL:
        assert facts["iterations"] > 0
    made = resume_learning(folder, iterations=1_000_000, seconds=0.3)
    assert made.iterations > facts["iterations"]
