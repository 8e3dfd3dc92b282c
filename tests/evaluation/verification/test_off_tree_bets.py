"""`search --everywhere --bet`: a size that the solution lacks, answered wherever it can be bet, and measured by an independent route."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

import equilibrist as eq
from equilibrist.core.errors import EquilibristError
from equilibrist.evaluation.verification.off_tree_bets import answer_off_tree
from equilibrist.experiments.brown.subgames.bl26 import MILLI
from equilibrist.experiments.brown.subgames.nested_everywhere import opponents_get, size_missing
from equilibrist.forms.compiled import compiled
from equilibrist.interfaces.cli.app import app
from equilibrist.search.off_tree.nested_search import carry
from equilibrist.search.off_tree.off_tree import OffTree, answer_everywhere

SMALL, FINER = "continuous-leduc(sizes=[0.5,1])", "continuous-leduc(sizes=[0.5,0.75,1])"


@pytest.fixture(scope="module")
def solution() -> eq.Solution:
    return eq.solve(SMALL, "cfr+", iterations=40)


def run(*words: Any) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_bet_is_answered_saved_and_verified(solution: eq.Solution, tmp_path: Path) -> None:
    file, out = tmp_path / "small.eqb", tmp_path / "finer.eqb"
    solution.save(file)
    asked = ("search", file, "--everywhere", "--bet", "75%", "--technique", "maxmargin", "--iterations", "30")
    result = run(*asked, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["game"] == FINER
    assert told["answers"] == {"1": 165, "2": 165}
    before, after = told["exploitability"]["before"], told["exploitability"]["after"]
    assert before < after < before + 0.05
    assert eq.load_solution(out).evaluation.exploitability == after
    assert run("verify", out).exit_code == 0
    # the public tree, which search works on, says the same as the tree of histories, by which the answer is measured
    tree = compiled(FINER).public_tree
    off_tree = OffTree.where(tree, size_missing(compiled(FINER).game, 0.75))
    known = carry(solution.tabular(), tree.infosets)
    gets = opponents_get(off_tree, lambda p: answer_everywhere(off_tree, known, p, "maxmargin", iterations=30))
    assert gets / MILLI == pytest.approx(after, abs=1e-9)


def test_every_answer_knows_where_it_begins(solution: eq.Solution) -> None:
    reports = {name: answer_off_tree(solution, "75%", name, 5)[0] for name in ("translation", "resolve", "unsafe")}
    assert reports["resolve"].begins == "after the bet"
    assert reports["unsafe"].begins == "before the bet"
    assert reports["translation"].after < solution.evaluation.exploitability + 0.1


def test_one_sentence_is_printed(solution: eq.Solution, tmp_path: Path) -> None:
    solution.save(tmp_path / "small.eqb")
    result = run("search", tmp_path / "small.eqb", "--everywhere", "--bet", "75%", "--technique", "translation")
    assert result.exit_code == 0
    assert "answered by translation: 165 lines for player 1" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("game", "bet", "answer", "says"),
    [
        (SMALL, "b3", "resolve", "share of the pot such as 75%"),
        (SMALL, "50%", "resolve", "adds nothing"),
        (SMALL, "75%", "boldness", "no search technique"),
        (SMALL, "25%", "translation", "no neighbour on both sides"),
        ("leduc", "75%", "resolve", "list of bet sizes"),
        ("kuhn", "75%", "resolve", "list of bet sizes"),
    ],
)
def test_clear_errors(game: str, bet: str, answer: str, says: str) -> None:
    with pytest.raises(EquilibristError, match=says):
        answer_off_tree(eq.solve(game, "cfr+", iterations=1), bet, answer)
