"""Vocabulary of the package: errors, names, Policy, Solution, Player, LeafValues, Binding and the file format.

Nothing here knows a rule or an algorithm; every other layer speaks in these terms. Start with `policy.py` and `solution.py`.
"""
