"""A policy that is looked up by public state, written out infoset by infoset where its game is small enough."""

from __future__ import annotations

import numpy as np

from equilibrist.core.policy import Policy, TabularPolicy
from equilibrist.forms.compiled import compiled


def written_out(game: str, policy: Policy) -> TabularPolicy:
    """What a policy says at every infoset of its game; games too large to be laid out are refused."""
    infosets = compiled(game).infosets
    out = np.empty(infosets.slots)
    for number, key in enumerate(infosets.keys):
        row = policy[key]
        first = infosets.first_slot[number]
        for place, label in enumerate(infosets.actions[number]):
            out[first + place] = row[label]
    return TabularPolicy(infosets, out)
