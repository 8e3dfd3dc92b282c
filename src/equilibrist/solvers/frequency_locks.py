"""Locks by frequency: "ip bets 30 % of its range here" as a strategy for every hand.

Holding only the frequency fixed while hands stay free would be another game, with a constraint across hands that vector CFR does
not know. What is meant in practice is a player who plays as in equilibrium but takes an action too often or too rarely: the spot is
solved without the lock, the strategy found is scaled to the frequency (`scaled_to`), locked, and the spot solved around it. Where
that changes how often each hand gets there, it is scaled again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.games.holdem.locks import Lock
from equilibrist.games.holdem.spot import Spot
from equilibrist.solvers.cursor import Cursor
from equilibrist.solvers.driver import ProgressCallback

if TYPE_CHECKING:
    from equilibrist.solvers.spot_solution import SpotSolution

ROUNDS = 4  # solves around scaled strategies, at most
CLOSE = 1e-3  # a frequency this near to the one asked for is reached


@dataclass(frozen=True)
class LockReport:
    """A lock in a solution: what was asked and what came of it."""

    lock: Lock
    player: str
    reached: dict[str, float]  # how often the bound hands would take each action if they were bound wholly

    @property
    def missed(self) -> float:
        """Largest distance from a frequency that was asked for."""
        return max(
            (abs(self.reached[label] - share) for label, share in (self.lock.frequency or {}).items()), default=0.0
        )

    def facts(self) -> dict[str, Any]:
        return {
            "line": self.lock.line,
            "player": self.player,
            "hands": self.lock.hands,
            "weight": self.lock.weight,
            "frequency": None if self.lock.frequency is None else dict(self.lock.frequency),
            "reached": self.reached,
        }


def solve_with_frequencies(
    spot: Spot,
    solve: Callable[[Spot, ProgressCallback | None], SpotSolution],
    progress: ProgressCallback | None,
) -> SpotSolution:
    """Solve a spot some of whose locks ask for frequencies; `solve` solves one whose locks are settled."""
    others = [lock for lock in spot.locks if lock.settled]
    base = seen = solve(spot.changed(lock=others), _without_snapshots(progress))
    if base.interrupted:
        raise KeyboardInterrupt  # nothing is known about the locked spot yet
    for _ in range(ROUNDS):
        locks = [
            lock if lock.settled else _settled(lock, base.at(lock.line), seen.at(lock.line)) for lock in spot.locks
        ]
        solution = solve(spot.changed(lock=locks), progress)
        if solution.interrupted or max(report.missed for report in lock_reports(solution)) <= CLOSE:
            break
        seen = solution
    if others:
        return solution
    return replace(solution, provenance={**solution.provenance, "ev_without_locks": list(base.ev)})


def _without_snapshots(progress: ProgressCallback | None) -> ProgressCallback | None:
    """Nobody should save a spot that lacks its locks."""
    return None if progress is None else lambda told: progress(replace(told, snapshot=None))


def _settled(lock: Lock, base: Cursor, seen: Cursor) -> Lock:
    """The strategy at `base`, scaled for the hands that get to `seen`."""
    made = base.lock(frequency=lock.frequency, hands=lock.hands, weight=lock.weight, weights=seen.reach() * seen.met())
    return replace(made, line=lock.line)


def lock_reports(solution: SpotSolution) -> list[LockReport]:
    """What became of each lock of a solution."""
    out = []
    for lock in solution.spot.locks:
        node = solution.at(lock.line)
        shares, bound = lock.rows(node.labels)
        weights = node.reach() * node.met() * (bound[node.hands] > 0.0)
        if not weights.any():  # the play never comes here
            weights = (bound[node.hands] > 0.0).astype(np.float64)
        mean = shares[:, node.hands] @ weights / weights.sum()
        out.append(LockReport(lock, str(node.player), dict(zip(node.labels, mean.tolist(), strict=True))))
    return out
