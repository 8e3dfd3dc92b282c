"""Pots, prizes and bounties of hands that are over."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.games.tables.betting import NOBODY, first_situation, play_line
from equilibrist.games.tables.payoffs import Payoffs, orders_of, weak_orders
from equilibrist.games.tables.pots import layers, settle
from equilibrist.games.tables.table import Table
from equilibrist.games.tournaments.icm import icm
from equilibrist.games.tournaments.knockouts import knockout_icm
from reference.naive_pots import naive_settlement


def values(table, line):
    payoffs = Payoffs(table)
    payoffs.add(play_line(table, line))
    return payoffs.values()


def random_end(table, seed):
    here = first_situation(table)
    while here.seat != NOBODY:
        here = here.after(seed % len(here.actions))
        seed //= 2
    return here


def test_weak_orders():
    assert [len(weak_orders(hands)) for hands in (1, 2, 3, 4)] == [1, 3, 13, 75]
    assert weak_orders(2) == ((0, 0), (0, 1), (1, 0))


@settings(max_examples=60)
@given(
    st.lists(st.integers(2, 30), min_size=2, max_size=6), st.integers(0, 2**20), st.integers(0, 12), st.integers(0, 1)
)
def test_pots_as_unit_by_unit(stacks, seed, which, ante):
    """Side pots, split pots, short blinds and antes against a settlement that looks at single chips."""
    table = Table(stacks=stacks, blinds=[1, 2], ante=ante)
    end = random_end(table, seed)
    orders = weak_orders(len(end.staying))
    order = orders[which % len(orders)]
    rank = dict(zip(end.staying, order, strict=True))
    paid = [round(bet + dead) for bet, dead in zip(end.bets, end.dead, strict=True)]
    ranking = [-rank.get(seat, 99) for seat in range(table.seats)]
    net = naive_settlement(paid, end.folded, ranking, whole=False)
    found = settle(end, layers(end), order).stacks
    assert np.subtract(found, table.stacks) == pytest.approx([float(each) for each in net], abs=1e-8)
    assert sum(found) == pytest.approx(sum(table.stacks))


@settings(max_examples=60)
@given(st.lists(st.integers(3, 30), min_size=4, max_size=6), st.integers(0, 2**20), st.integers(0, 719))
def test_many_hands_as_unit_by_unit(stacks, seed, which):
    """Whoever wins which pot is all that counts: any order pays what the one does in which the same hands win."""
    table = Table(stacks=stacks, blinds=[1, 2], players_to_flop=len(stacks))
    end = random_end(table, seed)
    hands = len(end.staying)
    all_orders = list(permutations(range(hands)))
    order = all_orders[which % len(all_orders)]
    paid = [round(bet + dead) for bet, dead in zip(end.bets, end.dead, strict=True)]
    ranking = [-dict(zip(end.staying, order, strict=True)).get(seat, 99) for seat in range(table.seats)]
    payoffs = Payoffs(table)
    first, tops = payoffs.add(end, order)
    asked = len(orders_of(tops))
    assert payoffs.add(end)[0] == first + 1
    values = payoffs.values() * table.big_blind
    assert len(values) == 1 + asked
    net = [float(each) for each in naive_settlement(paid, end.folded, ranking, whole=False)]
    assert values[0] == pytest.approx(net, abs=1e-8)
    assert np.abs(values[1:] - net).max(axis=1).min() < 1e-8


@settings(max_examples=40)
@given(st.lists(st.integers(2, 30), min_size=3, max_size=5), st.integers(0, 2**20), st.floats(0, 1), st.booleans())
def test_prize_money_is_conserved(stacks, seed, progressive, heads):
    bounties = {"bounties": list(range(1, len(stacks) + 1)), "progressive": progressive} if heads else {}
    table = Table(stacks=stacks, blinds=[1, 2], payouts=[50, 30, 20], **bounties)
    payoffs = Payoffs(table)
    payoffs.add(random_end(table, seed))
    assert payoffs.values().sum(axis=1) == pytest.approx(table.prize_pool)


def test_a_big_blind_ante_belongs_to_the_main_pot():
    table = Table(stacks=[4, 10, 11], blinds=[0.5, 1], ante={"big_blind": 1})
    end = play_line(table, "a:a:c")
    main, side = layers(end)
    assert (main.chips, main.seats) == (13.0, (0, 1, 2))
    assert (side.chips, side.seats) == (12.0, (1, 2))


def test_rake_is_taken_from_flops_and_never_from_what_nobody_called():
    rake = {"rate": 0.05, "cap": 0.6}
    table = Table(stacks=[10, 10, 10], blinds=[0.5, 1], rake=rake)
    assert values(table, "a:f:f").sum() == pytest.approx(0.0)  # no flop, no drop
    assert values(table, "a:f:c").sum(axis=1) == pytest.approx(-0.6)  # 20.5 chips: the cap
    short = Table(stacks=[10, 3, 10], blinds=[0.5, 1], rake=rake)
    assert values(short, "f:a:c").sum(axis=1) == pytest.approx(
        -0.3
    )  # 6 chips; what the big blind did not need to put in is its own
    assert values(short, "a:c:f").sum(axis=1) == pytest.approx(-0.35)  # 3 + 3 + 1 chips: seven go back to the first
    dropped = table.changed(rake=rake | {"no_flop_no_drop": False})
    assert values(dropped, "a:f:f").sum() == pytest.approx(-0.05 * 2.5)  # of the blinds and the chip that matches them


def test_folds_and_wins_in_prize_money():
    table = Table(stacks=[10, 6, 8], blinds=[0.5, 1], payouts=[60, 40])
    tie, first, second = values(table, "f:a:c")
    assert first == pytest.approx(icm([10, 12, 2], [60, 40]))
    assert second == pytest.approx(icm([10, 0, 14], [60, 40]))
    assert tie == pytest.approx(icm([10, 6, 8], [60, 40]))


def test_two_are_eliminated_at_once_and_the_larger_stack_has_the_better_place():
    table = Table(stacks=[20, 6, 8], blinds=[0.5, 1], payouts=[60, 30, 10])
    order = weak_orders(3).index((0, 1, 2))
    assert values(table, "a:c:c")[order] == pytest.approx([60, 10, 30])
    even = Table(stacks=[20, 8, 8], blinds=[0.5, 1], payouts=[60, 30, 10])
    assert values(even, "a:c:c")[order] == pytest.approx([60, 20, 20])


def test_bounties_go_to_who_won_the_last_pot_of_the_eliminated():
    table = Table(stacks=[20, 4, 10], blinds=[0.5, 1], payouts=[60, 30, 10], bounties=[3, 5, 7], progressive=0.0)
    orders = weak_orders(3)
    # the short stack wins the main pot, the first seat the side pot: it takes the head of the third alone
    found = values(table, "a:c:c")[orders.index((1, 0, 2))]
    stacks = settle(play_line(table, "a:c:c"), layers(play_line(table, "a:c:c")), (1, 0, 2)).stacks
    assert stacks == (22, 12, 0)
    after = knockout_icm([22, 12, 0], [60, 30, 10], [3, 5, 0], before=[20, 4, 10])
    assert found == pytest.approx(np.add(after.equity, [7, 0, 0]))
    # both of the others beat the short stack and tie: each has half of its head
    halves = values(table, "a:c:c")[orders.index((0, 1, 0))]
    after = knockout_icm([22, 0, 12], [60, 30, 10], [3, 0, 7], before=[20, 4, 10])
    assert halves == pytest.approx(np.add(after.equity, [2.5, 0, 2.5]))


def test_seats_that_change_places_change_payoffs():
    """The same stacks and cards in another order of seats: only the blinds stay where they are."""
    for line in ("a:c:c", "a:f:c", "f:a:c"):
        one = values(Table(stacks=[10, 10, 10], blinds=[0, 1], payouts=[5, 3, 1]), line)
        assert one.sum(axis=1) == pytest.approx(9.0)
    wide, narrow = (Table(stacks=stacks, blinds=[0, 1e-9], payouts=[5, 3]) for stacks in ([8, 5, 3], [5, 8, 3]))
    orders = weak_orders(3)
    for number, order in enumerate(orders):
        swapped = orders.index((order[1], order[0], order[2]))
        first = settle(play_line(wide, "a:c:c"), layers(play_line(wide, "a:c:c")), order).stacks
        line = "a:c:c"
        second = settle(play_line(narrow, line), layers(play_line(narrow, line)), orders[swapped]).stacks
        assert (first[1], first[0], first[2]) == pytest.approx(second, abs=1e-6), number
