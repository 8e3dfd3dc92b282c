"""Locks by frequency: "ip bets 30 % of its range here" as a strategy for every hand.

Holding only the frequency fixed while hands stay free would be another game, with a constraint across hands that vector CFR does
not know. What is meant in practice is a player who plays as in equilibrium but takes an action too often or too rarely: the spot is
solved without the lock, the strategy found is scaled to the frequency (`scaled_to`), locked, and the spot solved around it. Where
that changes how often each hand gets there, it is scaled again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.cards.ranges import parse_range
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.forms.boards.compiled_spot import CompiledSpot, compile_spot
from equilibrist.games.spots.locks import Lock, read_locks, scaled_to, strategy_text
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.iteration_loop import ProgressCallback
from equilibrist.solvers.postflop.locks.locked_nodes import place_lock

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution


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

    def to_json(self) -> dict[str, Any]:
        return {
            "line": self.lock.line,
            "player": self.player,
            "hands": self.lock.hands,
            "weight": self.lock.weight,
            "frequency": None if self.lock.frequency is None else dict(self.lock.frequency),
            "reached": self.reached,
        }


def solve_with_frequencies(
    here: CompiledSpot,
    solve: Callable[[CompiledSpot, ProgressCallback | None], SpotSolution],
    progress: ProgressCallback | None,
) -> SpotSolution:
    """Solve a spot some of whose locks ask for frequencies; `solve` solves one whose locks are settled."""
    solves = frequency_solves(here)
    found = solve(next(solves), _without_snapshots(progress))
    if found.interrupted:
        raise KeyboardInterrupt  # nothing is known about the locked spot yet
    while True:
        try:
            asked = solves.send(found)
        except StopIteration as end:
            solution: SpotSolution = end.value
            return solution
        found = solve(asked, progress)


def frequency_solves(here: CompiledSpot) -> Generator[CompiledSpot, SpotSolution, SpotSolution]:
    """The solves that locks by frequency take, one after the other: each spot that is asked for is answered by its solution.

    First without these locks, then around strategies that are scaled to the frequencies. What it comes to is the last solution.
    """
    check_locks(here)
    spot = here.spot
    others = [lock for lock in spot.locks if lock.settled]
    base = seen = yield here.with_locks(others)
    for _ in range(ROUNDS):
        locks = [
            lock if lock.settled else _settled(lock, base.at(lock.line), seen.at(lock.line)) for lock in spot.locks
        ]
        solution = yield here.with_locks(locks)
        if solution.interrupted or max(report.missed for report in lock_reports(solution)) <= CLOSE:
            break
        seen = solution
    if others:
        return solution
    return solution.recorded(provenance={**solution.provenance, "ev_without_locks": list(base.ev)})


def check_locks(spot: Spot | CompiledSpot) -> None:
    """Refuse lines, actions and hands that are not there before anything is solved."""
    here = compile_spot(spot)
    if not here.spot.locks:
        return
    boards = here.unmerged().boards
    for lock in here.spot.locks:
        settled = lock if lock.settled else replace(lock, strategy=dict.fromkeys(lock.frequency or (), 1.0))
        place_lock(settled, here.forests, boards)


def _without_snapshots(progress: ProgressCallback | None) -> ProgressCallback | None:
    """Nobody should save a spot that lacks its locks."""
    return None if progress is None else lambda told: progress(replace(told, snapshot=None))


def _settled(lock: Lock, base: SpotNode, seen: SpotNode) -> Lock:
    """The strategy at `base`, scaled for the hands that get to `seen`."""
    made = lock_at(
        base,
        frequency=lock.frequency,
        hands=lock.hands,
        weight=lock.weight,
        weights=seen.reach() * seen.met(),
    )
    return replace(made, line=lock.line)


def lock_at(
    node: SpotNode,
    strategy: Mapping[str, float | str] | None = None,
    *,
    frequency: Mapping[str, float] | None,
    hands: str,
    weight: float,
    weights: Floats | None = None,
) -> Lock:
    """A lock at a node of a solution: a strategy, or what hands do there, scaled to a frequency if one is asked for.

    `weights` [hand] say how often each hand is meant to get there, by default as often as it does.
    """
    if strategy is None:
        meant = parse_range(hands).weights[node.hands] > 0.0
        if not meant.any():
            raise ParameterError(f"The hands '{hands}' of a lock after '{node.line}' are not in the range there.")
        mixed = node.strategy[meant]
        if frequency is not None:
            weights = node.reach() * node.met() if weights is None else weights
            mixed = scaled_to(mixed, any_weight(weights[meant]), _asked(node, frequency))
        strategy = dict(strategy_text(node.hands[meant].tolist(), node.labels, mixed))
    (lock,) = read_locks([Lock(node.line, strategy, hands, weight, frequency)])
    return lock


def _asked(node: SpotNode, frequency: Mapping[str, float]) -> Floats:
    """[action] nan where nothing is said."""
    unknown = [label for label in frequency if label not in node.labels]
    if unknown:
        raise ParameterError(
            f"A lock after '{node.line}' names {unknown[0]!r}, but the actions there are {', '.join(node.labels)}."
        )
    return np.array([frequency.get(label, math.nan) for label in node.labels])


def any_weight(weights: Floats) -> Floats:
    """All hands alike where none has weight."""
    return weights if weights.any() else np.ones(len(weights))


def lock_reports(solution: SpotSolution) -> list[LockReport]:
    """What became of each lock of a solution."""
    out = []
    for lock in solution.spot.locks:
        node = solution.at(lock.line)
        shares, bound = lock.rows(node.labels)
        meant = node.hands[bound[node.hands] > 0.0]
        weights = any_weight((node.reach() * node.met())[bound[node.hands] > 0.0])
        mean = shares[:, meant] @ weights / weights.sum()
        out.append(LockReport(lock, str(node.player), dict(zip(node.labels, mean.tolist(), strict=True))))
    return out
