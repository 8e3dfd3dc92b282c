"""`equilibrist search`: decisions of a solved spot searched again."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from equilibrist import Spot, solve
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.spot_solution import load_spot_solution


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory):
    spot = Spot(
        board="Td9d6hQd",
        pot=200,
        stack=900,
        range={"oop": "TT+,AQs,KJs,J8s,87s,T9s,66", "ip": "QQ-88,ATs+,KJs,J8s,98s,66,AJo"},
        bets={"bet": "75%", "raise": "a"},
    )
    path = tmp_path_factory.mktemp("search") / "turn.eqb"
    solve(spot, iterations=60).save(path)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["search", *map(str, arguments)], prog_name="equilibrist")


def test_a_decision_with_finer_bets(blueprint, tmp_path):
    out = tmp_path / "finer.eqb"
    result = run(
        blueprint,
        "--line",
        "x:x:2s",
        "--technique",
        "unsafe",
        "--bets",
        "33%, a",
        "--raises",
        "a",
        "--out",
        out,
        "--json",
    )
    facts = json.loads(result.stdout)
    assert facts["labels"] == ["x", "b66", "b900"]
    assert facts["searcher"] == facts["player"] == "oop"
    assert facts["exploitability"]["percent_of_pot"] < 0.1
    assert facts["margin"] is None
    assert load_spot_solution(out).root.labels == ("x", "b66", "b900")


def test_a_bet_that_was_not_solved(blueprint):
    facts = json.loads(run(blueprint, "--line", "x:x:2s:x", "--bet", "b37", "--iterations", "600", "--json").stdout)
    assert (facts["searcher"], facts["player"], facts["pot"]) == ("oop", "oop", 237.0)
    assert facts["labels"][:2] == ["f", "c"]
    assert facts["tolerance"] < 0.5
    shown = run(blueprint, "--line", "x:x:2s:x", "--bet", "b37").stdout
    assert "resolve search for oop" in shown
    assert "smallest margin" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--line", "x:x"], "Nobody acts"),
        (["--line", "x", "--bet", "b0.1"], "least bet is 1"),
        (["--technique", "magic"], "searched by"),
        (["--line", "b9"], "no action"),
    ],
)
def test_what_cannot_be_searched(blueprint, words, said):
    result = run(blueprint, *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") <= 2
