"""A street's betting as a program of numbers: what a kernel does for one updating player, without knowing poker.

Betting lines (roots) are put into groups; one block of threads works on one group of one board. Reach of the opponent has rows: one
for each root, and one for each action of the opponent. Values have rows too: what folds and showdowns pay at a reach row per chip, what
comes from the cards to be dealt, and the values of own nodes. An action is worth a sum of value rows times coefficients (its *terms*):
nodes of the opponent add up what their actions are worth, so they need no row of their own, and rake is one term more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equilibrist.core.arrays import Floats, Floats32, Ints
from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, StreetForest

HEADER = 12  # numbers of a group, see `TreeProgram.groups`
WIN, LOSE, STAKE, TIE, ONE = SOURCES = range(5)  # what a coefficient is: half of win less lose is the stake


@dataclass(frozen=True)
class TreeProgram:
    """What to do for the updating player on one street; sections of four numbers a row begin at multiples of four."""

    # [G, HEADER] first root, roots, first level down, levels, reach rows, first use, uses, first level up, levels, first deal, deals,
    # first fold
    groups: Ints
    roots: Ints  # [R, 2] number of the root, its sum of terms
    down_levels: Ints  # first row of `down` in each level, and one past the last of each group
    down: Ints  # [D, 4] reach row, first reach row of the actions, actions, slot: a node of the opponent
    uses: Ints  # [U, 4] reach row, value row of its showdown or -1, value row of its fold or -1, 0
    up_levels: Ints
    up: Ints  # [N, 4] actions, slot, value row, sum of terms of the first action: a node of the updating player
    deals: Ints  # [C, 4] root on the next street, reach row, value row, 0
    sums: Ints  # [S + 1] first term of each sum
    terms: Ints  # [T, 2] value row, coefficient (the bits of a float32)
    sources: Ints  # [T, 2] the node whose amounts a coefficient is made of, and how: one of `SOURCES`
    rows: int  # reach rows of the largest group
    values: int  # value rows of the largest group; where they lie in the place of reach rows, those among them
    folds: int  # fold rows of all groups together
    slots: tuple[Ints, Ints]  # of each player: which slot of the forest comes where, group by group

    @property
    def first_rows(self) -> Ints:
        """[G + 1] the first reach row of each group where those of all groups lie together, and how many they are."""
        first: Ints = np.concatenate([[0], np.cumsum(self.groups[:, 4])]).astype(np.int32)
        return first

    def coefficients(self, win: Floats, lose: Floats, tie: Floats) -> Floats32:
        """[game, T] for games with the same lines and other amounts [game, node]."""
        node, kind = self.sources.T
        made = [win[:, node], lose[:, node], (win - lose)[:, node] / 2.0, tie[:, node], np.ones((len(win), len(node)))]
        out: Floats32 = np.choose(kind, made).astype(np.float32)
        return out

    def packed(self) -> tuple[Ints, Ints]:
        """All sections one after another, and where each of them begins."""
        sections = (
            self.groups, self.roots, self.down_levels, self.down, self.uses, self.up_levels, self.up, self.deals, self.sums, self.terms,
        )  # fmt: skip
        out, begin = list[Ints](), list[int]()
        for section in sections:
            begin.append(sum(map(len, out)))
            flat = section.ravel()
            out.append(np.pad(flat, (0, -len(flat) % 4)))
        return np.concatenate(out).astype(np.int32), np.array(begin, dtype=np.int32)


def roots_of(forest: StreetForest) -> Ints:
    """[N] the root that each node is below."""
    out = np.arange(len(forest.kind), dtype=np.int32)
    for node in range(forest.roots, len(out)):
        out[node] = out[forest.parent[node]]
    return out


def group_roots(forest: StreetForest, most: int, left_out: Iterable[int] = ()) -> list[list[int]]:
    """Roots in groups of at most so many nodes, where one root has no more, the largest first."""
    size = np.bincount(roots_of(forest), minlength=forest.roots)
    groups, filled = list[list[int]](), list[int]()
    for root in sorted(set(range(forest.roots)) - set(left_out), key=lambda r: (-int(size[r]), r)):
        fitting = [g for g, n in enumerate(filled) if n + size[root] <= most]
        if fitting:
            g = max(fitting, key=lambda g: filled[g])
            groups[g].append(root)
            filled[g] += int(size[root])
        else:
            groups.append([root])
            filled.append(int(size[root]))
    return groups


def tree_program(
    forest: StreetForest, groups: Sequence[Sequence[int]], me: int, *, in_place: bool = False
) -> TreeProgram:
    """The program of one street for the updating player `me`; `in_place`: what a reach row pays lies in its place."""
    writer = _Writer(forest, me, _slots(forest, groups), in_place)
    root = roots_of(forest)
    below: list[list[int]] = [[] for _ in range(forest.roots)]
    for node, top in enumerate(root.tolist()):
        below[top].append(node)
    for group in groups:
        writer.group(group, sorted(node for top in group for node in below[top]))
    return writer.program()


def _slots(forest: StreetForest, groups: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Slots of each player in the order of groups and nodes."""
    root = roots_of(forest)
    number = np.full(forest.roots, len(groups))
    for g, group in enumerate(groups):
        number[list(group)] = g
    out = []
    for player in range(2):
        acting = np.flatnonzero(forest.kind == player)
        acting = acting[np.argsort(number[root[acting]], kind="stable")]
        parts = [np.arange(forest.slot[n], forest.slot[n] + forest.children[n], dtype=np.int32) for n in acting]
        out.append(np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32))
    return out[0], out[1]


