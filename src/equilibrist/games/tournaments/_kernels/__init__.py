"""Loops over players, places and times."""
