"""The independent route of three-way spots."""

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import TooLargeError
from equilibrist.evaluation.verification import three_way
from equilibrist.games.spots.three_way_spot import ThreeWaySpot

RIVER = {
    "board": "Ks9d6h4c2s",
    "pot": 60,
    "stacks": {"sb": 200, "bb": 150, "btn": 100},
    "range": {"sb": "TT+:0.5,AKs,76s", "bb": "99-66,KQs:0.25", "btn": "88-44,KJs:0.75"},
    "bets": {"bet": "50%, a", "raise": "a"},
    "rake": {"rate": 0.05, "cap": 6},
}
TURN = {
    **RIVER,
    "board": "Ks9d6h4c",
    "range": {"sb": "AsKd,9c9h:0.5,JTs", "bb": "KhQh,8c7c", "btn": "AhQh,66:0.25"},
    "bets": {"bet": "a"},
    "betting": {"cap": 1},
}


@pytest.mark.parametrize("table", [RIVER, TURN], ids=["river", "turn"])
def test_both_routes_agree(table):
    solution = eq.solve(ThreeWaySpot(**table), iterations=11)
    found = eq.verify(solution)
    assert found.agrees
    assert found.difference < 1e-10
    assert found.to_json()["agrees"]
    assert [name for name, *_ in found.rows][-1] == "largest gain"


@pytest.mark.parametrize("what", ["average", "value", "best_response_value"])
def test_a_file_that_was_changed_is_found_out(tmp_path, what):
    path = tmp_path / "x.eqb"
    eq.solve(ThreeWaySpot(**RIVER), iterations=11).save(path)
    held = open_artifact(path, "three-way-solution")
    header, arrays = dict(held.header), {name: np.array(array) for name, array in held.arrays.items()}
    if what == "average":
        arrays["average.0.1"] += arrays["average.0.1"].max() * (np.arange(arrays["average.0.1"].size) % 2).reshape(
            arrays["average.0.1"].shape
        ).astype(np.float32)
    else:
        header[what] = [header[what][0] + 1e-3, *header[what][1:]]
    save_artifact(path, Artifact(held.kind, header, arrays))
    assert not eq.verify(eq.load_solution(path)).agrees


@pytest.mark.parametrize("what", ["missing", "shape", "negative", "nan", "iteration"])
def test_files_that_no_solver_wrote_are_refused(tmp_path, what):
    path = tmp_path / "x.eqb"
    eq.solve(ThreeWaySpot(**RIVER), iterations=2).save(path)
    held = open_artifact(path, "three-way-solution")
    arrays = {name: np.array(array) for name, array in held.arrays.items()}
    if what == "missing":
        del arrays["average.0.2"]
    elif what == "shape":
        arrays["regret.0.0"] = arrays["regret.0.0"][:, 1:]
    elif what == "negative":
        arrays["average.0.0"][0, 0, 0] = -1.0
    elif what == "nan":
        arrays["regret.0.0"][0, 0, 0] = np.nan
    else:
        arrays["iteration"] = np.array([3])
    save_artifact(path, Artifact(held.kind, held.header, arrays))
    with pytest.raises(eq.EquilibristError, match="damaged"):
        eq.load_solution(path)


def test_what_takes_long_is_asked_for(monkeypatch):
    solution = eq.solve(ThreeWaySpot(**RIVER), iterations=2)
    monkeypatch.setattr(three_way, "QUICK", 10.0)
    with pytest.raises(TooLargeError, match="--full"):
        eq.verify(solution)
    assert eq.verify(solution, full=True).agrees