class Term(NamedTuple):
    """A value row and what it is multiplied by."""

    row: int
    node: int
    source: int


class _Writer:
    """Writes the sections group by group."""

    def __init__(self, forest: StreetForest, me: int, slots: tuple[Ints, Ints], in_place: bool) -> None:
        self.forest, self.me, self.slots, self.in_place = forest, me, slots, in_place
        self.place = [np.argsort(each) for each in slots]  # where a slot of the forest went
        depth = np.zeros(len(forest.kind), dtype=np.int64)
        for node in range(forest.roots, len(depth)):
            depth[node] = depth[forest.parent[node]] + 1
        self.depth = depth.tolist()
        self.kind, self.first, self.children = (
            each.tolist() for each in (forest.kind, forest.first_child, forest.children)
        )
        self.groups, self.roots, self.deals = list[list[int]](), list[tuple[int, int]](), list[tuple[int, ...]]()
        self.down_levels, self.down, self.uses = list[int](), list[tuple[int, ...]](), list[tuple[int, ...]]()
        self.up_levels, self.up = list[int](), list[tuple[int, ...]]()
        self.sums, self.terms = [0], list[Term]()
        self.most_rows = self.most_values = self.folds = 0

    def group(self, roots: Sequence[int], nodes: Sequence[int]) -> None:
        header = [len(self.roots), len(roots), len(self.down_levels)]
        self._reach(roots, nodes)
        header += [len(self.down_levels) - header[2] - 1, self.row_count, len(self.uses)]
        folds = self._terminals(nodes)
        header += [len(self.uses) - header[5], len(self.up_levels)]
        self._values(nodes)
        header += [len(self.up_levels) - header[7] - 1, len(self.deals)]
        self.deals += [
            (int(self.forest.next_root[n]), self.row[n], self.where[n], 0) for n in nodes if self.kind[n] == DEAL
        ]
        header += [len(self.deals) - header[9], self.folds]
        self.groups.append(header)
        for root in roots:
            self.roots.append((root, self._sum(self._worth(root))))
        self.folds += folds
        self.most_rows, self.most_values = max(self.most_rows, self.row_count), max(self.most_values, self.value_count)

    def _reach(self, roots: Sequence[int], nodes: Sequence[int]) -> None:
        """Rows of the opponent's reach, and its nodes level by level."""
        self.row = {root: k for k, root in enumerate(roots)}
        self.row_count, level = len(roots), -1
        for n in nodes:
            if self.kind[n] == 1 - self.me:
                if self.depth[n] != level:
                    self.down_levels.append(len(self.down))
                    level = self.depth[n]
                self.down.append((self.row[n], self.row_count, self.children[n], self._slot(n)))
                self.row.update((self.first[n] + a, self.row_count + a) for a in range(self.children[n]))
                self.row_count += self.children[n]
            elif self.kind[n] == self.me:
                self.row.update((self.first[n] + a, self.row[n]) for a in range(self.children[n]))
        self.down_levels.append(len(self.down))

    def _slot(self, node: int) -> int:
        return int(self.place[self.kind[node]][self.forest.slot[node]])

    def _terminals(self, nodes: Sequence[int]) -> int:
        """A value row for each reach row that meets a fold, then for each that meets a showdown; the number of folds.

        In place a reach row turns into that of its showdowns, or else of its folds; the others come behind the reach rows.
        """
        raked = {n for n in nodes if self.kind[n] == SHOWDOWN and self._both(n) != 0.0}
        folds = sorted({self.row[n] for n in nodes if self.kind[n] == FOLD or n in raked})
        shows = sorted({self.row[n] for n in nodes if self.kind[n] == SHOWDOWN})
        if self.in_place:
            self.show, both = {row: row for row in shows}, sorted({*folds} & {*shows})
            self.fold = {row: row for row in folds} | {row: self.row_count + k for k, row in enumerate(both)}
            self.value_count = self.row_count + len(both)
        else:
            self.fold = {row: k for k, row in enumerate(folds)}
            self.show = {row: len(folds) + k for k, row in enumerate(shows)}
            self.value_count = len(folds) + len(shows)
        self.where = dict[int, int]()
        for n in nodes:
            if self.kind[n] == DEAL:
                self.where[n] = self.value_count
                self.value_count += 1
        self.uses += [
            (row, self.show.get(row, -1), self.fold.get(row, -1), 0) for row in sorted({*self.fold, *self.show})
        ]
        return len(folds)

    def _both(self, node: int) -> float:
        """What any reach is worth at a showdown: nothing without rake."""
        return float(self.forest.tie[node])

    def _values(self, nodes: Sequence[int]) -> None:
        """The updating player's nodes from the deepest level up; a row that nobody else reads serves again."""
        own = [n for n in reversed(nodes) if self.kind[n] == self.me]
        readers = dict[int, int]()
        for n in nodes:
            if self.kind[n] in (FOLD, SHOWDOWN, DEAL):
                for row, _, _ in self._worth(n):
                    readers[row] = readers.get(row, 0) + 1
        level = -1
        for n in own:
            if self.depth[n] != level:
                self.up_levels.append(len(self.up))
                level = self.depth[n]
            actions = [self._worth(self.first[n] + a) for a in range(self.children[n])]
            free = [row for terms in actions for row, _, _ in terms if readers[row] == 1]
            if free:
                self.where[n] = free[0]
            else:
                self.where[n] = self.value_count
                self.value_count += 1
            readers[self.where[n]] = 1
            self.up.append((self.children[n], self._slot(n), self.where[n], len(self.sums) - 1))
            for terms in actions:
                self._sum(terms)
        self.up_levels.append(len(self.up))

    def _worth(self, node: int) -> list[Term]:
        """Value rows and coefficients that a node's value is made of."""
        kind, forest = self.kind[node], self.forest
        if kind == FOLD:
            return [Term(self.fold[self.row[node]], node, LOSE if forest.folder[node] == self.me else WIN)]
        if kind == SHOWDOWN:
            row = self.row[node]
            shown = Term(self.show[row], node, STAKE)
            return [shown] if self._both(node) == 0.0 else [shown, Term(self.fold[row], node, TIE)]
        if kind == 1 - self.me:
            return [term for a in range(self.children[node]) for term in self._worth(self.first[node] + a)]
        return [Term(self.where[node], node, ONE)]

    def _sum(self, terms: Sequence[Term]) -> int:
        self.terms += terms
        self.sums.append(len(self.terms))
        return len(self.sums) - 2

    def program(self) -> TreeProgram:
        def table(rows: Sequence[Sequence[int]], width: int) -> Ints:
            return np.array(rows, dtype=np.int32).reshape(-1, width)

        whole = table(self.terms, 3)
        made = TreeProgram(
            groups=table(self.groups, HEADER),
            roots=table(self.roots, 2),
            down_levels=np.array(self.down_levels, dtype=np.int32),
            down=table(self.down, 4),
            uses=table(self.uses, 4),
            up_levels=np.array(self.up_levels, dtype=np.int32),
            up=table(self.up, 4),
            deals=table(self.deals, 4),
            sums=np.array(self.sums, dtype=np.int32),
            terms=whole[:, :2].copy(),
            sources=whole[:, 1:],
            rows=self.most_rows,
            values=self.most_values,
            folds=self.folds,
            slots=self.slots,
        )
        amounts = (
            np.asarray(each, dtype=np.float64)[None] for each in (self.forest.win, self.forest.lose, self.forest.tie)
        )
        made.terms[:, 1] = made.coefficients(*amounts)[0].view(np.int32)
        return made
