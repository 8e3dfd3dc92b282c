"""Off-tree bets of a game solved on its boards: what is measured is what the same game measures as a table."""

import json

import pytest
from typer.testing import CliRunner

import equilibrist as eq
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.solution import TabularSolution
from equilibrist.evaluation.verification.off_tree_bets import answer_off_tree
from equilibrist.evaluation.verification.off_tree_flops import answer_off_tree_flops
from equilibrist.interfaces.cli.app import app

GAME = "nolimit-flop-holdem(stack=300,sizes=[0.5,1],ranks=4,suits=2)"


@pytest.fixture(scope="module")
def solution():
    return eq.solve(GAME, "cfr+(on=boards)", iterations=30)


@pytest.mark.parametrize("technique", ["resolve", "maxmargin"])
def test_as_in_the_tree(solution, technique):
    table = TabularSolution(solution.game, solution.record, solution.tabular(), solution.evaluation)
    found, same = (
        answer_off_tree_flops(solution, "75%", technique, 200),
        answer_off_tree(table, "75%", technique, 200)[0],
    )
    assert found.game == same.game
    assert found.before == pytest.approx(same.before, rel=1e-6)
    assert found.after == pytest.approx(same.after, rel=0.01)
    assert found.answers == (2, 2)  # lines, on all boards


def test_the_command_says_what_was_found_or_why_not(solution, tmp_path):
    def ask(*more):
        return CliRunner().invoke(app, ["search", str(tmp_path / "game.eqb"), "--everywhere", *more])

    solution.save(tmp_path / "game.eqb")
    found = ask("--bet", "75%", "--iterations", "20", "--json")
    assert found.exit_code == 0
    told = json.loads(found.stdout)
    assert told["answers"] == {"1": 2, "2": 2}
    assert 0.0 < told["exploitability"]["before"] < told["exploitability"]["after"]
    for more in (["--bet", "75%", "--line", "c"], ["--bet", "75%", "--out", str(tmp_path / "x.eqb")], []):
        assert ask(*more).exit_code == 2


def test_what_cannot_be_answered_is_said(solution):
    with pytest.raises(ParameterError, match="adds nothing"):
        answer_off_tree_flops(solution, "50%")
    with pytest.raises(NotApplicableError, match="which hands"):
        answer_off_tree_flops(solution, "75%", "unsafe")
    with pytest.raises(NotApplicableError, match="no neighbours on both sides"):
        answer_off_tree_flops(solution, "75%", "translation")
