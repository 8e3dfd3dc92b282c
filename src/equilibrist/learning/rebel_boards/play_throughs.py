"""What the algorithm itself plays on a street and behind it, and what that loses exactly ([Brown20, §5.3.4, Theorem 26]).

An iterate of the search is drawn, with a probability in proportion to its number, and stays secret; both are taken to play it. Where the
street ends the rest is solved from the beliefs that follow, and its average played. An opponent who knows the algorithm faces the mean
over all draws, weighted by reach: it is made here without drawing, so nothing about it is random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.learning.rebel_boards.first_street import FirstStreet, Pair
from equilibrist.learning.rebel_boards.later_streets import SolvedStreets
from equilibrist.learning.rebel_boards.street_search import FirstStreetSearch


class PlayThroughs:
    """The mean over iterates of a search, each followed up by a solve of its own behind the street; of games of two streets."""

    def __init__(self, street: FirstStreet, inside: int = 64) -> None:
        self.street, self.solved = street, SolvedStreets(street, inside, carried=False)
        self.rest = self.solved.later.run.streets[1]
        self.behind = [np.zeros(self.rest.shape(p), dtype=np.float64) for p in range(2)]  # [board, block, slot, hand]
        self.sums = [np.zeros_like(street.even(p)) for p in range(2)]
        self._leaf = [self._leaf_of_slots(p) for p in range(2)]

    def add(self, iterate: Pair, weight: float) -> None:
        """Both play an iterate [slot, H] on the street; what comes behind it is solved from the beliefs that follow."""
        street = self.street
        reach = [street.reach(p, iterate[p]) for p in range(2)]
        self.solved.believe((reach[0][street.leaves], reach[1][street.leaves]))
        assert self.solved.beliefs is not None
        for p in range(2):
            self.sums[p] += weight * street.sums_of(p, reach[p])
            scale = weight * reach[p][street.leaves] / self.solved.beliefs[p]
            found = self.rest.tables[p].average.reshape(self.rest.shape(p))
            self.behind[p] += found * self._spread(p, scale)

    def exploitability(self) -> float:
        """In chips, mean over players: exact best responses on all streets."""
        street, later, total = self.street, self.solved.later, 0.0
        kept = [self.rest.tables[p].average.copy() for p in range(2)]
        for p in range(2):
            self.rest.tables[p].average[:] = (self.behind[p] / max(self.behind[p].max(), 1e-30)).ravel()
        for me in range(2):
            them = 1 - me
            theirs = street.reach(them, street.matched(them, self.sums[them]))
            ends = street.ends(me, theirs, later.values(me, theirs[street.leaves], respond=True))
            total += street.average(me, street.answer(me, ends)[0])
        for p in range(2):
            self.rest.tables[p].average[:] = kept[p]
        return total / 2.0

    def _spread(self, player: int, scale: Floats) -> Floats:
        """Factors [leaf, H] where the table of a player has its hands and slots: [board, block, slot, hand]."""
        boards, blocks, _, size = self.rest.shape(player)
        order = self.rest.boards.player[player].order.reshape(boards, blocks, size)
        padded = np.concatenate([scale, np.zeros((len(scale), int(order.max()) + 1 - scale.shape[1]))], axis=1)
        return padded[self._leaf[player]][:, order].transpose(1, 2, 0, 3)

    def _leaf_of_slots(self, player: int) -> Longs:
        """[slot] the leaf that each slot of a player lies behind."""
        betting = self.rest.betting
        root = np.arange(len(betting))
        for node in range(betting.roots, len(betting)):
            root[node] = root[betting.parent[node]]
        acting = np.flatnonzero(betting.kind == player)
        return np.repeat(root[acting], betting.children[acting])


def played(
    search: FirstStreetSearch, marks: Sequence[int], inside: int, told: Callable[[int], None] | None = None
) -> list[float]:
    """Exploitability in chips of the algorithm that searches for so many iterations, for each of `marks`; by CFR-D."""
    if search.algorithm != "cfr-d":
        raise NotApplicableError(
            f"Play of single iterates is that of cfr-d, but the search is {search.algorithm}; measure its average by loss_bracket."
        )
    play, found = PlayThroughs(search.street, inside), list[float]()
    for mark in marks:
        while search.iteration < mark:
            search.advance(1)
            play.add(search.iterate, float(search.iteration))
            if told is not None:
                told(search.iteration)
        found.append(play.exploitability())
    return found
