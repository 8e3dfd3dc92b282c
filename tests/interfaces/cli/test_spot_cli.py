"""Postflop spots on the command line: solve, show, verify, refuse, go on after Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "COLUMNS": "140", "PYTHONPATH": str(ROOT / "src")}

RIVER = """
board = "Td9d6hQc2s"
pot = 200
stack = 900
[range]
oop = "TT+,AQs,KJs,J8s,87s,T9s,66"
ip = "QQ-88,ATs+,KJs,J8s,98s,66,AJo"
[bets]
bet = "50%, 100%, a"
raise = "a"
"""
TURN = RIVER.replace("Td9d6hQc2s", "Td9d6hQd").replace("50%, 100%, a", "75%")
RAKED = TURN + "[rake]\nrate = 0.05\ncap = 30\n"


class Outcome:
    """Exit code and both streams of one command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> dict[str, object]:
        return json.loads(self.out)


def run(*arguments: str | Path) -> Outcome:
    result = CliRunner().invoke(app, [str(word) for word in arguments], prog_name="equilibrist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


def written(folder: Path, text: str) -> Path:
    path = folder / "spot.toml"
    path.write_text(text)
    return path


@pytest.fixture(autouse=True)
def _wide_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")


@pytest.fixture(scope="module")
def river(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("river")
    assert run("solve", written(folder, RIVER), "--out", folder / "river.eqb", "--json").code == 0
    return folder / "river.eqb"


@pytest.fixture(scope="module")
def turn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("turn")
    shown = run("solve", written(folder, TURN), "--until", "1%", "--out", folder / "turn.eqb", "--json")
    assert shown.code == 0
    return folder / "turn.eqb"


# solve


def test_solve_prints_the_facts_as_json(tmp_path: Path) -> None:
    """The object of ARCHITECTURE.md section 4."""
    shown = run("solve", written(tmp_path, TURN), "--until", "1%", "--threads", "1", "--json")
    assert shown.code == 0
    facts = shown.json
    assert set(facts) >= {
        "kind", "solver", "iterations", "seconds", "cpu_seconds", "threads", "memory_bytes", "exploitability",
        "converged", "ev", "best_response_ev", "equity", "root", "nodes",
    }  # fmt: skip
    assert facts["kind"] == "spot"
    assert facts["converged"] is True
    assert facts["exploitability"]["percent_of_pot"] <= 1.0
    assert facts["exploitability"]["chips"] == pytest.approx(2.0 * facts["exploitability"]["percent_of_pot"])
    assert sum(facts["ev"].values()) == pytest.approx(200.0, abs=1e-3)  # shares of the pot
    assert sum(facts["equity"].values()) == pytest.approx(1.0)
    assert facts["root"]["player"] == "oop"
    assert facts["root"]["actions"] == ["check", "bet 150"]
    assert sum(facts["root"]["frequencies"]) == pytest.approx(1.0)
    assert set(facts["nodes"]) == {"turn", "river"}
    # how large it is comes before the work; on the turn: the root, after x, b150, x:b150, b150:r900 and x:b150:r900
    assert "turn 6 decisions" in shown.err
    assert "MB of tables" in shown.err


def test_solve_shows_a_panel_and_the_grid(tmp_path: Path) -> None:
    shown = run("solve", written(tmp_path, RIVER), "--png", tmp_path / "grid.png", "--out", tmp_path / "r.eqb")
    assert shown.code == 0
    for words in (
        "Td9d6h Qc 2s",
        "200, 900",
        "% of the pot",
        "converged (target 0.6 chips)",
        "AKs",
        "check",
        "all-in 900",
    ):
        assert words in shown.out
    assert (tmp_path / "grid.png").read_bytes().startswith(b"\x89PNG")
    assert f"Saved to {tmp_path / 'r.eqb'}" in shown.out


def test_a_target_that_was_not_reached_is_said(tmp_path: Path) -> None:
    shown = run("solve", written(tmp_path, RIVER), "--until", "0.0001%", "--iterations", "3")
    assert shown.code == 0
    assert "NOT converged" in shown.out


def test_threads_are_at_most_the_boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equilibrist.compute.machine.cores", lambda: 99)
    assert run("solve", written(tmp_path, RIVER), "--iterations", "2", "--json").json["threads"] == 1
    assert run("solve", written(tmp_path, TURN), "--iterations", "2", "--json").json["threads"] == 48


def test_a_saved_spot_goes_on_to_its_old_goal(tmp_path: Path) -> None:
    path = tmp_path / "r.eqb"
    first = run("solve", written(tmp_path, RIVER), "--iterations", "20", "--out", path, "--json").json
    more = run("solve", "--resume", path, "--iterations", "50", "--json").json
    whole = run("solve", tmp_path / "spot.toml", "--iterations", "50", "--json").json
    assert (first["iterations"], more["iterations"]) == (20, 50)
    assert more["ev"] == whole["ev"]  # not an iteration was lost
    other = written(tmp_path, RIVER.replace("pot = 200", "pot = 300"))
    refused = run("solve", other, "--resume", path)
    assert refused.code == 2
    assert "another spot" in refused.err


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (('"Td9d6hQc2s"', '"Td9d"'), [], "3 to 5 cards"),
        (("pot = 200", "pot = -1"), [], "'pot' must be above 0"),
        (("pot = 200", "pott = 200"), [], "pott"),
        (("AQs,", "AQx,"), [], "range.oop"),
        (("bet = ", "bett = "), [], "bett"),
        (("[range]", "[range"), [], "TOML"),
        (("", ""), ["--device", "cuda"], "--device cuda"),
        (("", ""), ["--seed", "3"], "--seed"),
        (("", ""), ["--threads", "0"], "--threads"),
        (("", ""), ["--solver", "undominated"], "CFR family"),
        (("", ""), ["--solver", "dcfrr"], "dcfr"),
        (("", ""), ["--until", "soon"], "soon"),
        (("", ""), ["--out", "/no/such/folder/x.eqb"], "does not exist"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    tmp_path: Path, change: tuple[str, str], options: list[str], words: str
) -> None:
    shown = run("solve", written(tmp_path, RIVER.replace(*change) if change[0] else RIVER), *options)
    assert (shown.code, shown.out) == (2, "")
    assert words in shown.err
    assert len([line for line in shown.err.splitlines() if not line.startswith("Betting:")]) == 1


def test_a_spot_file_that_is_not_there_is_refused() -> None:
    shown = run("solve", "no/such/spot.toml")
    assert shown.code == 2
    assert "no/such/spot.toml" in shown.err


LOCKS = """
[[lock]]
line = "x"
frequency = { b100 = 0.4 }
[[lock]]
line = "b100"
hands = "QQ"
weight = 0.5
strategy = { f = 1.0 }
"""


def test_locks_come_from_the_spot_or_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "locks.toml").write_text(LOCKS)
    apart = run("solve", written(tmp_path, RIVER), "--lock", tmp_path / "locks.toml", "--json").json
    together = run("solve", written(tmp_path, RIVER + LOCKS), "--json").json
    assert apart["ev"] == together["ev"]
    asked, half = apart["locks"]
    assert asked["reached"]["b100"] == pytest.approx(0.4, abs=1e-3)
    assert (half["player"], half["weight"], half["reached"]["f"]) == ("ip", 0.5, 1.0)
    assert sum(apart["lock_cost"].values()) == pytest.approx(0.0, abs=1e-3)
    shown = run("solve", tmp_path / "spot.toml", "--out", tmp_path / "locked.eqb")
    assert run("verify", tmp_path / "locked.eqb", "--json").json["agrees"] is True
    assert "Locked after x: ip b100 40.0 %, as asked." in shown.out
    assert "The locks cost oop" in shown.out
    refused = run("solve", "kuhn", "--lock", tmp_path / "locks.toml")
    assert refused.code == 2
    assert "Only spots have locks" in refused.err
    (tmp_path / "locks.toml").write_text("[[look]]")
    refused = run("solve", tmp_path / "spot.toml", "--lock", tmp_path / "locks.toml")
    assert refused.code == 2
    assert "look" in refused.err


# show


def test_show_prints_the_grid_of_a_line(turn: Path, tmp_path: Path) -> None:
    shown = run("show", turn, "--line", "x:b150", "--png", tmp_path / "grid.png")
    assert shown.code == 0
    for words in (
        "x:b150: oop to act",
        "pot 350",
        "behind 900 / 750",
        "EV",
        "equity",
        "fold",
        "call",
        "all-in 900",
        "AKs",
    ):
        assert words in shown.out
    assert (tmp_path / "grid.png").is_file()


def test_show_says_when_a_card_comes_or_the_hand_is_over(turn: Path, river: Path) -> None:
    card = run("show", turn, "--line", "x:x")
    assert card.code == 0
    assert "A card comes next" in card.out
    after = run("show", turn, "--line", "x:x:8h:x")
    assert "ip to act" in after.out
    over = run("show", river, "--line", "x:x")
    assert "The hand is over" in over.out
    assert run("show", river, "--line", "x:x", "--png", "x.png").code == 2


def test_show_json_has_every_hand(turn: Path) -> None:
    facts = run("show", turn, "--line", "x", "--json").json
    assert (facts["kind"], facts["player"], facts["line"]) == ("spot", "ip", "x")
    hands = facts["hands"]
    assert isinstance(hands, dict)
    row = hands["AsKs"]
    assert set(row) == {"weight", "equity", "ev", "eqr", "ev_by_action", "strategy"}
    assert row["eqr"] == pytest.approx(row["ev"] / (row["equity"] * facts["pot"]))
    assert facts["eqr"]["ip"] == pytest.approx(facts["ev"]["ip"] / (facts["equity"]["ip"] * facts["pot"]))
    assert sum(row["strategy"]) == pytest.approx(1.0)
    assert row["ev"] == pytest.approx(np.dot(row["strategy"], row["ev_by_action"]), abs=1e-2)
    assert "AdKd" in hands
    assert "QdJd" not in hands  # the queen is on the board
    chosen = run("show", turn, "--line", "x", "--hand", "AKs", "--json").json["hands"]
    assert chosen == {name: hands[name] for name in ("AsKs", "AhKh", "AdKd", "AcKc")}


def test_show_lists_hands(turn: Path) -> None:
    every = run("show", turn, "--hands").out
    assert "AsQs" in every
    assert "EV b150" in every
    one = run("show", turn, "--hand", "AsQs").out
    assert "AsQs" in one
    assert "AhQh" not in one


def test_a_file_without_its_river_shows_rivers_all_the_same(tmp_path: Path) -> None:
    path, turn = tmp_path / "short.eqb", tmp_path / "whole.eqb"
    spot = written(tmp_path, TURN)
    assert run("solve", spot, "--until", "0.2%", "--out", turn).code == 0
    assert run("solve", spot, "--until", "1%", "--out", path, "--without", "river").code == 0
    assert path.stat().st_size < 0.05 * turn.stat().st_size
    load_spot_solution(turn).save(path, without="river")  # the same solve as the other file
    assert run("show", path, "--line", "x", "--json").json == run("show", turn, "--line", "x", "--json").json
    facts = run("show", path, "--line", "x:x:8h:x", "--json").json
    assert facts["resolve"]["exploitability"]["percent_of_pot"] <= 0.2
    whole = run("show", turn, "--line", "x:x:8h:x", "--json").json
    assert facts["ev"] == pytest.approx(whole["ev"], abs=2.0)
    assert "The river is not in the file: solved again" in run("show", path, "--line", "x:x:8h:x").out
    for command, words in (
        (["solve", "--resume", path], "saved without its river, so solving cannot go on"),
        (["verify", path], "saved without its river, so it cannot be verified"),
        (["solve", tmp_path / "spot.toml", "--without", "turn", "--out", path], "cannot be saved without 'turn'"),
        (["solve", tmp_path / "spot.toml", "--without", "river"], "no --out"),
        (["solve", "kuhn", "--without", "river"], "Only spots have streets"),
    ):
        refused = run(*command)
        assert refused.code == 2
        assert words in refused.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--line", "x:b99"], "b150"),
        (["--line", "x:x:Td"], "board"),
        (["--hand", "72o"], "not in the range"),
        (["--hand", "AKx"], "no class of hands"),
        (["--all"], "--hands"),
    ],
)
def test_show_refuses_in_one_sentence(turn: Path, options: list[str], words: str) -> None:
    shown = run("show", turn, *options)
    assert (shown.code, shown.out) == (2, "")
    assert words in shown.err


