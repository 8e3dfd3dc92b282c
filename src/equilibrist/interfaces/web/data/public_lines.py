"""Public lines: how the public states at which somebody decides follow each other, from the tree of a game or from their names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.solvers.cfr._kernels.history_cfr import reach_down

_STEP = re.compile(r"[:,\s]+")


@dataclass
class PublicLines:
    """Decisions before and after each other; a line is the name of a public state."""

    before: dict[str, tuple[str, str]] = field(default_factory=dict)  # line -> decision before, and what was done there
    after: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # line and action -> the next decisions

    def path(self, line: str) -> list[tuple[str, str | None]]:
        """The decisions up to a line with what was done at each; at the line itself nothing yet."""
        out: list[tuple[str, str | None]] = [(line, None)]
        while line in self.before:
            line, action = self.before[line]
            out.append((line, action))
        return out[::-1]

    def _add(self, line: str, place: str, action: str) -> None:
        self.before[line] = place, action
        self.after.setdefault((place, action), []).append(line)

    @classmethod
    def of_tree(cls, tree: GameTree) -> PublicLines:
        infosets, found = tree.infosets, cls()
        for number in np.flatnonzero(tree.infoset >= 0).tolist():
            line, step, above = infosets.public[tree.infoset[number]], number, int(tree.parent[number])
            while above >= 0 and tree.infoset[above] < 0:
                step, above = above, int(tree.parent[above])
            if above < 0 or line in found.before:
                continue
            infoset = int(tree.infoset[above])
            place, action = infosets.public[infoset], infosets.actions[infoset][step - int(tree.first_child[above])]
            if place != line:
                found._add(line, place, action)
        return found

    @classmethod
    def of_names(cls, infosets: InfosetIndex) -> PublicLines:
        """The same where there is no tree: a line goes on from the longest other line that it begins with."""
        actions = dict(zip(infosets.public, infosets.actions, strict=True))
        found = cls()
        for line in actions:
            ends = [
                end for match in _STEP.finditer(line) for end in match.span()
            ]  # names may end with what parts steps
            for end in (*reversed(ends), 0):
                place = line[:end]
                step = _STEP.split(line[end:].lstrip(":, "), maxsplit=1)[0]
                if place != line and step in actions.get(place, ()):
                    found._add(line, place, step)
                    break
        return found


def history_reach(tree: GameTree, policy: TabularPolicy) -> Floats:
    """[histories, players + 1] how likely each player's own actions, and chance (last), lead to every history."""
    reach = np.empty((tree.histories, tree.players + 1))
    reach_down(tree.nodes, policy.probabilities, reach)
    return reach


def infoset_reach(tree: GameTree, policy: TabularPolicy) -> Floats:
    """[I] how likely each infoset is."""
    acting = tree.infoset >= 0
    together = history_reach(tree, policy).prod(axis=1)[acting]
    return np.bincount(tree.infoset[acting], together, len(tree.infosets)).astype(np.float64)
