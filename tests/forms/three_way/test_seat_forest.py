"""The betting of three seats, and what ends pay."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.forms.three_way.seat_boards import deal_seats
from equilibrist.forms.three_way.seat_ends import BELOW, INNER, LEAF, seat_ends
from equilibrist.forms.three_way.seat_forest import DEAL, OVER, seat_forests
from equilibrist.games.spots.three_way_spot import ThreeWaySpot
from reference.naive_three_way import naive_payoffs

RANKS = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]


def spot(stacks=(90, 60, 40), board="Ks9d6h4c2s", bet="50%, a", raises="60%, a", **more):
    return ThreeWaySpot(
        board=board,
        pot=60,
        stacks=dict(zip(("sb", "bb", "btn"), stacks, strict=True)),
        range={"sb": "TT+,AKs", "bb": "99-66", "btn": "88-44"},
        bets={"bet": bet, "raise": raises},
        **more,
    )


def payoff(ends, end, ranks, seat):
    """By the formula that kernels follow."""
    mine, first, second = ranks[seat], ranks[ends.first[end]], ranks[ends.second[end]]
    pair = 0.5 * ((mine > first) + (mine >= first))
    three = 0.0 if max(first, second) > mine else 1.0 / (1 + (first == mine) + (second == mine))
    return ends.base[end] + ends.side[end] * pair + ends.main[end] * three


@settings(max_examples=15)
@given(
    st.tuples(*[st.sampled_from([15, 40, 60, 90, 250])] * 3),
    st.sampled_from([{}, {"rate": 0.05}, {"rate": 0.1, "cap": 5}]),
    st.sampled_from(["50%, a", "100%", "a"]),
)
def test_every_outcome_of_every_end(stacks, rake, bet):
    here = spot(stacks, bet=bet, rake=rake)
    (forest,) = seat_forests(here)
    for seat in range(3):
        ends = seat_ends(forest, seat, here.pot, here.rake)
        for end, node in enumerate(ends.node):
            paid, folded = forest.paid[node], forest.folded[node].tolist()
            assert (paid <= np.array(stacks)).all()
            for ranks in RANKS:
                if folded[seat]:
                    expected = -paid[seat]
                else:
                    assert forest.kind[node] == OVER
                    told = naive_payoffs(paid.astype(int).tolist(), folded, ranks, 60, here.rake.rate, here.rake.cap)
                    expected = told[seat]
                assert math.isclose(payoff(ends, end, ranks, seat), expected, abs_tol=1e-9)


def test_every_node_is_reached_by_the_row_of_its_last_own_action():
    (forest,) = seat_forests(spot())
    for node in range(1, len(forest)):
        above = forest.parent[node]
        actor = forest.kind[above]
        for seat in range(3):
            if seat == actor:
                expected = forest.roots + forest.slot[above] + node - forest.first_child[above]
            else:
                expected = forest.row[seat, above]
            assert forest.row[seat, node] == expected


def test_nobody_bets_what_nobody_can_match():
    (forest,) = seat_forests(spot((500, 60, 40)))
    assert forest.labels(0) == ("x", "b30", "b60")
    assert forest.names(0)[-1] == "all-in 60"
    folded = forest.child(forest.child(0, "x"), "b30")  # bb bets, btn folds: sb can win no more than bb has
    folded = forest.child(folded, "f")
    assert forest.labels(folded)[-1] == "r60"


def test_raises_are_at_least_as_large_as_the_one_before():
    (forest,) = seat_forests(spot((900, 900, 900), bet="20c", raises="1c", betting={"cap": 3}))
    node = forest.child(0, "b20")
    assert forest.labels(node) == ("f", "c", "r40")
    assert forest.labels(forest.child(node, "r40")) == ("f", "c", "r60")  # by 20, not by what a call costs


def test_after_a_fold_a_seat_is_passed_over():
    turn, river = seat_forests(spot(board="Ks9d6h4c", raises="", betting={"cap": 1}))
    for seat in range(3):
        ends = seat_ends(turn, seat, 60.0, spot().rake)
        just = np.flatnonzero(turn.folded[:, seat] & (ends.place == LEAF))
        assert set(just) <= set(ends.node.tolist())
        assert not (ends.place[turn.folded[:, seat]] == INNER).any()
        below = seat_ends(river, seat, 60.0, spot().rake)
        out = river.folded[: river.roots, seat]
        assert ((below.place[: river.roots] == BELOW) == out).all()
        assert 0 < out.sum() < river.roots
    assert int((turn.kind == DEAL).sum()) == river.roots


def test_boards_and_hands():
    here = spot(board="Ks9d6h4c")
    deal = deal_seats(here)
    turn, rivers = deal.streets
    assert (len(turn), len(rivers)) == (1, 48)
    for seat in range(3):
        own = rivers.seats[seat]
        assert (own.start[np.arange(48), own.groups] == own.count).all()
        free = len(deal.numbers[seat]) * 48 - own.count.sum()
        held = sum(1 for n in deal.numbers[seat] for _ in range(2))
        assert free == held  # every hand misses the two rivers that are its own cards
