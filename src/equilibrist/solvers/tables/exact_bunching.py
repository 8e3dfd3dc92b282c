"""What folded seats tell about two hands that are left, exactly: a decision of a solved table by three ways to weigh the other's hand.

Seen by a hand a of the seat that acts, the other's hand b is as likely as card removal and its own play say, times the chance that all
others fold beside both. Independent: that chance is left out; first order: the product of each seat's chance to fold beside b alone;
exact: all deals of up to four folded seats, further ones by first order (`cards/allins/disjoint_hands.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, NAMES, combinations
from equilibrist.cards.allins.disjoint_hands import MOST_FOLDED, folds_beside
from equilibrist.cards.allins.pairs import pair_outcomes, removal
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.games.tables.flop_leaves import FlopLeaves
from equilibrist.solvers.tables.table_solution import TableSolution

ROUTES = ("independent", "first order", "exact")
Report = Callable[[str, float | None], None]


@dataclass(frozen=True)
class BunchingAt:
    """A decision between two seats, all others having folded."""

    seat: str
    other: str
    labels: tuple[str, ...]
    mix: Floats  # [class, action] what the solution does
    exact_seats: tuple[str, ...]  # whose folds are counted exactly
    other_seats: tuple[str, ...]  # whose folds are weighed by first order in all routes but the independent one
    weights: dict[str, Floats]  # by route: [own class, other's class] how likely the other's hand is
    ev: dict[str, Floats]  # by route: [action, class] big blinds or prize money

    def lost(self, route: str = "exact") -> float:
        """Share of the hands that do not fold here and would have more by folding, by this route."""
        fold = self.labels.index("f")
        others = np.delete(self.ev[route], fold, axis=0).max(axis=0)
        plays = combinations() * (1.0 - self.mix[:, fold])
        return float(plays @ (others < self.ev[route][fold]) / plays.sum())

    def largest_change(self, action: int, against: str) -> tuple[str, float]:
        """Where exact values differ most from those of another route: a class that plays the action, and by how much."""
        apart = np.where(self.mix[:, action] > 0.5, self.ev["exact"][action] - self.ev[against][action], 0.0)
        worst = int(np.abs(apart).argmax())
        return NAMES[worst], float(apart[worst])


def bunching_at(solution: TableSolution, line: str, report: Report = lambda text, share: None) -> BunchingAt:
    """The decision after a line at which all but two seats have folded, by all routes; seconds for four folded seats."""
    tree, table = solution.tree, solution.table
    place = tree.decision_after(line)
    seat = int(tree.seat[place])
    here = solution.at(line).situation
    others = [p for p in here.staying if p != seat]
    if len(others) != 1 or isinstance(table.leaves, FlopLeaves) or tree.flops:
        raise NotApplicableError(
            f"Bunching is compared where all but two seats have folded and no flop is played, but after '{line[:80]}' "
            f"{len(here.staying)} are left{' and flops are played' if tree.flops else ''}; choose a longer line of a jam-or-fold table."
        )
    other = others[0]
    reach = [solution.at(line).reach(p) for p in range(table.seats)]
    folded = sorted((p for p in range(table.seats) if here.folded[p]), key=lambda p: float(reach[p] @ combinations()))
    exact, rest = folded[:MOST_FOLDED], folded[MOST_FOLDED:]  # those who fold least tell most
    beside = {p: removal() @ reach[p] for p in folded}
    further = np.prod([np.ones(CLASSES), *[beside[p] for p in rest]], axis=0)
    first = further * np.prod([np.ones(CLASSES), *[beside[p] for p in exact]], axis=0)
    together = folds_beside([reach[p] for p in exact], report) * further
    weights, ev = {}, {}
    for route, chance in zip(ROUTES, (np.ones(CLASSES), first, together), strict=True):
        weight = removal() * chance * reach[other]
        whole = weight.sum(axis=1, keepdims=True)
        weights[route] = np.divide(weight, whole, out=np.zeros_like(weight), where=whole > 0.0)
        walk = _Walk(solution, seat, other, weights[route])
        ones = np.ones(CLASSES)
        ev[route] = np.stack([walk.value(int(tree.children[k]), ones) for k in range(*tree.first[place : place + 2])])
    names = table.names
    return BunchingAt(
        names[seat], names[other], tree.labels[place], solution.strategy[tree.slots_of(place)].T, tuple(names[p] for p in sorted(exact)),
        tuple(names[p] for p in sorted(rest)), weights, ev,
    )  # fmt: skip


class _Walk:
    """Values below a decision of two seats, the other's hand weighed."""

    def __init__(self, solution: TableSolution, seat: int, other: int, weight: Floats) -> None:
        self.tree, self.strategy, self.seat, self.other = solution.tree, solution.strategy, seat, other
        outcomes = pair_outcomes()
        lose = 1.0 - outcomes.win - outcomes.tie
        self.whole, self.ways = weight, (weight * outcomes.tie, weight * outcomes.win, weight * lose)

    def value(self, child: int, played: Floats) -> Floats:
        """[own class] payoff times the chance that the other plays this way; `played` [other's class] since the decision."""
        tree = self.tree
        if child < 0:
            return self._end(-1 - child, played)
        mine = tree.seat[child] == self.seat
        out = np.zeros(CLASSES)
        for k in range(*tree.first[child : child + 2]):
            row = self.strategy[tree.slots[k]]
            below = self.value(int(tree.children[k]), played if mine else played * row)
            out += row * below if mine else below
        return out

    def _end(self, end: int, played: Floats) -> Floats:
        tree = self.tree
        pays = tree.pays[tree.first_pay[end] :, self.seat]
        staying = tree.staying[end]
        if staying[1] < 0:
            alone: Floats = pays[0] * (self.whole @ played)
            return alone
        tie, win, lose = (way @ played for way in self.ways)
        first = staying[0] == self.seat
        shown: Floats = pays[0] * tie + pays[1 if first else 2] * win + pays[2 if first else 1] * lose
        return shown
