"""Hold'em spots: a board, two ranges, a pot, stacks and bet menus.

Enters: a `Spot` (TOML, Python, TexasSolver command files, Libratus subgames). Leaves: one `StreetForest` per street, the betting
of all lines without cards. Start with `spot.py`; `sizing.py` turns menus into chips, `forest.py` grows the betting.
"""

from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, StreetForest, street_forests
from equilibrist.games.spots.bet_sizes import Menu, parse_menu
from equilibrist.games.spots.imports import spot_from_subgame, spot_from_texas_solver
from equilibrist.games.spots.spot import Betting, Rake, Spot

__all__ = [
    "DEAL",
    "FOLD",
    "SHOWDOWN",
    "Betting",
    "Menu",
    "Rake",
    "Spot",
    "StreetForest",
    "parse_menu",
    "spot_from_subgame",
    "spot_from_texas_solver",
    "street_forests",
]
