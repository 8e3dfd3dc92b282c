"""The dense tableau finds what HiGHS finds on generated programs: primal, dual and floor moves, free variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from equilibrist.solvers.linear_programs._kernels.dense_simplex import climb, move_floor, price, read_point, repair

Floats = npt.NDArray[np.float64]
UNBOUNDED = 3  # status of linprog


@dataclass
class Program:
    """Maximise goal·x + worth·y over Ax <= b, x >= 0, and a free y = start - slope·x."""

    matrix: Floats  # [m, n]
    right: Floats  # [m]
    slope: Floats  # [n]
    start: float
    cost: Floats  # [n + m + 1]: x, slacks, y

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.matrix.shape
        return rows, columns

    def tableau(self) -> tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        m, n = self.shape
        table = np.zeros((m + 2, n + 1))
        table[:m, :n], table[:m, n] = self.matrix, self.right
        table[m, :n], table[m, n] = self.slope, self.start
        return table, np.arange(n, n + m + 1), np.arange(n)

    def best(self) -> float | None:
        """By HiGHS; None where there is no end to it."""
        m, n = self.shape
        found = linprog(
            -np.concatenate([self.cost[:n], self.cost[n + m :]]),
            A_ub=np.hstack([self.matrix, np.zeros((m, 1))]),
            b_ub=self.right,
            A_eq=np.append(self.slope, 1.0)[None],
            b_eq=[self.start],
            bounds=[(0, None)] * n + [(None, None)],
        )
        if found.status == UNBOUNDED:
            return None
        return -float(found.fun) if found.status == 0 else float("nan")


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Small whole numbers, many of them zero, so that ties and degenerate corners are common."""
    m, n, seed = draw(st.integers(1, 7)), draw(st.integers(1, 7)), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-2, 5, (m, n)) * (rng.random((m, n)) < 0.7)
    if draw(st.booleans()):
        matrix = matrix + rng.random((m, n))
    cost = np.zeros(n + m + 1)
    cost[:n], cost[-1] = rng.integers(-2, 4, n), rng.integers(-2, 3)
    right = rng.integers(0, 5, m).astype(np.float64)
    return Program(matrix.astype(np.float64), right, rng.integers(-2, 3, n).astype(np.float64), 1.5, cost)


def value(program: Program, table: Floats, basic: npt.NDArray[np.int64]) -> float:
    """Of the corner where the tableau stands, from its variables; they must satisfy the program."""
    n = program.shape[1]
    point = np.empty(n)
    read_point(table, basic, point)
    assert (program.matrix @ point <= program.right + 1e-7).all()
    free = program.start - float(program.slope @ point)
    return float(program.cost[:n] @ point) + float(program.cost[-1]) * free


@settings(max_examples=300)
@given(programs())
def test_primal_moves_find_the_optimum(program: Program) -> None:
    table, basic, nonbasic = program.tableau()
    m, n = program.shape
    price(table, basic, nonbasic, program.cost)
    pivots, best = climb(table, basic, nonbasic, n + m, n + m + 1), program.best()
    assert (pivots < 0) == (best is None)
    if best is not None:
        assert value(program, table, basic) == pytest.approx(best, abs=1e-7)
        assert table[-1, -1] == pytest.approx(best, abs=1e-7)


@settings(max_examples=300)
@given(programs(), st.integers(0, 6), st.sampled_from([-3.0, -1.0, -0.25, 0.0, 0.5, 2.0]), st.integers(0, 2**32 - 1))
def test_dual_moves_follow_a_floor_and_primal_moves_another_goal(
    program: Program, row: int, change: float, seed: int
) -> None:
    table, basic, nonbasic = program.tableau()
    m, n = program.shape
    free = n + m, n + m + 1
    price(table, basic, nonbasic, program.cost)
    if climb(table, basic, nonbasic, *free) < 0:
        return
    program.right[row % m] += change
    move_floor(table, basic, nonbasic, n + row % m, change)
    done, best = repair(table, basic, nonbasic, *free), program.best()
    assert best is not None  # less room does not unbind it, and more room in one row only where a ray was there before
    assert (done < 0) == np.isnan(best)
    if done < 0:
        return
    assert value(program, table, basic) == pytest.approx(best, abs=1e-7)
    program.cost[:n] = np.random.default_rng(seed).integers(-3, 4, n)
    price(table, basic, nonbasic, program.cost)
    climbed, best = climb(table, basic, nonbasic, *free), program.best()
    assert (climbed < 0) == (best is None)
    if best is not None:
        assert value(program, table, basic) == pytest.approx(best, abs=1e-7)
