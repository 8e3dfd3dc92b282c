"""`equilibrist report`: from a file to tables, files and pictures; what is refused; Ctrl-C."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from equilibrist.evaluation.flop_reports.run import open_report
from equilibrist.interfaces.cli.app import app

ORDER = Path(__file__).parents[2] / "data" / "report.toml"


def types(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], prog_name="equilibrist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("reports")
    words = ("--iterations", 8, "--until", "0", "--threads", 1, "--keep", "all", "--csv", folder / "flops.csv")
    return folder, types("report", ORDER, "--out", folder / "line", *words)


def test_a_report_is_saved_printed_again_shown_verified_and_opened_as_a_table(made: tuple[Path, str]) -> None:
    folder, printed = made
    assert "3 flops, exploitability at most" in printed
    assert "NOT all converged" in printed
    again = types("report", folder / "line")
    assert again.splitlines()[:8] == printed.splitlines()[:8]
    told = json.loads(types("report", folder / "line", "--json"))
    assert told["finished"]
    shown = json.loads(types("show", folder / "line" / "solutions" / "AsKd2c.eqb", "--json"))
    row = next(row for row in told["lines"][0]["flops"] if row["flop"] == "AsKd2c")
    assert shown["frequencies"] == pytest.approx([row["x"], row["b50"]], abs=1e-6)
    verified = json.loads(types("verify", folder / "line" / "solutions" / "AsKd2c.eqb", "--full", "--json"))
    assert verified["agrees"]
    assert verified["recomputed"]["ev"][0] == pytest.approx(row["ev_oop"], abs=1e-3)
    with (folder / "flops.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(each["flop"], each["line"]) for each in rows[:4]] == [
        ("Td9d6h", ""), ("AsKd2c", ""), ("7s7h3s", ""), ("Td9d6h", "x"),
    ]  # fmt: skip
    assert float(rows[1]["ev_oop"]) == pytest.approx(row["ev_oop"])


def test_groups_kinds_and_columns(made: tuple[Path, str]) -> None:
    folder, _ = made
    by = types("report", folder / "line", "--by", "texture", "--line", "x")
    assert "ip acts" in by
    assert [word in by for word in ("two-tone unpaired", "rainbow unpaired", "two-tone paired", "comes here")] == [
        True
    ] * 4
    only = types("report", folder / "line", "--only", "paired")
    assert "7s7h3s" in only
    assert "Td9d6h" not in only
    found = open_report(folder / "line")
    best = max(found.rows(), key=lambda row: row.here.ev[0] or 0.0).flop
    lines = types("report", folder / "line", "--sort", "ev_oop", "--top", 1).splitlines()
    assert [name for name in ("Td9d6h", "AsKd2c", "7s7h3s") if any(name in line for line in lines)] == [best]


def test_a_picture_is_drawn(made: tuple[Path, str]) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra 'plots'")
    folder, _ = made
    types("report", folder / "line", "--line", "x", "--png", folder / "line.png")
    assert (folder / "line.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("FOLDER", "--by", "colour"), "not by 'colour'"),
        (("FOLDER", "--sort", "colour"), "no column 'colour'"),
        (("FOLDER", "--only", "colour"), "no kind of flop 'colour'"),
        (("FOLDER", "--line", "b50"), "does not look at the line 'b50'"),
        (("FOLDER", "--until", "1%"), "--until was given"),
        (("absent.toml",), "cannot be read"),
        (("ORDER", "--out", "FOLDER", "--until", "3%"), "differs in until"),
        (("ORDER", "--device", "tpu", "--out", "OTHER"), "no device 'tpu'"),
        (("ORDER", "--keep", "river", "--out", "OTHER"), "'river' was asked for"),
    ],
)
def test_bad_words_are_refused_in_one_sentence(made: tuple[Path, str], words: tuple[str, ...], said: str) -> None:
    folder, _ = made
    names = {"FOLDER": folder / "line", "ORDER": ORDER, "OTHER": folder / "other"}
    told = types("report", *(names.get(word, word) for word in words), code=2)
    assert said in told
    assert len([line for line in told.splitlines() if "flops," not in line]) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--device", "gpu"), "no device 'gpu'"),
        (("--device", "cuda", "--solver", "fp"), "cannot run on a GPU"),
        (("--flops", "26"), 'subsets of 25, 47, 95, 184 flops, and "all", but 26'),
        (("--sort", "b7"), "no column 'b7'"),
        (("--only", "blue"), "no kind of flop 'blue'"),
    ],
)
def test_what_cannot_be_is_refused_before_a_plan_is_made(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    told = types("report", ORDER, "--out", tmp_path / "line", *words, code=2)
    assert said in told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "line").exists()


@pytest.mark.parametrize("words", [("--device", "auto"), ("--workers", "2"), ("--threads", "1"), ("--ray", "local")])
def test_a_folder_is_not_solved_again(made: tuple[Path, str], words: tuple[str, str]) -> None:
    assert f"but {words[0]} was given" in types("report", made[0] / "line", *words, code=2)


@pytest.mark.slow
def test_a_polite_kill_keeps_what_is_done(tmp_path: Path) -> None:
    folder = tmp_path / "line"
    words = ["report", ORDER, "--flops", "184", "--until", "0", "--iterations", "30", "--threads", "1", "--out", folder]
    typed = [sys.executable, "-m", "equilibrist", *map(str, words)]
    with subprocess.Popen(typed, stderr=subprocess.PIPE, text=True) as command:
        assert command.stderr is not None
        while command.poll() is None and not (folder / "flops.jsonl").is_file():
            time.sleep(0.05)
        command.send_signal(signal.SIGTERM)
        told = command.stderr.read()
    assert command.returncode == 143, told
    done = len(open_report(folder).solved)
    assert f"Interrupted; {done} of 184 flops are in '{folder}', and the same command goes on from there." in told
    assert 0 < done < 184
