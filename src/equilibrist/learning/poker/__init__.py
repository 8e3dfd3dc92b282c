"""Poker whose histories fit nowhere: deals side by side on tensors, hands by their cards, exact exploitability over all boards."""
