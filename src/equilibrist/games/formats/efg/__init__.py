"""Gambit `.efg` files (EFG 2): text enters or leaves, a `Game` stands on the other side.

`tokens` cuts the text into words and numbers, `reader` builds the tree and refuses what is malformed,
naming its line, `game` holds the tree as a `Game`, `writer` prints any finite `Game`. Start with `reader`.
"""

from equilibrist.forms.history_tree.efg_writer import write_efg
from equilibrist.games.formats.efg.game import EfgGame, EfgState
from equilibrist.games.formats.efg.reader import load_efg, read_efg

__all__ = ["EfgGame", "EfgState", "load_efg", "read_efg", "write_efg"]
