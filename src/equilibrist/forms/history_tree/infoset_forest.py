"""InfosetForest: who comes after what. For every infoset the own slot before it, for every terminal all last slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.history_tree._kernels.descent import chance_reach, last_slots, payoff_range
from equilibrist.forms.history_tree.game_tree import GameTree

if TYPE_CHECKING:
    from equilibrist.core.arrays import Floats, Ints


@dataclass(frozen=True)
class InfosetForest:
    """Perfect recall seen from each player, for any number of players; infosets come after their parents."""

    tree: GameTree
    parent_slot: Ints  # [I] own slot just before the infoset, -1 for none
    terminal_slot: Ints  # [Z, k] last slot of each player, -1 for none
    terminal_chance: Floats  # [Z] product of chance probabilities


def grow_forest(tree: GameTree, purpose: str) -> InfosetForest:
    """Own sequences of a tree; refuses imperfect recall, naming the purpose it was wanted for."""
    last = np.empty((tree.histories, tree.players), dtype=np.int32)
    parent_slot = np.empty(len(tree.infosets), dtype=np.int32)
    fault = last_slots(
        tree.player, tree.parent, tree.first_child, tree.infoset, tree.infosets.first_slot, last, parent_slot
    )
    if fault >= 0:
        raise NotApplicableError(
            f"{purpose} needs perfect recall, but in '{tree.game.name}' the infoset '{tree.infosets.keys[fault]}' is "
            "reached by different own actions; use a CFR solver on the game tree instead."
        )
    reach = np.empty(tree.histories)
    chance_reach(tree.parent, tree.chance_probability, reach)
    ends = np.flatnonzero(tree.terminal >= 0)
    order = np.empty_like(ends)
    order[tree.terminal[ends]] = ends
    return InfosetForest(tree, parent_slot, last[order], reach[order])


def payoff_ranges(tree: GameTree) -> Floats:
    """L(I) of [Brown20, §2.3.5]: the range of the acting player's payoffs below each infoset."""
    low, high = np.empty((tree.histories, tree.players)), np.empty((tree.histories, tree.players))
    spread = np.empty(len(tree.infosets))
    payoff_range(tree.player, tree.parent, tree.infoset, tree.terminal, tree.returns.copy(), low, high, spread)
    return spread
