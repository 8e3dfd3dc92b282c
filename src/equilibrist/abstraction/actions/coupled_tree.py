"""CoupledTree: a real betting tree read by a player who thinks in a smaller one, as one tree ([Lu16] 2.8, 2.13).

A node is a pair: where the hand stands, and where the reader believes it stands. Bets of the other player are read by a translation,
perhaps by chance; the reader's own actions come from the smaller tree and are played as the real action nearest to them. Where the
smaller tree knows no decision (it thinks that all chips are in) the reader checks and calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.actions.betting_tree import CALLED, DECISION, FOLDED, RAISED, BettingTree
from equilibrist.abstraction.actions.translation import Translation
from equilibrist.core.errors import NotApplicableError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
LOST = -1  # the reader's tree has no decision here
READINGS = 2  # ways to read one action, at most
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class CoupledTree:
    """M pairs; those where the reader acts have one edge per action of its own tree, others two per real action."""

    seat: int  # of the reader
    real: Ints  # [M]
    model: Ints  # [M], or LOST
    first_edge: Ints  # [M]
    width: Ints  # [M] actions: of the model where the reader acts, real ones elsewhere, none at the end
    child: Ints  # [E]
    action: npt.NDArray[np.int8]  # [E] the real action
    chance: npt.NDArray[np.float32]  # [E] of this reading

    def __len__(self) -> int:
        return len(self.real)


def couple(real: BettingTree, model: BettingTree, seat: int, mapping: Translation) -> CoupledTree:
    """All pairs that can come up when `seat` reads hands of the real tree in its model."""
    if real.players != 2 or model.players != 2 or real.rounds != model.rounds:
        raise NotApplicableError("Trees are coupled for two players and the same betting rounds.")
    return _Coupling(real, model, seat, mapping).grow()


class _Coupling:
    def __init__(self, real: BettingTree, model: BettingTree, seat: int, mapping: Translation) -> None:
        self.real, self.model, self.seat, self.mapping = real, model, seat, mapping
        self.shares = {id(tree): _raise_shares(tree).tolist() for tree in (real, model)}

    def grow(self) -> CoupledTree:
        """Parents before children."""
        pairs: list[tuple[int, int]] = [(0, 0)]
        first, width = [], []
        child: list[int] = []
        action: list[int] = []
        chance: list[float] = []
        at = 0
        while at < len(pairs):
            n, m = pairs[at]
            first.append(len(child))
            edges = self._edges(n, m) if self.real.kind[n] == DECISION else []
            own = self.real.player[n] == self.seat
            width.append(len(edges) if own else len(edges) // READINGS)
            for played, following, share in edges:
                action.append(played)
                chance.append(share)
                child.append(len(pairs) if share > 0.0 else -1)
                if share > 0.0:
                    pairs.append((int(self.real.first_child[n]) + played, following))
            at += 1
        both = np.array(pairs, dtype=np.int32)
        return CoupledTree(
            self.seat,
            np.ascontiguousarray(both[:, 0]),
            np.ascontiguousarray(both[:, 1]),
            np.array(first, dtype=np.int32),
            np.array(width, dtype=np.int32),
            np.array(child, dtype=np.int32),
            np.array(action, dtype=np.int8),
            np.array(chance, dtype=np.float32),
        )

    def _edges(self, n: int, m: int) -> list[tuple[int, int, float]]:
        """(Real action, model node after it, chance) of one pair."""
        if self.real.player[n] == self.seat:
            return self._own(n, m)
        found = []
        for played in range(int(self.real.children[n])):
            readings = [(LOST, 1.0)] if m == LOST else self._readings(n, played, m)
            for reading, share in (*readings, (LOST, 0.0))[:READINGS]:
                found.append((played, self._after(n, played, m, reading), share))
        return found

    def _own(self, n: int, m: int) -> list[tuple[int, int, float]]:
        if m == LOST:
            return [(self._kinds(self.real, n).index(CALLED), LOST, 1.0)]
        edges = []
        for chosen in range(int(self.model.children[m])):
            played = self._played(n, m, chosen)
            edges.append((played, self._after(n, played, m, chosen), 1.0))
        return edges

    def _after(self, n: int, played: int, m: int, chosen: int) -> int:
        """Where the model stands, if it agrees with the hand about who acts and when."""
        if chosen == LOST:
            return LOST
        after, node = int(self.real.first_child[n]) + played, int(self.model.first_child[m]) + chosen
        agree = self.model.kind[node] == DECISION and self.real.kind[after] == DECISION
        if (
            agree
            and self.model.player[node] == self.real.player[after]
            and self.model.round[node] == self.real.round[after]
        ):
            return node
        return LOST

    def _played(self, n: int, m: int, chosen: int) -> int:
        """The real action for one of the model: all-in for all-in, otherwise the raise whose share of the pot is nearest."""
        kinds = self._kinds(self.real, n)
        wanted = int(self.model.step[int(self.model.first_child[m]) + chosen])
        raises = [a for a, kind in enumerate(kinds) if kind == RAISED]
        if wanted != RAISED or not raises:
            return kinds.index(wanted if wanted in kinds else CALLED)
        node = int(self.model.first_child[m]) + chosen
        if self._all_in(self.model, node):
            return raises[-1]
        share, shares = self.shares[id(self.model)][node], self.shares[id(self.real)]
        first = int(self.real.first_child[n])
        return min(raises, key=lambda a: abs(shares[first + a] - share))

    def _readings(self, n: int, played: int, m: int) -> list[tuple[int, float]]:
        """Actions of the model that a real one is read as, with chances."""
        kinds, after = self._kinds(self.model, m), int(self.real.first_child[n]) + played
        raises = [a for a, kind in enumerate(kinds) if kind == RAISED]
        wanted = int(self.real.step[after])
        if wanted != RAISED or not raises:
            return [(kinds.index(wanted if wanted in kinds and wanted != RAISED else CALLED), 1.0)]
        if self._all_in(self.real, after):
            return [(raises[-1], 1.0)]
        first, shares = int(self.model.first_child[m]), self.shares[id(self.model)]
        places = self.mapping.read(self.shares[id(self.real)][after], [shares[first + a] for a in raises])
        return [(raises[place], share) for place, share in places]

    @staticmethod
    def _kinds(tree: BettingTree, node: int) -> list[int]:
        first = int(tree.first_child[node])
        kinds: list[int] = tree.step[first : first + int(tree.children[node])].tolist()
        assert FOLDED not in kinds[1:]
        return kinds

    @staticmethod
    def _all_in(tree: BettingTree, child: int) -> bool:
        actor = int(tree.player[int(tree.parent[child])])
        return bool(tree.rules.stack_of(actor) - tree.paid[child, actor] <= _TINY)


def _raise_shares(tree: BettingTree) -> Floats:
    """[N] the raise into each node as a share of the pot after the call; 0 where none leads there."""
    above = np.maximum(tree.parent, 0)
    actor = np.maximum(tree.player[above], 0)
    before = tree.paid[above]
    highest = before.max(axis=1)
    pot = before.sum(axis=1) + highest - before[np.arange(len(tree)), actor]
    shares: Floats = (tree.paid.max(axis=1) - highest) / pot
    shares[tree.step != RAISED] = 0.0
    return shares