def test_options_of_spots_are_refused_for_games(tmp_path: Path) -> None:
    import equilibrist as eq

    eq.solve("kuhn", iterations=2).save(tmp_path / "kuhn.eqb")
    shown = run("show", tmp_path / "kuhn.eqb", "--hands")
    assert shown.code == 2
    assert "solved spots" in shown.err


# verify


def test_matrices_agree_with_the_file(river: Path, turn: Path) -> None:
    for file, boards in ((river, 1), (turn, 48)):
        shown = run("verify", file, "--json")
        assert shown.code == 0
        facts = shown.json
        assert facts["agrees"] is True
        assert facts["boards"] == boards
        assert facts["recomputed"]["exploitability"] == pytest.approx(facts["stated"]["exploitability"], abs=4e-3)
    assert "They agree" in run("verify", river).out


def test_matrices_agree_under_rake_and_prediction(tmp_path: Path) -> None:
    """With rake the two values do not add up to the pot; predictive solvers keep a third table."""
    path = tmp_path / "raked.eqb"
    command = ["solve", written(tmp_path, RAKED), "--solver", "pcfr+", "--iterations", "30", "--out", path, "--json"]
    stated = run(*command).json
    assert sum(stated["ev"].values()) < 199.0
    assert run("verify", path, "--json").json["agrees"] is True


