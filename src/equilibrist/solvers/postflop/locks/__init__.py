"""Locks: where they lie in the tables, whether they treat suits alike, locks by frequency."""
