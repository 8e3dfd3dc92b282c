"""`equilibrist solve` of many spots: from files to solutions that are shown and verified, stopped and gone on with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import equilibrist as eq
from equilibrist.games.spots.spot_lists import read_spots
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.postflop.batches import spot_folder
from equilibrist.solvers.postflop.batches.spot_folder import FolderTask, solve_folder
from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

BOARDS = {"one": "Ks7h2d9c3s", "two": "AhTd8d4c4s", "turn": "Td9d6hQc"}
SPOT: dict[str, Any] = {
    "pot": 100,
    "stack": 150,
    "range": {"oop": "QQ+,AKs,98s", "ip": "JJ-88,AQs,KQs"},
    "bets": {"bet": "50%, a", "raise": "a"},
}


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [*map(str, words)], prog_name="equilibrist")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    spots = tmp_path / "spots"
    spots.mkdir()
    for name, board in BOARDS.items():
        (spots / f"{name}.toml").write_text(eq.Spot(board=board, **SPOT).to_toml())
    return spots


@pytest.mark.parametrize("threads", [1, 2])
def test_a_folder_is_solved_saved_shown_and_verified(folder: Path, tmp_path: Path, threads: int) -> None:
    out = tmp_path / "out"
    done = run("solve", *sorted(folder.glob("*.toml")), "--until", "0.5%", "--threads", threads, "--out", out)
    assert done.exit_code == 0
    for name, board in BOARDS.items():
        assert f" {name} " in done.stdout
        saved = load_spot_solution(out / f"{name}.eqb")
        assert saved.exploitability <= 0.5
        if threads == 1 or name != "turn":  # two threads add up in the order in which they come
            assert saved.exploitability == eq.solve(eq.Spot(board=board, **SPOT), until="0.5%").exploitability
        assert saved.converged
        assert f"{saved.ev.oop:,.3f}" in done.stdout
    assert f"Saved in {out}" in done.stdout
    assert "Td9d6h" in run("show", out / "turn.eqb").stdout
    assert run("verify", out / "one.eqb").exit_code == 0


def test_the_same_command_goes_on(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("solve", folder, "--threads", 1, "--out", out, "--json")
    first = json.loads(run(*words, "--until", "1%").stdout)
    assert [each["name"] for each in first["spots"]] == sorted(BOARDS)
    assert not any(each["kept"] for each in first["spots"])
    (out / "one.eqb").unlink()
    again = json.loads(run(*words, "--until", "1%").stdout)
    assert [each["kept"] for each in again["spots"]] == [False, True, True]
    assert [each["iterations"] for each in again["spots"]] == [each["iterations"] for each in first["spots"]]
    finer = json.loads(run(*words, "--until", "0.1%").stdout)
    for name, each in zip(sorted(BOARDS), finer["spots"], strict=True):
        assert each["exploitability"]["percent_of_pot"] <= 0.1
        assert each["file"] == str(out / f"{name}.eqb")
    iterated = json.loads(run(*words, "--iterations", "5").stdout)
    assert all(each["kept"] for each in iterated["spots"])


def test_one_spot_is_saved_in_a_folder_that_is_there(folder: Path, tmp_path: Path) -> None:
    assert run("solve", folder / "one.toml", "--iterations", 3, "--out", tmp_path).exit_code == 0
    assert (tmp_path / "one.eqb").exists()
    refused = run("solve", "kuhn", "--iterations", 3, "--out", tmp_path)
    assert refused.exit_code == 2
    assert "is a folder" in refused.stderr


def test_json_lines_have_names_goals_and_weights(tmp_path: Path) -> None:
    weights = eq.parse_range("JJ-88,AQs,KQs").weights.tolist()
    lines = [
        {"board": BOARDS["one"], **SPOT},
        {"board": BOARDS["one"], **SPOT, "range": SPOT["range"] | {"ip": weights}, "name": "by weights"},
        {"board": BOARDS["two"], **SPOT, "until": 0.2, "name": "fine"},
    ]
    file = tmp_path / "subgames.jsonl"
    file.write_text("\n\n".join(json.dumps(line) for line in lines) + "\n")
    facts = json.loads(run("solve", file, "--until", "2%", "--threads", 1, "--json").stdout)
    assert [each["name"] for each in facts["spots"]] == ["subgames-1", "by weights", "fine"]
    first, second, fine = facts["spots"]
    assert first["ev"] == second["ev"]
    assert fine["exploitability"]["chips"] <= 0.2
    assert fine["iterations"] > first["iterations"]
    assert facts["folder"] is None
    assert list(tmp_path.iterdir()) == [file]


def test_ctrl_c_keeps_what_is_done(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, solved = tmp_path / "out", spot_folder.solve_spot
    begun = list[str]()

    def stopped(spot: Any, *args: Any, **how: Any) -> Any:
        begun.append(spot.board_text)
        if len(begun) == 2:
            raise KeyboardInterrupt
        return solved(spot, *args, **how)

    monkeypatch.setattr(spot_folder, "solve_spot", stopped)
    words = ("solve", folder, "--until", "1%", "--threads", 1, "--out", out)
    cut = run(*words)
    assert cut.exit_code == 130
    assert "1 of 3 spots are done" in cut.stderr
    assert "the same command goes on" in cut.stderr
    assert [path.name for path in out.iterdir()] == ["one.eqb"]
    whole = run(*words)
    assert whole.exit_code == 0
    assert whole.stdout.count("there already") == 1
    assert len(begun) == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["SPOTS", "kuhn"], "'kuhn' is none"),
        (["SPOTS", "--seconds", "3"], "--seconds is for one game or spot"),
        (["SPOTS", "--lock", "locks.toml"], "--lock is for one"),
        (["SPOTS", "--keep-best"], "--keep-best is for one"),
        (["SPOTS", "--until", "x%"], "Cannot read the target"),
        (["SPOTS", "--solver", "magic"], "magic"),
        (["SPOTS", "--out", "SPOTS/one.toml"], "is a file, but several spots are saved in a folder"),
        (["SPOTS", "--out", "SPOTS/absent/deep"], "does not exist"),
        (["SPOTS", "SPOTS/one.toml"], "Two spots are called 'one'"),
        (["EMPTY"], "no spot file"),
        (["SPOTS", "--device", "gpu"], "no device 'gpu'"),
        (["SPOTS", "--threads", "0"], "threads"),
        (["SPOTS", "--iterations", "0"], "iterations"),
    ],
)
def test_what_cannot_be_solved_is_refused_at_once(folder: Path, tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "empty").mkdir()
    given = [word.replace("SPOTS", str(folder)).replace("EMPTY", str(tmp_path / "empty")) for word in words]
    refused = run("solve", *given)
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "is empty"),
        ("{", "Line 1 of"),
        ("[1]", "Line 1 of"),
        ('{"board": "Ks7h2d9c3s"}', "Line 1 of .*no 'pot'"),
        ('{"name": "../x"}', "becomes that of a file, but '../x'"),
        ('{"name": 3}', "but 3 was given"),
        ('{"name": "' + "x" * 200 + '"}', "too long a one"),
    ],
)
def test_lines_that_are_no_spots(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(line)
    with pytest.raises(eq.EquilibristError, match=said):
        read_spots([str(file)])


def test_weights_of_a_line_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    for weights, said in (
        ([0.5] * 3, "1,326 weights"),
        (["a"] * 1326, "nothing else"),
        ([10**400] * 1326, "nothing else"),
        ([2.0] * 1326, "between 0 and 1"),
    ):
        file.write_text(json.dumps({"board": BOARDS["one"], **SPOT, "range": {"oop": weights, "ip": "KK"}}))
        with pytest.raises(eq.EquilibristError, match=f"Line 1 of .*{said}"):
            read_spots([str(file)])


def test_another_spot_of_the_same_name_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("solve", folder, "--iterations", 3, "--out", out)
    (folder / "two.toml").write_text(eq.Spot(board=BOARDS["one"], **SPOT).to_toml())
    before = (out / "two.eqb").read_bytes()
    refused = run("solve", folder, "--iterations", 30, "--out", out)
    assert refused.exit_code == 2
    assert "on another spot" in refused.stderr
    assert (out / "two.eqb").read_bytes() == before


def test_folders_are_made_beside_any_other(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    assert run("solve", folder, "--out", "y", "--iterations", 1).exit_code == 0
    assert len(list((tmp_path / "y").glob("*.eqb"))) == len(BOARDS)
    refused = run("solve", folder, "--out", "nowhere/y", "--iterations", 1)
    assert refused.exit_code == 2
    assert "create 'nowhere' first" in refused.stderr


@pytest.mark.gpu
def test_many_spots_on_a_gpu(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    task = FolderTask(read_spots([str(folder)]), out, until="0.2%", device="cuda")
    for outcome in solve_folder(task):
        assert outcome.exploitability <= 0.2
        assert outcome.record.converged
        assert load_spot_solution(out / f"{outcome.name}.eqb").record.settings["device"] == "cuda"
    assert all(outcome.kept for outcome in solve_folder(task))
    assert run("verify", out / "turn.eqb").exit_code == 0
