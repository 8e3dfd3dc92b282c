"""Loops over the ranges of many spots."""
