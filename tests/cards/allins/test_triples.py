"""All-ins of three hands: numbering, exact counts of deals, sampled showdowns against exact ones, the file and its repair."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from equilibrist.cards.allins import triples as module
from equilibrist.cards.allins.exact_triples import exact_showdowns
from equilibrist.cards.allins.joint import JointShowdowns, joint_showdowns
from equilibrist.cards.allins.triples import (
    OUTCOMES,
    SAMPLES,
    TRIPLES,
    TripleTable,
    canonical_deal,
    deals_of,
    listed_triples,
    load_triples,
    reordered,
    sample_triples,
    save_triples,
    triple_index,
    triple_table,
)
from equilibrist.cards.equity import equity, multiway_equity
from equilibrist.cards.range_text import parse_cards
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.core.errors import FormatError, ParameterError

AA, AKS, KK, QQ, JTS, T9S = 0, 1, 14, 28, 43, 57
AHEAD, TIED = OUTCOMES[:, 0] < OUTCOMES[:, 1], OUTCOMES[:, 0] == OUTCOMES[:, 1]  # first hand against second


@pytest.fixture(scope="module")
def rough() -> TripleTable:
    """All triples, two samples each."""
    return sample_triples(listed_triples(), samples=2)


@pytest.fixture(scope="module")
def joint(rough: TripleTable) -> JointShowdowns:
    return joint_showdowns(rough)


def test_there_are_818805_triples_each_at_its_index() -> None:
    triples = listed_triples()
    assert len(triples) == TRIPLES == 818_805
    assert (triple_index(*triples.T) == np.arange(TRIPLES)).all()
    assert triple_index(168, 3, 50) == triple_index(3, 50, 168)


def test_worked_example_of_suits() -> None:
    """[Ganzfried15, §9.7.1]: (7s Kh), (Ad Ac), (6d Js) becomes (6c Jd), (7d Kh), (Ac As)."""
    pair = lambda text: tuple(parse_cards(text))  # noqa: E731
    hands, order = canonical_deal([pair("7sKh"), pair("AdAc"), pair("6dJs")])
    assert hands == tuple(tuple(sorted(pair(text))) for text in ("6cJd", "7dKh", "AcAs"))
    assert order == (2, 0, 1)


def test_thirteen_outcomes_are_closed_under_exchanges_of_players() -> None:
    assert len(OUTCOMES) == 13
    for order in permutations(range(3)):
        assert sorted(reordered(outcome, order) for outcome in range(13)) == list(range(13))
    assert OUTCOMES[reordered(4, (2, 0, 1))].tolist() == [2, 0, 1]  # 0, 1, 2 taken from places 2, 0, 1


def test_deals_are_counted_exactly(rough: TripleTable) -> None:
    x, y, z = rough.triples.T
    times = np.where((x == y) & (y == z), 1, np.where((x == y) | (y == z), 3, 6))
    assert (rough.deals * times).sum() == 1326 * 1225 * 1128
    assert deals_of(np.array([[AA, AA, AA], [AA, AA, KK], [AKS, AKS, AKS]])).tolist() == [0, 36, 24]


def test_exact_showdowns_are_those_of_the_equities() -> None:
    shares, known = exact_showdowns(KK, AA, QQ), multiway_equity(["KK", "AA", "QQ"])
    best = OUTCOMES == 0
    for player in range(3):
        alone = best[:, player] & (best.sum(axis=1) == 1)
        assert shares[alone].sum() == pytest.approx(known.win[player], abs=1e-12)
        assert shares[best[:, player] & ~alone].sum() == pytest.approx(known.tie[player], abs=1e-12)


def test_samples_agree_with_all_boards() -> None:
    exact, samples = exact_showdowns(16, JTS + 2, T9S), 50_000
    shares = sample_triples(np.array([[16, JTS + 2, T9S]]), samples=samples, threads=1).shares(0)
    errors = np.sqrt(exact * (1.0 - exact) / samples)
    assert (np.abs(shares - exact) <= 4.0 * errors + 1e-9).all()


def test_summed_over_the_third_hand_two_players_fare_as_they_do_alone() -> None:
    triples = np.array([sorted((AKS, QQ, third)) for third in range(169)])
    table = sample_triples(triples, samples=1000, threads=1)
    ahead = np.zeros(2)
    for row, (x, y, z) in enumerate(triples.tolist()):
        places = [(x, y, z).index(AKS), (x, y, z).index(QQ)]
        first, second = OUTCOMES[:, places].T
        ahead += table.deals[row] * np.array(
            [table.shares(row)[first < second].sum(), table.shares(row)[first == second].sum()]
        )
    known = equity("AKs", "QQ")
    assert np.abs(ahead / table.deals.sum() - [known.win[0], known.tie[0]]).max() <= 4.0 * 0.5 / np.sqrt(169_000)


def test_threads_and_neighbours_change_nothing() -> None:
    triples = listed_triples()[[5, 1000, 700_000]]
    together = sample_triples(triples, samples=50, threads=2).counts
    assert (together[1:2] == sample_triples(triples[1:2], samples=50, threads=1).counts).all()
    assert (together != sample_triples(triples, samples=50, seed=2).counts).any()


def test_an_interrupted_build_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART", 4)
    triples, told = listed_triples()[1000:1020], []

    def stop(text: str, share: float | None) -> None:
        told.append(share)
        if len(told) == 3:  # at the beginning, and after two parts
            raise KeyboardInterrupt

    kept = Checkpoints(tmp_path, "test", seconds=0.0)
    with pytest.raises(KeyboardInterrupt):
        sample_triples(triples, samples=20, threads=1, checkpoints=kept, report=stop)
    told.clear()
    again = sample_triples(
        triples, samples=20, threads=1, checkpoints=kept, report=lambda text, share: told.append(share)
    )
    assert told[:2] == pytest.approx([0.2, 0.4])  # the first part was kept, the second lost
    assert (again.counts == sample_triples(triples, samples=20, threads=1).counts).all()


def test_a_table_is_kept_read_back_and_refused_when_damaged(rough: TripleTable, tmp_path: Path) -> None:
    path = tmp_path / "table.eqb"
    save_triples(rough, path)
    assert path.stat().st_size < 22e6
    assert (load_triples(path, 2).counts == rough.counts).all()
    with pytest.raises(FormatError, match="other samples"):
        load_triples(path, SAMPLES)
    wrong = rough.counts.copy()
    wrong[7, 0] += 1
    save_triples(TripleTable(rough.triples, wrong, 2), path)
    with pytest.raises(FormatError, match="other samples"):
        load_triples(path, 2)


def test_the_cache_is_used(rough: TripleTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path))
    (tmp_path / "allins").mkdir()
    save_triples(rough, tmp_path / "allins" / "triples-2.eqb")
    monkeypatch.setattr(module, "sample_triples", None)
    assert (triple_table(2).counts == rough.counts).all()


def test_joint_showdowns_are_symmetric_and_sum_to_one(joint: JointShowdowns) -> None:
    assert joint.weight.sum(dtype=np.float64) == pytest.approx(1.0, abs=1e-5)
    for order in permutations(range(3)):
        for outcome in (2, 5, 9):
            moved = joint.weight[reordered(outcome, order)]
            assert np.allclose(moved, joint.weight[outcome].transpose(order), atol=1e-12)
    assert np.allclose(joint.prior, np.bincount(module.hands_of(module.STANDARD).cell) / 1326.0, rtol=1e-4)


def test_groups_add_up_their_classes(rough: TripleTable, joint: JointShowdowns) -> None:
    groups = np.arange(169) % 5
    coarse = joint_showdowns(rough, groups)
    assert coarse.hands == 5
    cell = joint.weight[8][np.ix_(groups == 1, groups == 4, groups == 0)].sum(dtype=np.float64)
    assert coarse.weight[8, 1, 4, 0] == pytest.approx(cell, rel=1e-4)
    with pytest.raises(ParameterError, match="without a gap"):
        joint_showdowns(rough, np.full(169, 3))


@pytest.mark.parametrize("samples", [0, -3, 70_000])
def test_numbers_of_samples_are_checked(samples: int) -> None:
    with pytest.raises(ParameterError, match="From 1 to 65,535"):
        sample_triples(listed_triples()[:1], samples=samples)
