"""The 2x2 game on which CFR+ with simultaneous updates converges no faster than 1/sqrt(T)."""

from __future__ import annotations

import math
from typing import Any

from equilibrist.experiments.findings import Findings, Request, at_most, between
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import Replica, exploitability_at
from equilibrist.forms.compiled import compiled

MARKS = (1_000, 3_162, 10_000, 31_623, 100_000)
SOLVERS = {"simultaneous": "cfr+(updates=simultaneous)", "alternating": "cfr+"}


def slope(marks: tuple[int, ...], values: list[float]) -> float:
    """Of the line through the first and the last point, both axes logarithmic."""
    return math.log(values[-1] / values[0]) / math.log(marks[-1] / marks[0])


def run(request: Request) -> Findings:
    game = compiled("slow-cfr-plus")
    curves = {}
    for number, (updates, solver) in enumerate(SOLVERS.items()):
        request.report(f"slow-cfr-plus: {solver}", number / len(SOLVERS))
        curves[updates] = exploitability_at(Replica("plain", game), solver, MARKS)
    slopes = {updates: slope(MARKS, values) for updates, values in curves.items()}
    return Findings(
        setting="CFR+ with linear averaging, T from 1,000 to 100,000",
        checks=[
            between("slope, simultaneous", -0.65, -0.45, slopes["simultaneous"], kind="pattern"),
            at_most("slope, alternating", -0.8, slopes["alternating"]),
        ],
        published={"text": "CFR+ converges slower than 1/T"},
        recomputed={"slope": {"simultaneous": [-0.65, -0.45], "alternating": "below -0.8"}},
        measured={
            "slope": slopes,
            "exploitability": {u: dict(zip(map(str, MARKS), curve, strict=True)) for u, curve in curves.items()},
        },
        draw=lambda figure: _draw(figure, curves),
    )


def _draw(figure: Any, curves: dict[str, list[float]]) -> None:
    from equilibrist.experiments.pictures import COLOURS

    panel = figure.subplots()
    for colour, (updates, values) in zip(COLOURS, curves.items(), strict=False):
        panel.plot(MARKS, values, "o-", color=colour, label=f"{updates}: slope {slope(MARKS, values):.2f}")
    panel.set(xscale="log", yscale="log", xlabel="iterations", ylabel="exploitability")
    panel.grid(alpha=0.25)
    panel.legend(frameon=False)


EXPERIMENT = Experiment(
    id="brown/slow-cfr-plus",
    title="A 2x2 game on which CFR+ is slow",
    source="[Brown20, §2.3.7]",
    seconds_quick=1,
    seconds_full=1,
    run=run,
    text="one 2x2 game",
    quick={"text": ("pattern",)},
)
