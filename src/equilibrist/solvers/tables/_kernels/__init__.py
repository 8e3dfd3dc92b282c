"""Loops of vector CFR at tables."""
