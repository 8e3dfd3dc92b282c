"""Amounts are exact in the smallest chip: nothing is gained or lost, whatever blinds, antes, stacks and chips a table has."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from equilibrist import load_game
from equilibrist.cards.deck import Deck
from equilibrist.core.errors import ParameterError
from equilibrist.core.player import View
from equilibrist.core.units import check_unit, chip_text, digits_of, is_multiple, nearest_multiple, smallest_unit
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_game import SpotGame
from reference.naive_pots import naive_settlement

CHIPS = (0.0001, 0.01, 0.05, 0.25, 0.5, 1.0, 2.0, 25.0)


def units(amount, chip):
    """An amount in chips; fails unless it is a whole number of them."""
    count = Fraction(repr(float(amount))) / Fraction(repr(float(chip)))
    assert count.denominator == 1, (amount, chip)
    return int(count)


def played(game, seed):
    """The last state of a hand played at random: calls, small raises, any raise, now and then all-in."""
    rng, state = random.Random(seed), game.start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.child(state.sample_chance(rng))
            continue
        labels, draw = state.actions(), rng.random()
        last = len(labels) - 1
        pick = min(rng.choice((0, 1, 1, 2)), last) if draw < 0.6 else last if draw > 0.95 else rng.randint(0, last)
        if labels[pick] == "f" and rng.random() < 0.5:
            pick = min(1, last)
        state = state.child(pick)
    return state


def strengths(game, state):
    live = sum(not folded for folded in state.node.folded)
    if live == 1:
        return [(0,)] * game.players
    return [game.strength(cards, state.board) for cards in state.hole]


def check_hand(game, state):
    """Bets, stacks and results in whole chips, nothing lost, and equal to the settlement unit by unit."""
    rules, node, net = game.rules, state.node, state.returns()
    assert all(repr(float(amount)) == repr(round(float(amount), 4)) for amount in (*node.paid, *net, node.pot))
    paid = [units(amount, rules.chip) for amount in node.paid]
    dead = [units(amount, rules.chip) for amount in rules.dead]
    won = [units(amount, rules.chip) for amount in net]
    assert sum(won) == 0
    assert won == naive_settlement(paid, node.folded, strengths(game, state), dead)
    assert units(node.pot, rules.chip) == sum(paid) + sum(dead)
    for p in range(rules.players):
        assert units(node.behind(p), rules.chip) == units(rules.stack_of(p), rules.chip) - paid[p] >= 0
    for word in state.line.split(":"):
        if word[:1] in ("b", "r") and word[1:]:
            units(float(word[1:]), rules.chip)


@st.composite
def tables(draw):
    """Hold'em for 2 to 9 with blinds, antes, stacks, dead money and menus in multiples of a chip."""
    chip, players = draw(st.sampled_from(CHIPS)), draw(st.integers(2, 9))

    def amount(least, most):
        return round(draw(st.integers(least, most)) * chip, 6)

    small = amount(1, 30)
    big = round(small + amount(0, 40), 6)
    stacks = tuple(round(amount(1, 120) + (big if draw(st.booleans()) else 0.0), 6) for _ in range(players))
    blinds = (big, small) if players == 2 else (small, big) + (0.0,) * (players - 2)
    open_sizes = draw(st.booleans())
    menu = Menu((f"*{chip:.10g}",)) if open_sizes else Menu(tuple(draw(st.sampled_from(MENUS))))
    dead = tuple(amount(0, 7) if draw(st.booleans()) else 0.0 for _ in range(players)) if draw(st.booleans()) else ()
    return PokerRules(
        Deck(),
        board=(0, 3, 1, 1),
        menus=(menu,) * 4,
        caps=(math.inf,) * 4,
        players=players,
        hole=2,
        ante=draw(st.sampled_from([0.0, amount(1, 9)])),
        blinds=blinds,
        first=(1, 0, 0, 0) if players == 2 else (2 % players, 0, 0, 0),
        stack=max(stacks),
        stacks=stacks,
        chip=chip,
        dead=dead,
        minimum_bet=big,
        raise_at_least_last=True,
    )


MENUS = (["33%", "75%", "a"], ["100%"], ["2.5x", "50%"], ["e", "10%"])


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_every_hand_is_zero_sum_in_whole_chips(rules, seed):
    game = Poker("table", rules)
    check_hand(game, played(game, seed))


