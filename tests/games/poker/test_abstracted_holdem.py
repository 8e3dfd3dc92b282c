"""The games of [Brown20, §5.1.8]: their betting, and what may be changed."""

from __future__ import annotations

import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.forms.boards.poker_streets import betting_streets
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.game import Poker


def streets(name: str) -> tuple[object, ...]:
    game = load_game(name)
    assert isinstance(game, Poker)
    return betting_streets(game.rules)


def test_small_flop_holdem() -> None:
    """Five lines lead to the flop, each with ten decisions; two raises of the pot before it: to 300, to 900."""
    before, flop = streets("small-nolimit-flop-holdem")
    assert flop.roots == 5
    assert flop.counts[0] == 50
    assert before.paid.max() == 900.0


def test_nested_flop_holdem() -> None:
    """One bet of three sizes before the flop, made by either player; on it a bet and two raises."""
    before, flop = streets("nested-nolimit-flop-holdem")
    assert before.labels(0) == ("f", "c", "r200", "r250", "r300")
    assert flop.roots == 7
    small, below = streets("nested-nolimit-flop-holdem(sizes=[0.5,1])")
    assert (len(small.labels(0)), below.roots) == (4, 5)
    # a first bet of three sizes by either, two raises of three sizes each
    assert flop.counts[0] == 7 * (2 + 2 * (3 + 9 + 27))


def test_large_flop_holdem() -> None:
    before, flop = streets("large-nolimit-flop-holdem")
    assert before.labels(0) == ("f", "c", "r200", "r300", "r20000")
    assert flop.labels(0) == ("x", "b100", "b200", "b400", "b19900")


def test_turn_holdem() -> None:
    """Three lines lead to the flop and three from each to the turn, where there are six decisions."""
    before, flop, turn = streets("nolimit-turn-holdem")
    assert (before.roots, flop.roots, turn.roots) == (1, 3, 9)
    assert turn.counts[0] == 54


def test_sizes_are_shares_of_the_pot() -> None:
    with pytest.raises(ParameterError, match="shares of the pot"):
        load_game("nested-nolimit-flop-holdem(sizes=[0.5,a])")
