"""Templates: the shape of a search from one class of public states, down to where a network is asked or play ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Ints
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.learning.rebel._kernels.subgame import LEAF, SearchShape
from equilibrist.learning.rebel.belief_game import BeliefGame


@dataclass(frozen=True, repr=False)
class Template:
    """One search: M nodes in order of depth (children side by side), L of them leaves."""

    root: int  # public state that stands for its class
    future: int  # its class
    shape: SearchShape
    nodes: Ints  # [M] public states below `root`
    leaves: Ints  # [L] nodes
    prior: Floats  # [2, N] at the root
    leaf_prior: Floats  # [L, 2, N]
    leaf_future: Ints  # [L] classes
    leaf_swapped: npt.NDArray[np.bool_]  # [L]

    @cached_property
    def slot_player(self) -> Ints:
        """[S] who acts."""
        acts = self.shape.player >= 0
        return np.repeat(self.shape.player[acts], self.shape.width[acts])

    @property
    def slots(self) -> int:
        return int(self.shape.width[self.shape.player >= 0].sum())


class Templates:
    """Searches of a game by the class of their root; `depth` moves, or until the next public draw where that is 0."""

    def __init__(self, game: BeliefGame, depth: int = 0) -> None:
        drawn = bool((game.player == CHANCE).any())
        self.game = game
        self.depth = depth or (0 if drawn else 2)
        self._made: dict[int, Template] = {}
        self._like: dict[int, Ints] = {}
        self._first = {int(c): s for s, c in reversed(list(enumerate(game.future.tolist()))) if not game.swapped[s]}

    def of(self, future: int) -> Template:
        """The search from a class."""
        if future not in self._made:
            self._made[future] = self._make(self._first[future])
        return self._made[future]

    def nodes_at(self, state: int) -> Ints:
        """[M] public states of the search from any state of a class, in the order of its template."""
        if state not in self._like:
            self._like[state] = np.array(self._walk(state)[0], dtype=np.int32)
        return self._like[state]

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """Classes at the edge of some search, in order: where a network may be asked, and where the next search begins."""
        found: set[int] = set()
        waiting = [int(self.game.future[0])]
        while waiting:
            below = set(self.of(waiting.pop()).leaf_future.tolist()) - found
            found |= below
            waiting += sorted(below)
        return tuple(sorted(found))

    def _walk(self, root: int) -> tuple[list[int], list[int], list[int], list[int]]:
        """States, parents, kinds (who acts, or LEAF) and first children, breadth first."""
        states, parents, steps, kinds, first = [root], [-1], [0], list[int](), list[int]()
        for node, state in enumerate(states):  # grows on the way
            kind = int(self.game.player[state])
            above = parents[node]
            drawn = above >= 0 and kind >= 0 and kinds[above] == CHANCE
            deep = self.depth > 0 and steps[node] >= self.depth and kind >= 0
            kind = LEAF if drawn or deep else kind
            kinds.append(kind)
            first.append(len(states))
            if kind in (LEAF, TERMINAL):
                continue
            for below in self.game.children[state]:
                states.append(below)
                parents.append(node)
                steps.append(steps[node] + (kind >= 0))
        return states, parents, kinds, first

    def _make(self, root: int) -> Template:
        game = self.game
        states, parents, kinds, first = self._walk(root)
        player = np.array(kinds, dtype=np.int32)
        ends = player <= TERMINAL
        width = np.array([0 if end else len(game.children[s]) for end, s in zip(ends, states, strict=True)], np.int32)
        slots = np.where(player >= 0, width, 0)
        matrix = [
            (game.weight[s].T, game.weight[s]) if kind == LEAF else (game.payoff[s].T, -game.payoff[s])
            for s, kind in zip(states, kinds, strict=True)
            if kind <= TERMINAL
        ]
        shape = SearchShape(
            player=player,
            parent=np.array(parents, dtype=np.int32),
            first_child=np.array(first, dtype=np.int32),
            width=width,
            first_slot=(np.cumsum(slots) - slots).astype(np.int32),
            end=np.where(ends, np.cumsum(ends) - 1, -1).astype(np.int32),
            leaf=np.where(player == LEAF, np.cumsum(player == LEAF) - 1, -1).astype(np.int32),
            matrix=np.ascontiguousarray(np.array(matrix).swapaxes(0, 1)),
            chance=game.weight[states],
        )
        leaves = np.flatnonzero(player == LEAF)
        nodes = np.array(states, dtype=np.int32)
        hands = len(game.hands)
        return Template(
            root, int(game.future[root]), shape, nodes, leaves.astype(np.int32), game.prior(root),
            np.array([game.prior(s) for s in nodes[leaves]]).reshape(-1, 2, hands),
            game.future[nodes[leaves]], game.swapped[nodes[leaves]],
        )  # fmt: skip
