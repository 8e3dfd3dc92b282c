"""Dials: responses to the locks of solutions, found point by point; gain and risk are told against the equilibrium's point."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from equilibrist.core.errors import NotApplicableError
from equilibrist.interfaces.web.data.library import Library
from equilibrist.interfaces.web.data.store import DialRow, PointRow, Store

MOST_STEPS = 41


@dataclass(frozen=True)
class RatedPoint:
    """A response with what it gains and risks, in chips."""

    row: PointRow
    gain: float
    risk: float

    @property
    def p(self) -> float:
        return self.row.p


class Dials:
    """Rows of dials, changed by one hand at a time."""

    def __init__(self, store: Store, library: Library) -> None:
        self.store, self.library = store, library
        self._lock = threading.Lock()

    def add_steps(self, number: str, steps: Sequence[float]) -> DialRow:
        """Want some more responses."""
        with self._lock:
            row = self.store.dial(number)
            row.steps = sorted({*row.steps, *steps})
            if len(row.steps) > MOST_STEPS:
                raise NotApplicableError(f"A dial has at most {MOST_STEPS} points; this one would have more.")
            self.store.put_dial(row)
            return row

    def add_point(self, number: str, point: PointRow) -> None:
        with self._lock:
            row = self.store.dial(number)
            row.points = sorted([*row.points, point], key=lambda each: each.p)
            self.store.put_dial(row)

    def missing(self, number: str) -> float | None:
        """The next response to find: the equilibrium, the ends, then what halves the widest gap."""
        row = self.store.dial(number)
        found = [point.p for point in row.points]
        left = [p for p in row.steps if p not in found]
        if not left or not found:
            return min(left, default=None)
        return max(left, key=lambda p: (min(abs(p - other) for other in found), p))

    def delete(self, number: str) -> None:
        """Forget a dial with the solutions of its points."""
        with self._lock:
            for point in self.store.dial(number).points:
                if self.store.has_solution(point.solution):
                    self.library.delete(point.solution)
            self.store.delete_dial(number)


def rated(row: DialRow) -> list[RatedPoint]:
    """Points in order of p; none before the equilibrium is known."""
    base = next((point for point in row.points if point.p == 0.0), None)
    if base is None:
        return []
    return [RatedPoint(each, each.payoff - base.payoff, base.guarantee - each.guarantee) for each in row.points]
