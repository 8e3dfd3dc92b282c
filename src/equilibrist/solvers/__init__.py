"""Equilibria and best responses.

Enters: a game in one of its forms and a `Stop`. Leaves: a solution. Start with `solve.py`; `registry.py` has the solvers' names,
`iterative_solver.py` what they share, `iteration_loop.py` the loop. `cfr/` is the family most people want, `postflop/` the
same on hold'em boards.
"""

from equilibrist import publish

publish(__name__)
