"""Dynamic thresholding: probabilities below a bound that falls like 1/sqrt(t) are played as zero ([Brown20, §3.4]).

Hedge and first-order methods never play anything with probability zero, so nothing could be pruned. With thresholds they lose next to
nothing (Theorems 8 and 9) and walks skip most of the tree. `cfr(minimiser=hedge,threshold=0.5,pruning=partial)` does this inside CFR;
the functions here serve methods on the sequence form.
"""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.cfr._kernels.regret import HEDGE, MATCHING
from equilibrist.solvers.pruned_cfr._kernels import thresholds as kernels
from equilibrist.solvers.pruned_cfr.layout import walk_layout

KINDS = {"hedge": HEDGE, "rm": MATCHING}


def least_probability(actions: int, t: int, cut: float, minimiser: str = "hedge") -> float:
    """The bound for iteration t at an infoset with so many actions; `cut` is d = C - 1, where regret may grow by the factor C."""
    if minimiser not in KINDS or not cut >= 0.0 or t < 1:
        raise ParameterError(
            f"Thresholds are known for hedge and rm, d >= 0 and t >= 1, but {minimiser!r}, {cut} and {t} were given."
        )
    return float(kernels.threshold(KINDS[minimiser], cut, actions, t))


def cut_behaviour(form: SequenceForm, behaviour: Floats, least: float | Floats) -> Floats:
    """The same behaviour [S] without probabilities below `least` (one number, or one per infoset), renormalised.

    The largest probability of an infoset always stays.
    """
    out = behaviour.copy()
    bounds = np.broadcast_to(np.asarray(least, dtype=np.float64), form.actions.shape)
    kernels.cut_infosets(form.first_sequence, form.actions, np.ascontiguousarray(bounds), out)
    return out


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
