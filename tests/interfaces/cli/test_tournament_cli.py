"""`equilibrist tournament`: solved, saved, looked up again, and refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.stochastic_games.tournaments import KIND, load_tournament

SMALL = ["tournament", "--stacks", "1200,2400", "--payouts", "10,0", "--blinds", "300,600"]


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tournament") / "t.eqb"
    code, text = run(*SMALL, "--out", str(path))
    assert code == 0, text
    assert "small blind" in text
    assert "No deviation gains more than" in text
    return path


def test_other_stacks_are_looked_up(saved: Path) -> None:
    code, text = run("tournament", str(saved), "--stacks", "2400,1200", "--line", "J", "--json")
    facts = json.loads(text)
    assert code == 0
    assert facts["states"] == 11
    assert facts["largest_gain"] <= 0.005
    assert sum(row["value"] for row in facts["seats"]) == pytest.approx(10.0)
    assert facts["jams"]["AA"] == 1.0
    assert [row["line"] for row in facts["decisions"]] == ["", "J"]


def test_who_is_all_in_by_the_blind_has_no_decision(saved: Path) -> None:
    _, text = run("tournament", str(saved), "--stacks", "3300,300", "--json")
    facts = json.loads(text)
    assert [row["all_in"] for row in facts["seats"]] == [False, True]
    assert [row["line"] for row in facts["decisions"]] == [""]


def test_what_is_saved_loads_back_equal_and_damage_is_refused(saved: Path, tmp_path: Path) -> None:
    found = load_tournament(saved)
    found.save(tmp_path / "again.eqb")
    assert np.array_equal(load_tournament(tmp_path / "again.eqb").jams, found.jams)
    assert found.grid((1200, 2400)).shape == (13, 13)
    told = load_artifact(saved, KIND)
    for header, arrays in (
        ({**told.header, "rules": {}}, told.arrays),
        (told.header, {**told.arrays, "jams": told.arrays["jams"][1:]}),
        (told.header, {**told.arrays, "jams": told.arrays["jams"] + 1.0}),
    ):
        save_artifact(tmp_path / "bad.eqb", Artifact(KIND, header, arrays))
        with pytest.raises(FormatError, match="damaged"):
            load_tournament(tmp_path / "bad.eqb")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--stacks", "x,2"], "whole numbers"),
        (["--stacks", "100"], "Two or three players"),
        (["--stacks", "900,900", "--blinds", "300"], "--blinds are two numbers"),
        (["--stacks", "900,900", "--payouts", "3,2,1"], "2 players, but 3 prizes"),
        (["--stacks", "900,900", "--payouts", "1,2"], "must not rise"),
        (["--stacks", "900,900", "--unit", "400"], "multiples of the unit"),
        (["--stacks", "900,900", "--line", "JJ"], "no decision after 'JJ'"),
        (["--stacks", "900,900", "--method", "cfr"], "no method 'cfr'"),
        (["--stacks", "900,900", "--until", "-1"], "A gain above 0"),
        (["--stacks", "900001,900002,900003"], "too many"),
    ],
)
def test_refusals_are_one_sentence(words: list[str], says: str) -> None:
    code, text = run("tournament", *words)
    assert code == 2
    assert says in text
    assert "Traceback" not in text


def test_a_file_needs_stacks(saved: Path) -> None:
    assert "Which stacks?" in run("tournament", str(saved))[1]
    assert "sum to 3,600" in run("tournament", str(saved), "--stacks", "300,300")[1]
