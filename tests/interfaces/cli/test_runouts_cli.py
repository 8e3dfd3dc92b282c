"""`show --runouts` and `show --compare` on the command line."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from equilibrist.core.artifact import open_artifact
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.postflop.solve_spot import solve_spot

TURN = {
    "board": "2c7cQcKc",
    "pot": 100,
    "stack": 150,
    "range": {"oop": "AA,K9s,76s:0.5,T9o", "ip": "QQ,A5s,98s,T8o:0.7"},
    "bets": {"bet": "50%"},
}


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(app, [str(word) for word in arguments], prog_name="equilibrist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(autouse=True)
def _wide_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A turn, the same one hardly solved, and one with another bet."""
    folder = tmp_path_factory.mktemp("spots")
    for name, iterations, bet in (("good", 20, "50%"), ("rough", 2, "50%"), ("large", 2, "75%")):
        solution = solve_spot(Spot(**{**TURN, "bets": {"bet": bet}}), "dcfr", iterations=iterations)
        solution.save(folder / f"{name}.eqb")
    return folder / "good.eqb", folder / "rough.eqb", folder / "large.eqb"


def test_runouts_are_one_line_per_card_and_their_average(files: tuple[Path, ...]) -> None:
    shown = run("show", files[0], "--line", "x:x", "--runouts")
    assert shown.exit_code == 0
    names = [line.split()[0] for line in shown.stdout.splitlines() if "%" in line]
    assert len(names) == 49
    assert names[0] == "2d"
    assert names[-2:] == ["As", "all"]
    assert "oop acts first" in shown.stdout
    assert "bet 50" in shown.stdout


def test_runouts_as_json(files: tuple[Path, ...]) -> None:
    facts = json.loads(run("show", files[0], "--line", "x:x", "--runouts", "--json").stdout)
    assert (facts["kind"], facts["board"], facts["player"], facts["labels"]) == (
        "runouts", "2c7cQcKc", "oop", ["x", "b50"],
    )  # fmt: skip
    cards = facts["cards"]
    assert len(cards) == 48
    assert sum(row["probability"] for row in cards.values()) == pytest.approx(1.0)
    mean = sum(row["probability"] * row["ev"]["oop"] for row in cards.values())
    assert mean == pytest.approx(facts["ev"]["oop"], abs=1e-3)
    assert cards["8h"] == cards["8d"]
    assert cards["8h"]["like"] == "8d"


def test_runouts_as_a_picture(files: tuple[Path, ...], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    shown = run("show", files[0], "--line", "x:x", "--runouts", "--png", tmp_path / "cards.png")
    assert shown.exit_code == 0
    assert "cards.png" in shown.stdout
    head = (tmp_path / "cards.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    assert width > height > 600


def test_a_comparison_shows_both_and_the_hands_that_differ(files: tuple[Path, ...]) -> None:
    good, rough, _ = files
    shown = run("show", good, "--compare", rough)
    assert shown.exit_code == 0
    assert "good.eqb" in shown.stdout
    assert "rough.eqb" in shown.stdout
    assert "→" in shown.stdout
    facts = json.loads(run("show", good, "--compare", rough, "--line", "x", "--json").stdout)
    assert facts["kind"] == "comparison"
    assert facts["player"] == "ip"
    assert facts["first"]["iterations"] == 20
    assert facts["second"]["iterations"] == 2
    stated = open_artifact(good, "spot-solution").header
    half = (sum(stated["best_response_ev"]) - sum(stated["ev"])) / 2.0
    assert facts["first"]["exploitability"]["chips"] == pytest.approx(half)
    assert 0.0 < facts["difference"] < 1.0
    assert facts["hands"]
    assert "No hand is played differently" in run("show", good, "--compare", good).stdout


def test_what_does_not_fit_is_refused_in_a_sentence(files: tuple[Path, ...], tmp_path: Path) -> None:
    good, rough, large = files
    for arguments, words in (
        ((good, "--runouts"), "such as x:x"),
        ((good, "--runouts", "--compare", rough), "one at a time"),
        ((good, "--line", "x:x", "--runouts", "--hands"), "one at a time"),
        ((good, "--compare", rough, "--png", tmp_path / "a.png"), "leave out --png"),
        ((good, "--compare", large), "differ"),
        ((good, "--compare", tmp_path / "none.eqb"), "none.eqb"),
    ):
        shown = run("show", *arguments)
        assert shown.exit_code == 2, arguments
        assert words in " ".join(shown.stderr.split())
        assert "Traceback" not in shown.stderr
