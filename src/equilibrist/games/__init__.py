"""Rules, and rules compiled to arrays.

Enters: a name such as `leduc(ranks=5)`, an OpenSpiel game or a Gambit file. Leaves: `Game` (readable rules) and, downwards only,
`GameTree` (every history), `SequenceForm` (infoset trees and a payoff operator), `PublicTree` (public states with vectors of
private states). Start with `rules.py`, then `tree.py`; `catalogue.py` lists all games, `poker/` makes most of them.
"""
