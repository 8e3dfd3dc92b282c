"""Tournaments: what stacks are worth in prize money by the Independent Chip Model (ICM), and what chips at risk cost.

Enters: stacks, payouts, bounties. Leaves: equities, placing probabilities, derivatives, bubble factors. Start with `icm.py`.
"""
