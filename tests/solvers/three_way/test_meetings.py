"""What ends pay, by sums over cards and by listing all triples of hands."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.evaluator import board_strengths
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range, parse_cards
from equilibrist.core.errors import ParameterError
from equilibrist.forms.three_way.seat_boards import deal_seats
from equilibrist.forms.three_way.seat_ends import seat_ends
from equilibrist.forms.three_way.seat_forest import OVER, seat_forests
from equilibrist.games.spots.three_way_spot import ThreeWaySpot
from equilibrist.solvers.three_way.three_way_cfr import end_values
from reference.naive_three_way import naive_payoffs, naive_values

HANDS = hands_of(STANDARD)
BOARDS = (
    "Td9d6hQc2s",
    "AsKsQsJsTs",
    "2c2d2h2s3c",
    "8h7h6h5c4d",
)  # the second and third play for everybody or nearly so


@st.composite
def spots(draw):
    """A river with few hands, so that cards are shared often; stacks that make side pots."""
    board = draw(st.sampled_from(BOARDS))
    cards = parse_cards(board)
    pool = draw(
        st.lists(st.sampled_from([c for c in range(52) if c not in cards]), min_size=7, max_size=10, unique=True)
    )
    numbers = [max(a, b) * (max(a, b) - 1) // 2 + min(a, b) for a in pool for b in pool if a < b]
    ranges = {}
    for seat in ("sb", "bb", "btn"):
        chosen = draw(st.lists(st.sampled_from(numbers), min_size=4, max_size=9, unique=True))
        weights = np.zeros(1326)
        weights[chosen] = draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=len(chosen), max_size=len(chosen)))
        ranges[seat] = Range(weights)
    stacks = {seat: draw(st.sampled_from([30, 60, 100])) for seat in ranges}
    rake = draw(st.sampled_from([{}, {"rate": 0.05}, {"rate": 0.05, "cap": 4}]))
    try:
        return ThreeWaySpot(
            board=board, pot=60, range=ranges, stacks=stacks, rake=rake, bets={"bet": "50%, a", "raise": "a"}
        )
    except ParameterError:  # ranges that collide
        return None


@settings(max_examples=40)
@given(spots(), st.data())
def test_every_end_of_a_river_against_all_triples(spot, data):
    if spot is None:
        return
    (forest,), deal = seat_forests(spot), deal_seats(spot)
    (boards,) = deal.streets
    strengths = board_strengths(spot.board).astype(int)
    numbers = [held[own.hand[0]] for held, own in zip(deal.numbers, boards.seats, strict=True)]
    hands = [[(int(HANDS.low[n]), int(HANDS.high[n])) for n in each] for each in numbers]
    ranks = [[int(strengths[n]) for n in each] for each in numbers]
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    reach = [rng.random((forest.roots + forest.slots[p], len(hands[p]))) for p in range(3)]
    for seat in range(3):
        ends = seat_ends(forest, seat, spot.pot, spot.rake)
        found = end_values(forest, boards, ends, seat, reach)
        chosen = rng.choice(len(ends.node), size=min(12, len(ends.node)), replace=False)
        for end in chosen:
            node = int(ends.node[end])
            weights = [reach[p][forest.row[p, node]] for p in range(3)]
            paid, folded = forest.paid[node].astype(int).tolist(), forest.folded[node].tolist()

            def payoff(three, node=node, paid=paid, folded=folded):
                if forest.kind[node] != OVER:
                    return [-amount for amount in paid]
                return naive_payoffs(paid, folded, three, 60, spot.rake.rate, spot.rake.cap)

            expected = naive_values(hands, weights, ranks, payoff)[seat]
            assert found[end] == pytest.approx(expected, abs=1e-9)
