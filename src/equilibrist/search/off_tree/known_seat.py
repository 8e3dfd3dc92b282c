"""KnownSeat: a player's strategy in a finer game with all that answers to off-tree actions ask of it.

Its reach, what the opponent can get at any decision by responding best, and what the opponent gave away on the way there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from equilibrist.core.arrays import Bools, Floats
from equilibrist.forms.boards.street_betting import FOLD, IP, SHOWDOWN, StreetForest
from equilibrist.forms.boards.subforest import slots_of_cut
from equilibrist.search.alternatives import expected
from equilibrist.search.engines.board_subgame import NOBODY
from equilibrist.search.off_tree.finer_flops import FinerFlops, SeatStrategy


class KnownSeat:
    """One player's strategy with all that answers to its opponent ask of it."""

    def __init__(self, game: FinerFlops, strategy: SeatStrategy, searcher: int) -> None:
        self.game, self.strategy, self.searcher, self.opponent = game, strategy, searcher, 1 - searcher
        self.down = game.first.down(searcher, strategy.first)  # [node, hand] own reach before the flop
        self._reach: dict[int, Any] = {}

    def _own(self, node: int) -> Any:
        """[board, hand] own reach of a node on the flop."""
        lines, forest = self.game.lines, self.game.lines.forests[1]
        if node not in self._reach:
            above = int(forest.parent[node])
            if above < 0:
                begun = self.down[lines.above_root(node)][self.game.hands]
                self._reach[node] = self.game.xp.asarray(begun)
            elif forest.kind[above] == self.searcher:
                played = self.sequences(1, above)
                self._reach[node] = played[:, node - int(forest.first_child[above]), : self.game.hands.shape[1]]
            else:
                self._reach[node] = self._own(above)
        return self._reach[node]

    def sequences(self, street: int, node: int) -> Any:
        """Own reach of a decision's actions: [action, hand] before the flop, [board, action, place] on it."""
        forest = self.game.lines.forests[street]
        there = slice(int(forest.slot[node]), int(forest.slot[node] + forest.children[node]))
        if street == 0:
            return self.down[node] * self.strategy.first[there]
        rows, reach = self.strategy.flops[:, there], self._own(node)
        out = self.game.xp.zeros(rows.shape)
        out[:, :, : reach.shape[1]] = rows[:, :, : reach.shape[1]] * reach[:, None]
        return out

    def reach(self, nodes: Sequence[int]) -> Any:
        """[board, node, hand]"""
        return self.game.xp.stack([self._own(node) for node in nodes], axis=1)

    def mass(self, nodes: Sequence[int]) -> Any:
        """[board, node, hand] reach of the searcher's hands that a hand can meet; less than rounding is nothing."""
        xp, held, holds = self.game.xp, self.reach(nodes), self.game.holds
        total = held.sum(axis=2, keepdims=True)
        met = total - (held @ holds) @ holds.swapaxes(1, 2) + held
        return xp.where(met > NOBODY * total, met, 0.0)

    def responses(self, nodes: Sequence[int], hidden: Bools) -> Any:
        """[board, node, hand] counterfactual values of an opponent who responds best, where nobody has hidden actions."""
        game, wanted = self.game, sorted(set(nodes))
        found: dict[int, Any] = {}
        for group in game.lines.by_depth(wanted):
            _, engine = game.engine(group, hidden)
            slots = slots_of_cut(game.lines.forests[1], group, self.searcher, hidden)
            if len(slots):
                engine.put("average", self.searcher, self.strategy.flops[:, game.xp.asarray(slots)])
            reach = self.reach(group)
            values = engine.values(self.opponent, respond=True, reach=reach.ravel()).reshape(reach.shape)
            found |= {node: values[:, place] for place, node in enumerate(group)}
        return game.xp.stack([found[node] for node in nodes], axis=1)

    def before(self, hidden: Bools, first_hidden: Bools | None = None) -> Floats:
        """[node, hand] the same on the first street, whose lines to boards are followed by best responses."""
        first, forest = self.game.first, self.game.lines.forests[0]
        cut = np.zeros(len(forest), dtype=np.bool_) if first_hidden is None else first_hidden
        lines = self.game.roots_below(0, cut)
        below = np.zeros((self.game.lines.forests[1].roots, first.hands))
        below[lines] = self.game.gathered(self.responses(lines, hidden))
        return first.up(self.opponent, self.down, below, hidden=cut)

    def gifts_before(self, values: Floats, node: int) -> Floats:
        """[hand] what the opponent gave away on its way to a node of the first street by not ending the hand at once."""
        forest, out = self.game.lines.forests[0], np.zeros(self.game.first.hands)
        for above, child in self.game.lines.path(0, node):
            if forest.kind[above] == self.opponent:
                ends = _ends(forest, above)
                lost = np.maximum(values[ends].max(axis=0, initial=-np.inf) - values[child], 0.0)
                out += expected(lost, self.game.first.met(self.down[above]))
        return out

    def gifts(self, nodes: Sequence[int], first_hidden: Bools, hidden: Bools) -> Any:
        """[board, node, hand] the same on the way to nodes on the flop; gifts are split."""
        game, xp, forest = self.game, self.game.xp, self.game.lines.forests[1]
        choices = sorted(
            {
                step
                for node in nodes
                for step in game.lines.path(1, node)
                if forest.kind[step[0]] == self.opponent and _ends(forest, step[0])
            }
        )
        given: dict[tuple[int, int], Any] = {}
        if choices:
            at, to = ([step[k] for step in choices] for k in range(2))
            ended, went_on = self.responses(at, forest.kind <= IP), self.responses(to, hidden)
            lost = expected(xp.maximum(ended - went_on, 0.0), self.mass(at))
            given = {step: lost[:, place] for place, step in enumerate(choices)}
        values, earlier = self.before(hidden, first_hidden), dict[int, Any]()
        out = []
        for node in nodes:
            steps = list(game.lines.path(1, node))
            root = steps[-1][0] if steps else node
            if root not in earlier:
                row = self.gifts_before(values, game.lines.above_root(root))
                earlier[root] = xp.asarray(row[game.hands])
            out.append(sum((given[step] for step in steps if step in given), earlier[root]))
        return xp.stack(out, axis=1)


def _ends(forest: StreetForest, node: int) -> list[int]:
    """Where the hand is over after one more action."""
    children = range(int(forest.first_child[node]), int(forest.first_child[node] + forest.children[node]))
    return [child for child in children if forest.kind[child] in (FOLD, SHOWDOWN)]
