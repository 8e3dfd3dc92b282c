"""Games compiled to arrays, one room per representation; from here on solvers see only this.

Enters: a `Game`, poker rules or a `Spot`. Leaves: frozen arrays with a shape on every field. `compiled.py` keeps the forms of one
game, each built when first asked for. Start with `history_tree/game_tree.py`, then `sequence_form/`.
"""

from equilibrist import publish

publish(__name__)
