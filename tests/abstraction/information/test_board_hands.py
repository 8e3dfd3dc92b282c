"""Hands on single boards, and classes of states that are listed one by one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.abstraction.information._kernels.board_hands import aligned_cost
from equilibrist.abstraction.information.board_hands import board_hands, equity
from equilibrist.abstraction.information.expectation import ExpectationBased
from equilibrist.abstraction.information.hand_strength import hand_strength
from equilibrist.abstraction.information.lossy_gameshrink import outcome_costs
from equilibrist.abstraction.information.ordered_game import ordered_game
from equilibrist.abstraction.information.state_classes import by_threshold, by_value, merged_states
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import evaluate, pairs
from equilibrist.cards.range_text import parse_cards
from equilibrist.core.errors import ParameterError
from equilibrist.games.poker.family import rhode_island


def naive_outcomes(board, deck, card, hand):
    """Wins, ties and losses after one more card, by dealing everything else out."""
    used = {*board, card, *hand}
    counts = [0, 0, 0]
    left = [c for c in range(deck.size) if c not in used]
    for rest in itertools.combinations(left, 4 - len(board)):
        final = [*board, card, *rest]
        mine = evaluate(np.array([[*hand, *final]], np.uint8), deck)[0]
        others = list(itertools.combinations([c for c in left if c not in rest], 2))
        theirs = evaluate(np.array([[*o, *final] for o in others], np.uint8), deck)
        for place, count in enumerate(((mine > theirs), (mine == theirs), (mine < theirs))):
            counts[place] += int(count.sum())
    return counts


@pytest.mark.parametrize("board", [(0, 5, 10), (0, 5, 10, 13)])
def test_outcomes_equal_dealing_everything_out(board):
    deck = Deck(5, 3)
    found = board_hands(board, deck)
    for place, number in list(enumerate(found.hands))[::17]:
        hand = pairs(deck)[number].tolist()
        for c, card in enumerate(found.coming.tolist()):
            expected = [0, 0, 0] if card in hand else naive_outcomes(board, deck, card, hand)
            assert found.after[c, place].tolist() == expected


def test_a_turn_is_a_flop_with_a_card_more():
    flop, turn = board_hands(parse_cards("Kh9s4d")), board_hands(parse_cards("Kh9s4d2c"))
    assert len(flop.hands) == 1176
    assert len(turn.hands) == 1128
    assert set(flop.outcomes.sum(axis=1)) == {2 * 1081 * 990}  # each runout twice, by either of its cards
    assert set(turn.outcomes.sum(axis=1)) == {46 * 990}
    card = flop.coming.tolist().index(parse_cards("2c")[0])
    np.testing.assert_array_equal(flop.after[card][np.isin(flop.hands, turn.hands)], turn.outcomes)


def test_sure_winners_have_equity_one():
    royal = board_hands(parse_cards("AhKhQhJh"))
    hand = np.flatnonzero((royal.low == parse_cards("Th")[0]) | (royal.high == parse_cards("Th")[0]))
    assert equity(royal.outcomes)[hand] == pytest.approx(1.0)


def test_boards_of_other_sizes_are_refused():
    with pytest.raises(ParameterError, match="lacks one or two of 5"):
        board_hands((1, 2))
    with pytest.raises(ParameterError):
        board_hands((1, 1, 2))


def test_aligned_costs_are_those_of_lossy_gameshrink():
    triples = np.array([(w, t, 9 - w - t) for w in range(10) for t in range(10 - w)])
    stairs = np.cumsum(triples[:, :2], axis=1).astype(float)
    found = [[aligned_cost(a, b) for b in stairs] for a in stairs]
    np.testing.assert_array_equal(found, outcome_costs(triples))


def naive_merge(before, points, threshold):
    """All pairs of siblings, as Algorithm 3 is written."""
    label = np.arange(len(points))
    for a, b in itertools.combinations(range(len(points)), 2):
        if before[a] == before[b] and ((points[a] - points[b]) ** 2).sum() <= threshold:
            label[label == label[b]] = label[a]
    return label


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 2), st.integers(2, 25))
def test_thresholds_merge_as_all_pairs_do(data, width, count):
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 12)] * width), min_size=count, max_size=count))
    before = np.sort(np.array(data.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))))
    before = np.unique(before, return_inverse=True)[1]
    points = np.array(rows, float)
    threshold = data.draw(st.integers(0, 30))
    merged = merged_states(before, points)
    found, expected = merged.classes(threshold), naive_merge(before, points, threshold)
    same = found[:, None] == found
    np.testing.assert_array_equal(same, expected[:, None] == expected)
    assert merged.count(threshold) == len(set(expected.tolist())) == found.max() + 1
    wanted = data.draw(st.integers(int(before.max()) + 1, count))
    assert merged.count(merged.bisect(wanted)) <= wanted
    assert (np.diff(before[np.unique(found, return_index=True)[1]]) >= 0).all()  # classes of a family stand together


def test_bisection_finds_the_least_threshold():
    merged = merged_states(np.zeros(5, np.int64), np.array([[0.0], [1.0], [3.0], [6.0], [10.0]]))
    assert [merged.count(merged.bisect(wanted)) for wanted in (5, 4, 3, 2, 1)] == [5, 4, 3, 2, 1]
    assert merged.bisect(2) == pytest.approx(9.0)  # steps of 1, 2, 3 and 4, squared
    assert by_threshold(np.zeros(5, np.int64), np.array([[0.0], [1.0], [3.0], [6.0], [10.0]]), 2).tolist() == [
        0,
        0,
        0,
        0,
        1,
    ]
    with pytest.raises(ParameterError, match="at least as many"):
        merged_states(np.arange(3), np.zeros((3, 1))).bisect(2)


def test_classes_by_value_are_those_of_expectation_based_abstraction():
    strength = hand_strength(ordered_game(rhode_island(ranks=6, suits=3)))
    sizes = (6, 16, 76)
    expected = ExpectationBased().classes(strength, sizes)
    before = np.zeros(len(strength.weight[0]), np.int64)
    for deal, total in enumerate(sizes):
        if deal:
            before = labels[strength.before[deal]]  # noqa: F821
        labels = by_value(before, strength.equity(deal), strength.weight[deal].astype(float), total)
        table = expected.table[deal]
        pair = np.unique(np.stack([labels, table]), axis=1)
        assert pair.shape[1] == total == labels.max() + 1  # the same partition
