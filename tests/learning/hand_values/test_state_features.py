"""Edges, met weights and even equities against plain loops and against the package's equities."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from equilibrist.cards.equity import equity, strength_features
from equilibrist.cards.evaluator import evaluate
from equilibrist.cards.range_text import STANDARD, parse_cards
from equilibrist.cards.ranges import Range
from equilibrist.learning.hand_values.belief_states import (
    HANDS,
    BeliefStates,
    complete_boards,
    even_equities,
    random_states,
)
from equilibrist.learning.hand_values.meetings import EquityOrder, meetings

BOARDS = ["Ks7h2d9c3s", "TdTs9d8d7d", "Ah7h2d9c"]


def plain_edge(board: list[int], hand: int, weights: np.ndarray) -> tuple[float, float]:
    """By looking at every hand of the other on every board that can come."""
    own = {int(HANDS.low[hand]), int(HANDS.high[hand])}
    met = won = 0.0
    for other in np.flatnonzero(weights):
        theirs = {int(HANDS.low[other]), int(HANDS.high[other])}
        if own & theirs or theirs & set(board):
            continue
        free = [c for c in range(STANDARD.size) if c not in own | theirs | set(board)]
        signs = []
        for rest in combinations(free, 5 - len(board)):
            hands = np.array([[*own, *board, *rest], [*theirs, *board, *rest]], dtype=np.uint8)
            mine, other_strength = evaluate(hands).astype(int)
            signs.append(np.sign(mine - other_strength))
        met += weights[other]
        won += weights[other] * float(np.mean(signs))
    return won / met, met


@pytest.mark.parametrize("text", BOARDS)
def test_edges_are_those_of_plain_loops(text: str) -> None:
    board, random = list(parse_cards(text)), np.random.default_rng(1)
    weights = np.where(random.random((2, HANDS.count)) < 0.02, random.random((2, HANDS.count)), 0.0)
    blocked = np.isin(HANDS.low, board) | np.isin(HANDS.high, board)
    weights[:, blocked] = 0.0
    beliefs = weights / weights.sum(axis=1, keepdims=True)
    nothing = np.zeros(1, dtype=np.int64)
    seen = meetings(BeliefStates(np.array([board]), beliefs[None].astype(np.float32), np.ones(1), nothing))
    edge, met = seen.edge[0], seen.met[0]
    for hand in random.choice(np.flatnonzero(~blocked), 4, replace=False):
        for player in range(2):
            expected = plain_edge(board, int(hand), beliefs[1 - player])
            assert (edge[player, hand], met[player, hand]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("text", BOARDS)
def test_even_equities_are_those_of_the_package(text: str) -> None:
    mean, spread = even_equities(list(parse_cards(text)))
    known = strength_features(text)
    assert mean == pytest.approx(known.ehs, abs=1e-12, nan_ok=True)
    assert spread**2 + mean**2 == pytest.approx(known.ehs_squared, abs=1e-7, nan_ok=True)


def test_ranges_meet_as_equity_says() -> None:
    states = random_states("turn", 2, np.random.default_rng(3), (1.0,))
    seen = meetings(states)
    for n in range(2):
        board = "".join(STANDARD.label(int(card)) for card in states.boards[n])
        first, second = (Range(weights.astype(np.float64)) for weights in states.ranges[n])
        found = equity(first, second, board)
        weight = seen.belief[n, 0] * seen.met[n, 0]
        expected = float((weight * seen.edge[n, 0]).sum() / weight.sum())
        assert 0.5 + 0.5 * expected == pytest.approx(found.equity[0], abs=1e-5)


def test_boards_that_can_come() -> None:
    assert len(complete_boards(parse_cards("Ah7h2d9c"))) == 48
    assert complete_boards(parse_cards("Ks7h2d9c3s")).shape == (1, 5)


@pytest.mark.parametrize("street", ["turn", "river"])
def test_states_hold_every_possible_hand_and_no_other(street: str) -> None:
    states = random_states(street, 30, np.random.default_rng(0), (0.5, 2.0))  # type: ignore[arg-type]
    for board, ranges in zip(states.boards, states.ranges, strict=True):
        blocked = np.isin(HANDS.low, board) | np.isin(HANDS.high, board)
        assert len(set(board.tolist())) == len(board) == {"turn": 4, "river": 5}[street]
        assert (ranges[:, blocked] == 0.0).all()
        assert (ranges[:, ~blocked] > 0.0).all()
        assert (ranges.max(axis=1) == 1.0).all()
    assert set(states.kind) == {0, 1, 2}
    again = random_states(street, 30, np.random.default_rng(0), (0.5, 2.0))  # type: ignore[arg-type]
    assert states.hashes() == again.hashes()
    assert len(set(states.hashes())) == 30


def test_what_a_hand_faces_is_counted() -> None:
    states = random_states("river", 1, np.random.default_rng(4), (1.0,))
    seen = meetings(states)
    assert seen.faced.sum(axis=3) == pytest.approx(np.where(seen.met > 0.0, 1.0, 0.0), abs=1e-5)
    hand = int(np.flatnonzero(seen.met[0, 0])[100])
    cards = {int(HANDS.low[hand]), int(HANDS.high[hand])}
    left = np.array([not cards & {int(low), int(high)} for low, high in zip(HANDS.low, HANDS.high, strict=True)])
    belief, rank = seen.belief[0, 1].astype(np.float64), seen.rank[0, 1]
    best = belief[left & (rank >= 0.9)].sum() / belief[left].sum()
    assert seen.faced[0, 0, hand, 4] == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("street", ["turn", "river"])
def test_ranks_are_those_of_sorted_equities(street: str) -> None:
    """The kernel of whole states against the order that searches keep of a board."""
    states = random_states(street, 3, np.random.default_rng(5), (1.0,))  # type: ignore[arg-type]
    seen = meetings(states)
    for n, board in enumerate(states.boards):
        order = EquityOrder.of(even_equities(board.tolist())[0])
        possible = seen.belief[n, 0] > 0.0
        assert seen.rank[n][:, possible] == pytest.approx(order.ranks(seen.belief[n])[:, possible], abs=1e-4)
