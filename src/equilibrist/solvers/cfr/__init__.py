"""Counterfactual regret minimisation: one solver made of minimiser, schedule, update order and averaging."""
