"""Poker as one parameterised game.

Enters: `PokerRules` (deck, cards per round, forced bets, menus, caps, stacks, players). Leaves: a `Game`. `family.py` lists
Kuhn, Leduc, Rhode Island and the hold'em family as values; `betting.py` grows the betting tree that all deals share.
"""
