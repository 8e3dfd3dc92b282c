"""One grammar of bet sizes: what each token means, in games and in spots."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_menus import menu_of, same_everywhere, with_menus
from equilibrist.games.poker.bet_sizes import BetSize, BettingSituation, Menu, parse_menu, parse_size
from equilibrist.games.poker.betting import first_node
from equilibrist.games.spots.street_menus import Thresholds, street_totals

OPENING = BettingSituation(pot_after_call=200.0, facing=0.0, remaining=900.0, minimum=1.0, rounds=3)
# bet 100 into 200, raised to 300: a call costs 200
RERAISE = BettingSituation(pot_after_call=800.0, facing=200.0, remaining=700.0, minimum=200.0, bet=300.0)


@pytest.mark.parametrize(
    ("token", "opening", "raising"),
    [
        ("60%", [120.0], [480.0]),
        ("150c", [150.0], []),  # less than the smallest raise
        ("250c", [250.0], [250.0]),
        ("a", [900.0], [700.0]),
        ("2.5x", [], [300.0]),
        ("*300", [300.0, 600.0, 900.0], [300.0, 600.0, 700.0]),  # all-in is always on offer
        ("1e", [900.0], [700.0]),
        ("2e", [(math.sqrt(10.0) - 1.0) * 100.0], [(math.sqrt(2.75) - 1.0) * 400.0]),
        ("e", [(10.0 ** (1 / 3) - 1.0) * 100.0], [700.0]),
        ("2e50%", [100.0], [(math.sqrt(2.75) - 1.0) * 400.0]),
        ("2e25%", [50.0], [200.0]),
    ],
)
def test_each_token_as_an_opening_bet_and_as_a_raise(token, opening, raising):
    assert Menu((token,)).raises(OPENING) == pytest.approx(opening)
    assert Menu((token,)).raises(RERAISE) == pytest.approx(raising)


@pytest.mark.parametrize("token", ["60%", "250c", "a", "1e", "2e", "*200"])
def test_games_and_spots_mean_the_same_by_a_token(token):
    """Where nothing is rounded, a spot's street totals are a game's raise amounts on top of the bet faced."""
    for here in (OPENING, RERAISE):
        totals = street_totals(Menu((token,), multiple="bet"), here, Thresholds(), 0.0)
        assert [total - here.bet for total in totals] == pytest.approx(Menu((token,)).raises(here))


def test_multiples_are_of_the_call_in_games_and_of_the_bet_in_spots():
    assert Menu(("2.5x",)).raises(RERAISE) == [300.0]  # 1.5 times 200 on top of the call: to 600
    assert Menu(("2.5x",), multiple="bet").raises(RERAISE) == [450.0]  # to 750
    assert street_totals(Menu(("2.5x",), multiple="bet"), RERAISE, Thresholds(), 1.0) == (750.0,)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("", "expected sizes"),
        ("half", "expected sizes"),
        ("60", "did you mean '60%'"),
        ("0%", "above 0"),
        ("0c", "above 0"),
        ("1x", "a factor above 1"),
        ("3a", "all-in takes no number"),
        ("60%50%", "only a geometric size"),
        ("2e0%", "above 0"),
        ("5e", "1, 2, 3 or 4 rounds"),
        ("*0", "a step above 0"),
        ("1e400c1", "expected sizes"),
        ("-5c", "expected sizes"),
        ("nan%", "expected sizes"),
    ],
)
def test_what_cannot_be_read_is_refused(word, says):
    for parse in (parse_size, lambda text: Menu((text,))):
        with pytest.raises(ParameterError, match=r"The bet size '.*' cannot be read") as refusal:
            parse(word)
        assert says in str(refusal.value)


def test_menus_name_the_place_of_a_mistake():
    with pytest.raises(ParameterError, match="'huge' at character 6 of bets.flop cannot be read"):
        parse_menu("50%, huge", where="bets.flop")
    with pytest.raises(ParameterError, match="an opening bet has no bet to multiply"):
        parse_menu("2x", opening=True)


def test_numbers_with_exponents():
    assert parse_size("1e-3%") == BetSize("%", 0.001)
    assert parse_size("1e5c") == BetSize("c", 100_000.0)
    assert parse_size("3e2%") == BetSize("e", 3.0, 2.0)  # geometric, at most 2 % of the pot


sizes = st.one_of(
    st.builds(BetSize, st.sampled_from("%c*"), st.floats(1e-6, 1e9)),
    st.builds(BetSize, st.just("x"), st.floats(1.001, 1e3)),
    st.builds(BetSize, st.just("e"), st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.floats(0.5, 500.0) | st.just(math.inf)),
    st.just(BetSize("a")),
)


@given(sizes)
def test_tokens_are_read_back_exactly(size):
    assert parse_size(size.token) == size
    assert parse_size(size.token.upper()) == size
    assert Menu((size.token,)).sizes == (size,)


def test_games_take_geometric_sizes():
    rules = load_game("nolimit-holdem(stack=2000)").rules
    node = first_node(with_menus(rules, same_everywhere(menu_of("e, a"))))
    assert len(node.labels) == 4
    total, pot, behind = 0.0, 200.0, 1900.0  # after a call
    (bet,) = menu_of("e").raises(node._spot())
    share = ((2 * behind / pot + 1) ** 0.25 - 1) / 2
    assert bet == pytest.approx(share * pot)
    for _ in range(4):
        total, pot = total + share * pot, pot + 2 * share * pot
    assert total == pytest.approx(behind)


def test_betting_trees_refuse_sizes_that_their_kernel_lacks():
    rules = load_game("nolimit-holdem(stack=2000)").rules
    with pytest.raises(NotApplicableError, match="The geometric size '2e' is not offered in betting trees"):
        betting_tree(with_menus(rules, same_everywhere(menu_of("2e, a"))))
