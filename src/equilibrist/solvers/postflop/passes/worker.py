"""Worker: scratch memory of one thread for passes over boards, and the kernel calls."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from equilibrist.compute.bundles import bundle, bundle_rows
from equilibrist.core.arrays import Floats32
from equilibrist.solvers.postflop._kernels import boards as passes
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop._kernels.reach import reach_down
from equilibrist.solvers.postflop._kernels.symmetry import symmetrise
from equilibrist.solvers.postflop._kernels.terminals import terminals
from equilibrist.solvers.postflop._kernels.values import values_up
from equilibrist.solvers.postflop.passes.games import one_game, run_games
from equilibrist.solvers.postflop.tables import Street, make_scratch


class Worker:
    """Scratch memory of one thread, and the kernel calls."""

    def __init__(self, streets: list[Street]) -> None:
        self.streets = streets
        self.nothing = np.zeros(1, dtype=np.float32)
        self.scratch = [[make_scratch(street, me) for me in range(2)] for street in streets]
        self._packed: dict[
            int, tuple[tuple[Any, ...], tuple[Any, Any, Any]]
        ] = {}  # by street, with what they were made of
        self.next_reach: list[list[Floats32]] = []
        self.next_value: list[list[Floats32]] = []
        for street, following in itertools.pairwise(streets):
            sizes = [following.forest.roots * (street.hands[p].places + 1) for p in range(2)]
            parts = [1 + street.tables[p].shared for p in range(2)]  # free hands, and those that follow a model
            self.next_reach.append(
                [np.zeros(part * size, dtype=np.float32) for part, size in zip(parts, sizes, strict=True)]
            )
            self.next_value.append([np.zeros(size, dtype=np.float32) for size in sizes])

    def packed(self, depth: int) -> tuple[Any, Any, Any]:
        """A street and both sides, each a row, for kernels that take bundles; made again where one of them was replaced."""
        s = self.streets[depth]
        made_of = (s.forest, s.groups, s.hands, s.tables, s.payoff)
        known = self._packed.get(depth)
        if known is None or any(new is not old for new, old in zip(made_of, known[0], strict=True)):
            made = bundle(s.packed()), bundle_rows([self.side(depth, 0)]), bundle_rows([self.side(depth, 1)])
            known = self._packed[depth] = made_of, made
        return known[1]

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
        games = one_game(0, len(factors), math.inf, 0.0, 1.0)
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
        games = one_game(before, before + len(factors), check, goal, normaliser)
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
        street, side0, side1 = self.packed(0)
        run_games(games, before, rule, mode, players, factors, street, (side0, side1), (*ranges, *values), self.nothing)
        return values

    def _last(self, first: int, last: int, mode: int, me: int, weights: Any, reach: Floats32, value: Floats32) -> None:
        depth = len(self.streets) - 1
        street, *sides = self.packed(depth)
        passes.run_last(
            first, last, mode, me, street, sides[me][0], sides[1 - me][0], weights,
            kernels.Links(reach, self.width(depth, 1 - me), value, self.width(depth, me)), self.nothing,
        )  # fmt: skip

    def symmetrise(self, depth: int, board: int, me: int) -> None:
        """What the boards below have added up to stands for their suit-copies too."""
        mine = self.packed(depth)[1 + me][0]
        symmetrise(
            board, mine.hands, self.streets[depth + 1].forest.roots, self.width(depth + 1, me), self.next_value[depth][me],
            mine.scratch.spare,
        )  # fmt: skip

    def street_down(
        self, depth: int, b: int, mode: int, me: int, keep: np.float32, reach: Floats32, seen: Floats32
    ) -> None:
        """One board of a street, down to its deals, for the opponent of `me`."""
        street, *sides = self.packed(depth)
        them, last = 1 - me, depth + 1 == len(self.streets)
        theirs, scratch = sides[them][0], sides[me][0].scratch
        reach_down(
            mode, b, them, street.forest, theirs.hands, theirs.tables, scratch, street.factor, keep, reach,
            self.width(depth, them), self.nothing if last else self.next_reach[depth][them], self.width(depth + 1, them), seen,
        )  # fmt: skip

    def terminals(self, depth: int, b: int, me: int) -> None:
        """Values of the terminals of one board, after the opponent's reach has come down."""
        street, *sides = self.packed(depth)
        mine, their_hands = sides[me][0], sides[1 - me][0].hands
        terminals(
            b, me, street.forest, street.group_start, street.groups, mine.hands, their_hands, mine.payoff, mine.scratch
        )

    def street_up(self, depth: int, b: int, mode: int, me: int, weights: Any, value: Floats32, seen: Floats32) -> None:
        """One board of a street, up from its deals and terminals."""
        street, *sides = self.packed(depth)
        mine, last = sides[me][0], depth + 1 == len(self.streets)
        self.terminals(depth, b, me)
        values_up(
            mode, b, me, street.forest, mine.hands, mine.tables, mine.scratch, weights,
            self.nothing if last else self.next_value[depth][me], self.width(depth + 1, me), value, self.width(depth, me), seen,
        )  # fmt: skip
