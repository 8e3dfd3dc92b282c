"""Games on which first-order methods are compared, and curves of their gaps.

The text used abstractions of Rhode Island hold'em named by their sequences: 81, 10k, 160k, RI. An `Instance` says which of them it
stands for; what methods see is a `SaddlePoint` and, for sampling, a `PayoffSampler`, so that another game is one line here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from equilibrist.experiments.findings import Request
from equilibrist.games.chance_samples import DealSampler, PayoffSampler
from equilibrist.games.compiled import Compiled, compiled
from equilibrist.games.treeplex import SaddlePoint
from equilibrist.solvers.first_order.run import FirstOrderRun
from equilibrist.solvers.sequence_lp import zero_sum_form


@dataclass(frozen=True)
class Instance:
    """A game, built when it is asked for."""

    name: str
    stands_for: str  # of the text
    form: Callable[[], SaddlePoint]
    sampler: Callable[[], PayoffSampler]


@cache
def _compiled(name: str) -> Compiled:
    return compiled(name)


def game_instance(name: str, stands_for: str) -> Instance:
    """A game of the catalogue."""

    def form() -> SaddlePoint:
        return zero_sum_form(_compiled(name), "A first-order method")

    return Instance(name, stands_for, form, lambda: DealSampler(_compiled(name).tree, _compiled(name).sequence_form))


SMALL = game_instance("leduc(ranks=9)", "10k")  # 10,837 sequences a player; 10k has 10,421
MIDDLE = game_instance("rhode-island(ranks=3,suits=2)", "160k")  # 60,961
LARGE = game_instance("rhode-island(ranks=4,suits=2)", "160k")  # 168,641; 160k has 161,481
WIDE = game_instance("leduc(ranks=13)", "RI")  # 22,933, and 15,600 deals
TINY = game_instance("kuhn", "81")  # 13
SMALL_TREE = game_instance("leduc(suits=merged)", "10k")  # 337


@dataclass
class GapCurve:
    """Gaps of one run."""

    label: str
    iterations: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # of the method alone
    gaps: list[float] = field(default_factory=list)

    def at(self, iteration: int) -> float:
        return self.gaps[self.iterations.index(iteration)]

    def to_json(self) -> dict[str, Any]:
        return {"iterations": self.iterations, "seconds": [round(s, 4) for s in self.seconds], "gap": self.gaps}


def follow(
    label: str, run: FirstOrderRun, marks: Sequence[int], request: Request, share: float | None = None
) -> GapCurve:
    """The true gap at each mark."""
    request.report(label, share)
    curve, spent = GapCurve(label), 0.0
    for mark in marks:
        begin = time.perf_counter()
        run.advance(mark - run.iteration)
        spent += time.perf_counter() - begin
        curve.iterations.append(run.iteration)
        curve.seconds.append(spent)
        curve.gaps.append(run.evaluate().nash_conv)
    return curve


def draw_curves(figure: Any, panels: Mapping[str, Sequence[GapCurve]], across: str = "iterations") -> None:
    """One panel for each group of curves."""
    from equilibrist.experiments.pictures import COLOURS, STYLES

    columns = 2 if len(panels) > 1 else 1
    axes = figure.subplots(-(-len(panels) // columns), columns, squeeze=False).flat
    for axis, (title, curves) in zip(axes, panels.items(), strict=False):
        for number, curve in enumerate(curves):
            look = {"color": COLOURS[number % len(COLOURS)], "linestyle": STYLES[number // len(COLOURS) % len(STYLES)]}
            axis.plot(getattr(curve, across), curve.gaps, label=curve.label, linewidth=1.2, **look)
        axis.set(xscale="log", yscale="log", xlabel=across, ylabel="gap")
        axis.set_title(title, fontsize=8)
        axis.grid(alpha=0.25)
        axis.legend(frameon=False, fontsize=6)
