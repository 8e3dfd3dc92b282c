"""Matches: many hands in blocks, the ledger, ladders of all pairs of several players, players in their own processes."""
