"""Public chance sampling: only public chance is drawn, all hands are walked at once ([Johanson12b]).

The loop is in `_kernels/public_chance.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equilibrist.solvers.mccfr._kernels import packing
from equilibrist.solvers.mccfr._kernels.public_chance import PublicScratch, PublicWalk, sample_public_chance

if TYPE_CHECKING:
    from equilibrist.solvers.mccfr.run import MCCFRRun, Walk


def public_chance_walk(run: MCCFRRun) -> Walk:
    """The public tree packed for the sampler, with its scratch arrays."""
    tree, walks = run.game.public_tree, run.settings.traversals
    state_weight = np.add.reduceat(tree.weight, tree.first_joint[:-1])
    private, offset = packing.pack_private(
        [own.parent for own in tree.private],
        [own.action for own in tree.private],
        [3 * tree.infosets.first_slot[own.row] for own in tree.private],  # read only where somebody acts
        [own.first_choice for own in tree.private],
    )
    span = np.stack([own.first + start for own, start in zip(tree.private, offset, strict=True)])
    packed = PublicWalk(
        *packing.pack_states(tree.player, tree.parent, state_weight),
        span=span.astype(np.int32),
        private=private,
        first_entry=tree.first_joint,
        entry=(tree.joint + offset).astype(np.int32),
        stakes=tree.weight[:, None] * tree.returns,
    )
    states, hands = len(tree.states), len(private)
    scratch = PublicScratch(
        stack=np.zeros(states, dtype=np.int32),
        visited=np.zeros(states, dtype=np.int32),
        scale=np.zeros(states),
        reach=np.zeros(hands),
        value=np.zeros(hands),
        choice_value=np.zeros(int(private[:, 3].sum())),
    )
    return lambda iterations, limit: sample_public_chance(
        packed, walks, iterations, limit, run.tables, run.random, run.tally, scratch
    )
