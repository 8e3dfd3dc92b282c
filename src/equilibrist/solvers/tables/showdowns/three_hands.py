"""Three hands that show their cards, by the table of all triples of classes: payoffs given what all three have played.

Deals of three classes are counted exactly, who wins them is sampled (`cards/allins/triples.py`). One range after the other is summed out of
the cube of all triples: first that of the seat whose row most ends share, for all such rows at once, then a second one end by end. It
takes longer than products of two, so that learning keeps what it knew for some iterations; every check looks again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from functools import lru_cache

import numpy as np

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.allins.joint import joint_showdowns
from equilibrist.cards.allins.triples import OUTCOMES, triple_table_file
from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.size_estimate import memory_limit
from equilibrist.games.tables.table import (
    THREE_BY_ODDS,
    THREE_BY_TABLE,
    THREE_BY_WHAT_THERE_IS,
    Table,
)
from equilibrist.solvers.tables._kernels.ends import Ends, ThreeHands
from equilibrist.solvers.tables.showdowns.triples_made import made_triples

ROWS_AT_ONCE = 16  # 24 MB of sums
CUBE_BYTES = 4 * len(OUTCOMES) * CLASSES**3


def table_is_made() -> bool:
    """Whether the table of triples is in the cache."""
    return triple_table_file().is_file()


def choose_three_way(tree: TableTree, resume: Table | None = None) -> TableTree:
    """A tree whose table says how three hands are compared: as the run that goes on does, by the table where it is made, or by odds.

    The choice is kept with the solution, so that a file means the same on every machine.
    """
    if tree.table.three_way != THREE_BY_WHAT_THERE_IS or not (tree.showing == 3).any():
        return tree
    chosen = THREE_BY_TABLE if table_is_made() and memory_limit() / 4 > CUBE_BYTES else THREE_BY_ODDS
    return replace(tree, table=tree.table.changed(three_way=chosen if resume is None else resume.three_way))


def no_table(ends: int) -> ThreeHands:
    """Products everywhere."""
    return ThreeHands(np.full(ends, -1), np.zeros((0, 3, 1)), np.zeros((0, len(OUTCOMES))))


class ThreeWayEnds:
    """The ends at which three hands show; `look` finds what they are worth."""

    def __init__(self, ends: Ends, shared: bool = True) -> None:
        """`shared`: rows are those of the ends; otherwise each end has three of its own."""
        self.ends = ends
        self.numbers: Longs = np.flatnonzero((ends.staying >= 0).sum(axis=1) == 3)
        self.place = np.full(len(ends.staying), -1)
        self.place[self.numbers] = np.arange(len(self.numbers))
        seats = ends.staying[self.numbers, :3]
        own = np.arange(3 * len(seats)).reshape(-1, 3)
        self.rows: Longs = (
            np.take_along_axis(ends.rows[self.numbers], seats, axis=1) if shared else own
        )  # [three, place]
        often = Counter(self.rows.ravel().tolist())
        self._jobs: dict[int, list[tuple[int, int, bool]]] = defaultdict(
            list
        )  # by row: end, its place, whether it is the first
        for three, rows in enumerate(self.rows.tolist()):
            first, second = sorted(range(3), key=lambda place: -often[rows[place]])[:2]
            self._jobs[rows[first]].append((three, first, True))
            self._jobs[rows[second]].append((three, second, False))

    def look(self, reach: Floats) -> ThreeHands:
        """What each of three hands is worth, given what all rows have played."""
        worth = np.zeros((len(self.numbers), 3, CLASSES))
        seen = np.zeros((len(self.numbers), len(OUTCOMES)))
        cube, small = showdown_cube(), reach.astype(np.float32)
        rows = sorted(self._jobs)
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            part = rows[begin : begin + ROWS_AT_ONCE]
            summed = np.matmul(small[part], cube)  # [outcome, row, second hand x third hand]
            for number, row in enumerate(part):
                for three, place, whole in self._jobs[row]:
                    self._sum_out(three, place, whole, summed[:, number], small, worth, seen)
        return ThreeHands(self.place, worth, seen)

    def _sum_out(
        self, three: int, place: int, whole: bool, summed: Floats32, reach: Floats32, worth: Floats, seen: Floats
    ) -> None:
        """One end, its seat in `place` summed out: the two others, or only the one that was summed out first."""
        others = [each for each in range(3) if each != place]
        end = self.numbers[three]
        pays = self.ends.pays[self.ends.first_pay[end] + _outcomes(place)]  # [outcome seen from this place, seat]
        ranges = [reach[self.rows[three, each]] for each in others]
        for number, own in enumerate(others):
            if not whole and worth[three, own].any():
                continue  # found when the other seat was summed out
            pay = pays[:, self.ends.staying[end, own]]
            weights = np.stack([pay - pay[0], np.ones(len(pay))]).astype(np.float32)
            met = (weights @ summed).reshape(2, CLASSES, CLASSES)
            total = met @ ranges[1] if number == 0 else ranges[0] @ met
            value, deals = total.astype(np.float64)
            worth[three, own] = pay[0] + np.divide(value, deals, out=np.zeros(CLASSES), where=deals > 0.0)
        if whole:
            chances = (summed.reshape(-1, CLASSES, CLASSES) @ ranges[1] @ ranges[0]).astype(np.float64)
            if chances.sum() > 0.0:
                seen[three, _outcomes(place)] = chances / chances.sum()


@lru_cache(maxsize=1)
def showdown_cube() -> Floats32:
    """[outcome, first hand, second hand x third hand] how likely three classes and their order are."""
    return joint_showdowns(made_triples()).weight.reshape(len(OUTCOMES), CLASSES, CLASSES * CLASSES)


@lru_cache(maxsize=3)
def _outcomes(place: int) -> Longs:
    """[outcome with the seat in `place` first] the same outcome with all seats in their order."""
    order = [place, *(each for each in range(3) if each != place)]
    numbers = {tuple(ranks): number for number, ranks in enumerate(OUTCOMES.tolist())}
    found = []
    for ranks in OUTCOMES.tolist():
        seats = [0, 0, 0]
        for rank, seat in zip(ranks, order, strict=True):
            seats[seat] = rank
        found.append(numbers[tuple(seats)])
    return np.array(found)
