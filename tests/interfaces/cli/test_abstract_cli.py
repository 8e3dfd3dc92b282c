"""`equilibrist abstract`: reports as text and JSON, and refusals."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from equilibrist.interfaces.cli.app import app


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner(env={"COLUMNS": "160"}).invoke(app, list(words), prog_name="equilibrist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_classes_alone() -> None:
    code, out, _ = run("abstract", "rhode-island", "--method", "eb", "--sizes", "13-25-125", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["kind"] == "abstraction"
    assert found["classes"] == [13, 25, 125]
    assert [each["hands"] for each in found["rounds"]] == [52, 2_652, 132_600]
    assert "nemesis" not in found


def test_matches() -> None:
    code, out, _ = run(
        "abstract", "leduc", "--method", "pa(restarts=3)", "--sizes", "3-5", "--against", "eb2", "--against", "suits", "--against",
        "equilibrium", "--json",
    )  # fmt: skip
    found = json.loads(out)
    assert code == 0
    assert set(found["head_to_head"]) == {"eb2:3-5", "suits"}
    assert found["exploitability"] == pytest.approx(0.47, abs=0.02)
    assert found["against_equilibrium"] < 0
    assert found["solution"]["converged"] is True
    assert found["reference"]["bracket"][0] < -0.0856064 < found["reference"]["bracket"][1]


def test_text() -> None:
    code, out, _ = run("abstract", "leduc", "--sizes", "3-7", "--cap", "1", "--reply", "model", "--solve")
    assert code == 0
    assert "3-7 classes, at most 1 bets a round" in out
    assert "against a nemesis" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("leduc", "--method", "ebb"), "no abstraction method 'ebb'"),
        (("leduc", "--sizes", "3,5"), "13-25-125"),
        (("leduc", "--sizes", "3-2"), "ask for at least as many"),
        (("goofspiel",), "ordered signals"),
        (("leduc", "--reply", "fold"), "call, model"),
        (("leduc", "--reference", "eb"), "'suits' or 'signature'"),
        (("leduc", "--until", "0", "--solve"), "above 0"),
        (("leduc", "--cap", "0", "--solve"), "at least one bet"),
        (("limit-holdem", "--sizes", "5-10-20-40"), "GB"),
        (("leduc(players=3)",), "two players"),
    ],
)
def test_refusals(words: tuple[str, ...], says: str) -> None:
    code, out, err = run("abstract", *words)
    assert code == 2
    assert not out
    assert says in err
    assert err.count("\n") == 1