def test_a_file_that_praises_itself_is_caught(river: Path, tmp_path: Path) -> None:
    artifact = load_artifact(river, "spot-solution")
    header = {**artifact.header, "best_response_ev": artifact.header["ev"]}
    save_artifact(tmp_path / "vain.eqb", Artifact("spot-solution", header, artifact.arrays))
    shown = run("verify", tmp_path / "vain.eqb")
    assert shown.code == 1
    assert "do NOT agree" in shown.out


def test_another_strategy_than_the_one_measured_is_caught(turn: Path, tmp_path: Path) -> None:
    artifact = load_artifact(turn, "spot-solution")
    rng = np.random.default_rng(3)
    arrays = {
        name: rng.random(array.shape, dtype=np.float32) if name.startswith("average.1") else array
        for name, array in artifact.arrays.items()
    }
    save_artifact(tmp_path / "other.eqb", Artifact("spot-solution", artifact.header, arrays))
    assert run("verify", tmp_path / "other.eqb").code == 1


def test_flops_are_refused_unless_one_insists(tmp_path: Path) -> None:
    path = tmp_path / "flop.eqb"
    small = RIVER.replace("Td9d6hQc2s", "Td9d6h").replace("50%, 100%, a", "a")
    small = small.replace("TT+,AQs,KJs,J8s,87s,T9s,66", "AsAh,87s").replace("QQ-88,ATs+,KJs,J8s,98s,66,AJo", "KK,AdQd")
    assert run("solve", written(tmp_path, small), "--iterations", "5", "--out", path, "--json").code == 0
    shown = run("verify", path)
    assert shown.code == 2
    assert "too large for the independent route" in shown.err
    assert "--full" in shown.err
    whole = run("verify", path, "--full", "--json").json
    assert whole["agrees"] is True
    assert whole["boards"] == 49 * 48


