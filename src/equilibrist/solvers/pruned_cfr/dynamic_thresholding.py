"""Dynamic thresholding: probabilities below a bound that falls like 1/sqrt(t) are played as zero ([Brown20, §3.4]).

Hedge and first-order methods never play anything with probability zero, so nothing could be pruned. With thresholds they lose next to
nothing (Theorems 8 and 9) and walks skip most of the tree. `cfr(minimiser=hedge,threshold=0.5,pruning=partial)` does this inside CFR;
`egt(threshold=0.001)` leaves out branches that are reached with less than c / T, in the form below.
"""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.pruned_cfr._kernels import thresholds as kernels
from equilibrist.solvers.pruned_cfr.layout import walk_layout


class BranchGradient:
    """Gradients by walking the tree, without branches that chance and the opponent reach too seldom.

    For EGT [Brown20, §3.4.3] stops descending below c / T. `nodes_touched` counts the histories of all calls.
    """

    def __init__(self, game: Compiled) -> None:
        self.form, self.layout, self.nodes_touched = game.sequence_form, walk_layout(game), 0
        slots = game.infosets.slots
        where = np.empty(slots, dtype=np.int64)
        where[self.layout.slot[self.layout.slot >= 0]] = np.flatnonzero(self.layout.slot >= 0)
        empty = np.zeros_like(self.form.slot)
        empty[self.form.offset[:2]] = self.layout.arrays.empty
        self._place = np.where(self.form.slot >= 0, where[np.maximum(self.form.slot, 0)], empty)
        histories = len(self.layout.arrays.nodes)
        self._scratch = np.zeros(histories, dtype=np.int32), np.zeros(histories)

    def __call__(self, player: int, behaviour: Floats, least: float = 0.0) -> Floats:
        """[sequences of player] against the opponent's behaviour [S]; branches of at most `least` are left out."""
        arrays = self.layout.arrays
        theirs, value = np.empty(self.layout.sequences), np.zeros(self.layout.sequences)
        theirs[self._place] = behaviour
        self.nodes_touched += kernels.branch_gradient(
            arrays.nodes, arrays.chance, arrays.payoff, arrays.end, arrays.info, player, theirs, least,
            *self._scratch, value,
        )  # fmt: skip
        own = slice(int(self.form.offset[player]), int(self.form.offset[player + 1]))
        return value[self._place[own]]


class ThresholdedForm:
    """A sequence form whose products leave out branches that chance and the opponent reach with less than c / T ([Brown20, §3.4.3])."""

    def __init__(self, game: Compiled, cut: float) -> None:
        self.form: SequenceForm = game.sequence_form
        self.walk, self.cut, self.iteration, self.exact = BranchGradient(game), cut, 1, True
        self.name = self.form.name
        self.offset, self.first_infoset = self.form.offset, self.form.first_infoset
        self.first_sequence, self.actions, self.parent = self.form.first_sequence, self.form.actions, self.form.parent
        self._plan = np.ones(int(self.offset[2]))

    def gradient(self, player: int, plan: Floats, out: Floats) -> None:
        """Exact while a run is set up or measured: only steps skip branches."""
        if self.exact:
            out[:] = self.form.payoff.gradient(player, plan)
            return
        self._plan[self.offset[1 - player] : self.offset[2 - player]] = plan
        out[:] = self.walk(player, self.form.behaviour(self._plan), self.cut / self.iteration)

    def policy(self, behaviour: Floats) -> TabularPolicy:
        return self.form.policy(behaviour)