@st.composite
def catalogue_names(draw):
    """Games of the catalogue with a smallest chip, and random amounts in it."""
    chip = draw(st.sampled_from([0.01, 0.05, 0.5, 1]))

    def amount(least, most):
        return f"{round(draw(st.integers(least, most)) * chip, 6):g}"

    sizes = draw(st.sampled_from(["any", "[0.33,1,a]", "fcpa"]))
    players = draw(st.integers(2, 6))
    small = draw(st.integers(1, 5))
    blinds = f"[{round(small * chip, 6):g},{round(2 * small * chip, 6):g}]"
    holdem = f"blinds={blinds},chip={chip},sizes={sizes},players={players},ante={amount(0, 3)}"
    return draw(
        st.sampled_from(
            [
                f"nolimit-holdem({holdem},stack={amount(30, 900)})",
                f"nolimit-holdem({holdem},stacks=[{','.join(amount(13, 300) for _ in range(players))}])",
                f"nolimit-leduc(stack={round(2 + draw(st.integers(1, 40)) * chip, 6):g},sizes={sizes},chip={chip})",
                f"nolimit-flop-holdem(chip=1,stack=1234,sizes={sizes})",
                f"turn-endgame-holdem(chip=0.5,stack=1234.5,sizes={sizes})",
                f"nolimit-holdem(blinds={blinds},players={players},stack={amount(30, 900)})",
                f"nolimit-leduc(stack={amount(300, 900)})",
            ]
        )
    )


@settings(max_examples=60, deadline=None)
@given(catalogue_names(), st.integers(0, 2**32))
def test_every_hand_of_the_catalogue_is_zero_sum_in_whole_chips(name, seed):
    try:
        game = load_game(name)
    except ParameterError:
        assume(False)  # antes of 0.5 with chips of 1, and such
    if "chip" in name:
        assert game.rules.chip == float(name.split("chip=")[1].split(",")[0].rstrip(")"))
    assert load_game(game.name).rules == game.rules
    check_hand(game, played(game, seed))


REAL = [
    "kuhn(players=3,ante=0.1,bet=0.2)", "one-card-poker", "nolimit-kuhn(stack=0.8,step=0.3)", "leduc(players=3,bets=[0.1,0.3],ante=0.7)",
    "leduc-5", "bl26", "continuous-leduc(sizes=[0.1,0.37])", "rhode-island", "limit-holdem(players=5)", "flop-holdem",
    "nolimit-leduc(sizes=[0.37,1])", "nolimit-holdem(blinds=[0.1,0.3],stack=7.7,sizes=[0.37,1,a],players=4)",
]  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_hands_of_games_without_a_chip_are_zero_sum_too(name):
    game = load_game(name)
    assert game.rules.chip == 0
    scale = 10**9
    for seed in range(60):
        state = played(game, seed)
        node, net = state.node, state.returns()
        assert sum(net) == pytest.approx(0.0, abs=1e-9)
        paid = [round(Fraction(amount) * scale) for amount in node.paid]
        cut = math.gcd(*paid)  # so that the settlement has few units to go through
        few = [amount // cut for amount in paid]
        if max(few) > 100_000:
            continue
        expected = naive_settlement(few, node.folded, strengths(game, state), whole=False)
        assert list(net) == pytest.approx([float(units * cut / scale) for units in expected], abs=2e-9)


def test_tables_with_cents():
    """What was wrong: no raise to 1 and no all-in with 0.25/0.5, pots cut to whole chips with 0.5/1."""
    game = load_game("nolimit-holdem(blinds=[0.25,0.5],stack=50)")
    assert game.rules.chip == 0.01
    labels = game.first.labels
    assert (labels[2], labels[3], labels[-1]) == ("r1", "r1.01", "r50")
    assert game.first.raise_bounds == (1.0, 50.0)
    after = game.first.play("f")
    assert game.payoffs(after, ((0, 1), (2, 3)), ()) == (0.25, -0.25)
    three = load_game("nolimit-holdem(blinds=[0.5,1],stack=100,players=3)")
    walk = three.first.play("f").play("f")
    assert three.payoffs(walk, ((0, 1), (2, 3), (4, 5)), ()) == (-0.5, 0.5, 0.0)


def test_shares_of_the_pot_are_rounded_where_a_chip_is_asked_for():
    """Bets that experiments put into a game with open sizes stay what they are, and its ties still sum to zero."""
    stated, free = (load_game(f"nolimit-holdem(players=3{chip})").with_action("", "66.7%") for chip in (",chip=1", ""))
    assert stated.first.labels == ("f", "c", *(f"r{total}" for total in range(200, 20001)))
    assert "r266.75" in free.first.labels
    node = free.first.play("r266.75").play("f").play("c")
    while node.player != TERMINAL:
        node = node.after_deal if node.player == CHANCE else node.play("x")
    assert free.payoffs(node, ((0, 1), (4, 5), (8, 9)), tuple(range(47, 52))) == (-50, 25.75, 24.25)


def test_odd_chips_of_a_tie_go_to_the_first_left_of_the_button():
    game = load_game("nolimit-holdem(blinds=[0.05,0.1],ante=0.01,stack=10,players=3)")
    node = game.first.play("c").play("c").play("x")
    while node.player != TERMINAL:
        node = node.after_deal if node.player == CHANCE else node.play("x")
    paid = [0.11, 0.11, 0.11]
    assert list(node.paid) == paid
    board = tuple(range(47, 52))  # all play the board
    assert game.payoffs(node, ((0, 1), (4, 5), (8, 9)), board) == (0.0, 0.0, 0.0)
    folded = game.first.play("f").play("c").play("x")
    while folded.player != TERMINAL:
        folded = folded.after_deal if folded.player == CHANCE else folded.play("x")
    assert game.payoffs(folded, ((0, 1), (4, 5), (8, 9)), board) == (0.01, 0.0, -0.01)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nolimit-holdem(blinds=[0.25,0.5],chip=0.1)", "multiple of the smallest chip"),
        ("nolimit-holdem(stack=100.005,blinds=[1,2],chip=0.01)", "100.005"),
        ("nolimit-holdem(stack=100.00005,blinds=[1,2])", "four decimals"),
        ("nolimit-holdem(chip=0)", "'chip' .*0.0001"),
        ("nolimit-holdem(chip=0.012345)", "four decimals"),
        ("nolimit-holdem(chip=word)", "smallest chip"),
    ],
)
def test_amounts_that_no_chip_holds_are_refused(name, said):
    with pytest.raises(ParameterError, match=said):
        load_game(name)


