"""The four criteria against payoff matrices written out, known values of Leduc, and the report itself."""

from __future__ import annotations

import json

import numpy as np
import pytest

from equilibrist.abstraction.information.methods import abstract
from equilibrist.abstraction.information.potential_aware import HistogramPotential
from equilibrist.core.errors import NotApplicableError
from equilibrist.evaluation.reports.abstraction_report import Arena
from equilibrist.evaluation.reports.abstraction_study import AbstractionStudy, WantedAbstraction, sequence_counts
from equilibrist.evaluation.reports.class_quality import class_quality
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.hand_classes.solve_classes import solve_rounds
from equilibrist.solvers.hand_classes.strategy_abstraction import strategy_vectors


@pytest.fixture(scope="module")
def leduc() -> AbstractionStudy:
    study = AbstractionStudy(load_game("leduc"))
    study.solve_reference(1e-4)
    return study


@pytest.fixture(scope="module")
def small() -> AbstractionStudy:
    """Rhode Island with eight cards."""
    study = AbstractionStudy(load_game("rhode-island(ranks=4,suits=2)"))
    study.solve_reference(1.0)
    return study


def test_matches_equal_the_matrix(small: AbstractionStudy) -> None:
    """x'Ay by plans and the payoff matrix written out."""
    one = small.play(WantedAbstraction("eb", (3, 8, 20)), 2.0).lifted
    other = small.play(WantedAbstraction("pa", (4, 10, 30)), 2.0).lifted
    by_matrix = [float(a.plan(0) @ small.full.payoff.gradient(0, b.plan(1))) for a, b in ((one, other), (other, one))]
    arena = Arena(small.full)
    assert arena.earned(one, other) == pytest.approx(by_matrix[0], rel=1e-9)
    assert arena.head_to_head(one, other) == pytest.approx(0.5 * by_matrix[0] - 0.5 * by_matrix[1], rel=1e-9)
    assert arena.head_to_head(one, other) == pytest.approx(-arena.head_to_head(other, one))
    assert arena.head_to_head(one, one) == 0.0


def test_signatures_of_leduc(leduc: AbstractionStudy) -> None:
    """Worth -0.0687012 with merged signatures and -0.0856064 without (recomputed)."""
    wanted = WantedAbstraction("pa", (3, 7))
    report = leduc.report(wanted, leduc.play(wanted, 1e-4))
    assert report.value == pytest.approx(-0.0687012, abs=2e-4)
    assert report.value_error == pytest.approx(0.0856064 - 0.0687012, abs=3e-4)
    assert report.nemesis is not None
    assert report.against_equilibrium is not None
    assert report.nemesis < report.against_equilibrium < 0
    assert report.exploitability == -report.nemesis


def test_nothing_merged_loses_nothing(leduc: AbstractionStudy) -> None:
    wanted = WantedAbstraction("suits")
    made = leduc.play(wanted, 1e-4)
    report = leduc.report(wanted, made, [("itself", made)])
    assert report.nemesis == pytest.approx(0.0, abs=1e-4)
    assert report.against_equilibrium == pytest.approx(0.0, abs=1e-4)
    assert report.value_error == pytest.approx(0.0, abs=2e-4)
    assert report.head_to_head == {"itself": 0.0}


def test_merged_pairs_are_counted_pairs(small: AbstractionStudy) -> None:
    """Coarse games built from the reference's pairs are those built from all deals."""
    from equilibrist.forms.hand_classes.kronecker import kronecker_form

    classes = abstract(small.strength, "eb", (3, 8, 20))
    merged, counted = small.form(classes), kronecker_form(small.rules, classes)
    for a, b in zip(merged.pairs[0], counted.pairs[0], strict=True):
        assert np.array_equal(a.start, b.start)
        assert np.array_equal(a.deals, b.deals)
        assert np.array_equal(a.balance, b.balance)
    assert sequence_counts(small.rules, classes.counts) == counted.sequences


def test_quality_by_definition(small: AbstractionStudy) -> None:
    classes = abstract(small.strength, "eb", (2, 5, 12))
    quality = class_quality(small.strength, classes)
    assert [q.classes for q in quality] == [2, 5, 12]
    assert [q.hands for q in quality] == [8, 56, 336]
    deal = 2
    hands = np.repeat(np.arange(len(classes.table[deal])), small.strength.weight[deal])
    equity, label = small.strength.equity(deal)[hands], classes.table[deal][hands]
    variances = [equity[label == k].var() * (label == k).mean() for k in range(12)]
    assert quality[2].equity_variance == pytest.approx(sum(variances))
    assert quality[2].equity_explained == pytest.approx(1 - sum(variances) / equity.var())
    sizes = np.bincount(label)
    assert (quality[2].smallest, quality[2].largest) == (sizes.min(), sizes.max())
    assert quality[2].median == np.median(sizes)


def test_finer_classes_explain_more(small: AbstractionStudy) -> None:
    shares = [
        class_quality(small.strength, abstract(small.strength, "eb(error=squared)", (4, count, 60)))[1].equity_explained
        for count in (4, 8, 12)
    ]
    assert shares == sorted(shares)


def test_strategy_vectors_are_first_round_behaviour(leduc: AbstractionStudy) -> None:
    solution = solve_rounds(leduc.full, iterations=50)
    vectors = strategy_vectors(solution.strategy)
    first = solution.strategy.behaviour(0)[0]
    assert np.array_equal(vectors[:, : first.shape[1]], first)
    assert vectors.shape == (3, first.shape[1] + solution.strategy.behaviour(1)[0].shape[1])
    report = leduc.report_classes(WantedAbstraction("strategy", (2, 5)), 1e-2)
    assert report.classes[0] == 2
    assert report.nemesis is None


def test_caps_and_text(leduc: AbstractionStudy) -> None:
    wanted = WantedAbstraction(HistogramPotential(restarts=3), (3, 7), cap=1)
    made = leduc.play(wanted, 1e-3)
    report = leduc.report(wanted, made, [("eb", leduc.play(WantedAbstraction("eb", (3, 5)), 1e-3))])
    assert report.sequences == (97, 97)
    facts = json.loads(json.dumps(report.to_json()))
    assert facts["cap"] == 1
    assert facts["classes"] == [3, 7]
    assert facts["reference"]["classes"] == [3, 9]
    assert facts["exploitability"] == -facts["nemesis"] > 0.3
    assert set(facts["head_to_head"]) == {"eb"}
    text = report.text()
    assert "pa: 3-7 classes, at most 1 bets a round" in text
    assert "head to head with eb" in text


def test_coarser_references_are_refused(leduc: AbstractionStudy) -> None:
    """Suits are finer than signatures, so they cannot be lifted to them."""
    study = AbstractionStudy(load_game("leduc"), reference="signature")
    with pytest.raises(NotApplicableError, match="not coarser"):
        study.play(WantedAbstraction("suits"), 1e-2)
