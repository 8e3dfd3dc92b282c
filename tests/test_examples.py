"""Every example runs and says what it promises."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def test_kuhn_in_ten_lines(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run("kuhn_in_ten_lines.py", capsys)
    assert "value -0.0555" in shown or "value -0.0556" in shown
    assert re.search(r"Q:b +f 0\.6[67]\d", shown)  # a queen calls a bet one time in three, in every equilibrium
    lines = (EXAMPLES / "kuhn_in_ten_lines.py").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= 10


def test_compare_solvers(capsys: pytest.CaptureFixture[str]) -> None:
    rows = dict(re.findall(r"^(\S+) +(0\.\d+) ", run("compare_solvers.py", capsys), re.MULTILINE))
    assert {"cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "pdcfr+"} <= set(rows)
    assert float(rows["dcfr"]) < float(rows["cfr"]) / 5  # [Brown20, chapter 3]: discounting wins by a wide margin


def test_own_game(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run("own_game.py", capsys)
    assert "15 histories checked" in shown
    value = float(re.search(r"wins (-?[\d.]+)", shown).group(1))
    # by hand: whatever is guarded, believing a scout who tells the truth three times in four wins 3/4 - 1/4 = 1/2
    assert value == pytest.approx(-0.5, abs=1e-3)


def test_three_player_kuhn(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = re.findall(r"value ([+-][\d.]+), best response ([+-][\d.]+)", run("three_player_kuhn.py", capsys))
    assert len(pairs) == 3
    assert sum(float(value) for value, _ in pairs) == pytest.approx(0.0, abs=2e-4)
    assert all(float(value) <= float(best) for value, best in pairs)


def test_opponent_model(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run("opponent_model.py", capsys)
    ceiling = float(re.search(r"is ([+-][\d.]+)", shown).group(1))
    rows = [tuple(map(float, row)) for row in re.findall(r"([\d.]+) +([+-][\d.]+) +([\d.]+)$", shown, re.MULTILINE)]
    trust, wins, loses = zip(*rows, strict=True)
    assert trust == (0.0, 0.5, 0.8, 0.95, 1.0)
    assert list(wins) == sorted(wins)
    assert list(loses) == sorted(loses)
    assert wins[-1] == pytest.approx(ceiling, abs=1e-3)  # full trust is a best response to the model
    assert loses[0] == pytest.approx(0.0856, abs=1e-3)  # none is equilibrium: Leduc is worth 0.085606 to player 2


def test_every_example_is_tested() -> None:
    names = {path.name for path in EXAMPLES.glob("*.py")}
    mentioned = set(re.findall(r'"(\w+\.py)"', Path(__file__).read_text(encoding="utf-8")))
    assert names <= mentioned
