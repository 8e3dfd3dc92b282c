"""Action abstraction: betting models, translation of bets that are not on the menu, purification of the result.

Enters: rules with menus, strategies of abstract games. Leaves: policies that play the real game. Start with `translation.py`.
"""
