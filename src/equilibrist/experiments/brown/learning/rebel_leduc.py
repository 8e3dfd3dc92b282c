"""ReBeL on Leduc poker, a betting round at a time: random iterates against final averages, exactly.

The text has no numbers for Leduc poker. The second round is searched to the end of the game, so the network is asked about the beginning
of second rounds alone, and every iterate of the first round's search can be followed up.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from equilibrist.experiments.brown.learning.courses import LearningCourse, Reading, course, draw_courses
from equilibrist.experiments.findings import Check, Findings, Request, at_least, between, on, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.responses.best_response import evaluate_policy

if TYPE_CHECKING:
    from equilibrist.learning.rebel.rebel import ReBeL

THOUSANDTHS = 1000.0  # the ante of Leduc poker is one chip
OTHERS = {"open program, 300 epochs, 512 iterations of each player": 27.7, "its final averages": 53.5}
STAND_IN = "Leduc poker"
PLAYED, EVERY, AVERAGES, LONGER = "played", "every iterate", "averages", "every iterate, searched twice as long"
MOST = {False: 100.0, True: 28.0}  # thousandths of an ante


def method(full: bool) -> ReBeL:
    """A quarter of an hour on one core, or one minute."""
    from equilibrist.learning.rebel.rebel import ReBeL  # late: PyTorch

    own = ReBeL(inside=512, hands=512, halve=100, reuse=150, throughs=256, iterations=600)
    return own if full else replace(own, inside=256, hands=256, halve=8, reuse=100, iterations=40)


def readings(end: int) -> dict[str, Reading]:
    """256 play-throughs and final averages all along, all iterates at the end."""

    def policy(learner: Any, name: str) -> Any:
        import numpy as np

        if name == AVERAGES:
            return learner.playing().averages()
        longer = 2 * learner.settings.inside if name == LONGER else 0
        return learner.playing(longer).all_iterates(np.random.default_rng(0))

    def read(name: str) -> Reading:
        def found(learner: Any) -> float:
            if name != AVERAGES and learner.iteration < end:
                return math.nan
            return evaluate_policy(learner.game, policy(learner, name)).exploitability

        return found

    return {PLAYED: lambda learner: learner.measure()[0]} | {name: read(name) for name in (AVERAGES, EVERY, LONGER)}


def run(request: Request) -> Findings:
    own = method(request.full)
    made: LearningCourse = course(
        "Leduc poker", own, compiled("leduc"), request, iterations=own.iterations, readings=readings(own.iterations)
    )
    ends = {name: THOUSANDTHS * made.last(name) for name in made.exploitability}
    first = THOUSANDTHS * made.exploitability[PLAYED][0]
    most = MOST[request.full]
    checks: list[Check] = ours(
        [
            at_least("after the first iteration / at the end", 5.0, first / ends[EVERY]),
            between("every iterate followed up, thousandths of an ante", 0.0, most, ends[EVERY], target=most),
        ]
    )
    if request.full:
        checks.append(at_least("final averages / random iterates", 1.0, ends[AVERAGES] / ends[EVERY]))
    lines = {
        name: (made.iterations, [THOUSANDTHS * value for value in made.exploitability[name]])
        for name in (PLAYED, AVERAGES)
    }
    return Findings(
        setting=f"Leduc poker, {own!r}, {own.iterations} iterations",
        checks=on(STAND_IN, checks),
        recomputed={"thousandths of an ante": OTHERS},
        measured={"thousandths of an ante": ends},
        remarks=(
            "The numbers beside ours are those of an open program; the text has none for Leduc poker.",
            "Suits are merged, and second rounds of the same board's rank and pot are one class.",
        ),
        draw=lambda figure: draw_courses(figure, lines, "iterations", "exploitability (thousandths of an ante)"),
    )


EXPERIMENT = Experiment(
    id="brown/rebel-leduc",
    title="ReBeL on Leduc poker",
    source="[Brown20, §5.3.5]",
    seconds_quick=60,
    seconds_full=1500,
    run=run,
    text="turn endgame hold'em",
    quick={"Leduc poker": ("reference",)},
    full={"Leduc poker": ("reference", "pattern")},
    gpu=True,
)
