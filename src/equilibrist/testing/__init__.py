"""Public conformity suites: what anything new must pass before it gains tests of its own.

In goes a game, a form, a solver or a player; out comes nothing, or an `AssertionError` that says which rule is broken and where. Start
reading at `games.check_game`.
"""

from equilibrist.testing.forms import check_form
from equilibrist.testing.games import check_game
from equilibrist.testing.players import check_player
from equilibrist.testing.solvers import check_solver

__all__ = ["check_form", "check_game", "check_player", "check_solver"]
