"""The smallest concave function above the value of average games, at one belief: cav v(p) ([Gilpin09, §11.4]).

Lotteries over beliefs with mean p give lower bounds, planes above v give upper bounds, and a linear program over finitely
many beliefs finds the best of both. The two methods differ in the beliefs they look at and in how they know that a
plane which lies above v at those lies above v everywhere. Payoffs are in [0, 1] and every state is possible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import TooLargeError
from equilibrist.solvers.linear_programs.highs import LinearProgram, maximise
from equilibrist.solvers.linear_programs.matrix_games import MatrixEquilibria, solve_matrices

MOST_POINTS = 200_000  # of a grid
NEGLIGIBLE = 1e-12  # weight of a belief in a lottery
NEAREST = 0.25  # to an end, as a share of the edge, that it is split: cells must shrink
WORST_SHARE = 0.25  # of the worst cell's excess, from which on a cell is split


@dataclass(frozen=True)
class Concavification:
    """A lottery over beliefs, a plane above v, and so an interval that holds cav v(p)."""

    lower: float  # what the lottery is worth
    upper: float  # height of the plane at p
    beliefs: Floats  # [L, state] of the lottery, L at most the number of states
    weights: Floats  # [L]
    plane: Floats  # [state] height at each vertex of the simplex
    games: int  # average games that were solved


def by_grid(payoffs: Floats, prior: Floats, epsilon: float) -> Concavification:
    """All beliefs d/C with C = ceil(K/ε) ([Gilpin09, §11.4.2], with Lemma 12's C).

    A cell of the grid is at most floor(K/2)/C wide in half the L1 norm, in which v is Lipschitz with the spread of one
    entry over states, 1 at most. So a plane above v at the cell's corners is at most ε/2 below v inside. (The proof of
    Theorem 13 rounds beliefs instead and loses their mean; its Lemma 11 has the maximum norm, false for K >= 4.)
    """
    states = len(prior)
    steps = math.ceil(states / epsilon)
    beliefs = simplex_grid(states, steps)
    values = solve_matrices(np.tensordot(beliefs, payoffs, axes=1))
    weights, plane = best_lottery(beliefs, values.lower, prior)
    spread = float(np.ptp(payoffs, axis=0).max())
    excess = max(0.0, float((values.upper - beliefs @ plane).max())) + spread * (states // 2) / steps
    return _concavification(beliefs, values.lower, weights, plane + excess, prior)


def simplex_grid(states: int, steps: int) -> Floats:
    """All distributions whose entries are multiples of 1/steps."""
    count = math.comb(steps + states - 1, states - 1)
    if count > MOST_POINTS:
        raise TooLargeError(
            f"The grid with {steps} steps over {states} states has {count:,} points, more than {MOST_POINTS:,}; "
            "give a larger epsilon or use method='adaptive'."
        )
    if states == 1:
        return np.ones((1, 1))
    bars = np.array(list(combinations(range(steps + states - 1), states - 1)), dtype=np.int64)  # stars and bars
    ends = np.full((len(bars), 1), steps + states - 1)
    return np.asarray((np.diff(np.hstack([np.full_like(ends, -1), bars, ends]), axis=1) - 1) / steps)


def adaptively(payoffs: Floats, prior: Floats, epsilon: float, most_points: int = 50_000) -> Concavification:
    """Split only the cells in which v may still rise above the plane, until that is ε at most."""
    cover = Cover(payoffs, prior)
    best = math.inf, np.zeros(len(prior))
    while True:
        weights, plane = best_lottery(cover.beliefs, cover.values.lower, prior)
        excess = cover.excess(plane, 0.25 * epsilon)
        worst = float(excess.max())
        best = min(best, (float(prior @ plane) + worst, plane + worst), key=lambda found: found[0])
        chosen = np.flatnonzero(excess > max(WORST_SHARE * worst, 0.25 * epsilon))
        done = best[0] - float(weights @ cover.values.lower) <= epsilon
        if done or not len(chosen) or len(cover.beliefs) >= most_points:
            return _concavification(cover.beliefs, cover.values.lower, weights, best[1], prior)
        cover.split(chosen)


class Cover:
    """Cells [cell, corner] that cover the simplex, and what is known at their corners."""

    def __init__(self, payoffs: Floats, prior: Floats) -> None:
        self.payoffs = payoffs
        states = len(prior)
        self.beliefs = np.zeros((0, states))
        self.values = MatrixEquilibria(
            *(np.zeros((0, *rest)) for rest in ((), (), payoffs.shape[1:2], payoffs.shape[2:]))
        )
        self.known: dict[tuple[int, int], int] = {}  # the point that splits an edge, by its ends
        self._solve(np.vstack([np.eye(states), prior[None]]))
        # p is a corner from the start: where telling nothing is best, the lottery is p alone
        corners = np.where(np.eye(states, dtype=np.bool_), states, np.arange(states))
        self.cells = corners if states > 1 else np.zeros((1, 1), dtype=np.int64)
        self.conceded = self._conceded(self.cells)

    def excess(self, plane: Floats, enough: float) -> Floats:
        """By how much v can at most exceed a plane in each cell; no closer than to `enough`."""
        height = (self.beliefs @ plane)[self.cells]  # [cell, corner]
        excess = (self.conceded - (height[:, :, None] + height[:, None, :]) / 2).max(axis=(1, 2))
        doubtful = np.flatnonzero(excess > enough)
        excess[doubtful] = np.minimum(excess[doubtful], self._best_answer(doubtful, height[doubtful]))
        return np.asarray(excess)

    def _best_answer(self, chosen: Longs, height: Floats) -> Floats:
        """The excess if the column player has one mix for a whole cell, the best one: sharp where v has an edge."""
        games = np.tensordot(self.beliefs[self.cells[chosen]], self.payoffs, axes=1) - height[:, :, None, None]
        cells, corners, rows, columns = games.shape
        return solve_matrices(games.reshape(cells, corners * rows, columns)).upper

    def _conceded(self, cells: Longs) -> Floats:
        """The most that mixing the corners' optimal answers y_l concedes, as a form in the weights of the corners.

        At the belief Σλ_j q_j the mix Σλ_l y_l concedes Σλ_jλ_l G_i[j, l] to row i, where G_i[j, l] is what i gets at q_j
        against y_l: at most the largest symmetric entry, off by the square of the cell's width where y moves smoothly.
        """
        replies = np.einsum("kij,clj->clki", self.payoffs, self.values.columns[cells])
        got = np.einsum("cqk,clki->cqli", self.beliefs[cells], replies)
        return np.asarray(((got + got.transpose(0, 2, 1, 3)) / 2).max(axis=3))

    def split(self, chosen: Longs) -> None:
        """Cut cells in two across their longest edges."""
        cells = self.cells[chosen]
        corners = self.beliefs[cells]
        length = np.abs(corners[:, :, None] - corners[:, None, :]).sum(axis=3)  # [cell, corner, corner]
        first, second = np.unravel_index(
            length.reshape(len(cells), cells.shape[1] ** 2).argmax(axis=1), length.shape[1:]
        )
        each = np.arange(len(cells))
        splits = self._edge_splits(cells[each, first], cells[each, second])
        left, right = cells.copy(), cells.copy()
        left[each, first], right[each, second] = splits, splits
        new = np.vstack([left, right])
        self.cells = np.vstack([np.delete(self.cells, chosen, axis=0), new])
        self.conceded = np.vstack([np.delete(self.conceded, chosen, axis=0), self._conceded(new)])

    def _edge_splits(self, first: Longs, second: Longs) -> Longs:
        """Numbers of the points that split edges; new ones are solved, others a neighbouring cell has asked for before."""
        edges = list(zip(np.minimum(first, second).tolist(), np.maximum(first, second).tolist(), strict=True))
        new = [edge for edge in dict.fromkeys(edges) if edge not in self.known]
        self.known.update({edge: len(self.beliefs) + i for i, edge in enumerate(new)})
        if new:
            self._solve(self._edge_points(*np.array(new).T))
        return np.array([self.known[edge] for edge in edges], dtype=np.int64)

    def _edge_points(self, first: Longs, second: Longs) -> Floats:
        """Where the tangents of v at both ends of an edge meet: on a bend of v if there is one, else near the middle."""
        bend = self._tangents(first) - self._tangents(second)
        start, end = (np.einsum("ek,ek->e", self.beliefs[place], bend) for place in (first, second))
        share = np.full(len(first), 0.5)
        np.divide(start, start - end, out=share, where=np.abs(start - end) > 1e-9)
        share = np.clip(share, NEAREST, 1.0 - NEAREST)[:, None]
        return np.asarray((1.0 - share) * self.beliefs[first] + share * self.beliefs[second])

    def _tangents(self, places: Longs) -> Floats:
        """Planes [place, state] that touch v: both players go on playing what is optimal there."""
        mixes = self.values.rows[places], self.values.columns[places]
        return np.asarray(np.einsum("pi,kij,pj->pk", mixes[0], self.payoffs, mixes[1]))

    def _solve(self, beliefs: Floats) -> None:
        found = solve_matrices(np.tensordot(beliefs, self.payoffs, axes=1))
        self.beliefs = np.vstack([self.beliefs, beliefs])
        old = self.values
        self.values = MatrixEquilibria(
            np.append(old.lower, found.lower),
            np.append(old.upper, found.upper),
            np.vstack([old.rows, found.rows]),
            np.vstack([old.columns, found.columns]),
        )


def best_lottery(beliefs: Floats, values: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """The program (P2): weights with mean `prior` and greatest value; the multipliers are a plane above the values."""
    states, count = len(prior), len(beliefs)
    program = LinearProgram(
        cost=values,
        matrix=sparse.csc_array(beliefs.T),
        row_lower=prior,
        row_upper=prior,  # the text prints <=, which says the same: both sides sum to one
        lower=np.zeros(count),
        upper=np.full(count, np.inf),
    )
    found = maximise(program, f"the lottery over {count:,} beliefs about {states} states", method="simplex")
    weights = np.where(found.point > NEGLIGIBLE, found.point, 0.0)
    return weights / weights.sum(), found.multiplier


def _concavification(beliefs: Floats, values: Floats, weights: Floats, plane: Floats, prior: Floats) -> Concavification:
    used = np.flatnonzero(weights)
    sharper = np.linalg.lstsq(beliefs[used].T, prior)[0]  # the program's mean may be off by its tolerance
    if (sharper > 0.0).all():
        weights = np.zeros(len(weights))
        weights[used] = sharper / sharper.sum()
    return Concavification(
        lower=float(weights[used] @ values[used]),
        upper=float(prior @ plane),
        beliefs=beliefs[used],
        weights=weights[used],
        plane=plane,
        games=len(beliefs),
    )
