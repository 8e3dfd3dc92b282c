"""Abstraction: smaller games that stand for larger ones.

Enters: rules of a game. Leaves: `HandClasses`, which say what a player tells apart in each round, for the games of
`forms/hand_classes/kronecker.py` and for bucket tables. Start reading in `ordered_game.py`, then `gameshrink.py` (lossless by suits, or the
published signatures), `lossy.py` (by similarity), `methods.py` (all methods by name: by expectation, by potential …); `bet_caps.py`
leaves out raises instead of hands, `endgame_buckets.py` needs equities alone. `actions/` abstracts bets: menus, betting trees,
translation; `postprocessing.py` makes what was found purer.
"""

from equilibrist.abstraction.information.gameshrink import MODES, shrink
from equilibrist.abstraction.information.lossy_gameshrink import shrink_by_thresholds, shrink_to
from equilibrist.abstraction.information.methods import METHODS, InformationAbstraction, abstract, make_method
from equilibrist.abstraction.information.ordered_game import OrderedGame, ordered_game

__all__ = [
    "METHODS",
    "MODES",
    "InformationAbstraction",
    "OrderedGame",
    "abstract",
    "make_method",
    "ordered_game",
    "shrink",
    "shrink_by_thresholds",
    "shrink_to",
]
