"""Locks: where they lie in the tables, locks by frequency."""
