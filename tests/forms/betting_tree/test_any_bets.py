"""Sizes of no-limit games with all their bets."""

import math
from dataclasses import replace

import pytest

from equilibrist.core.errors import EquilibristError
from equilibrist.forms.betting_tree.any_bets import count_any_bets
from equilibrist.forms.betting_tree.counting import count_situations
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker


def holdem(stack, step=50, small=50):
    rules = load_game(f"nolimit-holdem(stack={stack})").rules
    return Poker(
        "x", replace(rules, menus=(Menu((f"*{step}",)),) * 4, blinds=(2 * small, small), minimum_bet=2 * small)
    )


@pytest.mark.parametrize("stack", [150, 300, 450, 600])
def test_against_the_recursion_over_situations(stack):
    game = holdem(stack)
    size, exact = count_any_bets(game), count_situations(game.rules)
    assert size.decisions == sum(map(sum, exact.decisions))
    assert size.ends == exact.folds + exact.showdowns + exact.runouts


def test_h33():
    # stacks of 1,000 with blinds of 1 and 2: 7.16e75 game states (Johanson 2013, "Measuring the size of large no-limit poker games"),
    # not the 1e71 of [Gilpin09, §7.4], which is the order of infosets with suits merged; limit hold'em has 1e18
    found = count_any_bets(holdem(1000, step=1, small=1))
    assert found.states == pytest.approx(7.16e75, rel=1e-3)
    river_hands = 2_428_287_420  # canonical (hand, flop, turn, river)
    assert 70.5 < math.log10(found.decisions * river_hands) < 71.6
    assert 17.5 < math.log10(load_game("limit-holdem").histories()) < 18.5


def test_refusals():
    with pytest.raises(EquilibristError, match="counted by chips"):
        count_any_bets(load_game("nolimit-holdem(sizes=fcpa)"))
    with pytest.raises(EquilibristError, match="too deep"):
        count_any_bets(load_game("nolimit-holdem"))
