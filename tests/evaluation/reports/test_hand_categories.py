"""Kinds of hands: examples by hand, and agreement with the readable hand strengths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equilibrist as eq
from equilibrist.cards.ranges import hand_number, parse_cards
from equilibrist.cards.strength import FLUSH, STRAIGHT, hand_strength
from equilibrist.evaluation.reports.hand_categories import DRAWS, MADE, category_report, draw_kinds, made_kinds

NAMES = (
    "high",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)


@pytest.mark.parametrize(
    ("board", "hand", "kind"),
    [
        ("Td9d6h", "AsAh", "overpair"),
        ("Td9d6h", "TsAh", "top pair"),
        ("Td9d6h", "9sAh", "second pair"),
        ("Td9d6h", "6sAh", "lower pair"),
        ("Td9d6h", "7s7h", "lower pair"),
        ("Td9d6h", "TsTh", "three of a kind"),
        ("Td9d6h", "8s7s", "straight"),
        ("Td9d6h", "AsKh", "ace high"),
        ("Td9d6h", "KsQh", "no pair"),
        ("TdTh6h", "AsKh", "pair on the board"),
        ("TdTh6h", "AsAh", "two pair"),
        ("TdTh6h", "6s6c", "full house"),
        ("Td9d6d2c3s", "AdKd", "flush"),
        ("Td9d8d7d2s", "6dKd", "straight flush"),
    ],
)
def test_made_hands(board, hand, kind):
    (found,) = made_kinds(np.array([hand_number(hand)]), parse_cards(board))
    assert MADE[found] == kind


@pytest.mark.parametrize(
    ("board", "hand", "draws"),
    [
        ("Td9d6h", "AdKd", {"flush draw"}),
        ("Td9d6h", "JsQs", {"open-ended straight draw"}),  # K and 8
        ("Td9d6h", "8s2s", {"gutshot"}),  # 7 only
        ("Td9d6h", "7d2d", {"flush draw", "gutshot"}),
        ("Td9d6h", "8s7s", set()),  # a straight already
        ("5c4d3h", "As9s", {"gutshot"}),  # a deuce makes the wheel
        ("5c4d3h", "6s9s", {"open-ended straight draw"}),  # 2 and 7
        ("Td9d6h2c3s", "AdKd", set()),  # no card to come
    ],
)
def test_draws(board, hand, draws):
    (found,) = draw_kinds(np.array([hand_number(hand)]), parse_cards(board))
    assert {name for name, has in zip(DRAWS, found, strict=True) if has} == draws


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(52)))
def test_kinds_agree_with_readable_strengths(deck):
    board, hole = deck[:4], deck[4:6]
    high, low = max(hole), min(hole)
    number = np.array([high * (high - 1) // 2 + low])

    def level(cards):
        return hand_strength([card // 4 for card in cards], [card % 4 for card in cards])[0]

    now = level([*board, *hole])
    kind = MADE[made_kinds(number, board)[0]]
    if kind in NAMES:
        assert NAMES[now] == kind
    else:
        assert now <= 1
    rest = [card for card in range(52) if card not in deck[:6]]
    straights = {card // 4 for card in rest if level([*board, *hole, card]) in (STRAIGHT, 8)}
    on_board = {card // 4 for card in rest if level([*board, card]) == STRAIGHT}
    flush, open_ended, gutshot = draw_kinds(number, board)[0]
    if now < STRAIGHT and not on_board:
        assert (open_ended, gutshot) == (len(straights) >= 2, len(straights) == 1)
    if flush:
        assert now < FLUSH


def test_shares_add_up_and_frequencies_are_those_of_the_node():
    spot = eq.Spot(
        board="Td9d6hQc2s", pot=100, stack=100, range={"oop": "AA,QJs,87s,A5s", "ip": "KK,JTs"}, bets={"bet": "a"}
    )
    node = eq.solve(spot, until="1%").root
    lines = category_report(node)
    assert sum(line.share for line in lines) == pytest.approx(1.0)
    mean = np.array([line.share * np.array(line.frequencies) for line in lines]).sum(axis=0)
    assert mean == pytest.approx(node.frequencies, abs=1e-9)
    assert sum(line.share * line.ev for line in lines) == pytest.approx(node.range_ev("oop"), abs=1e-9)
