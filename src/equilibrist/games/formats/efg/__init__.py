"""Gambit's `.efg` files (EFG 2), read.

`tokens.py` cuts the text into words and numbers, `reader.py` builds the tree and refuses what is malformed, naming its line, `game.py`
holds the tree as a `Game`. `forms/history_tree/efg_writer.py` prints any finite game.
"""
