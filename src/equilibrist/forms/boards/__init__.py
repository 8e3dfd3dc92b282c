"""Boards: betting without cards by street, and which hands each player can hold on each board."""
