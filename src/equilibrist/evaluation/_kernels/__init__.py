"""Compiled loops of evaluation: arrays and scalars only."""
