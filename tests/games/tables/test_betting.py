"""Betting before the flop: as the rules of poker have it, and as menus and limits allow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import ParameterError
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.betting import first_node
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import TERMINAL
from equilibrist.games.tables.betting import NOBODY, first_situation, play_line
from equilibrist.games.tables.table import Table

FULL = {"open": "100%, a", "isolate": "100%, a", "3bet": "100%, a", "4bet": "100%, a", "5bet": "100%, a", "limp": True}


def ends(here):
    """Every way in which the betting ends."""
    if here.seat == NOBODY:
        yield here
        return
    for index in range(len(here.actions)):
        yield from ends(here.after(index))


def poker_ends(node):
    if node.player == TERMINAL:
        yield node
        return
    for _, after in node.options:
        yield from poker_ends(after)


@pytest.mark.parametrize("stacks", [(20.0, 20.0, 20.0), (20.0, 7.0, 30.0), (3.0, 12.0, 1.2), (2.0, 9.0)])
def test_as_the_betting_of_poker(stacks):
    """Where all is on offer to everybody, the same ends as in a game of one round; a short big blind is another matter: see below."""
    seats = len(stacks)
    table = Table(stacks=list(stacks), blinds=[0.5, 1], menu=FULL | {"cold_call": 9}, chip=0.01)
    rules = PokerRules(
        deck=Deck(13, 4), board=(0,), menus=(Menu(("100%", "a")),), caps=(99,), players=seats, hole=2, chip=0.01,
        blinds=(0.0,) * (seats - 2) + (0.5, 1.0), first=(0,), stacks=stacks, minimum_bet=1.0, raise_at_least_last=True,
    )  # fmt: skip
    mine = sorted((end.bets, end.folded) for end in ends(first_situation(table)))
    theirs = sorted((node.paid, node.folded) for node in poker_ends(first_node(rules)))
    mine, theirs = ({_matched(*each) for each in several} for several in (mine, theirs))
    assert mine == theirs


def _matched(paid, folded):
    """Without what nobody called, which goes back."""
    top = sorted(paid)[-2]
    return tuple(round(min(bet, top), 6) for bet in paid), tuple(folded)


def test_jam_or_fold_of_three():
    table = Table(seats=3, stack=10, blinds=[0.5, 1])
    lines = sorted(":".join(end.line) for end in ends(first_situation(table)))
    assert lines == ["a:c:c", "a:c:f", "a:f:c", "a:f:f", "f:a:c", "f:a:f", "f:f"]


def test_a_covering_stack_jams_where_somebody_could_call_and_calls_where_nobody_could():
    table = Table(stacks=[5, 30, 20], blinds=[0.5, 1])
    assert play_line(table, "a").labels == ("f", "a")
    assert play_line(table, "a:f").labels == ("f", "c")


def test_limits_on_flops_fold_the_rest():
    three = Table(seats=9, stack=10, blinds=[0.5, 1])
    assert all(len(end.staying) <= 3 for end in ends(first_situation(three)))
    two = three.changed(players_to_flop=2)
    assert play_line(two, "a:f:f:f:f:f:f:f").labels == ("f", "c")
    over = play_line(two, "a:c")
    assert over.seat == NOBODY
    assert over.line == ("a", "c", *"fffffff")
    limped = Table(seats=6, stack=40, blinds=[0.5, 1], menu={"open": "3x", "limp": True})
    for end in ends(first_situation(limped)):
        assert len(end.staying) <= 3


def test_cold_calls_limps_and_straddles():
    table = Table(seats=4, stack=50, blinds=[0.5, 1], menu={"open": "2.5x", "3bet": "3x", "cold_call": 0})
    assert play_line(table, "r2.5").labels == ("f", "r7.5")
    assert play_line(table, "r2.5:f:f").labels == ("f", "c", "r7.5")
    assert play_line(table, "f:f:f").seat == NOBODY  # nobody limps: the big blind has won
    straddled = Table(seats=4, stack=50, blinds=[0.5, 1], straddle=2, menu={"open": "2x", "limp": True})
    start = first_situation(straddled)
    assert (start.seat, start.level) == (1, 2.0)
    assert play_line(straddled, "c:f:f").seat == 0
    assert play_line(straddled, "c:f:f").labels == ("x", "r4")


@pytest.mark.parametrize(
    ("ante", "dead"), [({"each": 0.1}, (0.1,) * 4), ({"big_blind": 1}, (0, 0, 0, 1)), ({"button": 1}, (0, 1, 0, 0))]
)
def test_antes_are_dead(ante, dead):
    start = first_situation(Table(seats=4, stack=10, blinds=[0.5, 1], ante=ante))
    assert start.dead == dead
    assert start.bets == (0, 0, 0.5, 1)
    assert start.pot == pytest.approx(1.5 + sum(dead))


def test_blinds_put_short_stacks_all_in():
    table = Table(stacks=[10, 10, 0.4], blinds=[0.5, 1], ante=0.1)
    start = first_situation(table)
    assert (start.bets[2], start.behind[2]) == (0.3, 0.0)
    assert play_line(table, "f").seat == NOBODY  # the small blind has put in more than the big blind has
    short = Table(stacks=[10, 0.3, 10], blinds=[0.5, 1])
    assert play_line(short, "f").seat == NOBODY


def test_lines_that_are_not_there():
    table = Table(seats=3, stack=10, blinds=[0.5, 1])
    for line in ("x", "f:f:a", "a:c:c:c", "r2"):
        with pytest.raises(ParameterError):
            play_line(table, line)


@given(
    st.lists(st.integers(1, 60), min_size=2, max_size=5), st.sampled_from(["jam-fold", FULL | {"open": "2x"}]),
    st.integers(0, 2**32),
)  # fmt: skip
def test_chips_stay_in_bounds(stacks, menu, seed):
    table = Table(stacks=[s + 1.5 for s in stacks], blinds=[0.5, 1], menu=menu)
    here, steps = first_situation(table), 0
    while here.seat != NOBODY:
        assert all(left >= 0.0 for left in here.behind)
        assert here.labels[0] in "fx"
        assert len(set(here.labels)) == len(here.labels) >= 2
        here = here.after(seed % len(here.actions))
        seed, steps = seed // 3 + 7 * steps, steps + 1
    assert 1 <= len(here.staying) <= table.players_to_flop


def test_a_big_blind_that_is_all_in_is_called_or_not():
    """Jam or fold: nobody else can bet, so that the small blind calls what is missing, or folds."""
    here = first_situation(Table(stacks=[10, 0.7], blinds=[0.5, 1]))
    assert (here.seat, here.labels) == (0, ("f", "c"))
    assert here.play("c").bets == (0.7, 0.7)
    three = first_situation(Table(stacks=[10, 10, 0.7], blinds=[0.5, 1]))
    assert three.labels == ("f", "a")  # the small blind could still raise
    assert three.play("f").labels == ("f", "c")


def test_the_button_of_two_is_the_small_blind():
    assert first_situation(Table(seats=2, stack=10, blinds=[0.5, 1], ante={"button": 1})).dead == (1.0, 0.0)
    assert first_situation(Table(seats=4, stack=10, blinds=[0.5, 1], ante={"button": 1})).dead == (0.0, 1.0, 0.0, 0.0)
