"""Loops of all-ins before the flop."""
