"""FlopSummary: what a report keeps of one solved flop."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from equilibrist.cards.equity import equity
from equilibrist.cards.ranges import Range
from equilibrist.evaluation.reports.runouts import Both, both_evs
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution


class LineSummary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One decision on the flop; values are None where the play never comes here."""

    line: str
    player: str
    reach: float  # probability that the play comes here, given the flop
    frequencies: tuple[float, ...]  # of the actions
    ev: tuple[float | None, float | None]  # shares of the pot as it stands here: oop, ip
    equity: tuple[float | None, float | None]


class FlopSummary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One flop of a report."""

    flop: str
    pairs: float  # weight of the pairs of hands that both players can hold: how likely the flop is, given the ranges
    exploitability: float  # chips
    iterations: int
    seconds: float
    converged: bool
    lines: tuple[LineSummary, ...]  # in the order of the report


def summarise(solution: SpotSolution, lines: Sequence[str]) -> FlopSummary:
    """What is kept of a solved flop, at each of the lines; the first is the beginning."""
    root = solution.root
    pairs = _pairs(root)
    return FlopSummary(
        flop=solution.spot.board_text,
        pairs=pairs,
        exploitability=solution.exploitability,
        iterations=solution.iterations,
        seconds=solution.seconds,
        converged=solution.converged,
        lines=tuple(_at(solution, root.at(line), pairs) for line in lines),
    )


def _at(solution: SpotSolution, node: SpotNode, pairs: float) -> LineSummary:
    here = _pairs(node)
    ev: Sequence[float] = solution.ev if not node.line else both_evs(node) if here else (np.nan, np.nan)
    share = solution.equity if not node.line else _equities(node) if here else (np.nan, np.nan)
    return LineSummary(
        line=node.line,
        player=str(node.player),
        reach=here / pairs,
        frequencies=tuple(node.frequencies.tolist()),
        ev=_known(ev),
        equity=_known(share),
    )


def _pairs(node: SpotNode) -> float:
    return float(np.dot(node.reach(0), node.met(0)))


def _equities(node: SpotNode) -> Both:
    """Of both ranges as they come here; one comparison serves both players."""
    held = []
    for p in range(2):
        weights = np.zeros(1326)
        weights[node.hands_of(p)] = node.reach(p)
        held.append(Range(weights / weights.max()))
    oop, ip = equity(held[0], held[1], node.cards).equity
    return oop, ip


def _known(values: Sequence[float]) -> tuple[float | None, float | None]:
    oop, ip = (None if value != value else float(value) for value in values)  # nan alone differs from itself
    return oop, ip
