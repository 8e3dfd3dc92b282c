"""Depth-limited search: multi-valued states, CFR-D, random iterates."""
