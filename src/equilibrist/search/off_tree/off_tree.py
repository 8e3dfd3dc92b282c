"""All off-tree actions of a finer game answered, one inside the other, for one player ([Brown20, §5.1.7, Table 5.4]).

The finer game is compiled once; what a blueprint does not know is hidden. Answers are found level by level: first to the
opponent's first off-tree action on every line, then to its second, and so on, as play would meet them. Answers of one level do not
depend on each other, so all of them are solved side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.public_tree.public_layout import hidden_slots
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.search.off_tree.nested_search import actions_at, answer_expensive, answer_inexpensive
from equilibrist.search.off_tree.translated import translate_lines
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS, DEFAULT_SOLVER, reached_part
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.responses.public_response import reach_of

Report = Callable[[str], None]


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True)
class OffTree:
    """A finer game, and the public states right after actions that are not in the smaller one."""

    tree: PublicTree
    after: tuple[int, ...]

    @classmethod
    def where(cls, tree: PublicTree, unknown: Callable[[str, str], bool]) -> OffTree:
        """`unknown` says of a public state and an action there whether the smaller game lacks it."""
        found = []
        for s, above in enumerate(tree.parent.tolist()):
            if above >= 0 and tree.player[above] >= 0:
                player = int(tree.player[above])
                action = int(tree.private[player].action[tree.privates(s, player).start])
                if unknown(tree.states[above], actions_at(tree, above)[action]):
                    found.append(s)
        return cls(tree, tuple(found))

    @cached_property
    def taken(self) -> Ints:
        """[players, public states] how many off-tree actions of each player lead there."""
        out = np.zeros((2, len(self.tree.states)), dtype=np.int32)
        new = set(self.after)
        for s, above in enumerate(self.tree.parent.tolist()):
            if above >= 0:
                out[:, s] = out[:, above]
                if s in new:
                    out[self.tree.player[above], s] += 1
        return out

    @cached_property
    def depth(self) -> Ints:
        """[public states] steps from the start."""
        out = np.zeros(len(self.tree.states), dtype=np.int32)
        for s, above in enumerate(self.tree.parent.tolist()):
            out[s] = out[above] + 1 if above >= 0 else 0
        return out

    def roots(self, searcher: int, level: int) -> tuple[int, ...]:
        """Public states right after the opponent's `level`-th off-tree action, where the searcher has taken none."""
        theirs, mine = self.taken[1 - searcher], self.taken[searcher]
        return tuple(
            s
            for s in self.after
            if theirs[s] == level and mine[s] == 0 and self.tree.player[self.tree.parent[s]] != searcher
        )

    def hidden(self, searcher: int, level: int) -> tuple[int, ...]:
        """Public states after off-tree actions that are not known when the opponent has taken up to `level` of them."""
        theirs, mine = self.taken[1 - searcher], self.taken[searcher]
        return tuple(s for s in self.after if mine[s] > 0 or theirs[s] > level)

    def levels(self, searcher: int) -> int:
        """How many off-tree actions the opponent can take in one game."""
        return int(max((self.taken[1 - searcher, s] for s in self.after), default=0))

    def known_part(self, policy: TabularPolicy) -> TabularPolicy:
        """A policy of the tree that takes no off-tree action."""
        return normalise(policy.infosets, np.where(hidden_slots(self.tree, self.after), 0.0, self._floored(policy)))

    def _floored(self, policy: TabularPolicy) -> Floats:
        """Even play where a policy has nothing but off-tree actions."""
        first, widths = self.tree.infosets.first_slot[:-1], np.diff(self.tree.infosets.first_slot)
        kept = np.where(hidden_slots(self.tree, self.after), 0.0, policy.probabilities)
        empty = np.repeat(np.add.reduceat(kept, first) <= 0, widths)
        return np.where(empty, 1.0, policy.probabilities)

    def groups(self, searcher: int, level: int) -> Iterator[tuple[int, ...]]:
        """The roots of a level in groups none of whose subgames, one step earlier, lies below another."""
        roots = self.roots(searcher, level)
        for depth in sorted({int(self.depth[s]) for s in roots}):
            yield tuple(s for s in roots if self.depth[s] == depth)


def answer_everywhere(
    off_tree: OffTree,
    policy: TabularPolicy,
    searcher: int,
    technique: str | Technique = "reach-maxmargin",
    *,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
    report: Report = _silent,
) -> TabularPolicy:
    """A searcher that knows `policy` and answers every off-tree action of its opponent, right after it ("inexpensive")."""
    tree, current = off_tree.tree, off_tree.known_part(policy)
    known = TreeProfile(tree, current, hidden=off_tree.hidden(searcher, 0))
    for level in range(1, off_tree.levels(searcher) + 1):
        extended = replace(known, hidden=off_tree.hidden(searcher, level))
        reached = reached_part(
            Subgame.of(extended, off_tree.roots(searcher, level)), searcher, find_technique(technique)
        )
        if reached is None:
            break
        report(f"{len(reached.roots)} answers to off-tree action number {level} of a game")
        found = answer_inexpensive(known, extended, reached.roots, technique, solver=solver, iterations=iterations)
        known = found.blueprint
    return known.policy