def test_amounts_that_floats_cannot_count_are_refused():
    with pytest.raises(ParameterError, match="times the smallest chip"):
        check_unit(0.01, stack=[1e14])


@given(st.integers(0, 10**9), st.sampled_from(CHIPS))
def test_units(count, chip):
    amount = round(count * chip, digits_of(chip))
    assert is_multiple(amount, chip)
    assert nearest_multiple(amount + chip / 5, chip) == amount
    assert float(chip_text(amount)) == amount
    assert smallest_unit([amount, chip]) <= max(chip, 0.0001)
    check_unit(chip, stack=[amount])


@pytest.mark.parametrize("amount", [1e300, 1e16, 123456789012345.67, 0.1 + 0.2, 1e-300])
def test_strange_amounts_have_a_unit_or_none(amount):
    assert smallest_unit([amount], otherwise=0.0) == {0.1 + 0.2: 0.0, 1e-300: 0.0, 123456789012345.67: 0.01}.get(
        amount, 1.0
    )


def test_amounts_are_written_in_full():
    assert [chip_text(x) for x in (300, 0.25, 12345.67, 1234567.5, 1e16, 0.1 + 0.2, -2.5, math.inf)] == [
        "300", "0.25", "12345.67", "1234567.5", "10000000000000000", "0.3", "-2.5", "inf",
    ]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 4000), st.integers(1, 9000), st.sampled_from([0.0, 0.03, 0.0525]), st.sampled_from([0.01, 0.25, 1]), st.randoms()
)  # fmt: skip
def test_spots_pay_out_the_pot_less_rake(pot, stack, rate, chip, rng):
    spot = Spot(
        board="Td9d6hQc2s", pot=round(pot * chip, 4), stack=round(stack * chip, 4), chip=chip, rake={"rate": rate, "cap": 3 * chip},
        range={"oop": "AA,KQs,T9s", "ip": "QQ,JTs,87s"}, bets={"bet": "33%, 71%, a", "raise": "2.5x, 60%, a"},
    )  # fmt: skip
    game = SpotGame(spot)
    for _ in range(4):
        state = played(game, rng.randrange(2**32))
        paid = game.paid(state.node)
        assert all(is_multiple(amount, chip) for amount in paid)
        matched = Fraction(repr(spot.pot)) + 2 * Fraction(repr(min(paid)))
        taken = min(Fraction(repr(rate)) * matched, Fraction(repr(3.0 * chip)))
        assert sum(state.returns()) == pytest.approx(-float(taken if rate else 0), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "total", "label"),
    [
        ("nolimit-holdem(blinds=[0.25,0.5],stack=50.07)", 1.374, "r1.37"),
        ("nolimit-holdem(blinds=[0.25,0.5],stack=50.07)", 50.07, "r50.07"),
        ("nolimit-holdem", 333.4, "r333"),
        ("nolimit-holdem(sizes=[0.37,0.5,1])", 260.0, "r300"),
        ("nolimit-holdem(stack=333,blinds=[1,2],sizes=[0.83,1.07])", 5.3, "r5.32"),
    ],
)
def test_players_bet_the_nearest_legal_amount(name, total, label):
    """At tables with cents whole chips were bet, so that all-in for 50.07 was 50."""
    game = load_game(name)
    state = game.start().child(0)
    view = View(state.player, "", "", state.actions(), state.chips(state.player))
    assert view.nearest_raise(total) == label
