"""ReBeL on hold'em in a folder: what it learns, how it goes on, what it publishes, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")

from equilibrist.core.artifact import load_artifact  # noqa: E402
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError  # noqa: E402
from equilibrist.interfaces.cli.app import app  # noqa: E402
from equilibrist.learning.hand_values.belief_states import random_states  # noqa: E402
from equilibrist.learning.hand_values.labels import LabelledStates  # noqa: E402
from equilibrist.learning.hand_values.network_values import NetworkValues  # noqa: E402
from equilibrist.learning.rebel_holdem import rebel_training  # noqa: E402
from equilibrist.learning.rebel_holdem.flop_play import ClassExamples  # noqa: E402
from equilibrist.learning.rebel_holdem.publishing import load_flop_values  # noqa: E402
from equilibrist.learning.rebel_holdem.rebel_folder import KIND, rebel_facts, resume_rebel, start_rebel  # noqa: E402
from equilibrist.learning.rebel_holdem.rebel_order import PRESETS, read_rebel_order  # noqa: E402
from equilibrist.learning.rebel_holdem.self_play import PlayedStates  # noqa: E402
from equilibrist.solvers.blueprint.strategy import load_blueprint  # noqa: E402

NAME = "rebel-holdem-20bb"
TINY = f"{NAME}(iterations=3,flops=1,lines=1,states=1,preflop=4,inside=2,cards=1,random=0,until=20,width=4,wide=8)"
PLAYED = f"{NAME}(iterations=3,preflop=4,width=4,wide=8,states=1)"


def run(*typed: object, code: int = 0) -> str:
    found = CliRunner().invoke(app, [str(each) for each in typed], prog_name="equilibrist")
    assert found.exit_code == code, found.output
    return " ".join(found.output.split())


def invented(game, settings, before, after, random, **how):
    """Self-play that looks at no flop: both networks are asked, so that what they have learned tells."""
    weights = random.random((4, 2, 169)).astype(np.float32)
    asked = before.shares(np.full(4, 4.5), weights.astype(np.float64))
    added = (0.1 * asked + 0.05 * random.normal(size=asked.shape)).astype(np.float32)
    states = random_states("turn", 4, random, (1.0, 2.0))
    shift = float(after.net.worth[-1].bias.detach()[0])
    values = (np.float32(shift) + 0.1 * random.normal(size=states.ranges.shape)).astype(np.float16).astype(np.float32)
    flops = ClassExamples(weights, np.full(4, 4.5), added, np.ones((4, 169), np.float32))
    return PlayedStates(flops, LabelledStates(states, values, np.zeros(4)))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebel_training, "play", invented)


def same_state(one: Path, other: Path) -> bool:
    first, second = (load_artifact(folder / "state.eqb", KIND).arrays for folder in (one, other))
    return first.keys() == second.keys() and all(np.array_equal(first[key], second[key]) for key in first)


@pytest.mark.usefixtures("quick")
def test_going_on_is_bit_for_bit_what_an_uninterrupted_run_gives(tmp_path: Path) -> None:
    order = PRESETS.make(PLAYED)
    whole = start_rebel(tmp_path / "whole", order, threads=1)
    assert start_rebel(tmp_path / "parts", order, threads=1, seconds=0.0)["iterations"] == 0
    (tmp_path / "parts" / "flops-00001.eqb").write_bytes(b"left behind")  # by an iteration that was not done
    stops = iter([False, True])

    def stop(progress):
        if progress.iterations == 1 and next(stops):
            raise KeyboardInterrupt

    resume_rebel(tmp_path / "parts", threads=1, report=stop)
    parts = resume_rebel(tmp_path / "parts", threads=1)
    assert whole["finished"]
    assert parts["finished"]
    assert same_state(tmp_path / "whole", tmp_path / "parts")
    plain = [[{k: v for k, v in point.items() if k != "seconds"} for point in each["curve"]] for each in (whole, parts)]
    assert plain[0] == plain[1]
    more = resume_rebel(tmp_path / "parts", iterations=4, threads=1)
    assert (more["iterations"], more["planned"]) == (4, 4)
    with pytest.raises(ParameterError, match="asked for 4 iterations; 2 would be fewer"):
        resume_rebel(tmp_path / "parts", iterations=2)


@pytest.mark.usefixtures("quick")
def test_what_a_folder_publishes(tmp_path: Path) -> None:
    folder = tmp_path / "rebel"
    start_rebel(folder, PRESETS.make(PLAYED), threads=1)
    assert all(path.stat().st_size < 2e6 for path in folder.iterdir())
    blueprint = load_blueprint(folder / "preflop.eqb")
    tree = blueprint.abstract.tree
    assert blueprint.abstract.buckets.sizes == (169, 1, 1, 1)
    assert blueprint.strategy(tree.find("c:x"), 0).tolist() == [1.0, 0.0, 0.0]  # later rounds are for a search
    assert blueprint.strategies(0, np.arange(169)).sum(axis=1) == pytest.approx(np.ones(169))
    assert NetworkValues(folder).saved(3).street == "turn"
    assert load_flop_values(folder / "flop-values.eqb").outcomes
    assert blueprint.record.extra["preflop_exploitability_bb"] >= 0.0


@pytest.mark.usefixtures("quick")
def test_networks_learn(tmp_path: Path) -> None:
    """The invented values of turns are far from what hands are worth; the errors fall towards their noise."""
    order = PRESETS.make(
        f"{NAME}(iterations=10,preflop=4,width=8,wide=16,states=1,begin=nothing,turn_rate=0.01,rate=0.003)"
    )
    curve = start_rebel(tmp_path / "rebel", order, threads=1)["curve"]
    assert curve[-1]["turn"] < 0.8 * curve[0]["turn"]


@pytest.mark.usefixtures("quick")
def test_files_that_are_gone_or_of_something_else(tmp_path: Path) -> None:
    folder = tmp_path / "rebel"
    start_rebel(folder, PRESETS.make(PLAYED), threads=1)
    with pytest.raises(ParameterError, match="not an empty folder"):
        start_rebel(folder, PRESETS.make(PLAYED))
    (folder / "turns-00002.eqb").unlink()
    with pytest.raises(FormatError, match=r"lacks turns-00002.eqb"):
        resume_rebel(folder, iterations=5)
    (folder / "plan.json").write_text('{"version": 1, "kind": "rebel-holdem", "flops": "many"}')
    with pytest.raises(FormatError, match="damaged"):
        read_rebel_order(folder)
    (tmp_path / "other").mkdir()
    with pytest.raises(FormatError, match="no folder of ReBeL"):
        rebel_facts(tmp_path / "other")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("rebel-holdem-20bb(flops=0)", "flops"),
        ("rebel-holdem-20bb(colour=1)", "has no parameter 'colour'"),
        ("rebel-holdem-20bb(begin=late)", "net or nothing"),
    ],
)
def test_orders_that_make_no_sense(typed: str, said: str) -> None:
    with pytest.raises(EquilibristError, match=said):
        PRESETS.make(typed)


@pytest.mark.slow
def test_from_the_command_line_to_a_table(tmp_path: Path) -> None:
    """Real self-play, the smallest there is; the same again, in two sessions, and its player beside another."""
    folder = tmp_path / "rebel"
    assert "3 of 3 iterations, finished" in run("learn", "start", folder, "--preset", TINY)
    run("learn", "start", tmp_path / "parts", "--preset", TINY.replace("iterations=3", "iterations=1"))
    (tmp_path / "parts" / "plan.json").write_text((folder / "plan.json").read_text())  # rates fall as planned
    run("learn", "resume", tmp_path / "parts", "--iterations", 3)
    assert same_state(folder, tmp_path / "parts")
    facts = json.loads(run("learn", "status", folder, "--json"))
    assert facts["finished"]
    assert len(facts["curve"]) == 3
    assert "--label-seconds is for" in run("learn", "resume", folder, "--label-seconds", 1, code=2)
    player = f"rebel(folder={folder},iterations=2,cards=1,preflop=4)"
    assert '"faults": 0}], "faults": 0' in run("match", player, "always-call", "--hands", 6, "--json")
