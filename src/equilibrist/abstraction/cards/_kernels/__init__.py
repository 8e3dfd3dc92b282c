"""Compiled loops of card abstraction: arrays only."""
