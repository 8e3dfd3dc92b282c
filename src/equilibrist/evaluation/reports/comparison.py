"""Two solutions of a spot beside each other: values, and where the strategies differ most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.cards.range_text import hand_name
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.reports.runouts import Both, both_equities, both_evs
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

LISTED = 20  # hands in a comparison
SAME = 1e-9  # a smaller difference is rounding


@dataclass(frozen=True)
class ComparedSide:
    """One of the two solutions at the line."""

    solver: str
    iterations: int
    exploitability: float  # chips, of the whole spot
    percent_of_pot: float
    converged: bool
    pot: float
    ev: Both  # shares of the pot, oop and ip
    equity: Both
    frequencies: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "solver": self.solver,
            "iterations": self.iterations,
            "exploitability": {"chips": self.exploitability, "percent_of_pot": self.percent_of_pot},
            "converged": self.converged,
            "pot": self.pot,
            "ev": dict(zip(PLAYERS, self.ev, strict=True)),
            "equity": dict(zip(PLAYERS, self.equity, strict=True)),
            "frequencies": list(self.frequencies),
        }


@dataclass(frozen=True)
class HandDifference:
    """How one hand is played in either solution."""

    hand: str
    weight: float  # share of the range, averaged over both solutions
    difference: float  # share of the strategy that moves to other actions, 0 to 1
    first: tuple[float, ...]
    second: tuple[float, ...]


@dataclass(frozen=True)
class Comparison:
    """Both solutions at a line, and the hands that differ most, by weight times difference."""

    line: str
    board: str
    player: str | None
    actions: tuple[str, ...]
    labels: tuple[str, ...]
    first: ComparedSide
    second: ComparedSide
    difference: float  # average over the hands that both ranges hold; nan where there is none or nobody acts
    hands: tuple[HandDifference, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values, the hands by name."""
        return {
            "line": self.line,
            "board": self.board,
            "player": self.player,
            "actions": list(self.actions),
            "labels": list(self.labels),
            "first": self.first.to_json(),
            "second": self.second.to_json(),
            "difference": self.difference,
            "hands": {
                row.hand: {
                    "weight": row.weight,
                    "difference": row.difference,
                    "first": list(row.first),
                    "second": list(row.second),
                }
                for row in self.hands
            },
        }


def compare_solutions(first: SpotSolution, second: SpotSolution, line: str = "", *, listed: int = LISTED) -> Comparison:
    """Values and strategies of two solutions after a line; refused where board or actions are not the same."""
    one = first.root.at(line)
    try:
        other = second.root.at(line)
    except ParameterError as error:
        raise NotApplicableError(f"The second solution does not have the line '{line}' of the first: {error}") from None
    _check(one, other)
    average, hands = _differences(one, other, listed) if one.player else (np.nan, ())
    return Comparison(
        line=one.line,
        board=one.board,
        player=one.player,
        actions=one.actions,
        labels=one.labels,
        first=_side(first, one),
        second=_side(second, other),
        difference=float(average),
        hands=hands,
    )


def _check(one: SpotNode, other: SpotNode) -> None:
    place = f"after '{one.line}'" if one.line else "at the beginning"
    if set(one.cards) != set(other.cards):
        raise NotApplicableError(
            f"The boards differ, {one.board} and {other.board}; only solutions on the same board can be compared."
        )
    if (one.kind, one.labels) != (other.kind, other.labels):
        raise NotApplicableError(
            f"The choices {place} differ: {_choices(one)} and {_choices(other)}; choose a line where they are the same."
        )


def _choices(node: SpotNode) -> str:
    if node.player is None:
        return "the hand is over" if node.is_over else "a card comes"
    return f"{node.player} has {', '.join(node.labels)}"


def _side(solution: SpotSolution, node: SpotNode) -> ComparedSide:
    frequencies = tuple(float(share) for share in node.frequencies) if node.player else ()
    return ComparedSide(
        solver=solution.solver,
        iterations=solution.iterations,
        exploitability=solution.exploitability,
        percent_of_pot=solution.percent_of_pot,
        converged=solution.converged,
        pot=node.pot,
        ev=both_evs(node),
        equity=both_equities(node),
        frequencies=frequencies,
    )


def _differences(one: SpotNode, other: SpotNode, listed: int) -> tuple[float, tuple[HandDifference, ...]]:
    """The average over hands that both hold, and the largest ones."""
    hands, mine, theirs = np.intersect1d(one.hands, other.hands, return_indices=True)
    weights = (_shares(one)[mine] + _shares(other)[theirs]) / 2.0
    if not weights.any():
        return np.nan, ()
    first, second = one.strategy[mine], other.strategy[theirs]
    moved = 0.5 * np.abs(first - second).sum(axis=1)
    order = np.argsort(-weights * moved, kind="stable")[:listed]
    rows = tuple(
        HandDifference(
            hand_name(int(hands[i])),
            float(weights[i]),
            float(moved[i]),
            tuple(first[i].tolist()),
            tuple(second[i].tolist()),
        )
        for i in order
        if weights[i] * moved[i] > SAME
    )
    return float(weights @ moved / weights.sum()), rows


def _shares(node: SpotNode) -> Floats:
    """[hand] of the range here; all alike where the play never comes here."""
    weights = node.reach() * node.met()
    if not weights.any():
        weights = np.ones(len(weights))
    shares: Floats = weights / weights.sum()
    return shares
