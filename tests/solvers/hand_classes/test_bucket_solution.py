"""Games of buckets solved by matrices: dense products, a second opinion, files, the command line."""

import json
from functools import lru_cache

import numpy as np
import pytest
from typer.testing import CliRunner

from equilibrist.core.errors import FormatError, NotApplicableError, UnknownNameError
from equilibrist.evaluation.verification.hand_classes import verify_buckets
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.hand_classes.bucket_form import bucket_form
from equilibrist.games.catalogue import load_game
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers import solve as solving
from equilibrist.solvers.auto_solver import choose_solver
from equilibrist.solvers.hand_classes import passes as round_pass
from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution, solve_buckets
from equilibrist.solvers.hand_classes.solve_classes import start_rounds
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.solvers.solve import Representation, choose_representation, solve

TINY = "bucket-holdem(buckets=2,boards=0,rounds=2,ranks=5)"
STREETS = "bucket-holdem(buckets=2,boards=30,ranks=5,suits=2)"  # all four rounds


@lru_cache
def streets():
    return load_game(STREETS)


def solved(iterations=30, **more):
    return solve_buckets(streets(), make_solver("dcfr"), Stop(iterations=iterations), **more)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", [1, 2])
def test_whole_matrices_give_what_rows_give(monkeypatch, threads):
    by_rows = start_rounds(bucket_form(streets()), "dcfr", bits=64)
    by_rows.advance(8)
    monkeypatch.setattr(round_pass, "WORTH_MATRICES", 1)
    by_matrices = start_rounds(bucket_form(streets(), threads), "dcfr", bits=64)
    assert all(table.dense for side in by_matrices.passing.tables for table in side)
    by_matrices.advance(8)
    one, other = by_rows.evaluate(), by_matrices.evaluate()
    assert other.value == pytest.approx(one.value, abs=1e-10)
    assert other.best_response_value == pytest.approx(one.best_response_value, abs=1e-10)


def test_an_independent_walk_agrees():
    solution = solved()
    found = verify_buckets(solution)
    assert found.agrees
    assert found.difference < 1e-9
    assert found.histories == 2 * 16_584  # betting situations of limit hold'em, once for each player


def test_the_independent_walk_notices_a_wrong_number():
    solution = solved(5)
    wrong = type(solution.evaluation)((1.0, -1.0), solution.evaluation.best_response_value)
    object.__setattr__(solution, "evaluation", wrong)
    assert not verify_buckets(solution).agrees


def test_policies_are_looked_up_by_line():
    policy = solved().policy
    row = policy["12:c:x:/"]
    assert list(row) == ["x", "b"]
    assert sum(row.values()) == pytest.approx(1.0)
    assert policy.at("c:x:/", 0).shape == (4, 2)
    assert policy.frequencies(policy.find(""), 1).sum() == pytest.approx(1.0)
    assert policy["12:c:x"] == row  # slashes may be left out
    with pytest.raises(UnknownNameError, match="not possible"):
        policy.find("c:z")
    with pytest.raises(UnknownNameError, match="no buckets"):
        policy["3:"]
    with pytest.raises(UnknownNameError, match="Nobody acts"):
        policy["1:f"]


def test_files_keep_everything_and_runs_go_on(tmp_path):
    first = solved(10)
    path = tmp_path / "buckets.eqb"
    first.save(path)
    again = load_solution(path)
    assert isinstance(again, BucketSolution)
    assert again.value == first.value
    assert again.infosets == first.infosets
    further = solved(30, resume=again)
    whole = solved(30)
    assert further.evaluation.best_response_value == pytest.approx(whole.evaluation.best_response_value, abs=1e-12)
    with pytest.raises(FormatError, match="cannot go on"):
        solve_buckets(streets(), make_solver("cfr+"), Stop(iterations=40), resume=again)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(FormatError):
        load_solution(path)


def test_large_games_are_solved_by_matrices_and_small_ones_as_trees(monkeypatch):
    dcfr = make_solver("dcfr")
    assert choose_representation(load_game("bucket-holdem"), dcfr) is Representation.BUCKETS
    assert choose_representation(load_game(TINY), dcfr) is Representation.TREE
    assert choose_representation(load_game("leduc"), dcfr) is Representation.TREE
    assert choose_solver(Compiled(load_game("bucket-holdem"))).solver == "dcfr"
    monkeypatch.setattr(solving, "WORTH_BOARDS", 10)
    by_matrices = solve(TINY, iterations=40, bits=64)
    monkeypatch.undo()
    assert by_matrices.value == pytest.approx(solve(TINY, iterations=40).value, abs=1e-9)
    monkeypatch.setattr(solving, "WORTH_BOARDS", 10)
    with pytest.raises(NotApplicableError, match="leave them out"):
        solve(TINY, iterations=4, keep_best=True)


def test_the_command_line_solves_shows_and_verifies(tmp_path, monkeypatch):
    monkeypatch.setattr(solving, "WORTH_BOARDS", 10)
    runner, file = CliRunner(), tmp_path / "b.eqb"
    done = runner.invoke(app, ["solve", TINY, "--until", "20mbb", "--threads", "1", "--out", str(file), "--json"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["converged"]
    assert facts["infosets"] == 296
    assert facts["exploitability"] <= 0.04
    shown = runner.invoke(app, ["show", str(file), "--line", "c:x", "--json"])
    assert shown.exit_code == 0, shown.output
    assert "11:c:x" in json.loads(shown.stdout)["infosets"]
    assert runner.invoke(app, ["show", str(file)]).exit_code == 0
    checked = runner.invoke(app, ["verify", str(file), "--json"])
    assert checked.exit_code == 0, checked.output
    assert json.loads(checked.stdout)["agrees"]
    text = runner.invoke(app, ["solve", TINY, "--iterations", "20", "--threads", "1"])
    assert text.exit_code == 0, text.output
    assert np.isfinite(float(facts["value"][0]))
