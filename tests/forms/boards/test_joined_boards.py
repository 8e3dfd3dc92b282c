"""Boards of many deals as one, against the deals themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.forms.boards.joined_boards import deal_rivers, deal_turns, join_boards, suits_merge
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, deal_boards


def some_weights(seed: int, share: float) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.where(rng.random(1326) < share, rng.random(1326), 0.0) for _ in range(2)]


def same_board(joined: StreetBoards, number: int, single: StreetBoards, board: int) -> None:
    """One board of a batch has the hands, strengths and copies of the deal it came from."""
    for mine, theirs in zip(joined.player, single.player, strict=True):
        count = theirs.count[board]
        assert mine.count[number] == count
        for name in ("pair", "order", "card1", "card2", "twin"):
            assert np.array_equal(getattr(mine, name)[number, :count], getattr(theirs, name)[board, :count]), name
        assert (mine.pair[number, count:] == -1).all()
        assert (mine.order[number, count:] >= count).all()
        images = slice(joined.first_image[number], joined.first_image[number + 1])
        kept = slice(single.first_image[board], single.first_image[board + 1])
        assert np.array_equal(mine.images[images, :count], theirs.images[kept, :count])
    assert joined.cards[number] == single.cards[board]
    assert joined.share[number] == single.share[board]
    rows = slice(joined.group_start[number], joined.group_start[number + 1])
    assert np.array_equal(joined.groups[rows], single.groups[single.group_start[board] : single.group_start[board + 1]])


@given(st.integers(0, 10_000), st.integers(1, 4), st.floats(0.01, 1.0))
@settings(max_examples=25, deadline=None)
def test_rivers_at_once_are_those_dealt_one_by_one(seed: int, number: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    boards = [tuple(rng.choice(52, 5, replace=False).tolist()) for _ in range(number)]
    weights = [some_weights(seed + k, share) for k in range(number)]
    (river,) = deal_rivers(
        np.array(boards, dtype=np.int32), [np.stack([each[p] for each in weights]) for p in range(2)]
    )
    for k, (board, each) in enumerate(zip(boards, weights, strict=True)):
        (single,) = deal_boards(Deal.holdem(board), each)
        same_board(river, k, single, 0)


@pytest.mark.parametrize("cards", [(0, 5, 9, 12), (0, 4, 8, 13)])
def test_turns_are_joined_with_their_rivers(cards: tuple[int, ...]) -> None:
    alike = [np.ones(1326)] * 2  # suits that the board leaves alike
    dealt = [
        deal_boards(Deal.holdem(board), each)
        for board, each in ((cards, alike), ((1, 6, 30, 50), some_weights(1, 0.2)))
    ]
    turn, river = join_boards(dealt)
    assert list(turn.parent) == [0, 1]
    assert (np.diff(turn.first_image) > 0).tolist() == [True, False]
    start = 0
    for game, (one, other) in enumerate(dealt):
        same_board(turn, game, one, 0)
        rivers = range(turn.first_child[game], turn.first_child[game + 1])
        assert len(rivers) == len(other.cards)
        for k, number in enumerate(rivers):
            assert river.parent[number] == game
            same_board(river, number, other, k)
        start += len(other.cards)
    assert start == len(river.cards)


@given(st.integers(0, 10_000), st.integers(1, 3), st.floats(0.02, 1.0))
@settings(max_examples=15, deadline=None)
def test_turns_at_once_are_those_joined(seed: int, number: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    boards = [tuple(rng.choice(52, 4, replace=False).tolist()) for _ in range(number)]
    free = [~np.isin(Deal.holdem(board).hands, board).any(axis=1) for board in boards]
    weights = [[each * free[k] for each in some_weights(seed + k, share)] for k in range(number)]
    stacked = [np.stack([each[p] for each in weights]) for p in range(2)]
    assert not suits_merge(np.array(boards), stacked).any()
    turn, river = deal_turns(np.array(boards, dtype=np.int32), stacked)
    start = 0
    for k, (board, each) in enumerate(zip(boards, weights, strict=True)):
        one, other = deal_boards(Deal.holdem(board), each)
        same_board(turn, k, one, 0)
        assert turn.first_child[k] == start
        for number_of, cards in enumerate(other.cards):
            assert river.parent[start] == k
            same_board(river, start, other, number_of)
            assert cards == river.cards[start]
            start += 1
        for mine, before in zip(river.player, turn.player, strict=True):
            assert (mine.order[start - 48 : start] <= before.places).all()
    assert turn.first_child[-1] == start == len(river.cards)


@pytest.mark.parametrize(("cards", "merges"), [((0, 5, 9, 12), True), ((0, 4, 8, 13), True), ((0, 5, 10, 15), False)])
def test_which_turns_have_suits_alike(cards: tuple[int, ...], merges: bool) -> None:
    """Even ranges: 2c3d4d5c leaves hearts and spades alike, 2c3c4c5d too; a board of four suits and ranks none."""
    free = ~np.isin(Deal.holdem(cards).hands, cards).any(axis=1)
    (found,) = suits_merge(np.array([cards]), [free[None].astype(float)] * 2)
    assert found == merges == (len(deal_boards(Deal.holdem(cards), [free.astype(float)] * 2)[1].cards) < 48)
    one = free.astype(float)
    one[np.flatnonzero(free)[3]] = 0.5
    two = np.random.default_rng(0).random(1326) * free
    assert not suits_merge(np.array([cards]), [one[None], two[None]]).any()
