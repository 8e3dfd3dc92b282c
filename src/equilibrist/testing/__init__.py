"""Public conformity suites: what anything new must pass before it gains tests of its own.

In goes a game, a form, a solver or a player; out comes nothing, or an `AssertionError` that says which rule is broken and where. Start
reading at `games.check_game`.
"""

from equilibrist import publish

publish(__name__)
