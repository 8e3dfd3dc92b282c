"""The betting models of Tartanian and Tartanian2 for heads-up no-limit hold'em ([Gilpin09, §7.4])."""

from __future__ import annotations

import math
from dataclasses import replace

from equilibrist.games.poker.bet_menus import Commitment, MenuPlan, RoundMenu, menu_of, with_menus
from equilibrist.games.poker.family import nolimit_holdem
from equilibrist.games.poker.rules import PokerRules

HALF_STACK = Commitment(0.5)


def tartanian_plan(raise_size: float = 1.0) -> MenuPlan:
    """Half pot, pot, all-in where nobody has bet; one raise and all-in where somebody has; nothing beyond half a stack but all of it."""
    opening, raising = menu_of([0.5, 1.0, "a"]), menu_of([raise_size, "a"])
    return MenuPlan((RoundMenu(((opening, raising),), HALF_STACK),))  # a blind is a bet: no half pot before the flop


def tartanian_rules(stack: float = 1000, *, capped: bool = True) -> PokerRules:
    """Tartanian: blinds 1 and 2, at most three bets a round, of which the blind is none."""
    rules = replace(
        nolimit_holdem(stack=100 * stack).rules,
        stack=stack,
        blinds=(2, 1),
        minimum_bet=2,
        caps=(3.0 if capped else math.inf,) * 4,
    )
    return with_menus(rules, tartanian_plan())


def tartanian2_rules(stack: float = 1000) -> PokerRules:
    """Tartanian2: raises of two thirds of the pot, and no cap."""
    return with_menus(tartanian_rules(stack, capped=False), tartanian_plan(2 / 3))
