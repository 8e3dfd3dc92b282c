"""Postflop spots: a board, two ranges, a pot, stacks and bet sizes.

Enters: TOML, Python, TexasSolver command files, Libratus subgames. Leaves: a `Spot`. Start with `spot.py`; `street_menus.py` turns
menus into chips.
"""
