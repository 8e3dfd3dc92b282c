"""SolvedBoards: the boards of a solved spot, read as far as they are asked for."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.cards.isomorphism import isomorphic_deals
from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.tables import Street
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

Boards = tuple[int, ...]  # a board of each street after the first, as numbered by the run

KEPT_BOARDS = 64  # whose reach and values are remembered


@dataclass(frozen=True)
class ResolvedStreet:
    """How well a street that was not in a file was solved again."""

    exploitability: float  # chips, of the part that was solved, given that it is reached
    pot: float  # chips in the middle where it begins
    iterations: int
    seconds: float

    @property
    def percent_of_pot(self) -> float:
        return 100.0 * self.exploitability / self.pot

    def to_json(self) -> dict[str, Any]:
        return {
            "exploitability": {"chips": self.exploitability, "percent_of_pot": self.percent_of_pot},
            "iterations": self.iterations,
            "seconds": self.seconds,
        }


class SolvedBoards:
    """Reach and values of a run's average strategies, board by board, worked out when asked for."""

    def __init__(
        self,
        spot: Spot,
        forests: Sequence[StreetForest],
        build: Callable[[], BoardCFR],
        *,
        scale: tuple[float, float] = (1.0, 1.0),
        resolve: ResolvedStreet | None = None,
    ) -> None:
        self.spot, self.forests, self._build = spot, tuple(forests), build
        self.scale = scale  # of each player's weights to those the run works with
        self.resolve = resolve  # where this is part of a spot that was solved again
        self._lock = threading.RLock()  # a run has one set of scratch arrays
        self._run: BoardCFR | None = None
        self._kept: dict[tuple[str, Boards, int], Floats] = {}

    @property
    def built(self) -> bool:
        """Whether anything was looked at yet."""
        return self._run is not None

    @property
    def run(self) -> BoardCFR:
        with self._lock:
            if self._run is None:
                self._run = self._build()
            return self._run

    def street(self, path: Boards) -> tuple[Street, int]:
        """The street of a path's last board, and that board's number."""
        return self.run.streets[len(path)], path[-1] if path else 0

    def chance(self, path: Boards) -> float:
        """Probability of the cards of a path given both hands, as it is contained in reach and values."""
        return math.prod(float(self.run.streets[depth + 1].factor) for depth in range(len(path)))

    def reach(self, path: Boards, player: int) -> Floats:
        """[node, place] range weight times own probability of getting there."""
        return self._look("reach", path, player, self.run.reach_at, self.scale[player])

    def value(self, path: Boards, player: int) -> Floats:
        """[node, place] net of half the pot, weighted by the opponent's reach."""
        return self._look("value", path, player, self._values, self.scale[1 - player])

    def bound(self, path: Boards, player: int) -> Floats:
        """The same where the player answers as well as it can from its first action on."""
        return self._look("bound", path, player, self._bounds, self.scale[1 - player])

    def _values(self, path: Boards, player: int) -> Any:
        return self.run.value_at(path, player)

    def _bounds(self, path: Boards, player: int) -> Any:
        return self.run.value_at(path, player, respond=True)

    def _look(self, what: str, path: Boards, player: int, look: Callable[[Boards, int], Any], scale: float) -> Floats:
        key = (what, path, player)
        with self._lock:
            if key not in self._kept:
                while len(self._kept) >= 4 * KEPT_BOARDS:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[key] = look(path, player).astype(np.float64) * (scale / self.chance(path))
            return self._kept[key]

    def after(self, path: Boards, node: int, suits: Longs, card: int) -> tuple[SolvedBoards, Boards, int, Longs]:
        """Where a card leads from a node that deals: boards, path and node there, and where each card is taken to."""
        further, suits = self.deal(path, suits, card)
        return self, further, int(self.forests[len(path)].next_root[node]), suits

    def deal(self, path: Boards, suits: Longs, card: int) -> tuple[Boards, Longs]:
        """The solved board that stands for one more card, and where it takes each card (`suits` for the board before)."""
        street, board = self.street(path)
        here, moved = street.boards.cards[board], int(suits[card])
        if self.run.isomorphism:
            alike = isomorphic_deals(self.run.deal.sets_of(here), self.run.weights)
            suits = alike.permutation(moved).astype(np.int64)[suits]
            moved = int(alike.representative[moved])
        below = self.run.streets[len(path) + 1].boards
        for number in range(int(street.boards.first_child[board]), int(street.boards.first_child[board + 1])):
            if below.cards[number][-1] == moved:
                return (*path, number), suits
        raise AssertionError("every card that can be dealt has a board")
