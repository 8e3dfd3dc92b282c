"""The curves of flop hold'em on a deck of eight cards, interrupted and taken up again; and how large the text's games are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from equilibrist.experiments.brown.learning import fhp_abstractions
from equilibrist.experiments.brown.learning.fhp_abstractions import (
    COARSE,
    CURVES_PART,
    EXACT_PART,
    FINE,
    FIRST,
    FULL,
    LOSSLESS,
    MIDDLE,
    at,
    count_checks,
    curve_checks,
    follow,
    infoset_actions,
    linear_checks,
    marks,
)
from equilibrist.experiments.findings import Request, status_of
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.poker.family import flop_holdem

EIGHT = flop_holdem(ranks=4, suits=2)
TINY = (
    replace(COARSE, cards="ehs-equal(sizes=all/3, sample=1000)"),
    replace(LOSSLESS, cards="isomorphism(sizes=all/all)"),
)
LAST = 10**7


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fhp_abstractions, "GAME", EIGHT.name)
    monkeypatch.setattr(fhp_abstractions, "flop_holdem", lambda: EIGHT)
    monkeypatch.setattr(fhp_abstractions, "QUICK", TINY)
    monkeypatch.setattr(fhp_abstractions, "FULL", TINY)
    monkeypatch.setattr(fhp_abstractions, "QUICK_LAST", LAST)
    monkeypatch.setattr(fhp_abstractions, "EARLY", FIRST)


def test_clusters_of_the_text_are_infoset_actions_to_the_unit() -> None:
    assert [infoset_actions(each.plan) for each in FULL] == [39_949, 367_549, 3_643_549, 234_199_693]
    assert all(check.passed and check.kind == "printed" for check in count_checks())


def test_betting_and_infosets_of_the_text() -> None:
    tree, (before, flop) = betting_tree(flop_holdem().rules), LOSSLESS.plan.bucket_counts()
    assert (before, flop) == (169, 1_286_792)
    nodes = [tree.decisions[tree.round[tree.decisions] == street] for street in range(2)]
    assert [len(each) for each in nodes] == [8, 7 * 10]
    assert [int(tree.children[each].sum()) for each in nodes] == [21, 7 * 26]
    assert 8 * before + 70 * flop == 90_076_792


def test_a_run_goes_on_where_it_was_stopped(tiny: None, tmp_path: Path) -> None:
    whole = follow(TINY, LAST, None, Request())
    assert all(len(curve) == len(list(marks(LAST))) for curve in whole.values())
    lossless = whole[LOSSLESS.clusters]
    assert at(lossless, LAST) < 0.7 * at(lossless, 10**6)
    assert at(lossless, LAST) < at(whole[COARSE.clusters], LAST)
    told: list[str] = []

    def stop(doing: str, share: float | None) -> None:
        told.append(doing)
        if doing.startswith(LOSSLESS.clusters) and " of 5.62e+06" in doing:
            raise KeyboardInterrupt

    follow(TINY, 10**6, tmp_path, Request())
    with pytest.raises(KeyboardInterrupt, match="goes on from there"):
        follow(TINY, LAST, tmp_path, Request(progress=stop))
    reached = nodes_told(told[-1])
    told.clear()
    resumed = follow(TINY, LAST, tmp_path, Request(progress=lambda doing, share: told.append(doing)))
    walked = {
        each.clusters: [nodes_told(t) for t in told if t.startswith(each.clusters) and " of " in t] for each in TINY
    }
    assert min(walked[LOSSLESS.clusters]) > reached  # nothing is walked again
    assert min(walked[COARSE.clusters]) > 5.7e6  # the mark that it had come to
    assert resumed == whole
    told.clear()
    assert follow(TINY, LAST, tmp_path, Request(progress=lambda doing, share: told.append(doing))) == whole
    assert not any("nodes" in doing for doing in told)  # read, not worked out


def nodes_told(doing: str) -> float:
    return float(doing.split(": ")[1].split(" of ")[0])


def test_a_tiny_deck_runs_as_the_whole_does(tiny: None) -> None:
    found = fhp_abstractions.run(Request())
    parts = {check.part for check in found.checks}
    assert parts == {EXACT_PART, CURVES_PART} == set(fhp_abstractions.EXPERIMENT.quick)
    assert not next(c for c in found.checks if c.part == EXACT_PART).passed  # a deck of eight cards has other numbers
    figure = pytest.importorskip("matplotlib.figure", reason="the extra 'plots' (matplotlib) is not installed").Figure()
    assert found.draw is not None
    found.draw(figure)
    assert len(figure.axes[0].lines) == len(TINY) + 1


def test_checks_can_fail() -> None:
    good = {20: 118.2, 30: 65.0, 50: 31.4}
    assert status_of(linear_checks(good), text=True) == "reproduced"
    assert status_of(linear_checks(good | {50: 32.0}), text=True) == "not reproduced"
    flat = {
        COARSE.clusters: {10**8: 200.0, 10**10: 190.0},
        MIDDLE.clusters: {10**8: 100.0, 10**10: 60.0},
        FINE.clusters: {10**8: 150.0, 10**10: 40.0},
        LOSSLESS.clusters: {10**8: 900.0, 10**10: 80.0},
    }
    flat = {name: curve | {round(10**9.5): curve[10**10]} for name, curve in flat.items()}
    assert all(check.passed for check in curve_checks(flat, 10**10))
    for name, mark, wrong in (
        (COARSE.clusters, 10**10, 50.0),
        (COARSE.clusters, round(10**9.5), 300.0),
        (FINE.clusters, 10**10, 59.0),
        (FINE.clusters, 10**10, 80.0),
        (LOSSLESS.clusters, 10**8, 190.0),
    ):
        spoilt = {**flat, name: flat[name] | {mark: wrong}}
        failed = [check.name for check in curve_checks(spoilt, 10**10) if not check.passed]
        assert bool(failed) == (wrong != 59.0), name
