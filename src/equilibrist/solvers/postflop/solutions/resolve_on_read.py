"""PartialBoards: a solved spot whose last streets were not saved; they are solved again where somebody looks.

What is kept says how often every hand gets to each card and what it is worth there, so everything above stays as it was. Below, the
part after one line and one card is solved from both players' reach, as a spot of its own (unsafe search, [Brown20, §5.1.2]): an
equilibrium of that part, though not necessarily the one that was saved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import Evaluation
from equilibrist.forms.boards.street_betting import DEAL, StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, street_boards
from equilibrist.forms.boards.subforest import forests_below
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.iteration_loop import Loop, Stop
from equilibrist.solvers.postflop.locks.locked_nodes import locks_below
from equilibrist.solvers.postflop.solutions.lazy_boards import KEPT_BOARDS, Boards, ResolvedStreet, SolvedBoards
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

MOST_ITERATIONS = 2000
FINEST_GOAL = 1e-5  # of the pot: what single precision can tell


class PartialBoards(SolvedBoards):
    """The first streets from a file, later ones on demand and remembered for as long as this object lives."""

    def __init__(
        self,
        spot: Spot,
        forests: Sequence[StreetForest],
        build: Callable[[], BoardCFR],
        *,
        deal_values: Mapping[tuple[int, int], npt.NDArray[np.float32]],  # by street and player: [board, deal, place]
        schedule: Schedule,
        predictive: bool,
        goal: float,  # exploitability of what is solved again, in chips
    ) -> None:
        super().__init__(spot, forests, build)
        self.deal_values = deal_values
        self.streets = 1 + max(depth for depth, _ in deal_values)
        self._schedule, self._predictive, self._goal = schedule, predictive, goal
        self._resolved: dict[tuple[Boards, int], SolvedBoards] = {}

    def _values(self, path: Boards, player: int) -> Any:
        table = self.deal_values[len(path), player]
        return self.run.value_at(path, player, below=table[path[-1] if path else 0])

    def _bounds(self, path: Boards, player: int) -> Any:
        raise NotApplicableError(
            "Best responses need all streets, but this solution was saved without its last ones; solve anew, or save all streets."
        )

    def after(self, path: Boards, node: int, suits: Longs, card: int) -> tuple[SolvedBoards, Boards, int, Longs]:
        if len(path) + 1 < self.streets:
            return super().after(path, node, suits, card)
        further, suits = self.deal(path, suits, card)
        with self._lock:
            if (further, node) not in self._resolved:
                while len(self._resolved) >= KEPT_BOARDS:
                    self._resolved.pop(next(iter(self._resolved)))
                self._resolved[further, node] = self._solve_again(further, node)
            return self._resolved[further, node], (), 0, suits

    def _solve_again(self, path: Boards, node: int) -> SolvedBoards:
        """The part after the deal at a node of the street before, on the last board of a path."""
        begun, depth = time.perf_counter(), len(path)
        root = int(self.forests[depth - 1].next_root[node])
        forests = forests_below(self.forests, depth, root)
        everywhere = [street.boards for street in self.run.streets]
        weights, scale = self._weights(path, node)
        board = everywhere[depth].cards[path[-1]]
        run = BoardCFR(
            forests,
            Deal.holdem(board),
            weights,
            self._schedule,
            predictive=self._predictive,
            isomorphism=False,  # hands that differ by suits only need not get here alike
            locks=locks_below(self.spot.locks, self.forests, everywhere, depth, path[-1], root),
            boards=self._boards(board),
        )
        pot = float(self.spot.pot + forests[0].paid[0].sum())
        goal = max(self._goal, FINEST_GOAL * pot)
        loop: Loop[Evaluation] = Loop(run, Stop(exploitability=goal, iterations=MOST_ITERATIONS), None, 0.0)
        reached = 0.0
        if run.normaliser > 0.0:  # otherwise every pair of hands that gets here shares a card
            loop.work()
            reached = loop.final_evaluation().exploitability
        resolve = ResolvedStreet(reached, pot, run.iteration, time.perf_counter() - begun)
        return SolvedBoards(self.spot, forests, lambda: run, scale=scale, resolve=resolve)

    def _boards(self, board: Sequence[int]) -> tuple[StreetBoards, ...]:
        """All hands of the ranges, also those that never get here."""
        return street_boards(board, [self.spot.weights(p) for p in range(2)], isomorphism=False)

    def _weights(self, path: Boards, node: int) -> tuple[list[Floats], tuple[float, float]]:
        """Reach [1326] of both players before the card, the largest being 1, and what it was.

        Where a player never gets here, its whole range stands in, so that the other answers something; the scale 0 says so.
        """
        street, board = self.street(path[:-1])
        weights, scale = [], []
        for p in range(2):
            own = street.boards.player[p]
            count = int(own.count[board])
            reach = self.reach(path[:-1], p)[node, :count]
            most = float(reach.max(initial=0.0))
            held = np.zeros(len(self.spot.weights(p)))
            held[own.pair[board, :count]] = reach / most if most > 0.0 else 1.0
            weights.append(held)
            scale.append(most)
        return weights, (scale[0], scale[1])


def deal_values(boards: SolvedBoards, streets: int) -> dict[tuple[int, int], npt.NDArray[np.float32]]:
    """What both players' hands are worth where a card comes, on every board of the first streets: by street and player."""
    if isinstance(boards, PartialBoards):
        return {key: table for key, table in boards.deal_values.items() if key[0] < streets}
    run, out = boards.run, {}
    for depth in range(streets):
        deals = np.flatnonzero(boards.forests[depth].kind == DEAL)
        for player in range(2):
            rows = [run.value_at(path, player)[deals].astype(np.float32) for path in _paths(run, depth)]
            out[depth, player] = np.stack(rows)
    return out


def _paths(run: BoardCFR, depth: int) -> list[Boards]:
    """The boards of a street, each with those before it, in order."""
    if depth == 0:
        return [()]
    first = run.streets[depth - 1].boards.first_child
    before = _paths(run, depth - 1)
    return [
        (*before[parent], child) for parent in range(len(before)) for child in range(first[parent], first[parent + 1])
    ]
