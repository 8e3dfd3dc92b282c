"""Options of `solve` for pruned, warm started and sampled runs."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from equilibrist.interfaces.cli.app import app

SPOT = """board = "Td9d6hQc2s"
pot = 200
stack = 300
[range]
oop = "AsAc,KhJh"
ip = "QhQd,AdKd"
[bets]
bet = "50%"
"""


def run(*words: str | Path) -> tuple[int, str, str]:
    result = CliRunner(env={"COLUMNS": "160"}).invoke(app, [str(word) for word in words], prog_name="equilibrist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_nodes_and_memory_are_reported() -> None:
    code, out, _ = run("solve", "leduc(suits=merged)", "--solver", "cfr(pruning=brp)", "--nodes", "300000", "--json")
    found = json.loads(out)
    assert code == 0
    assert 300_000 <= found["extra"]["nodes_touched"] < 310_000
    assert 0 < found["extra"]["live_fraction"] <= 1
    assert found["settings"]["nodes"] == 300_000
    code, out, _ = run("solve", "leduc(suits=merged)", "--solver", "cfr(pruning=brp)", "--nodes", "300000")
    assert "histories touched" in out
    assert "of all regrets in memory" in out


def test_best_profile_is_kept_and_said() -> None:
    code, out, _ = run(
        "solve", "kuhn", "--solver", "cfr+(updates=simultaneous)", "--iterations", "300", "--keep-best", "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert found["extra"]["best_iteration"] <= 300


def test_warm_start_from_a_file(tmp_path: Path) -> None:
    rough = tmp_path / "rough.eqb"
    assert run("solve", "leduc(suits=merged)", "--solver", "es-mccfr", "--iterations", "20000", "--out", rough)[0] == 0
    command = ("solve", "leduc(suits=merged)", "--solver", "cfr", "--iterations", "300", "--json")
    code, out, _ = run(*command, "--warm-start", rough)
    assert code == 0
    warm = json.loads(out)["exploitability"]
    assert warm < 1.5 * json.loads(run(*command)[1])["exploitability"]
    code, _, err = run("solve", "kuhn", "--solver", "cfr", "--warm-start", rough)
    assert code == 2
    assert "does not cover the infosets of 'kuhn'" in err
    code, _, err = run("solve", "kuhn", "--warm-iterations", "5")
    assert code == 2
    assert "warm_start" in err


def test_unsound_pruning_is_refused_with_the_reason() -> None:
    code, _, err = run("solve", "kuhn", "--solver", "dcfr(pruning=rbp)")
    assert code == 2
    assert "multiplies negative regrets by 0.5" in err


def test_spots_refuse_them(tmp_path: Path) -> None:
    (tmp_path / "spot.toml").write_text(SPOT)
    for words, said in (
        (("--nodes", "5"), "are for games"),
        (("--keep-best",), "are for games"),
        (("--on", "boards"), "are for games"),
        (("--warm-iterations", "5"), "give --warm-start too"),
        (("--seed", "5"), "does not sample"),
    ):
        code, _, err = run("solve", tmp_path / "spot.toml", *words)
        assert code == 2
        assert said in err


def test_spots_are_sampled_with_a_seed_and_warm_started(tmp_path: Path) -> None:
    (tmp_path / "spot.toml").write_text(SPOT)
    found = []
    for seed in ("3", "3", "4"):
        words = ("--solver", "es-mccfr", "--iterations", "500", "--seed", seed, "--json")
        code, out, _ = run("solve", tmp_path / "spot.toml", *words)
        assert code == 0
        found.append(json.loads(out)["exploitability"]["chips"])
    assert found[0] == found[1] != found[2]
    rough = tmp_path / "rough.eqb"
    assert run("solve", tmp_path / "spot.toml", "--iterations", "50", "--out", rough)[0] == 0
    words = ("--solver", "cfr", "--iterations", "60", "--warm-start", rough, "--warm-iterations", "50", "--json")
    code, out, _ = run("solve", tmp_path / "spot.toml", *words)
    assert code == 0
    assert json.loads(out)["iterations"] == 60


def test_any_solver_on_boards(tmp_path: Path) -> None:
    file = tmp_path / "leduc.eqb"
    code, out, _ = run(
        "solve", "leduc", "--solver", "flop", "--on", "boards", "--iterations", "50", "--out", file, "--json"
    )
    assert code == 0
    assert json.loads(out)["solver"] == "flop"
    assert run("show", file)[0] == 0
    assert run("verify", file)[0] == 0
    code, out, _ = run("solve", "--resume", file, "--iterations", "80", "--json")
    assert code == 0
    assert json.loads(out)["iterations"] == 80
