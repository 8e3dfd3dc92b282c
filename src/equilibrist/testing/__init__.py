"""Public conformity suites: what anything new must pass before it gains tests of its own.

In goes a game or a form; out comes nothing, or an `AssertionError` that says which rule is broken and where. Start reading at
`games.check_game`, then `forms.check_form`.
"""

from equilibrist.testing.forms import check_form
from equilibrist.testing.games import check_game

__all__ = ["check_form", "check_game"]
