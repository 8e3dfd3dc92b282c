"""One loader for every kind of file; those of the previous version open, or are refused with a sentence that says what to do."""

import importlib
import math
from pathlib import Path

import numpy as np
import pytest

from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.core.solution import BaseSolution, Solution, SolveRecord
from equilibrist.evaluation.verification.verify import ROUTES, verify
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.saved_solutions import KINDS, load_solution, solution_class
from equilibrist.solvers.solve import solve

PREVIOUS = (
    Path(__file__).parents[1] / "data" / "previous"
)  # written by 0.1.0, 20 iterations each; kuhn, leduc and tiny spots
FILES = sorted(PREVIOUS.glob("*.eqb"))
MEMBERS = [name for name in vars(Solution) if not name.startswith("_")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_of_the_previous_version_open_and_hold_what_they_say(path):
    solution = load_solution(path)
    assert isinstance(solution.record, SolveRecord)
    assert solution.iterations == (4096 if path.stem == "blueprint" else 20)
    assert not solution.interrupted
    assert not solution.converged
    assert load_game(solution.game).name == solution.game
    found = verify(solution)
    assert found.agrees
    assert found.stated is not None or math.isnan(solution.exploitability)


@pytest.mark.parametrize("path", [path for path in FILES if path.stem != "blueprint"], ids=lambda path: path.stem)
def test_runs_of_the_previous_version_go_on(path):
    """Their own tables are taken over; single precision and two threads allow no more than nearness to an unbroken run."""
    saved = load_solution(path)
    going = solve(saved.game, saved.solver, iterations=200, resume=saved)
    assert going.kind == saved.kind
    assert going.iterations == 200
    assert going.seconds > saved.seconds
    assert going.exploitability < saved.exploitability / 5


@pytest.mark.parametrize("path", [path for path in FILES if path.stem != "blueprint"], ids=lambda path: path.stem)
def test_tables_of_the_previous_version_are_taken_over(path, tmp_path):
    """Those of a file that holds twice as much are twice as much."""
    artifact = open_artifact(path, load_solution(path).kind)
    twice = {name: 2 * table if table.dtype.kind == "f" else table for name, table in artifact.arrays.items()}
    for name in ("policy", "last"):
        twice |= {name: artifact.arrays[name]} if name in twice else {}
    save_artifact(tmp_path / "twice.eqb", Artifact(artifact.kind, artifact.header, twice))
    saved = load_solution(tmp_path / "twice.eqb")
    going = solve(saved.game, saved.solver, iterations=saved.iterations, resume=saved)
    before = load_solution(path).state
    assert going.state.keys() == before.keys()
    doubled = 0
    for name, table in before.items():
        held = table.dtype.kind == "f"
        np.testing.assert_array_equal(going.state[name], 2 * table if held else table, err_msg=name)
        doubled += held
    assert doubled >= 2


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_saved_again_is_the_same(path, tmp_path):
    first = load_solution(path)
    first.save(tmp_path / "again.eqb")
    second = load_solution(tmp_path / "again.eqb")
    assert second.record == first.record
    assert second.evaluation == first.evaluation
    assert (second.kind, second.game, second.infosets) == (first.kind, first.game, first.infosets)
    assert str(second.to_json()) == str(first.to_json())  # where nan is nan
    one, other = (open_artifact(each, first.kind).arrays for each in (path, tmp_path / "again.eqb"))
    assert one.keys() == other.keys()
    for name, table in one.items():
        np.testing.assert_array_equal(table, other[name])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_a_solution_with_a_route_that_verifies_it(kind):
    found = solution_class(kind)
    assert issubclass(found, BaseSolution)
    assert found.kind == kind
    fields = set(getattr(found, "__dataclass_fields__", ()))
    assert [name for name in MEMBERS if name not in fields and not hasattr(found, name)] == []
    assert hasattr(importlib.import_module(f"equilibrist.evaluation.verification.{ROUTES[kind]}"), "verify_saved")


def damaged(path: Path, out: Path, **changes: object) -> Path:
    """A file with another header."""
    kind = load_solution(path).kind
    artifact = open_artifact(path, kind)
    save_artifact(out, Artifact(kind, {**artifact.header, **changes}, artifact.arrays))
    return out


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("changes", [{"iterations": -1}, {"seconds": "long"}, {"extra": 3}], ids=str)
def test_impossible_records_are_refused(path, changes, tmp_path):
    with pytest.raises(FormatError, match=r"damaged, incomplete or from a version .*; write it again"):
        load_solution(damaged(path, tmp_path / "bad.eqb", **changes))


def test_a_solver_or_a_game_that_is_gone_is_named(tmp_path):
    with pytest.raises(FormatError, match=r"bad.eqb.*no solver 'gone'.*write it again"):
        load_solution(damaged(PREVIOUS / "river.eqb", tmp_path / "bad.eqb", solver="gone"))
    with pytest.raises(FormatError, match=r"bad.eqb.*no game 'gone'.*write it again"):
        load_solution(damaged(PREVIOUS / "boards.eqb", tmp_path / "bad.eqb", game="gone"))


def test_files_of_a_newer_version_say_so(tmp_path):
    data = (PREVIOUS / "tabular.eqb").read_bytes().replace(b'"format":"1"', b'"format":"9"')
    (tmp_path / "new.eqb").write_bytes(data)
    with pytest.raises(FormatError, match="newer equilibrist; upgrade"):
        load_solution(tmp_path / "new.eqb")


def test_folders_are_not_solutions(tmp_path):
    with pytest.raises(FormatError, match="is a folder"):
        load_solution(tmp_path)
