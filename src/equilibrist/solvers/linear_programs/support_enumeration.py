"""Support enumeration: all equilibria of a bimatrix game, and the solver of that name."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.core.names import readable
from equilibrist.core.solution import EXACT, Solution, SolveRecord, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.games.rules import Game
from equilibrist.solvers.iteration_loop import Progress, ProgressCallback, Stop
from equilibrist.solvers.linear_programs.matrix_games import Matrix, MatrixEquilibrium, distribution, payoff_matrices
from equilibrist.solvers.registry import SolverEntry
from equilibrist.solvers.responses.best_response import evaluate_policy
from equilibrist.version import __version__

MOST_SUPPORTS = 3_000_000  # pairs of supports: a 12 x 12 game
MOST_TOLD = 200  # equilibria that a solution keeps
SINGULAR = 1e-12  # determinant of a bordered support matrix with payoffs of at most 1
ACCEPTED = 1e-8  # exploitability per unit of payoff that counts as an equilibrium


@dataclass(frozen=True)
class SupportEnumeration:
    """Every equilibrium of a matrix game, zero-sum or not; the policy is the one with the smallest supports."""

    name: str = "support-enumeration"

    def __repr__(self) -> str:
        return readable(self)

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        """Solve at once; `stop.exploitability` only decides whether the answer counts as converged."""
        if resume is not None:
            raise NotApplicableError(f"'{self.name}' solves in one go, so a saved run cannot be resumed; solve anew.")
        begin, cpu = time.perf_counter(), time.process_time()
        found = support_enumeration(game.game)
        if not found:
            raise NotApplicableError(
                f"'{game.game.name}' is degenerate and has no equilibrium on supports of equal size; try 'lp' or 'fp'."
            )
        policy = game.infosets.uniform()
        for key, mix in (("row", found[0].row), ("column", found[0].column)):
            policy = policy.with_row(key, mix.tolist())
        evaluation = evaluate_policy(game, policy)
        seconds = time.perf_counter() - begin
        if progress is not None:
            progress(Progress(len(found), seconds, evaluation.exploitability, 1.0, 0.0))
        largest = float(np.abs(game.tree.returns).max(initial=0.0)) or 1.0
        goal = ACCEPTED * largest if stop.exploitability is None else stop.exploitability
        return TabularSolution(
            game=game.game.name,
            record=SolveRecord(
                solver=self.name,
                iterations=len(found),
                seconds=seconds,
                converged=evaluation.exploitability <= goal,
                cpu_seconds=time.process_time() - cpu,
                settings={**stop.to_json(), "seed": seed},
                provenance={"version": __version__, "exploitability": EXACT},
                extra=_facts(found),
            ),
            policy=policy,
            evaluation=evaluation,
            unit=game.game.unit,
        )


def _facts(found: list[MatrixEquilibrium]) -> dict[str, Any]:
    """All equilibria, and in a few words what they are worth."""
    told = [
        {"value": [each.value, each.column_value], "row": each.row.tolist(), "column": each.column.tolist()}
        for each in found[:MOST_TOLD]
    ]
    worth = ", ".join(f"({each.value:.4g}, {each.column_value:.4g})" for each in found[:8])
    more = f" and {len(found) - 8:,} more" if len(found) > 8 else ""
    remark = f"{len(found):,} equilibria on supports of equal size, worth {worth}{more}; the strategy is the first."
    return {
        "equilibria": told,
        "remarks": [remark if len(found) > 1 else "It is the only one on supports of equal size."],
    }


def support_enumeration(
    game: Matrix | Game, column_payoffs: Matrix | None = None, tolerance: float = 1e-10
) -> list[MatrixEquilibrium]:
    """All equilibria with supports of equal size, smallest first: every one, unless the game is degenerate.

    A degenerate game has a continuum of equilibria; its extreme ones on square supports are listed.
    """
    payoffs, others = payoff_matrices(game, column_payoffs)
    rows, columns = payoffs.shape
    if math.comb(rows + columns, rows) - 1 > MOST_SUPPORTS:
        raise TooLargeError(
            f"A {rows} x {columns} game has {math.comb(rows + columns, rows) - 1:,} pairs of supports, more than the "
            f"{MOST_SUPPORTS:,} that are enumerated; use solve_matrix for one equilibrium of a zero-sum game."
        )
    unit = max(float(np.abs(payoffs).max()), float(np.abs(others).max())) or 1.0
    found: dict[tuple[float, ...], MatrixEquilibrium] = {}
    for row, column in _candidates(payoffs / unit, others / unit, tolerance):
        equilibrium = MatrixEquilibrium(float(row @ payoffs @ column), row, column, float(row @ others @ column))
        found.setdefault(tuple(np.round(np.concatenate([row, column]), 8) + 0.0), equilibrium)
    return list(found.values())


def _candidates(payoffs: Floats, others: Floats, tolerance: float) -> Iterator[tuple[Floats, Floats]]:
    """Each player mixes so that the other is indifferent on its support and no better off outside."""
    rows, columns = payoffs.shape
    for size in range(1, min(rows, columns) + 1):
        chosen = np.array(list(itertools.combinations(range(columns), size)))  # [C, size]
        for support in itertools.combinations(range(rows), size):
            inner = payoffs[list(support)][:, chosen].transpose(1, 0, 2)  # [C, row, column]
            outer = others[list(support)][:, chosen].transpose(1, 2, 0)  # [C, column, row]
            column_mix, row_value, solvable = _indifferent(inner)
            row_mix, column_value, also = _indifferent(outer)
            fine = solvable & also & (column_mix >= -tolerance).all(1) & (row_mix >= -tolerance).all(1)
            for c in np.flatnonzero(fine):
                row, column = np.zeros(rows), np.zeros(columns)
                row[list(support)], column[chosen[c]] = row_mix[c], column_mix[c]
                row, column = distribution(row), distribution(column)
                row_content = (payoffs @ column).max() <= row_value[c] + tolerance
                if row_content and (row @ others).max() <= column_value[c] + tolerance:
                    yield row, column


def _indifferent(blocks: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Mixes y and values v with block·y = v and Σy = 1, for [C, k, k] blocks; False where there is no single one."""
    count, size, _ = blocks.shape
    bordered = np.zeros((count, size + 1, size + 1))
    bordered[:, :size, :size] = blocks
    bordered[:, :size, size] = -1.0
    bordered[:, size, :size] = 1.0
    solvable = np.abs(np.linalg.det(bordered)) > SINGULAR
    bordered[~solvable] = np.eye(size + 1)
    answer = np.linalg.solve(bordered, np.broadcast_to(np.eye(size + 1)[:, size:], (count, size + 1, 1)))[:, :, 0]
    return answer[:, :size], answer[:, size], solvable


ENTRIES = [
    SolverEntry(
        "support-enumeration",
        "all equilibria of a matrix game, zero-sum or not",
        SupportEnumeration,
        {},
        "Dickhaut91",
        "every equilibrium with supports of equal size: all of them unless the game is degenerate",
    ),
]
