"""Equilibria and best responses.

Enters: a compiled game and a `Stop`. Leaves: a `Solution`. `cfr.py` is the family most people want, `sequence_lp.py` the exact
one, `best_response.py` says how good a policy is; `driver.py` is the loop they share, `registry.py` their names.
"""
