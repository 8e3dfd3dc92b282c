"""Action abstraction: which bets are considered where, and how real bets are read in terms of them.

In go `PokerRules` and bet menus; out come rules with those menus, exact sizes, `BettingTree` arrays for blueprint training, mappings
of bets that are not on the menu, and policies that play the real game by an abstract one. Start with `menus.py`, then `betting_tree.py`
and `translation.py`.
"""

from equilibrist.forms.betting_tree.betting_tree import BettingTree, betting_tree
from equilibrist.forms.betting_tree.counting import BettingSize, count_betting
from equilibrist.games.poker.bet_menus import (
    Commitment,
    MenuPlan,
    StreetMenu,
    asymmetric,
    menu_of,
    plan_of,
    read_plan,
    same_everywhere,
    with_menus,
)

__all__ = [
    "BettingSize",
    "BettingTree",
    "Commitment",
    "MenuPlan",
    "StreetMenu",
    "asymmetric",
    "betting_tree",
    "count_betting",
    "menu_of",
    "plan_of",
    "read_plan",
    "same_everywhere",
    "with_menus",
]
