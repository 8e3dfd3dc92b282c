"""Compiled loops: arrays and scalars only."""
