"""Games on which first-order methods are compared, and curves of their gaps.

The text used abstractions of Rhode Island hold'em named by their sequences: 81, 10k, 160k, RI. Three of them are here; other
instances say which one they stand for. What methods see is a `Form` and, for sampling, a `PayoffSampler`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.abstraction.information.lossy_gameshrink import shrink_to
from equilibrist.experiments.findings import Request
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.forms.form import Form
from equilibrist.forms.hand_classes.kronecker import kronecker_form
from equilibrist.forms.sequence_form.chance_samples import DealSampler, PayoffSampler
from equilibrist.games.poker.family import rhode_island
from equilibrist.solvers.linear_programs.sequence_lp import zero_sum_form
from equilibrist.solvers.plan_space.run import PlanRun


@dataclass(frozen=True)
class Instance:
    """A game, built when it is asked for."""

    name: str
    stands_for: str  # of the text
    form: Callable[[], Form]


@dataclass(frozen=True)
class SampledInstance(Instance):
    """A game whose payoff matrix is known, so that deals can be sampled."""

    sampler: Callable[[], PayoffSampler]


@cache
def _compiled(name: str) -> Compiled:
    return compiled(name)


def game_instance(name: str, stands_for: str) -> SampledInstance:
    """A game of the catalogue."""

    def form() -> Form:
        return zero_sum_form(_compiled(name), "A first-order method")

    return SampledInstance(
        name, stands_for, form, lambda: DealSampler(_compiled(name).tree, _compiled(name).sequence_form)
    )


def class_instance(name: str, classes: tuple[int, ...] | None) -> Instance:
    """Rhode Island hold'em with so many classes a round; one round less is rolled out over the turn card. None: signatures."""

    @cache
    def form() -> Form:
        rules = rhode_island().rules
        if classes is None:
            return kronecker_form(rules, shrink(rules, "signature"), name=name)
        if len(classes) < len(rules.caps):
            rules = replace(rules, caps=(*rules.caps[:-1], 0))
        wanted = (*classes, *SIGNATURES[len(classes) :])
        return kronecker_form(rules, shrink_to(rules, wanted), name=name)

    return Instance(name, name, form)


SIGNATURES = (13, 205, 1_774)
# the class counts that give the sizes of [Gilpin09, Table 8.1]; how the text merged hands is not known
TEN_THOUSAND = class_instance("10k", (13, 147))
HUNDRED_SIXTY_THOUSAND = class_instance("160k", (13, 100, 315))
RHODE_ISLAND = class_instance("RI", None)

# for samples of deals, which need the matrix itself
SMALL = game_instance("leduc(ranks=9)", "10k")  # 10,837 sequences a player; 10k has 10,421
WIDE = game_instance("leduc(ranks=13)", "RI")  # 22,933, and 15,600 deals
# for smoothing, whose steps are many
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


def follow(label: str, run: PlanRun, marks: Sequence[int], request: Request, share: float | None = None) -> GapCurve:
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
