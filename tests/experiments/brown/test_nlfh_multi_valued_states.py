"""Figure 5.8 on a tiny deck: the same code as the whole game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equilibrist.experiments.brown.depth_limits import nlfh_multi_valued_states as figure
from equilibrist.experiments.findings import Request


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.slow
def test_a_tiny_deck_runs_as_the_whole_does(full: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = replace(figure.QUICK, ranks=4, suits=2, trained=20, searched=10)
    monkeypatch.setattr(figure, "FULL" if full else "QUICK", tiny)
    monkeypatch.setattr(figure, "VALUES", {False: (1, 2, 16), True: (1, 2, 16)})
    said: list[str] = []
    found = figure.run(Request(full=full, progress=lambda doing, share: said.append(doing)))
    assert "8 cards" in found.setting
    assert list(found.measured["self-generated"]) == list(figure.VALUES[full])
    for name in (figure.TOGETHER, figure.MEANS):
        assert set(found.measured[name]) == set(found.measured[figure.SELF_GENERATED])
    assert {check.kind for check in found.checks} == ({"pattern", "printed"} if full else {"pattern"})
    assert "translation" in said


def test_checks_can_fail() -> None:
    good = {
        "self-generated": {1: 12.0, 2: 5.0, 4: 3.0, 8: 2.2, 16: 1.6, 32: 1.4},
        "translation": 8.0,
        "in the abstraction": 1.0,
    }
    good["blueprint"] = 0.8
    assert all(check.passed for check in figure.checks_of(good, True))
    for name, bad in {
        "one value": {1: 7.0},
        "two values": {2: 9.0},
        "more values": {8: 4.0},
        "16 values": {16: 3.0},
    }.items():
        wrong = figure.checks_of(good | {"self-generated": good["self-generated"] | bad}, True)
        assert name in {check.name[: len(name)] for check in wrong if not check.passed}
    wrong = figure.checks_of(good | {"blueprint": 1.2, "translation": 15.0}, True)
    assert {"worst of all, mbb", "blueprint within its abstraction, mbb"} <= {c.name for c in wrong if not c.passed}
