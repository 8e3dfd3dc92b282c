"""Payoffs as rewards: whatever a game counts in, the largest of them counts one."""

from __future__ import annotations

import numpy as np

from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.solvers.mccfr._kernels.mccfr import PackedTree
from equilibrist.solvers.mccfr.run import pack_tree


def packed_with_unit_payoffs(tree: GameTree, largest: float = 1.0) -> PackedTree:
    """A tree packed for play, rows by slot, payoffs divided by the largest in the game and multiplied by `largest`."""
    packed = pack_tree(tree, entries_per_slot=1)
    most = float(np.abs(packed.payoffs).max(initial=0.0)) or 1.0
    return packed._replace(payoffs=np.ascontiguousarray(packed.payoffs / most * largest))
