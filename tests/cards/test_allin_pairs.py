"""All-ins of two hands before the flop: exact numbers."""

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.cards.allins import pairs
from equilibrist.cards.allins.classes import NAMES, class_number, class_weights, combinations, disjoint_pairs
from equilibrist.cards.allins.pairs import build_pairs, pair_outcomes, removal, save_pairs
from equilibrist.cards.equity import equity
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import parse_range
from equilibrist.core.errors import FormatError, ParameterError


def test_classes_are_those_of_the_grid():
    assert len(set(NAMES)) == 169
    assert (NAMES[0], NAMES[1], NAMES[13], NAMES[168]) == ("AA", "AKs", "AKo", "22")
    assert sorted(set(combinations().tolist())) == [4, 6, 12]
    assert combinations().sum() == 1326
    for name in NAMES:
        assert class_weights(parse_range(name).weights)[class_number(name)] == 1.0
    assert class_number("aKS") == class_number("AKs")
    with pytest.raises(ParameterError, match="no class of hands"):
        class_number("AKx")


def test_pairs_of_combinations_without_a_common_card():
    hands = hands_of(STANDARD)
    cards = np.stack([hands.low, hands.high], axis=1)
    apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    counted = np.zeros((169, 169), np.int64)
    np.add.at(counted, (hands.cell[:, None], hands.cell[None, :]), apart)
    assert np.array_equal(counted, disjoint_pairs())
    assert removal().sum(axis=1) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize(
    ("first", "second"), [("AA", "KK"), ("AKs", "QQ"), ("T9s", "A5o"), ("72o", "72s"), ("22", "22")]
)
def test_as_equity_of_ranges(first, second):
    found, table = equity(first, second), pair_outcomes()
    a, b = class_number(first), class_number(second)
    assert table.win[a, b] == pytest.approx(found.win[0], abs=1e-14)
    assert table.tie[a, b] == pytest.approx(found.tie[0], abs=1e-14)
    assert table.equity[b, a] == pytest.approx(found.equity[1], abs=1e-14)


def test_known_numbers():
    table = pair_outcomes()

    def of(a, b):
        return table.equity[class_number(a), class_number(b)]

    assert of("AA", "KK") == pytest.approx(0.8195, abs=5e-5)
    assert of("AKs", "QQ") == pytest.approx(0.4605, abs=5e-5)
    assert of("AKo", "22") == pytest.approx(0.4735, abs=5e-5)
    against_any = (table.equity * removal()).sum(axis=1)
    assert against_any[class_number("AA")] == pytest.approx(0.85204, abs=5e-6)
    assert against_any[class_number("32o")] == pytest.approx(0.32303, abs=5e-6)
    assert table.equity + table.equity.T == pytest.approx(1.0, abs=1e-14)
    assert combinations() @ against_any / 1326 == pytest.approx(0.5, abs=1e-14)


def test_files_that_cannot_be_are_refused(tmp_path):
    made, path = pair_outcomes(), tmp_path / "pairs.eqb"
    save_pairs(path, made)
    assert np.array_equal(pairs._read(path).wins, made.wins)
    wrong = made.wins.copy()
    wrong[0, 1] *= 3
    save_pairs(path, replace(made, wins=wrong))
    with pytest.raises(FormatError, match="more wins than deals"):
        pairs._read(path)


@pytest.mark.slow
def test_the_table_of_the_package_can_be_made_again():
    told = []
    assert np.array_equal(build_pairs(lambda text, share: told.append(share)).wins, pair_outcomes().wins)
    assert told[-1] == 1.0
