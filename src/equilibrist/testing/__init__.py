"""Public conformity suites: what anything new must pass before it gains tests of its own.

In goes a game (later: a solver, a player); out comes nothing, or an `AssertionError` that says what is wrong and
where. Start reading at `games.check_game`.
"""

from equilibrist.testing.games import check_game

__all__ = ["check_game"]