# as a process


def test_an_interrupted_solve_writes_a_file_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "long.eqb"
    command = ["solve", written(tmp_path, TURN), "--iterations", "1000000000", "--out", path]
    process = subprocess.Popen(
        [sys.executable, "-m", "equilibrist", *map(str, command)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
    )  # fmt: skip
    assert process.stderr is not None
    assert "tables" in process.stderr.readline()
    assert "iteration" in process.stderr.readline()  # a progress line: the loop is running
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "NOT converged" in out
    assert f"--resume {path}" in err
    begun = run("show", path, "--json").json
    assert begun["converged"] is False
    more = run("solve", "--resume", path, "--iterations", str(begun["iterations"] + 5), "--json").json
    assert more["iterations"] == begun["iterations"] + 5


def test_show_writes_the_hands_of_a_node(turn: Path, tmp_path: Path) -> None:
    shown = run("show", turn, "--line", "x:b150", "--csv", tmp_path / "hands.csv")
    assert shown.code == 0
    assert "Hands in" in shown.out
    header, *rows = (tmp_path / "hands.csv").read_text().splitlines()
    assert header.startswith("hand,weight,equity,ev,eqr,fold,call")
    assert len(rows) > 10
    refused = run("show", turn, "--runouts", "--csv", tmp_path / "hands.csv")
    assert refused.code == 2
    assert "--csv writes the hands at --line" in refused.err
