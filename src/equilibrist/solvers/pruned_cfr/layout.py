"""WalkLayout: a two-player game with perfect recall laid out for walks that prune.

Infosets are numbered depth-first for each player, so that everything below an own action is one stretch of infosets and
one stretch of sequences: it can be skipped, settled and freed as a block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.history_tree._kernels.descent import chance_reach, last_slots
from equilibrist.forms.history_tree.infoset_forest import payoff_ranges
from equilibrist.games.rules import TERMINAL
from equilibrist.solvers.pruned_cfr._kernels import walk_order
from equilibrist.solvers.pruned_cfr._kernels.pruned_walk import ACTIONS, Layout


@dataclass(frozen=True)
class WalkLayout:
    """Kernel arrays, and where each sequence is in the game's own numbering."""

    arrays: Layout
    slot: Ints  # [S] -1 for empty sequences
    infoset_order: Ints  # [I] number of each infoset in the game's own numbering

    @property
    def sequences(self) -> int:
        return len(self.slot)

    @property
    def widest(self) -> int:
        """Most actions of an infoset."""
        return int(self.arrays.info[:, ACTIONS].max(initial=1))

    def to_slots(self, sequences: Floats) -> Floats:
        """Per sequence -> per slot of the game's index."""
        out = np.empty(len(self.slot) - 2, dtype=sequences.dtype)
        own = self.slot >= 0
        out[self.slot[own]] = sequences[own]
        return out

    def from_slots(self, slots: Floats, empty: float) -> Floats:
        """Per slot -> per sequence, with a number for the empty ones."""
        return np.where(self.slot >= 0, slots[np.maximum(self.slot, 0)], empty)


def walk_layout(game: Compiled) -> WalkLayout:
    """Two players with perfect recall only."""
    tree = game.tree
    if tree.players != 2:
        raise NotApplicableError(
            f"Walks that count and prune are for two players, but '{game.game.name}' has {tree.players}; leave 'pruning' "
            "and on=pruned out."
        )
    infosets, forest = tree.infosets, game.forest  # refuses imperfect recall
    first_slot = infosets.first_slot
    count, slots = len(infosets), infosets.slots
    order = np.empty(count, dtype=np.int32)
    walk_order.depth_first(
        first_slot, infosets.player, forest.parent_slot, np.empty(slots + 2, dtype=np.int32),
        np.empty(count, dtype=np.int32), np.empty(count + 1, dtype=np.int32), order,
    )  # fmt: skip
    actions = np.diff(first_slot)[order].astype(np.int32)
    owner = infosets.player[order].astype(np.int32)
    begins = np.cumsum(actions) - actions
    first = (begins + 1 + owner).astype(
        np.int32
    )  # one empty sequence before the first player's, one before the second's
    empty = np.array([0, 1 + int(actions[owner == 0].sum())], dtype=np.int32)
    place = np.repeat(first - begins, actions) + np.arange(slots)
    slot = np.full(slots + 2, -1, dtype=np.int32)
    slot[place] = np.repeat(first_slot[:-1][order] - begins, actions) + np.arange(slots)
    sequence = np.empty(slots, dtype=np.int32)
    sequence[slot[place]] = place
    before = forest.parent_slot[order]
    parent = np.where(before >= 0, sequence[np.maximum(before, 0)], empty[owner]).astype(np.int32)
    infoset = np.full(slots + 2, -1, dtype=np.int32)
    infoset[place] = np.repeat(np.arange(count), actions)
    below = np.empty((slots + 2, 2), dtype=np.int32)
    walk_order.spans(first, actions, parent, below)
    return WalkLayout(_arrays(game, order, owner, first, actions, parent, infoset, below, empty, sequence), slot, order)


def _arrays(
    game: Compiled,
    order: Ints,
    owner: Ints,
    first: Ints,
    actions: Ints,
    parent: Ints,
    infoset: Ints,
    below: Ints,
    empty: Ints,
    sequence: Ints,
) -> Layout:
    tree, forest = game.tree, game.forest
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order))
    decides, ends = tree.infoset >= 0, tree.player == TERMINAL
    ref = np.where(decides, number[np.maximum(tree.infoset, 0)], np.where(ends, tree.terminal, -1))
    nodes = np.stack([tree.player, tree.first_child, tree.children, ref], axis=1).astype(np.int32)
    last = np.empty((tree.histories, 2), dtype=np.int32)
    last_slots(
        tree.player, tree.parent, tree.first_child, tree.infoset, tree.infosets.first_slot, last,
        np.empty(len(order), dtype=np.int32),
    )  # fmt: skip
    reach = np.empty(tree.histories)
    chance_reach(tree.parent, tree.chance_probability, reach)
    high, most = np.empty((tree.histories, 2)), np.empty(len(infoset))
    acting = first[number[np.maximum(tree.infoset, 0)]]
    returns = np.ascontiguousarray(tree.returns)
    walk_order.payoffs_below(tree.player, tree.parent, tree.terminal, returns, acting, tree.first_child, high, most)
    above = np.maximum(tree.parent, 0)
    member = np.flatnonzero(decides)
    member = member[np.argsort(ref[member], kind="stable")].astype(np.int32)
    end = np.where(forest.terminal_slot >= 0, sequence[np.maximum(forest.terminal_slot, 0)], empty).astype(np.int32)
    info = np.zeros((len(order) + 1, 5), dtype=np.int32)
    info[:-1, :4] = np.stack([owner, first, actions, parent], axis=1)
    info[:, 4] = np.searchsorted(ref[member], np.arange(len(order) + 1))
    return Layout(
        nodes=nodes,
        chance=tree.chance_probability,
        reach=reach,
        last=np.where(last >= 0, sequence[np.maximum(last, 0)], empty).astype(np.int32),
        high=high[np.arange(tree.histories), np.clip(tree.player[above], 0, 1)],
        payoff=np.ascontiguousarray(returns.T),
        end=np.ascontiguousarray(end.T),
        info=info,
        member=member,
        spread=payoff_ranges(tree)[order],
        sequence=np.concatenate([infoset[:, None], below], axis=1).astype(np.int32),
        most=most,
        empty=empty,
    )
