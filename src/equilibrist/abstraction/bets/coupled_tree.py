"""CoupledTree: a real betting tree read by a player who thinks in a smaller one, as one tree ([Lu16, §3.3.4 and §6.1]).

A node is a pair: where the hand stands, and where the reader believes it stands. Bets of the other player are read by a translation,
perhaps by chance; the reader's own actions come from the smaller tree and are played as the real action nearest to them. Where the two
disagree about whose turn it is (a bet was read as a call, or all-in) the reader checks and calls until they agree again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.bets.translation import Translation
from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.betting_tree.betting_tree import CALLED, DECISION, FOLDED, RAISED, BettingTree

LOST = -1  # the reader's tree has no say here
READINGS = 2  # ways to read one action, at most
_Belief = tuple[int, bool]  # node of the model; whether the next answer must be a call
_Place = tuple[int, int, bool]  # real node and belief
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class CoupledTree:
    """M pairs; those where the reader acts have one edge per action of its own tree, others two per real action."""

    seat: int  # of the reader
    real: Ints  # [M]
    model: Ints  # [M] whose strategy counts where the reader acts; LOST where it checks or calls, and where it does not act
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
        places: list[_Place] = [(0, 0, False)]
        edges: list[tuple[int, int, float]] = []  # child, real action, chance
        first, width, model = [], [], []
        at = 0
        while at < len(places):
            place = places[at]
            first.append(len(edges))
            own = bool(self.real.player[place[0]] == self.seat)
            model.append(place[1] if own and self._asked(place) else LOST)
            found = self._steps(place, own) if self.real.kind[place[0]] == DECISION else []
            width.append(len(found) if own else len(found) // READINGS)
            for played, following, share in found:
                edges.append((len(places) if share > 0.0 else -1, played, share))
                if share > 0.0:
                    places.append((int(self.real.first_child[place[0]]) + played, *following))
            at += 1
        return CoupledTree(
            self.seat,
            np.array([place[0] for place in places], dtype=np.int32),
            np.array(model, dtype=np.int32),
            np.array(first, dtype=np.int32),
            np.array(width, dtype=np.int32),
            np.array([edge[0] for edge in edges], dtype=np.int32),
            np.array([edge[1] for edge in edges], dtype=np.int8),
            np.array([edge[2] for edge in edges], dtype=np.float32),
        )

    def _agree(self, n: int, m: int) -> bool:
        """Whether both trees wait for the same player in the same round."""
        real, model = self.real, self.model
        turn = bool(model.kind[m] == DECISION and model.player[m] == real.player[n])
        return turn and bool(model.round[m] == real.round[n])

    def _asked(self, place: _Place) -> bool:
        n, m, must_call = place
        return not must_call and self._agree(n, m)

    def _steps(self, place: _Place, own: bool) -> list[tuple[int, _Belief, float]]:
        """(Real action, what is believed after it, chance) of one place."""
        n, m, must_call = place
        if own:
            return self._own(place)
        found: list[tuple[int, _Belief, float]] = []
        for played in range(int(self.real.children[n])):
            readings = self._readings(n, played, m) if self._agree(n, m) else [((m, must_call), 1.0)]
            for belief, share in (*readings, (readings[0][0], 0.0))[:READINGS]:
                found.append((played, belief, share))
        return found

    def _own(self, place: _Place) -> list[tuple[int, _Belief, float]]:
        n, m, _ = place
        if not self._asked(place):
            after = self._called(m) if self._agree(n, m) else m
            return [(self._kinds(self.real, n).index(CALLED), (after, False), 1.0)]
        first = int(self.model.first_child[m])
        return [
            (self._played(n, m, chosen), (first + chosen, False), 1.0) for chosen in range(int(self.model.children[m]))
        ]

    def _called(self, m: int) -> int:
        return int(self.model.first_child[m]) + self._kinds(self.model, m).index(CALLED)

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

    def _readings(self, n: int, played: int, m: int) -> list[tuple[_Belief, float]]:
        """What a real action of the other player is read as, with chances; a bet that is read as a call must be called."""
        kinds, after = self._kinds(self.model, m), int(self.real.first_child[n]) + played
        first, wanted = int(self.model.first_child[m]), int(self.real.step[after])
        raises = [a for a, kind in enumerate(kinds) if kind == RAISED]
        if wanted != RAISED:
            return [((first + kinds.index(wanted if wanted in kinds else CALLED), False), 1.0)]
        if not raises:
            return [((self._called(m), True), 1.0)]
        if self._all_in(self.real, after) and self._all_in(self.model, first + raises[-1]):
            return [((first + raises[-1], False), 1.0)]
        shares = self.shares[id(self.model)]
        sizes = [0.0, *(shares[first + a] for a in raises)]
        places = self.mapping.read(self.shares[id(self.real)][after], sizes)
        return [((first + raises[k - 1], False) if k else (self._called(m), True), share) for k, share in places]

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
