"""Loops over hands that meet ranges."""
