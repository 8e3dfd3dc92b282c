"""Folded hands beside two others: exactly as listing all deals of few hands, and as counted deals of three classes."""

import numpy as np
import pytest

from equilibrist.cards.allins.classes import class_number, class_weights
from equilibrist.cards.allins.disjoint_hands import _disjoint_sums, _matrix, _partitions, folds_beside
from equilibrist.cards.allins.pairs import removal
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import parse_range
from equilibrist.core.errors import ParameterError

RANGES = ("AA:0.7,AKs:0.5", "AKo:0.6,KK", "AQs:0.9,KQs:0.3,QQ:0.2", "A2s:0.8,AKs:0.4,22")


def listed(ranges, dead):
    """Sum of products of weights over all disjoint hands that use no dead card, one after the other."""
    hands = hands_of(STANDARD)
    bits = [(1 << int(low)) | (1 << int(high)) for low, high in zip(hands.low, hands.high, strict=True)]
    held = [[(bits[hand], float(each.weights[hand])) for hand in np.flatnonzero(each.weights)] for each in ranges]

    def below(number, taken):
        if number == len(held):
            return 1.0
        return sum(weight * below(number + 1, taken | mask) for mask, weight in held[number] if not mask & taken)

    return below(0, sum(1 << card for card in dead))


@pytest.mark.parametrize("folded", [1, 2, 3, 4])
@pytest.mark.parametrize("dead", [(), (51, 50, 3, 8), (48, 44, 45, 40)])
def test_as_listing_all_hands(folded, dead):
    ranges = [parse_range(text) for text in RANGES[:folded]]
    left = np.ones((1, 52), bool)
    left[0, list(dead)] = False
    matrices = [_matrix(class_weights(each.weights)) for each in ranges]
    assert _disjoint_sums(matrices, left)[0] == pytest.approx(listed(ranges, dead), rel=1e-12)


def test_partitions_of_two_hands():
    """All pairs of hands, less those with a common card, with those that are equal counted once."""
    assert sorted(weight for _, weight in _partitions(2)) == [-4, 1, 2]


def test_one_folded_seat_is_card_removal():
    """With nobody folded everything is 1; with one seat, summed over the second hand, it is the chance to meet what is folded."""
    assert folds_beside([]) == pytest.approx(np.ones((169, 169)))
    fold = class_weights(parse_range("72o,32s:0.5,AA:0.25").weights)
    found = folds_beside([fold])
    assert (removal() * found).sum(axis=1) == pytest.approx(removal() @ fold, abs=1e-12)


def test_folds_without_aces_leave_aces():
    fold = 1.0 - class_weights(parse_range("A2+,22+").weights)
    found = folds_beside([fold, fold])
    strong, weak = class_number("AKs"), class_number("72o")
    assert found[strong, strong] > found[weak, weak]
    assert found == pytest.approx(found.T, abs=1e-12)


def test_at_most_four():
    with pytest.raises(ParameterError, match="Up to 4"):
        folds_beside([np.ones(169)] * 5)
