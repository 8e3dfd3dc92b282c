"""Rules of games, readable.

Enters: a name such as `leduc(ranks=5)`, an OpenSpiel game, a Gambit file, a spot in TOML. Leaves: a `Game` or a `Spot`. Start with
`rules.py`; `catalogue.py` lists all games, `poker/` makes most of them.
"""

from equilibrist import publish

publish(__name__)
