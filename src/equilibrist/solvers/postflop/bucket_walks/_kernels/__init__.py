"""Loops that lay hands out for walks."""
