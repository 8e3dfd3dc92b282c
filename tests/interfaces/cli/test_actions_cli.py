"""`equilibrist betting` and `equilibrist postprocess`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import equilibrist as eq
from equilibrist.abstraction.bets.bml import read_bml
from equilibrist.interfaces.cli.app import app

ROOT = Path(__file__).parents[3]


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="equilibrist")


def test_betting_as_json():
    found = json.loads(
        run(
            "betting", "nolimit-holdem(stack=1000)", "--menu", "100%,a", "--against", "50%,100%,a", "--buckets",
            "169,1000,1000,1000", "--json",
        ).stdout
    )  # fmt: skip
    assert found["nodes"] == 1182
    assert found["slots"] == 1_138_619  # recomputed
    assert found["bytes"] == 4 * found["slots"]


def test_betting_for_people():
    assert "betting nodes" in run("betting", "leduc").stdout
    assert "every whole bet" in run("betting", "nolimit-holdem(stack=500)").stdout
    shown = run("betting", "nolimit-holdem(stack=2000)", "--menu", ROOT / "examples/menus/tartanian.toml", "--cap", 3)
    assert shown.exit_code == 0
    assert "river" in shown.stdout


def test_sizes_that_nobody_can_bet_are_named(tmp_path):
    menu = tmp_path / "menu.toml"
    menu.write_text('[menu]\nbet = "a"\nraise = "a"\n[menu.preflop]\nbet = "50%, 100%"\nraise = "10%, a"\n')
    shown = run("betting", "nolimit-holdem(stack=1000)", "--menu", menu, "--json")
    assert json.loads(shown.stdout)["nodes"] > 0
    said = " ".join(shown.stderr.split())
    assert 'Warning: menu.preflop.bet = "50%, 100%" is never used' in said
    assert "Warning: '10%' of menu.preflop.raise can never be bet" in said
    tartanian = run("betting", "nolimit-holdem(stack=2000)", "--menu", ROOT / "examples/menus/tartanian.toml")
    assert "Warning" not in tartanian.stderr


def test_betting_as_bml(tmp_path):
    assert run("betting", "nolimit-leduc", "--menu", "100%,a", "--bml", tmp_path / "leduc.bml").exit_code == 0
    found = read_bml((tmp_path / "leduc.bml").read_text())
    shown = run("betting", tmp_path / "leduc.bml", "--json")
    rounds = json.loads(shown.stdout)["rounds"]
    assert [one["decisions"] for one in rounds] == [len(one.decisions) for one in found.rounds]
    assert "go on" in run("betting", tmp_path / "leduc.bml").stdout
    (tmp_path / "bad.bml").write_text("<efg/>")
    refused = run("betting", tmp_path / "bad.bml")
    assert refused.exit_code == 2
    assert "'bml' was expected" in refused.output
    assert run("betting", tmp_path / "none.bml").exit_code == 2
    assert found.name == "nolimit-leduc"
    assert found.rounds[0].decisions[0].actions == (("k", 0), ("r1", 1), ("a", 2))


@pytest.mark.parametrize(
    "words",
    [
        ("kuhn(players=3)", "--bml", "three.bml"),
        ("kuhn", "--bml", "no/such/folder.bml"),
        ("rps",),
        ("kuhn", "--buckets", "1,2"),
        ("kuhn", "--menu", "half"),
        ("kuhn", "--against", "a"),
        ("kuhn", "--cap", "-1"),
        ("nolimit-holdem",),
        ("kuhn", "--menu", "missing.toml"),
    ],
)
def test_betting_refuses_with_one_sentence(words):
    result = run("betting", *words)
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1


def test_postprocess(tmp_path):
    first, second = tmp_path / "kuhn.eqb", tmp_path / "pure.eqb"
    eq.solve("kuhn", "lp").save(first)
    facts = json.loads(run("postprocess", first, "--rule", "purify", "--out", second, "--json").stdout)
    assert facts["exploitability"]["before"] == pytest.approx(0, abs=1e-9)
    assert facts["exploitability"]["after"] > 0.01
    pure = eq.load_solution(second)
    assert not pure.converged
    assert pure.exploitability == pytest.approx(facts["exploitability"]["after"])
    assert run("verify", second).exit_code == 0
    assert "exploitability" in run("postprocess", first, "--rule", "generalised(0.2)").stdout
    assert run("postprocess", first, "--rule", "purity").exit_code == 2
