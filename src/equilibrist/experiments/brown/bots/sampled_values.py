"""What a seat gains by playing a search where everybody else keeps to the blueprint; any number of players ([Brown20, §6.6]).

Deals are drawn from beliefs; on each of them actions are averaged exactly, so that only the cards are left to chance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.forms.betting_tree.betting_tree import TERMINAL
from equilibrist.search.engines.pluribus_search import RoundSearch
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

Buckets = npt.NDArray[np.int32]
DRAWN = 99991  # keeps deals that judge apart from those that trained


class RoundValues:
    """A search and the blueprint it began from, on one set of deals."""

    def __init__(self, blueprint: PokerBlueprint, search: RoundSearch, seed: int = 0) -> None:
        self.blueprint, self.search, self.tree = blueprint, search, search.game.tree
        state = np.random.SeedSequence([DRAWN, seed]).generate_state(4, np.uint64).astype(np.uint64)
        cards = search.draw(state)
        self.fine, self.strength = search.game.deal(cards)
        self.coarse, _ = blueprint.abstract.deal(cards)
        self._known = {place: node for node, place in search.nodes.items()}
        self._packed = search.run.packed()

    def gain(self, seat: int) -> Floats:
        """[deal] chips that the seat wins with the search, less what it wins with the blueprint."""
        return self.value(seat, seat) - self.value(seat, None)

    def value(self, seat: int, searching: int | None) -> Floats:
        """[deal] chips of a seat when one seat plays the search and the others the blueprint."""
        total, out = np.zeros(len(self.strength)), np.empty(len(self.strength))
        waiting = [(0, np.ones(len(self.strength)))]
        while waiting:
            node, chance = waiting.pop()
            if self.tree.player[node] == TERMINAL:
                kernels.settle_all(node, seat, self.search.run.tree, self.strength, out)
                total += chance * out
                continue
            first, player = int(self.tree.first_child[node]), int(self.tree.player[node])
            rows = self._searched(node, player) if player == searching else self._followed(node, player)
            waiting += [(first + a, chance * rows[:, a]) for a in range(rows.shape[1])]
        return total

    def _searched(self, node: int, player: int) -> Floats:
        """[deal, action] by the search."""
        width, first = int(self.tree.children[node]), int(self.search.game.first_slot[node])
        rows = first + self.fine[:, player, self.tree.round[node]].astype(np.int64) * width
        return np.asarray(self._packed[rows[:, None] + np.arange(width)] / 255.0)

    def _followed(self, node: int, player: int) -> Floats:
        """[deal, action] by the blueprint."""
        return self.blueprint.strategies(self._known[node], self.coarse[:, player, self.tree.round[node]])
