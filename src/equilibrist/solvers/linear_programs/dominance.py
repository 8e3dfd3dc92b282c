"""Dominated sequences: own actions that another action of the infoset matches or beats against every opponent ([Gilpin09, §5.2.1]).

Works on any sequence form, player by player, until nothing more falls.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Bools
from equilibrist.solvers.linear_programs._kernels.dominance import least_difference
from equilibrist.solvers.linear_programs.plan_program import PlanForm, payoff_matrix

CONTINUATIONS = 64  # ways to go on after an action that are tried; actions with more are not compared
ROUNDING = 1e-12  # of the largest payoff times chance


def dominated_sequences(form: PlanForm) -> Bools:
    """[sequences of both players]: those that need not be played, given that the other ones marked are not.

    Marked are final own actions; they are compared with every other action of the infoset and ways to go on after it. Removing
    them leaves the value of the game, and at least one equilibrium.
    """
    gone = np.zeros(int(form.offset[2]), np.bool_)
    comparisons = [_Comparison(form, player) for player in range(2)]
    found = True
    while found:
        found = any(comparison.remove(gone) for comparison in comparisons)
    return gone


class _Comparison:
    """One player's sequences, and the opponent that they are compared against."""

    def __init__(self, form: PlanForm, player: int) -> None:
        self.form, self.player = form, player
        self.base, self.other_base = (
            int(form.offset[player]),
            int(form.offset[1 - player]),
        )  # sequences here count from 0
        matrix = payoff_matrix(form, player).tocsr()
        self.rows = (matrix.indptr, matrix.indices, matrix.data)
        self.tolerance = ROUNDING * float(np.abs(matrix.data).max(initial=0.0))
        self.infosets = range(int(form.first_infoset[player]), int(form.first_infoset[player + 1]))
        self.after: dict[int, list[int]] = {}  # own infosets that follow a sequence
        for i in self.infosets:
            self.after.setdefault(int(form.parent[i]) - self.base, []).append(i)
        self.theirs = self._opponent()
        self.room = (np.zeros(form.sequences[1 - player]), np.zeros(len(self.theirs[0]), np.uint8))

    def _opponent(self) -> tuple[npt.NDArray[np.int64], ...]:
        """First sequence, actions and parent of its infosets, and the infoset of its sequences, all counted from 0."""
        form, other = self.form, 1 - self.player
        infosets = slice(form.first_infoset[other], form.first_infoset[other + 1])
        first, actions, parent = (
            x[infosets].astype(np.int64) for x in (form.first_sequence, form.actions, form.parent)
        )
        owner = np.concatenate([[-1], np.repeat(np.arange(len(first)), actions)])
        return first - self.other_base, actions, parent - self.other_base, owner

    def remove(self, gone: npt.NDArray[np.bool_]) -> bool:
        """Mark what is dominated now; True if anything was."""
        found = False
        for i in self.infosets:
            for sequence in self._actions(i, gone):
                others = [other for other in self._actions(i, gone) if other != sequence]
                if sequence not in self.after and any(self._beats(other, sequence, gone) for other in others):
                    gone[self.base + sequence] = True
                    found = True
        return found

    def _actions(self, infoset: int, gone: npt.NDArray[np.bool_]) -> list[int]:
        first = int(self.form.first_sequence[infoset]) - self.base
        every = range(first, first + int(self.form.actions[infoset]))
        return [s for s in every if not gone[self.base + s]]

    def _beats(self, better: int, worse: int, gone: npt.NDArray[np.bool_]) -> bool:
        theirs = gone[self.other_base : self.other_base + self.form.sequences[1 - self.player]]
        for played in self._continuations(better, gone):
            least = least_difference(np.array(played), worse, *self.rows, *self.theirs, theirs, *self.room)
            if least >= -self.tolerance:
                return True
        return False

    def _continuations(self, sequence: int, gone: npt.NDArray[np.bool_]) -> list[list[int]]:
        """All ways to go on purely after a sequence, itself included; none if they are too many."""
        ways = [[sequence]]
        for infoset in self.after.get(sequence, ()):
            below = [way for action in self._actions(infoset, gone) for way in self._continuations(action, gone)]
            if not below or len(ways) * len(below) > CONTINUATIONS:
                return []
            ways = [[*a, *b] for a, b in product(ways, below)]
        return ways
