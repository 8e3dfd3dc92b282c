"""Undiscounted stochastic games: VI-FP, PI-FP, FP-MDP, FTPL-MDP, and what a deviation gains ([Ganzfried15, chapter 9]).

Enters: a `StochasticGame` of small stages (`tree_stages.py`) or a jam/fold tournament (`jam_fold_stages.py`). Leaves: stationary
strategies, their values at every state, and the exact gain of the best deviation. Start with `outer_loops.py`.
"""
