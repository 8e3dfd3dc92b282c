"""PreflopStreet: the betting before any board card as vectors over all private hands, in double precision.

Games whose later streets are streamed board by board keep this street whole: it says with which ranges the boards are reached, and turns
values of the boards into values of the game. Rows are nodes of the forest, columns hands of the deal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Bools, Floats, Longs
from equilibrist.forms.boards.street_betting import DEAL, FOLD, StreetForest
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.solvers.cfr.matching import match_slots


@dataclass(frozen=True)
class PreflopStreet:
    """One forest, usually with one root, and the hands it is played with; all of them are equally likely."""

    forest: StreetForest
    deal: Deal
    images: Longs  # [S, hand] where relabellings of suits other than the identity take each hand

    @property
    def hands(self) -> int:
        return len(self.deal.hands)

    @cached_property
    def deals(self) -> Longs:
        """Nodes where the board comes, in the order of the next street's roots."""
        return np.flatnonzero(self.forest.kind == DEAL)

    @cached_property
    def _holds(self) -> Floats:
        """[hand, card] 1 where a hand has a card."""
        out = np.zeros((self.hands, self.deal.deck.size))
        np.put_along_axis(out, self.deal.hands.astype(np.int64), 1.0, axis=1)
        return out

    def met(self, reach: Floats) -> Floats:
        """Reach [..., hand] of the other player's hands that share no card with each hand."""
        sharing = (reach @ self._holds) @ self._holds.T
        again = reach if self.deal.hole > 1 else 0.0  # the same hand shares both its cards
        out: Floats = reach.sum(axis=-1, keepdims=True) - sharing + again
        return out

    @cached_property
    def pairs(self) -> float:
        """Deals of two hands."""
        return float(self.met(np.ones(self.hands)).sum())

    def even(self, player: int) -> Floats:
        """[slot, hand] every action equally likely."""
        acting = self.forest.kind == player
        return np.repeat(1.0 / self.forest.children[acting], self.forest.children[acting])[:, None] * np.ones(
            self.hands
        )

    def matched(self, player: int, weights: Floats) -> Floats:
        """[slot, hand] strategy in proportion to weights that are not negative; even where all are zero."""
        acting = self.forest.kind == player
        return match_slots(weights, self.forest.slot[acting], self.forest.children[acting])

    def down(self, player: int, strategy: Floats, start: Floats | None = None) -> Floats:
        """[node, hand] reach by the player's own actions; `start` [root, hand] is that at the roots, 1 if absent."""
        forest, out = self.forest, np.ones((len(self.forest), self.hands))
        if start is not None:
            out[: forest.roots] = start
        for node in range(forest.roots, len(forest)):
            above = int(forest.parent[node])
            out[node] = out[above]
            if forest.kind[above] == player:
                out[node] *= strategy[forest.slot[above] + node - forest.first_child[above]]
        return out

    def up(
        self, me: int, reach: Floats, below: Floats, strategy: Floats | None = None, *, hidden: Bools | None = None
    ) -> Floats:
        """[node, hand] my counterfactual values against the opponent's reach [node, hand].

        `below` [deal, hand] are those where a board comes. I follow a strategy [slot, hand], or respond as well as I can, without actions
        to `hidden` nodes.
        """
        forest, out = self.forest, np.zeros((len(self.forest), self.hands))
        for node in range(len(forest) - 1, -1, -1):
            kind, n = int(forest.kind[node]), int(forest.children[node])
            if kind == DEAL:
                out[node] = below[forest.next_root[node]]
            elif kind == FOLD:
                pays = forest.lose[node] if forest.folder[node] == me else forest.win[node]
                out[node] = pays * self.met(reach[node])
            else:
                rows = out[forest.first_child[node] : forest.first_child[node] + n]
                if kind != me:
                    out[node] = rows.sum(axis=0)
                elif strategy is None:
                    shown = slice(None) if hidden is None else ~hidden[forest.first_child[node] :][:n]
                    out[node] = rows[shown].max(axis=0)
                else:
                    out[node] = (strategy[forest.slot[node] : forest.slot[node] + n] * rows).sum(axis=0)
        return out

    def average(self, values: Floats) -> float:
        """Values [node, hand] at the root, over all deals."""
        return float(values[0].sum() / self.pairs)

    def by_slot(self, player: int, rows: Floats) -> Floats:
        """Rows of nodes after each action of a player."""
        out: Floats = rows[self._slot_nodes(player)]
        return out

    def by_node(self, player: int, rows: Floats) -> Floats:
        """Rows of the nodes where a player acts, once for each action."""
        out: Floats = rows[self.forest.parent[self._slot_nodes(player)]]
        return out

    def _slot_nodes(self, player: int) -> Longs:
        """The node each of a player's slots leads to."""
        acting = np.flatnonzero(self.forest.kind == player)
        spans = [self.forest.first_child[n] + np.arange(self.forest.children[n]) for n in acting]
        return np.concatenate([np.zeros(0, dtype=np.int64), *spans]).astype(np.int64)

    @cached_property
    def _images(self) -> Longs:
        """[relabelling of suits, hand] the identity first."""
        return np.concatenate([np.arange(self.hands)[None], self.images])

    @property
    def relabellings(self) -> int:
        """Of suits: how many hands and boards one stands for."""
        return len(self._images)

    @cached_property
    def classes(self) -> Longs:
        """[hand] the same number for hands that a relabelling of suits exchanges."""
        return np.asarray(self._images.min(axis=0))

    def over_suits(self, values: Floats) -> Floats:
        """Sums over relabellings of suits; hands that are alike get the very same number."""
        kept = np.unique(self.classes)
        total = values[..., self._images[:, kept]].sum(axis=-2)
        out: Floats = total[..., np.searchsorted(kept, self.classes)]
        return out
