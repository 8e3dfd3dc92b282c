"""Action translation: an off-tree bet is answered as if it had been one of its neighbours, drawn once per hand ([Brown20, §4.3.3])."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.solvers.responses.public_response import reach_of


def pseudo_harmonic(below: float, size: float, above: float) -> float:
    """Probability of the smaller neighbour; sizes in pots ([Ganzfried15, §7.5])."""
    if not 0 <= below < above or not below <= size <= above:
        raise ParameterError(f"A size lies between its neighbours, but {below} <= {size} <= {above} was given.")
    return (above - size) * (1.0 + below) / ((above - below) * (1.0 + size))


def translate_lines(
    tree: PublicTree,
    policy: TabularPolicy,
    player: int,
    roots: Sequence[int],
    neighbours: Sequence[tuple[Sequence[int], float]],
) -> TabularPolicy:
    """Below each of the roots `player` plays as it would below one of its neighbours, chosen once with their probabilities.

    Each entry of `neighbours` has one public state for each root and a probability.

    The neighbours' trees must have the same shape as the roots': bets as pot fractions do.
    """
    if any(list(states) != sorted(states) for states in (roots, *(states for states, _ in neighbours))):
        raise ParameterError("Public states that are played alike are given in ascending order.")
    target = lay_out(tree, roots)
    weights = np.zeros(tree.infosets.slots)
    into = np.flatnonzero(_owned(tree, target.slot, player))
    for states, probability in neighbours:
        source = lay_out(tree, states)
        if source.first_slot.tolist() != target.first_slot.tolist() or source.parent.tolist() != target.parent.tolist():
            raise NotApplicableError(
                f"'{tree.states[roots[0]]}' cannot be played like '{tree.states[states[0]]}': their trees differ in shape."
            )
        strategy = source.strategy(policy.probabilities)
        reach = reach_of(source, strategy)
        acting = np.flatnonzero(source.row >= 0)
        own = np.zeros(len(source.row_player))
        np.maximum.at(own, source.row[acting], reach[acting])
        played = probability * np.repeat(own, np.diff(source.first_slot)) * strategy
        weights[target.slot[into]] += played[into]
    first, widths = tree.infosets.first_slot[:-1], np.diff(tree.infosets.first_slot)
    total = np.repeat(np.add.reduceat(weights, first), widths)
    out = np.where(total > 0, weights / np.where(total > 0, total, 1.0), policy.probabilities)
    return TabularPolicy(policy.infosets, out)


def _owned(tree: PublicTree, slots: npt.NDArray[np.int32], player: int) -> npt.NDArray[np.bool_]:
    owner = np.repeat(tree.infosets.player, np.diff(tree.infosets.first_slot))
    mine: npt.NDArray[np.bool_] = owner[slots] == player
    return mine
