"""Table 5.4 on a tiny deck with one bet on the flop: the same code as the whole game, interrupted and taken up again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from equilibrist.experiments.brown.subgames import nested_flops
from equilibrist.experiments.brown.subgames.nested_everywhere import NestedTable
from equilibrist.experiments.brown.subgames.nested_flops import NestedSetting, numbers
from equilibrist.experiments.findings import Request
from equilibrist.games.poker.abstracted_holdem import nested_nolimit_flop_holdem
from equilibrist.games.poker.game import Poker

TINY = NestedSetting(ranks=4, suits=2, trained=5, searched=2)


def one_bet(**cards: Any) -> Poker:
    whole = nested_nolimit_flop_holdem(**cards)
    return Poker("nested flop hold'em with one bet", replace(whole.rules, caps=(1, 1)))


def test_an_interrupted_table_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested_flops, "QUICK", TINY)
    monkeypatch.setattr(nested_flops, "nested_nolimit_flop_holdem", one_bet)
    whole = nested_flops.run(Request())
    assert "8 cards" in whole.setting
    assert whole.measured["translation"] > whole.measured["residual"] > 0
    assert {check.part for check in whole.checks} == {"8 cards"}

    def stop(doing: str, share: float | None) -> None:
        if doing.startswith("maxmargin, player 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="goes on from there"):
        nested_flops.run(Request(data=str(tmp_path), progress=stop))
    said: list[str] = []
    resumed = nested_flops.run(Request(data=str(tmp_path), progress=lambda doing, share: said.append(doing)))
    assert not any("resolve" in doing or doing.startswith("maxmargin, player 1") for doing in said)
    assert resumed.measured == whole.measured  # bit for bit


def test_numbers_of_the_text_are_compared() -> None:
    good = {"residual": 0.0, "translation": 1465.0, "resolve": 150.2, "maxmargin": 122.0, "reach-maxmargin": 119.1}
    checks = [*NestedTable(good, {}).checks(), *numbers(NestedTable(good, {}))]
    assert all(check.passed for check in checks)
    assert {check.kind for check in checks} == {"pattern", "printed"}
    for name in ("translation", "resolve", "maxmargin", "reach-maxmargin"):
        far = NestedTable({**good, name: 1.2 * good[name]}, {})
        assert [check.name for check in numbers(far) if not check.passed] == [name]
