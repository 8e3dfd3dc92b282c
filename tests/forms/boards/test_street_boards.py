"""Boards dealt by kernels against boards dealt one by one."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.board_sample import BoardSample
from equilibrist.cards.deck import Deck
from equilibrist.cards.ranges import parse_cards, parse_range
from equilibrist.core.arrays import Floats
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, deal_boards
from reference.plain_dealing import deal_plainly

WIDE, NARROW = "66+,A8s+,AJo+,K9s+", "QQ-22,AQs-A2s,ATo+,65s"
SUITED_APART = (
    "AsKs:0.5,AhKh,AA,22"  # exchanges of suits that this forbids come back once the board has taken the hands
)


def differing(found: tuple[StreetBoards, ...], expected: tuple[StreetBoards, ...]) -> list[str]:
    """Fields whose values, shapes or types differ."""
    assert len(found) == len(expected)
    out = []
    for depth, (one, other) in enumerate(zip(found, expected, strict=True)):
        pairs = [("", one, other), *((f"{p}.", one.player[p], other.player[p]) for p in range(2))]
        for name, mine, theirs in pairs:
            for each in fields(mine):
                a, b = getattr(mine, each.name), getattr(theirs, each.name)
                if each.name != "player" and not same(a, b):
                    out.append(f"{depth}.{name}{each.name}")
    return out


def same(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    return a == b


def weights_on(board: str, *texts: str) -> list[Floats]:
    return [parse_range(text).without(parse_cards(board)).weights for text in texts]


@pytest.mark.parametrize("board", ["Td9d6h2c", "2c2d2hAs", "AhAsKdKc", "Td9d6h2c2s"])
@pytest.mark.parametrize("ranges", [(WIDE, NARROW), (SUITED_APART, "random")], ids=["alike", "apart"])
@pytest.mark.parametrize("isomorphism", [True, False])
def test_boards_of_holdem_are_those_dealt_one_by_one(board: str, ranges: tuple[str, str], isomorphism: bool) -> None:
    deal, weights = Deal.holdem(parse_cards(board)), weights_on(board, *ranges)
    assert differing(deal_boards(deal, weights, isomorphism), deal_plainly(deal, weights, isomorphism)) == []


@pytest.mark.parametrize("board", ["Td9d6h", "AsKsQs"])
def test_a_flop_is_dealt_as_board_by_board(board: str) -> None:
    deal, weights = Deal.holdem(parse_cards(board)), weights_on(board, WIDE, SUITED_APART)
    assert differing(deal_boards(deal, weights), deal_plainly(deal, weights)) == []


def test_sampled_boards_are_the_same_draw() -> None:
    deal, weights, sample = (
        Deal.holdem(parse_cards("Td9d6h")),
        weights_on("Td9d6h", WIDE, NARROW),
        BoardSample((5, 3), 1),
    )
    found = deal_boards(deal, weights, True, sample)
    assert len(found[1].cards) == 5
    assert differing(found, deal_plainly(deal, weights, True, sample)) == []


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    ranks=st.integers(3, 6),
    suits=st.integers(1, 4),
    hole=st.integers(1, 2),
    streets=st.lists(st.integers(1, 2), max_size=2),
    isomorphism=st.booleans(),
    seed=st.integers(0, 99),
)
def test_small_decks_are_dealt_as_board_by_board(
    ranks: int, suits: int, hole: int, streets: list[int], isomorphism: bool, seed: int
) -> None:
    deck = Deck(ranks, suits)
    total = hole + sum(streets)
    if deck.size < 2 * hole + sum(streets) or (total == 4 and hole == 2) or total > 5:
        return
    deal = Deal(deck, hole, (), tuple(streets))
    drawn = np.random.default_rng(seed).integers(0, 3, (2, len(deal.hands)))  # some hands missing, suits told apart
    weights: list[Floats] = [row.astype(np.float64) for row in drawn]
    if seed % 2:
        weights = [np.ones(len(deal.hands))] * 2
    if any(not w.any() for w in weights):
        return
    assert differing(deal_boards(deal, weights, isomorphism), deal_plainly(deal, weights, isomorphism)) == []