def answer_everywhere_expensively(
    off_tree: OffTree,
    policy: TabularPolicy,
    searcher: int,
    technique: str | Technique = "unsafe",
    *,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
    report: Report = _silent,
) -> TabularPolicy:
    """The same by searches that begin one step before the action, for techniques that believe in the opponent's range.

    A range that is nowhere positive is taken to be even.
    """
    tree, current = off_tree.tree, off_tree.known_part(policy)
    imagined = current.probabilities.copy()  # of the opponent: how searches so far expect it to play
    for level in range(1, off_tree.levels(searcher) + 1):
        known = TreeProfile(tree, current, hidden=off_tree.hidden(searcher, level - 1))
        expected = imagined.copy()
        for roots in off_tree.groups(searcher, level):
            others = set(off_tree.roots(searcher, level)) - set(roots)
            hidden = tuple(sorted({*off_tree.hidden(searcher, level), *others}))
            extended = TreeProfile(tree, current, hidden=hidden)
            reached, ranges = _believed(extended, roots, searcher, imagined)
            if not reached:
                continue
            report(f"{len(reached)} answers to off-tree action number {level} of a game")
            found = answer_expensive(
                known, extended, reached, technique, ranges=ranges, solver=solver, iterations=iterations
            )
            current = found.blueprint.policy
            _imagine(expected, found.solution.profile, off_tree, reached, 1 - searcher)
        imagined = expected
    return current


def _believed(
    extended: TreeProfile, roots: Sequence[int], searcher: int, imagined: Floats
) -> tuple[list[int], tuple[Floats, Floats]]:
    """Roots whose parents the searcher reaches, and both ranges there."""
    tree, layout = extended.tree, extended.layout
    reach = reach_of(layout, layout.strategy(imagined))
    parents = sorted({int(tree.parent[root]) for root in roots})
    kept: list[int] = []
    parts: tuple[list[Floats], list[Floats]] = ([], [])
    for state in parents:
        mine = extended.reach[extended.at([state], searcher)]
        if not mine.any():
            continue
        theirs = reach[extended.at([state], 1 - searcher)]
        kept.append(state)
        parts[searcher].append(mine)
        parts[1 - searcher].append(theirs if theirs.any() else np.ones_like(theirs))
    wanted = set(kept)
    chosen = [root for root in roots if int(tree.parent[root]) in wanted]
    if not chosen:
        return [], (np.zeros(0), np.zeros(0))
    return chosen, (np.concatenate(parts[0]), np.concatenate(parts[1]))


def _imagine(expected: Floats, profile: TabularPolicy, off_tree: OffTree, roots: Sequence[int], opponent: int) -> None:
    """Take over how the opponent is expected to take these actions and to go on; its other actions stay as they were."""
    tree, tops = off_tree.tree, set(roots)
    below = np.zeros(len(tree.states), dtype=np.bool_)
    for s, above in enumerate(tree.parent.tolist()):
        below[s] = s in tops or (above >= 0 and below[above])
    own = tree.private[opponent]
    state = np.repeat(np.arange(len(tree.states)), np.diff(own.first))
    entered = np.flatnonzero(below[state] & (own.action >= 0))
    slots = tree.infosets.first_slot[own.row[own.parent[entered]]] + own.action[entered]
    expected[slots] = profile.probabilities[slots]


def translate_everywhere(
    off_tree: OffTree, policy: TabularPolicy, searcher: int, shares: tuple[float, float]
) -> TabularPolicy:
    """A searcher that takes every off-tree action for the one before or after it in the menu, with these probabilities."""
    tree, current = off_tree.tree, off_tree.known_part(policy)
    for level in range(1, off_tree.levels(searcher) + 1):
        for roots in off_tree.groups(searcher, level):
            sides = [[_sibling(tree, root, step) for root in roots] for step in (-1, 1)]
            current = translate_lines(tree, current, searcher, roots, list(zip(sides, shares, strict=True)))
    return off_tree.known_part(current)


def _sibling(tree: PublicTree, state: int, step: int) -> int:
    """The public state after the next or the previous action of the same menu."""
    above = int(tree.parent[state])
    player = int(tree.player[above])
    children = np.flatnonzero(tree.parent == above).tolist()
    own = tree.private[player]
    after = {int(own.action[own.first[child]]): child for child in children}
    wanted = int(own.action[own.first[state]]) + step
    if wanted not in after:
        raise NotApplicableError(f"'{tree.states[state]}' has no neighbour on both sides to be taken for.")
    return int(after[wanted])
