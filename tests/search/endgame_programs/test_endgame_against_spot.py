"""Two ways to solve a river: the endgame programs of two theses with a bucket for each hand, and the exact search on boards."""

import numpy as np
import pytest

from equilibrist import Spot
from equilibrist.cards.ranges import parse_range
from equilibrist.games.poker.bet_menus import RoundMenu
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.search.endgame_programs.endgame_betting import grow_betting, last_round
from equilibrist.search.endgame_programs.endgame_solving import EXACT, EndgameMethod, solve_endgame
from equilibrist.search.endgame_programs.joint_hands import river_hands
from equilibrist.search.engines.spots import search_spot

BOARD, POT, STACK = "Td9d6hQc2s", 200.0, 300.0
OOP = "AA,QQ,JJ:0.5,KJs,T9s,87s,A5s"
IP = "KK,99,AQs,QJs:0.7,JTs,76s,54s"


def by_program(method, oop=OOP, ip=IP):
    menu = RoundMenu(((Menu(("50%", "a")), Menu(("a",))),))
    betting = grow_betting(last_round(POT, (STACK, STACK), menu))
    hands, live = river_hands(BOARD, parse_range(oop), parse_range(ip))
    return solve_endgame(betting, hands, method), live


def by_search(oop=OOP, ip=IP):
    spot = Spot(board=BOARD, pot=POT, stack=STACK, range={"oop": oop, "ip": ip}, bets={"bet": "50%, a", "raise": "a"})
    return search_spot(spot, "oop", until="0.01%", iterations=20_000)


@pytest.mark.parametrize(("oop", "ip"), [(OOP, IP), (IP, OOP)])
def test_lossless_buckets_have_the_value_of_the_exact_search(oop, ip):
    """A program counts from half of the pot on, a spot counts shares of the pot."""
    program, _ = by_program(EXACT, oop, ip)
    found = by_search(oop, ip)
    assert program.exploitability < 1e-6
    assert found.exploitability < 0.05
    assert program.value + POT / 2 == pytest.approx(found.solution.ev.oop, abs=2.0 * found.exploitability + 1e-3)


def test_coarse_buckets_do_not():
    """The comparison can fail: three buckets cost chips."""
    exact, _ = by_program(EXACT)
    coarse, _ = by_program(EndgameMethod("coarse", buckets=3))
    assert coarse.exploitability > 1.0
    assert np.isfinite(coarse.value)
    assert abs(coarse.value - exact.value) > 0.1
