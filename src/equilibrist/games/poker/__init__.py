"""Poker as one parameterised game.

Enters: `PokerRules` (deck, cards per round, forced bets, menus, caps, stacks, players). Leaves: a `Game`. `family.py` lists
Kuhn, Leduc, Rhode Island and the hold'em family as values; `betting.py` grows the betting tree that all deals share.
"""

from equilibrist.games.poker.bet_menu import Menu
from equilibrist.games.poker.game import Poker, PokerState, pots, settle
from equilibrist.games.poker.rules import PokerRules

__all__ = ["Menu", "Poker", "PokerRules", "PokerState", "pots", "settle"]
