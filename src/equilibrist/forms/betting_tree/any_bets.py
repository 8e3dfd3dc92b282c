"""How large no-limit games with all their bets are: the counting recursion over chips ([Gilpin09, §7.4]).

A tree of 10^71 nodes has few different situations: who faces what depends on the chips paid and the last raise alone. Each is
weighed once, from the last round backwards; with the number of deals as weights the sum is the number of nodes of the game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.forms.betting_tree._kernels.any_bets import count_round
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules

MOST_CHIPS = 6000  # the table of situations has a float for every two of them


@dataclass(frozen=True)
class AnyBetsSize:
    """Sizes as floats, right to some fifteen digits."""

    decisions: float  # betting situations in which somebody acts
    ends: float
    states: (
        float  # histories of the whole game in which somebody acts: betting situations times the deals of their round
    )
    histories: float  # with those in which the hand is over


def has_any_bets(rules: PokerRules) -> bool:
    """Whether all rounds offer every multiple of one step and nothing else decides: the case this recursion is for."""
    menus = rules.menus
    if rules.players != 2 or any(not isinstance(menu, Menu) or menu != menus[0] for menu in menus) or not rules.blinds:
        return False
    whole = menus[0].open_step is not None and all(math.isinf(cap) for cap in rules.caps)
    return whole and rules.raise_at_least_last and rules.ante == 0 and not rules.menus_at


def count_any_bets(game: Poker) -> AnyBetsSize:
    """Count a heads-up no-limit game in which every whole bet may be made."""
    rules = game.rules
    if not has_any_bets(rules):
        raise NotApplicableError(
            f"'{game.name}' is not counted by chips: this is for two players with blinds who may bet any multiple of one step."
        )
    rounds = range(len(rules.board))
    deals = [float(game.dealer.deals(r)) for r in rounds]
    zero, one = [0.0] * len(rounds), [1.0] * len(rounds)
    cases = ((one, zero), (zero, one), (deals, zero), (deals, deals))
    return AnyBetsSize(*(_weigh(rules, weight, end_weight) for weight, end_weight in cases))


def _weigh(rules: PokerRules, weight: list[float], end_weight: list[float]) -> float:
    step = rules.menus[0].open_step
    assert step is not None, "every multiple of one step may be bet"
    small, big = min(rules.blinds) / step, max(rules.blinds) / step
    stack, minimum = rules.stack / step, max(rules.minimum_bet, max(rules.blinds)) / step
    if any(abs(x - round(x)) > 1e-9 for x in (small, big, stack, minimum)):
        raise NotApplicableError(
            "Blinds and stacks are to be multiples of the step between bets; choose a smaller step."
        )
    if stack > MOST_CHIPS:
        raise TooLargeError(
            f"Stacks of {stack:,.0f} steps are too deep to count, at most {MOST_CHIPS:,}; count in larger steps such as *50, "
            "or give a menu such as '50%, 100%, a'."
        )
    chips, blind, least = round(stack), round(big), round(minimum)
    facing, sums = np.zeros((chips + 1, chips + 1)), np.zeros(chips + 1)
    opened = np.zeros(chips + 1)
    for r in range(len(rules.board) - 1, -1, -1):
        after = np.full(chips + 1, end_weight[r]) if r == len(rules.board) - 1 else opened.copy()
        after[chips] = end_weight[r]
        count_round(chips, least, weight[r], end_weight[r], after, facing, sums, opened)
    # the blinds: the small one folds, calls (then the big one checks or raises) or raises
    raises = sum(facing[blind + z, z] for z in range(min(least, chips - blind), chips - blind + 1) if z > 0)
    return float(2 * weight[0] + end_weight[0] + after[blind] + 2 * raises)
