"""ReBeL on Liar's Dice: random iterates against final averages, CFR-D against fictitious play, self-play against random beliefs.

The quick setting learns 1x3 for a minute and claims only what it shows there. The sizes of the text need --full, with far fewer searches
than the text trained on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from equilibrist.experiments.brown.depth_limits.liars_dice import game_name
from equilibrist.experiments.brown.learning.courses import Course, Reading, course, draw_courses
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between, on
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.responses.best_response import evaluate_policy

if TYPE_CHECKING:
    from equilibrist.learning.rebel.rebel import ReBeL

PUBLISHED = {
    "ReBeL, CFR-D": {"1x4": 0.017, "1x5": 0.015, "1x6": 0.024, "2x3": 0.017},
    "ReBeL, FP": {"1x4": 0.041, "1x5": 0.020, "1x6": 0.040, "2x3": 0.020},
}
MOST = {"1x4": 0.03, "1x5": 0.03, "1x6": 0.04, "2x3": 0.03}  # what we ask of a training that is smaller than the text's
STAND_IN = "Liar's Dice 1x3"
SELF_PLAY, FP, RANDOM = "CFR-D", "FP", "CFR-D, random beliefs"
PLAYED, AVERAGES, DRAWN = "played", "averages", "drawn"
THROUGHS = 256  # of the last reading, in which every search plays an iterate that was drawn


def quick_method() -> ReBeL:
    """A minute's training on one core."""
    from equilibrist.learning.rebel.rebel import ReBeL  # late: PyTorch

    return ReBeL(inside=64, hands=64, width=64, rate=1e-3, batch=256, halve=10, reuse=64, throughs=64, iterations=60)


def full_method() -> ReBeL:
    """Fewer examples than the text's, each trained more often."""
    return replace(quick_method(), inside=256, hands=256, width=128, batch=512, halve=70, reuse=32, iterations=400)


def readings(end: int) -> dict[str, Reading]:
    """Play-throughs, final averages, and at the end iterates drawn at random alone."""

    def averages(learner: Any) -> float:
        return evaluate_policy(learner.game, learner.playing().averages()).exploitability

    def drawn(learner: Any) -> float:
        import numpy as np

        if learner.iteration < end:
            return math.nan
        policy = learner.playing().play_throughs(THROUGHS, np.random.default_rng(0), iterates_only=True)
        return evaluate_policy(learner.game, policy).exploitability

    def played(learner: Any) -> float:
        return float(learner.measure()[0])

    return {PLAYED: played, AVERAGES: averages, DRAWN: drawn}


def learn(label: str, size: str, method: ReBeL, request: Request, share: tuple[float, float]) -> Course:
    """One training."""
    game, end = compiled(game_name(size)), method.iterations
    return course(f"{size}, {label}", method, game, request, iterations=end, readings=readings(end), progress=share)


def ways(method: ReBeL) -> dict[str, ReBeL]:
    """The method, and the method with one part changed."""
    return {SELF_PLAY: method, FP: replace(method, solver="fp"), RANDOM: replace(method, random_beliefs=True)}


def small(request: Request, share: float) -> dict[str, Course]:
    """1x3 in three ways."""
    made = ways(quick_method())
    parts = [(share * k / len(made), share * (k + 1) / len(made)) for k in range(len(made))]
    return {
        label: learn(label, "1x3", method, request, part)
        for (label, method), part in zip(made.items(), parts, strict=True)
    }


def small_checks(found: Mapping[str, Course]) -> list[Check]:
    whole = found[SELF_PLAY]
    first, last = whole.exploitability[PLAYED][0], whole.last(PLAYED)
    return on(
        STAND_IN,
        [
            at_least("CFR-D falls: after the first iteration / at the end", 10.0, first / last),
            at_most("CFR-D / FP", 1.0, last / found[FP].last(PLAYED)),
            between("CFR-D at the end", 0.0, 0.03, last, target=0.03),
            between("the same, every iterate drawn", 0.0, 0.03, whole.last(DRAWN), target=0.03),
        ],
    )


def large(request: Request) -> dict[str, dict[str, Course]]:
    """The text's sizes, CFR-D and FP."""
    sizes, methods = list(MOST), list(ways(full_method()).items())[:2]
    runs = [(size, label, method) for size in sizes for label, method in methods]
    found: dict[str, dict[str, Course]] = {size: {} for size in sizes}
    for k, (size, label, method) in enumerate(runs):
        share = (0.1 + 0.9 * k / len(runs), 0.1 + 0.9 * (k + 1) / len(runs))
        found[size][label] = learn(label, size, method, request, share)
    return found


def large_checks(found: Mapping[str, Mapping[str, Course]]) -> list[Check]:
    checks = []
    for size, most in MOST.items():
        ends = {label: run.last(PLAYED) for label, run in found[size].items()}
        printed = PUBLISHED["ReBeL, CFR-D"][size]
        checks += [
            between(f"{size}: CFR-D", 0.0, most, ends[SELF_PLAY], target=printed),
            between(
                f"{size}: FP", 0.0, 2.0 * PUBLISHED["ReBeL, FP"][size], ends[FP], target=PUBLISHED["ReBeL, FP"][size]
            ),
            at_most(f"{size}: CFR-D / FP", 1.0, ends[SELF_PLAY] / ends[FP]),
        ]
    return on("text", checks)


def run(request: Request) -> Findings:
    found = {"1x3": small(request, 0.1 if request.full else 1.0)}
    checks = small_checks(found["1x3"])
    if request.full:
        found |= large(request)
        checks += large_checks(found)
    lines = {
        f"{size}, {label}, {reading}": (each.iterations, each.exploitability[reading])
        for size, runs in found.items()
        for label, each in runs.items()
        for reading in (PLAYED, AVERAGES)
    }
    return Findings(
        setting=f"1x3 with {quick_method()!r}, {quick_method().iterations} iterations"
        + (f"; the text's sizes with {full_method()!r}, {full_method().iterations} iterations" if request.full else ""),
        checks=checks,
        published=PUBLISHED,
        measured={
            f"{size}, {label}": {reading: values[-1] for reading, values in each.exploitability.items()}
            for size, runs in found.items()
            for label, each in runs.items()
        },
        remarks=(
            "'played': the mean of 64 play-throughs, iterates of the first search spread evenly, inside each search the mean over all "
            "iterates; 'drawn': 256 play-throughs in which each search plays one iterate; 'averages': always final averages, not safe.",
            "The text trains on 25.6 million examples for each size, with 512 iterations of each player in a search.",
            "Random beliefs are no check: on three hands an even draw covers all beliefs well.",
        ),
        draw=lambda figure: draw_courses(figure, lines, "iterations", "exploitability"),
    )


EXPERIMENT = Experiment(
    id="brown/rebel-liars-dice",
    title="ReBeL on Liar's Dice",
    source="[Brown20, §5.3.8, Table 5.7]",
    seconds_quick=120,
    seconds_full=14400,
    run=run,
    text="Liar's Dice 1x4, 1x5, 1x6 and 2x3",
    quick={"Liar's Dice 1x3": ("pattern", "reference")},
    full={"Liar's Dice 1x3": ("pattern", "reference"), "text": ("pattern", "reference")},
    gpu=True,
)
