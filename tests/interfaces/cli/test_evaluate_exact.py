"""`equilibrist evaluate BLUEPRINT --exact`, as people run it."""

import json
import sys

import pytest
from typer.testing import CliRunner

from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.blueprint.exact import exact_exploitability as exact
from equilibrist.solvers.blueprint.exact.exact_exploitability import ExactProgress, exact_exploitability
from random_blueprint import LEDUC, NINE_CARDS, random_blueprint

runner = CliRunner()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("exact") / "nine.eqb"
    random_blueprint(NINE_CARDS).save(path)
    return path


def facts(*words):
    done = runner.invoke(app, ["evaluate", *map(str, words), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_all_flops(file):
    found = facts(file, "--exact", "--threads", 1)
    known = exact_exploitability(random_blueprint(NINE_CARDS)).judgement.exploitability.least
    assert found["exploitability"]["at_least"] == pytest.approx(10.0 * known)  # chips of a big blind of 100
    assert (found["unit"], found["complete"], found["flops"]) == ("mbb/g", True, found["of_flops"])
    assert found["seats"] == ["big blind", "small blind"]
    assert len(list(file.with_suffix(".flops").glob("flop-*"))) == found["flops"]
    shown = runner.invoke(app, ["evaluate", str(file), "--exact"]).stdout
    assert f"{10.0 * known:+.2f}" in shown
    assert "rounding" in shown


def test_a_sample(file):
    found = facts(file, "--exact", "--flops", 8, "--seed", 3)
    whole = facts(file, "--exact")["exploitability"]["at_least"]
    low, high = found["exploitability"]["interval"]
    assert low <= whole <= high
    assert found["flops"] <= 8 < found["of_flops"]
    shown = runner.invoke(app, ["evaluate", str(file), "--exact", "--flops", "8"]).stdout
    assert "95 %" in shown
    assert "valued on the other" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["always-call", "--exact"], "is none"),
        (["always-call", "--flops", "20"], "give --exact"),
        (["always-call", "--threads", "2"], "give --exact"),
        (["always-call", "--device", "cuda"], "give --exact"),
        (["FILE", "--exact", "--device", "tpu"], "no device 'tpu'"),
        (["FILE", "--exact", "--device", "cuda"], "--device cuda needs CuPy"),
        (["FILE", "--exact", "--learn", "10"], "leave --learn out"),
        (["FILE", "--exact", "--lbr", ""], "leave --lbr out"),
        (["FILE", "--exact", "--responses", "best"], "leave --responses out"),
    ],
)
def test_refusals(file, words, said, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    done = runner.invoke(app, ["evaluate", *(str(file) if word == "FILE" else word for word in words)])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_players_without_blinds_are_counted(tmp_path):
    random_blueprint(LEDUC).save(tmp_path / "leduc.eqb")
    assert facts(tmp_path / "leduc.eqb", "--exact")["seats"] == ["first player", "second player"]


def test_blueprints_too_large_to_be_written_out_are_evaluated_otherwise(file):
    """Once they were not: what their players state is no exploitability."""
    found = facts(file, "--lbr", "", "--against", "")["exploitability"]
    assert found["value"] is None
    assert found["reason"].endswith("With the blueprint's own bets: --exact.")


def test_an_interrupt_says_how_to_go_on(file, monkeypatch):
    def interrupted(*args, report, **kwargs):
        report(ExactProgress(3, 20, 1.0, 10**6))
        raise KeyboardInterrupt

    monkeypatch.setattr(exact, "exact_exploitability", interrupted)
    done = runner.invoke(app, ["evaluate", str(file), "--exact"])
    assert done.exit_code == 130
    assert "3 flops are kept in" in " ".join(done.output.split())
    assert "the same command goes on" in " ".join(done.output.split())
