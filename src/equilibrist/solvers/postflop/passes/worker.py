"""Worker: scratch memory of one thread for passes over boards, and the kernel calls."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats32
from equilibrist.solvers.postflop._kernels import boards as passes
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop._kernels.reach import reach_down
from equilibrist.solvers.postflop._kernels.symmetry import symmetrise
from equilibrist.solvers.postflop._kernels.terminals import terminals
from equilibrist.solvers.postflop._kernels.values import values_up
from equilibrist.solvers.postflop.tables import Street, make_scratch


def one_game(street: Street, before: int, last: int, check: float, goal: float, normaliser: float) -> kernels.Games:
    """A game by itself, at an iteration."""
    shapes = [np.array([[own.blocks, own.size]], dtype=np.int64) for own in street.hands]
    return kernels.Games(
        open=np.ones(1, dtype=np.bool_),
        iteration=np.array([before], dtype=np.int64),
        last=np.array([last], dtype=np.int64),
        check=np.array([check], dtype=np.float64),
        goal=np.array([goal], dtype=np.float64),
        normaliser=np.array([normaliser], dtype=np.float64),
        found=np.full(1, -1.0),
        found_at=np.zeros(1, dtype=np.int64),
        betting=np.zeros(1, dtype=np.int64),
        first_group=np.zeros(1, dtype=np.int64),
        shape0=shapes[0],
        shape1=shapes[1],
    )


def run_games(
    games: kernels.Games,
    before: int,
    rule: tuple[float, float, float],
    mode: int,
    players: Sequence[int],
    factors: Floats32,
    street: kernels.Street,
    sides: tuple[kernels.Side, kernels.Side],
    ends: tuple[Floats32, ...],
    nothing: Floats32,
) -> None:
    """`run_single` with arguments of the types that it was compiled for."""
    passes.run_single(
        games, before, rule, (mode, kernels.RESPOND), (players[0], players[-1]), factors, street, sides, ends, nothing
    )


class Worker:
    """Scratch memory of one thread, and the kernel calls."""

    def __init__(self, streets: list[Street]) -> None:
        self.streets = streets
        self.nothing = np.zeros(1, dtype=np.float32)
        self.scratch = [[make_scratch(street, me) for me in range(2)] for street in streets]
        self.next_reach: list[list[Floats32]] = []
        self.next_value: list[list[Floats32]] = []
        for street, following in itertools.pairwise(streets):
            sizes = [following.forest.roots * (street.hands[p].places + 1) for p in range(2)]
            parts = [1 + street.tables[p].shared for p in range(2)]  # free hands, and those that follow a model
            self.next_reach.append(
                [np.zeros(part * size, dtype=np.float32) for part, size in zip(parts, sizes, strict=True)]
            )
            self.next_value.append([np.zeros(size, dtype=np.float32) for size in sizes])

    def side(self, depth: int, player: int) -> kernels.Side:
        """One player on one street, with this thread's memory for its passes."""
        s = self.streets[depth]
        return kernels.Side(s.hands[player], s.tables[player], s.payoff[player], self.scratch[depth][player])

    def width(self, depth: int, player: int) -> int:
        """Columns of the reach or values that a street receives from the one above (the first one from the ranges)."""
        return int(self.streets[max(depth - 1, 0)].hands[player].places) + 1

    def below(
        self, depth: int, first: int, last: int, mode: int, me: int, weights: Any, reach: Floats32, value: Floats32
    ) -> None:
        """Boards first .. last-1 of a street with everything under them: my values are added to those of the boards before."""
        if depth + 1 == len(self.streets):
            self._last(first, last, mode, me, weights, reach, value)
            return
        street = self.streets[depth]
        for board in range(first, last):
            self.street_down(depth, board, mode, me, weights.keep, reach, self.nothing)
            under = self.next_value[depth][me]
            under[:] = 0.0
            children = street.boards.first_child[board : board + 2]
            following = self.next_reach[depth][1 - me]
            self.below(depth + 1, int(children[0]), int(children[1]), mode, me, weights, following, under)
            self.symmetrise(depth, board, me)
            self.street_up(depth, board, mode, me, weights, value, self.nothing)

    def single(
        self, mode: int, players: Sequence[int], factors: Floats32, ranges: Sequence[Floats32]
    ) -> list[Floats32]:
        """Passes where there is one street, in one call: with few hands calls would take longer than the work."""
        games = one_game(self.streets[0], 0, len(factors), math.inf, 0.0, 1.0)
        return self._on_one_street(games, 0, (1.0, 1.0, 1.0), mode, players, factors, ranges)

    def to_goal(
        self,
        before: int,
        check: float,
        goal: float,
        rule: tuple[float, float, float],
        factors: Floats32,
        normaliser: float,
        ranges: Sequence[Floats32],
    ) -> tuple[int, float, float, int]:
        """Iterations and checks where there is one street, in one call: iterations in all, the next check, the last one and when."""
        games = one_game(self.streets[0], before, before + len(factors), check, goal, normaliser)
        self._on_one_street(games, before, rule, kernels.LEARN, (0, 1), factors, ranges)
        return int(games.iteration[0]), float(games.check[0]), float(games.found[0]), int(games.found_at[0])

    def _on_one_street(
        self,
        games: kernels.Games,
        before: int,
        rule: tuple[float, float, float],
        mode: int,
        players: Sequence[int],
        factors: Floats32,
        ranges: Sequence[Floats32],
    ) -> list[Floats32]:
        values = [np.zeros_like(each) for each in ranges]
        run_games(
            games, before, rule, mode, players, factors, self.streets[0].packed(), (self.side(0, 0), self.side(0, 1)),
            (*ranges, *values), self.nothing,
        )  # fmt: skip
        return values

    def _last(self, first: int, last: int, mode: int, me: int, weights: Any, reach: Floats32, value: Floats32) -> None:
        depth = len(self.streets) - 1
        passes.run_last(
            first, last, mode, me, self.streets[depth].packed(), self.side(depth, me), self.side(depth, 1 - me), weights,
            kernels.Links(reach, self.width(depth, 1 - me), value, self.width(depth, me)), self.nothing,
        )  # fmt: skip

    def symmetrise(self, depth: int, board: int, me: int) -> None:
        """What the boards below have added up to stands for their suit-copies too."""
        s = self.streets[depth]
        symmetrise(
            board, s.hands[me], self.streets[depth + 1].forest.roots, self.width(depth + 1, me), self.next_value[depth][me],
            self.scratch[depth][me].spare,
        )  # fmt: skip

    def street_down(
        self, depth: int, b: int, mode: int, me: int, keep: np.float32, reach: Floats32, seen: Floats32
    ) -> None:
        """One board of a street, down to its deals, for the opponent of `me`."""
        s, them, last = self.streets[depth], 1 - me, depth + 1 == len(self.streets)
        reach_down(
            mode, b, them, s.forest, s.hands[them], s.tables[them], self.scratch[depth][me], s.factor, keep, reach,
            self.width(depth, them), self.nothing if last else self.next_reach[depth][them], self.width(depth + 1, them), seen,
        )  # fmt: skip

    def terminals(self, depth: int, b: int, me: int) -> None:
        """Values of the terminals of one board, after the opponent's reach has come down."""
        s = self.streets[depth]
        terminals(
            b, me, s.forest, s.boards.group_start, s.groups, s.hands[me], s.hands[1 - me], s.payoff[me], self.scratch[depth][me]
        )  # fmt: skip

    def street_up(self, depth: int, b: int, mode: int, me: int, weights: Any, value: Floats32, seen: Floats32) -> None:
        """One board of a street, up from its deals and terminals."""
        s, last = self.streets[depth], depth + 1 == len(self.streets)
        self.terminals(depth, b, me)
        values_up(
            mode, b, me, s.forest, s.hands[me], s.tables[me], self.scratch[depth][me], weights,
            self.nothing if last else self.next_value[depth][me], self.width(depth + 1, me), value, self.width(depth, me), seen,
        )  # fmt: skip
