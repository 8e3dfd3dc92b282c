"""Memories: what was seen, kept by reservoir sampling, in a ring, or as sums."""
