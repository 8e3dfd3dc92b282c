"""Abstraction: smaller games that stand for larger ones.

Enters: rules of a game. Leaves: `HandClasses`, which say what a player tells apart in each round, for the games of
`games/poker/kronecker.py` and for bucket tables. Start reading in `ordered_game.py`, then `gameshrink.py` (lossless by suits, or the
published signatures) and `lossy.py` (by similarity, to a wanted number of classes).
`actions/` abstracts bets: menus, betting trees, translation; `postprocessing.py` makes what
was found purer.
"""

from equilibrist.abstraction.gameshrink import MODES, shrink
from equilibrist.abstraction.lossy import shrink_by_thresholds, shrink_to
from equilibrist.abstraction.ordered_game import OrderedGame, ordered_game

__all__ = ["MODES", "OrderedGame", "ordered_game", "shrink", "shrink_by_thresholds", "shrink_to"]
