"""Matches: many hands in blocks, the ledger, players in their own processes."""
