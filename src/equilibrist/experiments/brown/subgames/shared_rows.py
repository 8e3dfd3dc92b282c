"""Infostates that share a row of a public tree: buckets of hands that are played alike, whatever the board was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from equilibrist.core.arrays import Ints
from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.forms.public_tree.public_tree import PublicTree


@dataclass(frozen=True)
class SharedRows:
    """A public tree whose rows are buckets; the tree underneath is the full game's."""

    full: PublicTree
    tree: PublicTree  # the same infostates, rows shared
    bucket: Ints  # [infosets of the full game] infoset of `tree`

    def lift(self, policy: TabularPolicy) -> TabularPolicy:
        """A policy of the buckets, as a policy of the full game."""
        first, widths = self.tree.infosets.first_slot, np.diff(self.full.infosets.first_slot)
        begin = np.repeat(first[self.bucket], widths)
        within = np.arange(self.full.infosets.slots) - np.repeat(self.full.infosets.first_slot[:-1], widths)
        return TabularPolicy(self.full.infosets, policy.probabilities[begin + within])


def share_rows(tree: PublicTree, bucket: Callable[[str], str]) -> SharedRows:
    """Merge all infosets whose keys `bucket` maps to the same text; they must have the same player and actions."""
    infosets, names = tree.infosets, dict[str, int]()
    members: list[int] = []  # one infoset of each bucket
    number = np.empty(len(infosets), dtype=np.int32)
    for i, key in enumerate(infosets.keys):
        name = bucket(key)
        number[i] = names.setdefault(name, len(names))
        if number[i] == len(members):
            members.append(i)
        first = members[number[i]]
        if infosets.player[first] != infosets.player[i] or infosets.actions[first] != infosets.actions[i]:
            raise ParameterError(
                f"The infosets '{infosets.keys[first]}' and '{key}' cannot share the bucket '{name}': they differ in who acts "
                "or in the actions."
            )
    merged = InfosetIndex(
        keys=tuple(names),
        player=infosets.player[members],
        actions=tuple(infosets.actions[i] for i in members),
        public=tuple(infosets.public[i] for i in members),
    )
    private = tuple(
        replace(own, row=np.where(own.row >= 0, number[np.maximum(own.row, 0)], -1).astype(np.int32))
        for own in tree.private
    )
    return SharedRows(tree, replace(tree, private=private, infosets=merged), number)
