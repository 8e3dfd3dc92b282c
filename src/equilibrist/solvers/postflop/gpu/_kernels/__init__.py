"""Loops that lay hands out for the device."""
