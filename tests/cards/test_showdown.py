"""The sweep over sorted hands equals a look at every pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.cards._kernels.showdown import CARDS, PLACE, opponents, sweep_hands, sweep_lanes, sweep_room
from reference.naive_showdown import showdowns

PAIRS = list(combinations(range(7), 2))
LOW, HIGH = (np.array([pair[k] for pair in PAIRS], dtype=np.int64) for k in range(2))
HANDS = np.arange(len(PAIRS))
strengths = st.lists(st.sampled_from([0, 0, 1, 2, 3, 255, 256, 257, 7462]), min_size=len(PAIRS), max_size=len(PAIRS))


@given(strengths)
def test_counts_are_those_of_all_pairs(strength: list[int]) -> None:
    order, below, up_to, counts, cards = sweep_room(len(PAIRS))
    row = np.array(strength, dtype=np.uint16)
    possible = sweep_hands(row, HANDS, LOW, HIGH, order, below, up_to, counts, cards)
    expected = showdowns(strength, PAIRS, np.ones((len(PAIRS), 1)))
    assert possible == len(expected)
    for i in range(possible):
        h = int(order[i] & PLACE)
        met = opponents(possible, cards[LOW[h]], cards[HIGH[h]])
        assert [below[i], up_to[i], met] == [amount[0] for amount in expected[h]]


@given(strengths, st.integers(0, 2**32 - 1))
def test_lanes_weigh_hands(strength: list[int], seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, 5, (len(PAIRS), 3)).astype(np.float64)
    order, spare, _, counts, _ = sweep_room(len(PAIRS))
    total, cards, below, up_to = np.empty(3), np.empty((CARDS, 3)), np.ones(weights.shape), np.ones(weights.shape)
    row = np.array(strength, dtype=np.uint16)
    possible = sweep_lanes(row, HANDS, LOW, HIGH, weights, 2.0, order, spare, counts, total, cards, below, up_to)
    expected = showdowns(strength, PAIRS, weights)
    assert {int(order[i] & PLACE) for i in range(possible)} == set(expected)
    for i in range(possible):
        h = int(order[i] & PLACE)
        met = total - cards[LOW[h]] - cards[HIGH[h]] + weights[h]
        sums = (below[h] - 1.0) / 2.0, (up_to[h] - 1.0) / 2.0, met  # added twice over
        for found, amount in zip(sums, expected[h], strict=True):
            assert (found == amount).all()


@given(strengths, st.lists(st.booleans(), min_size=len(PAIRS), max_size=len(PAIRS)))
def test_hands_that_take_no_part_are_not_met(strength: list[int], takes_part: list[bool]) -> None:
    hands = np.flatnonzero(takes_part)
    order, below, up_to, counts, cards = sweep_room(len(hands))
    row = np.array(strength, dtype=np.uint16)
    possible = sweep_hands(row, hands, LOW[hands], HIGH[hands], order, below, up_to, counts, cards)
    present = [s if there else 0 for s, there in zip(strength, takes_part, strict=True)]
    expected = showdowns(present, PAIRS, np.ones((len(PAIRS), 1)))
    found = {int(hands[order[i] & PLACE]): (below[i], up_to[i]) for i in range(possible)}
    assert found == {h: (amount[0][0], amount[1][0]) for h, amount in expected.items()}
