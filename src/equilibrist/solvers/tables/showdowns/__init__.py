"""Hands that show their cards at a table before the flop, where there are more than two of them.

Enters: ends of the betting and what all seats have played. Leaves: what the ends pay. Start with `three_hands.py`.
"""
