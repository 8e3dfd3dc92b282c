"""Loops of vector CFR for three players."""
