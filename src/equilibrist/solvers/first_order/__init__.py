"""First-order methods: equilibria of zero-sum games from products with the payoff matrix alone.

Enters: a `forms.form.Form` (a `SequenceForm`, or any payoff operator). Leaves: plans of both players with a certificate,
the values of both best responses. Start with `run.py` (what all methods share) and `prox.py`; `excessive_gap.py`, `smoothing.py`,
`mirror_prox.py` and `magnetic_mirror_descent.py` are the methods, `sampling.py` runs one on samples of the deals.
"""
