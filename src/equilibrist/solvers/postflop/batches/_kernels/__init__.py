"""Loops over the hands of a batch."""
