"""Betting trees: every public betting situation of a poker game for two to nine players, without cards, and how many there are."""
