"""HandStreet: the betting of one street as arrays over private hands, in double precision, whatever boards there are.

Rows are nodes of the forest; the rest of an array are hands of the deal, or boards and such hands. Games whose last street is streamed
board by board keep the streets before it this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from equilibrist.core.arrays import Array, Bools, Floats, Ints, Longs
from equilibrist.forms.boards.street_betting import DEAL, FOLD, StreetForest
from equilibrist.forms.boards.street_boards import Deal


def holds_cards(deal: Deal) -> Floats:
    """[hand, card] 1 where a hand has a card."""
    out = np.zeros((len(deal.hands), deal.deck.size))
    np.put_along_axis(out, deal.hands.astype(np.int64), 1.0, axis=1)
    return out


def met_by_hands(reach: Array, holds: Array) -> Array:
    """Reach [..., hand] of the other player's hands that share no card with each hand; `holds` [hand, card] has one or two cards a hand."""
    sharing = (reach @ holds) @ holds.T
    again = reach if float(holds[0].sum()) > 1.0 else 0.0  # the same hand shares both its cards
    out: Array = reach.sum(axis=-1, keepdims=True) - sharing + again
    return out


@dataclass(frozen=True)
class HandStreet:
    """One forest and the hands it is played with."""

    forest: StreetForest
    deal: Deal

    @property
    def xp(self) -> Any:
        """The module of all arrays."""
        return np

    @property
    def hands(self) -> int:
        return len(self.deal.hands)

    @property
    def lanes(self) -> tuple[int, ...]:
        """What follows the rows of an array."""
        return (self.hands,)

    @cached_property
    def deals(self) -> Longs:
        """Nodes where the next board comes, in the order of the next street's roots."""
        return np.flatnonzero(self.forest.kind == DEAL)

    @cached_property
    def holds(self) -> Any:
        """[hand, card] 1 where a hand has a card."""
        return self.xp.asarray(holds_cards(self.deal))

    def met(self, reach: Array) -> Array:
        """Reach [..., hand] of the other player's hands that share no card with each hand."""
        return met_by_hands(reach, self.holds)

    def empty(self, player: int) -> Array:
        """[slot, ...] nothing learned by a player."""
        out: Array = self.xp.zeros((self.forest.slots[player], *self.lanes))
        return out

    def even(self, player: int) -> Array:
        """[slot, ...] every action equally likely."""
        return self.matched(player, self.empty(player))

    def matched(self, player: int, weights: Array) -> Array:
        """[slot, ...] strategy in proportion to weights that are not negative; even where all are zero."""
        xp, forest = self.xp, self.forest
        out: Array = xp.empty_like(weights)
        for node in np.flatnonzero(forest.kind == player).tolist():
            span = slice(int(forest.slot[node]), int(forest.slot[node] + forest.children[node]))
            total = weights[span].sum(axis=0)
            known = total > 0.0
            even = 1.0 / int(forest.children[node])
            out[span] = xp.where(known, weights[span] / xp.where(known, total, 1.0), even)
        return out

    def down(self, player: int, strategy: Array, start: Array | None = None) -> Array:
        """[node, ...] reach by the player's own actions; `start` [root, ...] is that at the roots, 1 if absent."""
        forest = self.forest
        out: Array = self.xp.ones((len(forest), *self.lanes))
        if start is not None:
            out[: forest.roots] = start
        for node in range(forest.roots, len(forest)):
            above = int(forest.parent[node])
            out[node] = out[above]
            if forest.kind[above] == player:
                out[node] *= strategy[int(forest.slot[above] + node - forest.first_child[above])]
        return out

    def up(
        self, me: int, reach: Array, below: Array, strategy: Array | None = None, *, hidden: Bools | None = None
    ) -> Array:
        """[node, ...] my counterfactual values against the opponent's reach [node, ...].

        `below` [deal, ...] are those where a board comes. I follow a strategy [slot, ...], or respond as well as I can, without actions
        to `hidden` nodes.
        """
        forest = self.forest
        out: Array = self.xp.zeros((len(forest), *self.lanes))
        for node in range(len(forest) - 1, -1, -1):
            kind, n = int(forest.kind[node]), int(forest.children[node])
            first = int(forest.first_child[node])
            if kind == DEAL:
                out[node] = below[int(forest.next_root[node])]
            elif kind == FOLD:
                pays = forest.lose[node] if forest.folder[node] == me else forest.win[node]
                out[node] = float(pays) * self.met(reach[node])
            else:
                rows = out[first : first + n]
                if kind != me:
                    out[node] = rows.sum(axis=0)
                elif strategy is None:
                    shown = slice(None) if hidden is None else ~hidden[first : first + n]
                    out[node] = rows[shown].max(axis=0)
                else:
                    slot = int(forest.slot[node])
                    out[node] = (strategy[slot : slot + n] * rows).sum(axis=0)
        return out

    def at(self, rows: Array, nodes: Longs | Ints) -> Array:
        """Some of the rows."""
        out: Array = rows[self.xp.asarray(nodes)]
        return out

    def by_slot(self, player: int, rows: Array) -> Array:
        """Rows of nodes after each action of a player."""
        return self.at(rows, self._slot_nodes(player))

    def by_node(self, player: int, rows: Array) -> Array:
        """Rows of the nodes where a player acts, once for each action."""
        return self.at(rows, self.forest.parent[self._slot_nodes(player)])

    def _slot_nodes(self, player: int) -> Longs:
        """The node each of a player's slots leads to."""
        acting = np.flatnonzero(self.forest.kind == player)
        spans = [self.forest.first_child[n] + np.arange(self.forest.children[n]) for n in acting]
        return np.concatenate([np.zeros(0, dtype=np.int64), *spans]).astype(np.int64)
