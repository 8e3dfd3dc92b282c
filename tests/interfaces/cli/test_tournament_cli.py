"""`equilibrist tournament`: solved, saved, looked up again, and refused in one sentence."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from equilibrist.compute import kernel
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.interfaces.cli import progress
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


LONG = ["tournament", "--stacks", "1500,2100", "--payouts", "10,0", "--until", "0.002"]


@pytest.fixture(autouse=True)
def searches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where searches are kept; tables are where they are."""
    monkeypatch.setattr(kernel, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache" / "tournaments"


def interrupt(monkeypatch: pytest.MonkeyPatch, *moments: str) -> None:
    """Ctrl-C when progress says one of these."""
    show = progress.Meter.show

    def stop(self: progress.Meter, fraction: float | None, facts: str, worth_a_line: bool = True) -> None:
        show(self, fraction, facts, worth_a_line)
        if any(moment in facts for moment in moments):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(progress.Meter, "show", stop)


def test_progress_tells_iteration_sweep_and_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    told = CliRunner().invoke(app, SMALL).stderr.splitlines()
    assert any("tournament of 11 states  iteration 1, sweep 1, 0 of 11 states" in line for line in told)
    assert any("iteration 2, sweep 2" in line and "hands leave" in line and "largest gain" in line for line in told)


@pytest.mark.parametrize("again", [False, True])
def test_ctrl_c_in_the_first_iteration_keeps_strategies_and_the_same_command_goes_on(
    again: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, searches: Path
) -> None:
    code, text = run(*LONG, "--out", str(tmp_path / "whole.eqb"))
    assert code == 0, text
    with monkeypatch.context() as patched:
        interrupt(patched, "iteration 1, sweep 5", *(["after iteration 0"] if again else []))
        code, text = run(*LONG, "--out", str(tmp_path / "part.eqb"))
    assert code == 130, text
    assert "Interrupted in iteration 1" in text
    assert "The same command goes on" in text
    part = load_tournament(tmp_path / "part.eqb")
    assert np.isnan(part.gain) == again
    assert np.isnan(part.values).all() == again
    assert ("not measured" in text) == again
    lookup = json.loads(run("tournament", str(tmp_path / "part.eqb"), "--stacks", "1500,2100", "--json")[1])
    assert (lookup["largest_gain"] is None) == again
    assert list(searches.glob("*/search.eqc"))
    told: list[str] = []
    show = progress.Meter.show
    monkeypatch.setattr(
        progress.Meter, "show", lambda self, share, facts, worth=True: (told.append(facts), show(self, share, facts))
    )
    code, text = run(*LONG, "--out", str(tmp_path / "part.eqb"))
    assert code == 0, text
    assert not any("iteration 1, sweep 3" in facts for facts in told)
    assert any("iteration 1, sweep 5" in facts for facts in told)
    assert np.array_equal(load_tournament(tmp_path / "part.eqb").jams, load_tournament(tmp_path / "whole.eqb").jams)
    assert not list(searches.glob("*/search.eqc"))


def test_ctrl_c_before_the_first_sweep_says_that_there_is_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    interrupt(monkeypatch, "sweep 1")
    code, text = run(*LONG, "--out", str(tmp_path / "x.eqb"))
    assert code == 130
    assert "before there were strategies; nothing was written" in text
    assert not (tmp_path / "x.eqb").exists()


def test_unknown_values_need_an_unknown_gain(saved: Path, tmp_path: Path) -> None:
    told = load_artifact(saved, KIND)
    values = np.full_like(told.arrays["values"], np.nan)
    save_artifact(tmp_path / "bad.eqb", Artifact(KIND, told.header, {**told.arrays, "values": values}))
    with pytest.raises(FormatError, match="damaged"):
        load_tournament(tmp_path / "bad.eqb")
