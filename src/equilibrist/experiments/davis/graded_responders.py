"""What the experiments with UCT and FBR share: train CFR-f against a graded responder, measure against all grades."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.findings import Check, Request, ascending, at_least
from equilibrist.exploit.response_functions.cfr_f import cfr_f
from equilibrist.exploit.response_functions.response_functions import ResponseFunction, SampleMean
from equilibrist.exploit.response_functions.strength import (
    Sides,
    both_sides,
    seat_average,
    seat_exploitability,
    solved_policy,
)
from equilibrist.forms.compiled import Compiled, compiled

Make = Callable[[Compiled, int], ResponseFunction]


@dataclass(frozen=True)
class Graded:
    """One row: a strategy against all grades, its exploitability, its value against the equilibrium."""

    cells: Mapping[int, SampleMean]
    exploitability: float
    against_equilibrium: float

    def numbers(self) -> dict[str, Any]:
        return {
            **{str(n): {"value": cell.mean, "interval": cell.interval} for n, cell in self.cells.items()},
            "exploitability": self.exploitability,
            "vs equilibrium": self.against_equilibrium,
        }


def train(sides: Sides, responder: ResponseFunction, iterations: int, seed: int = 1) -> TabularPolicy:
    """CFR-f for both seats, with independent streams."""
    plans = [cfr_f(seat, responder, iterations, seed=seed + seat.player).average for seat in sides]
    return sides[0].policy(plans[0], plans[1])


def measure(
    game: Compiled, sides: Sides, policy: TabularPolicy, equilibrium: TabularPolicy, make: Make, runs: Mapping[int, int]
) -> Graded:
    """All cells of a row."""
    cells = {n: seat_average(sides, (make(game, n),) * 2, policy, runs=count, seed=n) for n, count in runs.items()}
    other = sum(seat.payoff(seat.my_plan(policy), seat.their_plan(equilibrium)) for seat in sides) / 2.0
    return Graded(cells, seat_exploitability(sides, policy), other)


def graded_table(
    make: Make, rows: Mapping[int, int], runs: Mapping[int, int], request: Request, label: str
) -> dict[str, Graded]:
    """Equilibrium and CFR-f rows; `rows` gives iterations by grade trained against."""
    game = compiled("leduc")
    sides = both_sides(game)
    equilibrium = solved_policy(game, "cfr+", 2000)
    table = {"equilibrium": measure(game, sides, equilibrium, equilibrium, make, runs)}
    for number, (n, iterations) in enumerate(rows.items()):
        request.report(f"CFR-{label}-{n}: {iterations:,} iterations", number / len(rows))
        policy = train(sides, make(game, n), iterations)
        table[f"{label}-{n}"] = measure(game, sides, policy, equilibrium, make, runs)
    return table


def beats_equilibrium(table: Mapping[str, Graded], label: str, n: int, columns: Sequence[int]) -> list[Check]:
    """A strategy trained against grade n earns more than the equilibrium from the grades named."""
    checks = []
    for column in columns:
        mine, base = table[f"{label}-{n}"].cells[column], table["equilibrium"].cells[column]
        margin = float(np.hypot(mine.interval, base.interval))
        name = f"CFR-{label}-{n} less equilibrium against {label}-{column}, chips"
        checks.append(at_least(name, margin, mine.mean - base.mean))
    return checks


def falls_with_grade(table: Mapping[str, Graded]) -> list[Check]:
    """Along each row, stronger responders take more."""
    return [
        ascending(
            f"{row}: value falls as the responder grows", {str(n): -cell.mean for n, cell in graded.cells.items()}
        )
        for row, graded in table.items()
    ]


def trends(table: Mapping[str, Graded], label: str) -> list[Check]:
    """With the grade trained against, exploitability falls and the loss to the equilibrium shrinks."""
    rows = {name: row for name, row in table.items() if name != "equilibrium"}
    checks = [
        ascending("exploitability falls with the grade", {name: -row.exploitability for name, row in rows.items()}),
        ascending("loss to the equilibrium shrinks", {name: row.against_equilibrium for name, row in rows.items()}),
    ]
    for name, row in rows.items():
        bound = row.exploitability / 2.0
        checks.append(at_least(f"{name}: loses less than half its exploitability", -bound, row.against_equilibrium))
    return checks


def curve_picture(table: Mapping[str, Graded], label: str) -> Callable[[Any], None]:
    def draw(figure: Any) -> None:
        from equilibrist.experiments.pictures import COLOURS

        axes = figure.add_subplot()
        for number, (name, row) in enumerate(table.items()):
            grades = list(row.cells)
            means, half = [c.mean for c in row.cells.values()], [c.interval for c in row.cells.values()]
            axes.errorbar(grades, means, yerr=half, color=COLOURS[number], marker="o", label=name)
        axes.set_xscale("log")
        axes.set_xlabel(f"samples of the {label} responder")
        axes.set_ylabel("our value, chips per game")
        axes.axhline(0.0, color="#999999", linewidth=0.8)
        axes.legend()

    return draw
