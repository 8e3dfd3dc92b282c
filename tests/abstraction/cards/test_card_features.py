"""Features of hands, against naive enumeration on small decks and known values of the full one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.abstraction.cards import features
from equilibrist.abstraction.cards.deals import HOLDEM, HandBatch, Streets, board_count, hands_on
from equilibrist.abstraction.cards.ochs import AgainstGroups
from equilibrist.abstraction.clustering.emd import emd_1d
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import pair_index, pairs
from equilibrist.cards.range_text import parse_cards
from equilibrist.core.errors import ParameterError
from reference.naive_card_features import runout_equities

SMALL = Streets(Deck(5, 2))  # ten cards
ROUND = Streets(Deck(4, 3), (2, 3, 1))


def one_hand(text: str) -> HandBatch:
    cards = parse_cards(text)
    pair = np.array([pair_index(int(cards[0]), int(cards[1]))], np.int16)
    one = np.ones(1, np.int64)
    return HandBatch(np.array([cards[2:]], np.int8), 0 * one, pair, 0 * one, one)


@pytest.mark.parametrize("streets", [SMALL, ROUND], ids=str)
def test_every_hand_lies_on_one_canonical_board_with_its_number_of_deals(streets):
    for street in range(streets.count):
        for dealt in {streets.merged(street), streets.ordered(street)}:
            indexer = streets.hands(street, ordered=dealt == streets.ordered(street))
            hands = hands_on(dealt, streets.deck, np.arange(board_count(dealt, streets.deck)))
            assert np.array_equal(np.sort(hands.index), np.arange(indexer.size))
            assert np.array_equal(hands.weight, indexer.multiplicity(hands.index))
            assert np.array_equal(indexer.index(hands.cards(streets.deck)), hands.index)


@pytest.mark.parametrize(
    ("streets", "street"), [(SMALL, 0), (SMALL, 1), (SMALL, 2), (SMALL, 3), (ROUND, 1), (ROUND, 2)]
)
def test_strength_and_histograms_equal_enumeration(streets, street):
    strength = features.feature_table(streets, street, features.Strength())
    histogram = features.feature_table(streets, street, features.Histogram(bins=7))
    indexer = streets.hands(street)
    for index in range(0, indexer.size, max(1, indexer.size // 12)):
        cards = indexer.unindex([index])[0].tolist()
        seen = runout_equities(cards[:2], cards[2:], streets.deck, streets.final_board)
        assert strength[index] == pytest.approx([seen.mean(), (seen**2).mean()], abs=1e-6)
        bins = np.minimum((7 * seen + 1e-9).astype(int), 6)
        assert histogram[index] == pytest.approx(np.bincount(bins, minlength=7) / len(seen), abs=1e-6)


@pytest.mark.parametrize("street", [1, 3])
def test_equity_against_groups_equals_enumeration(street):
    group = (np.arange(len(pairs(SMALL.deck))) % 3).astype(np.int8)
    table = features.feature_table(SMALL, street, AgainstGroups(group))
    indexer = SMALL.hands(street)
    for index in range(0, indexer.size, max(1, indexer.size // 8)):
        cards = indexer.unindex([index])[0].tolist()
        # suits are told apart by `group`, so the very hand that was looked at matters: take canonical boards as they are
        batch = HandBatch(np.array([cards[2:]], np.int8), *_one(cards))
        row = AgainstGroups(group).rows(SMALL, batch)[0]
        for k in range(3):
            opponents = [tuple(pair) for pair in pairs(SMALL.deck)[group == k].tolist()]
            seen = runout_equities(cards[:2], cards[2:], SMALL.deck, 5, opponents)
            expected = np.nanmean(seen) if not np.isnan(seen).all() else 0.5
            assert row[k] == pytest.approx(expected, abs=1e-6)
    assert table.shape == (indexer.size, 3)


def _one(cards):
    one = np.ones(1, np.int64)
    return 0 * one, np.array([pair_index(cards[0], cards[1])], np.int16), 0 * one, one


def test_next_buckets_list_every_card_once():
    table = np.arange(SMALL.hands(2).size) % 11
    rows = features.feature_table(SMALL, 1, features.NextBuckets(1, SMALL.merged(2), table))
    for index in (0, 5, 17):
        cards = SMALL.hands(1).unindex([index])[0].tolist()
        free = [c for c in range(10) if c not in cards]
        found = [int(table[SMALL.hands(2).index([[*cards, c]])[0]]) for c in free]
        assert sorted(found) == rows[index].tolist()


# [Ganzfried15, §5.1.2], recomputed independently; AA and KK are printed in chapter 5
@pytest.mark.parametrize(
    ("hand", "value"),
    [("KcQc7dQh4h2s3c", 0.856), ("TcQd7h9hQh", 0.683), ("5c9d3d5d7d", 0.679), ("TcQd7h9hQhAd", 0.695)],
)
def test_known_strengths(hand, value):
    assert features.Strength().rows(HOLDEM, one_hand(hand))[0, 0] == pytest.approx(value, abs=6e-4)


@pytest.mark.slow
def test_known_preflop_strengths():
    table = features.feature_table(HOLDEM, 0, features.Strength())[:, 0]
    known = {"AcAd": 0.852, "KcKd": 0.824, "KcQc": 0.634, "6c6d": 0.633, "AcKc": 0.6704}  # [Ganzfried15, chapter 5]
    for hand, value in known.items():
        assert table[HOLDEM.hands(0).index([list(parse_cards(hand))])[0]] == pytest.approx(value, abs=6e-4)
    weight = HOLDEM.hands(0).multiplicity(np.arange(169))
    assert np.average(table, weights=weight) == pytest.approx(0.5, abs=1e-6)  # somebody wins


def test_known_distance_of_two_flop_hands():
    first, second = (features.Histogram().rows(HOLDEM, one_hand(text)) for text in ("TcQd7h9hQh", "5c9d3d5d7d"))
    assert emd_1d(first, second)[0] == pytest.approx(0.5587, abs=5e-4)  # [Ganzfried15, §5.1.2]


def test_sampled_runouts_are_fixed_by_the_seed_and_close():
    batch = hands_on((2, 3), HOLDEM.deck, np.arange(700, 703))
    exact, one, again, other = (
        features.Strength(*settings).rows(HOLDEM, batch)[:, 0] for settings in ((), (200, 1), (200, 1), (200, 2))
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert np.abs(one - exact).mean() < 0.03


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_relabelling_suits_changes_no_feature(seed):
    rng = np.random.default_rng(seed)
    cards = rng.permutation(12)[:6]
    moved = cards - cards % 3 + rng.permutation(3)[cards % 3]
    rows = []
    for hand in (cards.tolist(), moved.tolist()):
        batch = HandBatch(np.array([hand[2:]], np.int8), *_one(hand))
        rows.append(features.Histogram().rows(ROUND, batch)[0])
    assert np.array_equal(rows[0], rows[1])


@pytest.mark.parametrize(
    ("deck", "dealt"),
    [(Deck(3, 2), (2, 3, 1, 1)), (Deck(), (1, 3, 1)), (Deck(), (2, 3, 3)), (Deck(13, 4, merged=True), (2, 3))],
)
def test_impossible_streets_are_refused(deck, dealt):
    with pytest.raises(ParameterError):
        Streets(deck, dealt)
