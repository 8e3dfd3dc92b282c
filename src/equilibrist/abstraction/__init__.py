"""Abstraction: smaller games that stand for larger ones.

Enters: rules of a game. Leaves: `HandClasses` and `CardAbstraction` (which hands are treated alike), menus and translations of bets.
Start with `information/gameshrink.py` for classes derived from the rules and `cards/build.py` for hold'em buckets.
"""

from equilibrist import publish

publish(__name__)
