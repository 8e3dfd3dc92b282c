"""ReBeL on Liar's Dice: random iterates against final averages, CFR-D against fictitious play, self-play against random beliefs.

The quick setting learns 1x3 and, for half a minute, 1x4. All sizes of the text need --full, which still trains on far fewer examples
than the text does; neither claims the numbers of the text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from equilibrist.experiments.brown.depth_limits.liars_dice import game_name
from equilibrist.experiments.brown.learning.courses import LearningCourse, Reading, course, draw_courses
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
STAND_IN, SHORTER = "Liar's Dice 1x3", "sizes of the text, shorter training"
SELF_PLAY, FP, RANDOM = "CFR-D", "FP", "CFR-D, random beliefs"
PLAYED, AVERAGES, DRAWN = "played", "averages", "drawn"
THROUGHS = 256  # of the last reading, in which every search plays an iterate that was drawn


def quick_method() -> ReBeL:
    """Some seconds' training on one core."""
    from equilibrist.learning.rebel.rebel import ReBeL  # late: PyTorch

    return ReBeL(inside=64, hands=64, width=64, rate=1e-3, batch=256, halve=10, reuse=64, throughs=64, iterations=36)


def short_method() -> ReBeL:
    """Half a minute of 1x4."""
    return replace(
        quick_method(),
        inside=128,
        hands=128,
        width=128,
        halve=14,
        batch=512,
        reuse=50,
        playing_inside=256,
        iterations=80,
    )


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


def learn(label: str, size: str, method: ReBeL, request: Request, share: tuple[float, float]) -> LearningCourse:
    """One training."""
    game, end = compiled(game_name(size)), method.iterations
    return course(f"{size}, {label}", method, game, request, iterations=end, readings=readings(end), progress=share)


def ways(method: ReBeL) -> dict[str, ReBeL]:
    """The method, and the method with one part changed."""
    return {SELF_PLAY: method, FP: replace(method, solver="fp"), RANDOM: replace(method, random_beliefs=True)}


def methods(full: bool) -> dict[tuple[str, str], ReBeL]:
    """What is trained, by size and way."""
    chosen = {("1x3", label): method for label, method in ways(quick_method()).items()}
    if not full:
        return chosen | {("1x4", SELF_PLAY): short_method()}
    made = ways(full_method())
    return chosen | {(size, label): made[label] for size in MOST for label in (SELF_PLAY, FP)}


def small_checks(found: Mapping[tuple[str, str], LearningCourse]) -> list[Check]:
    whole, fictitious = found["1x3", SELF_PLAY], found["1x3", FP]
    first, last = whole.exploitability[PLAYED][0], whole.last(PLAYED)
    checks = [
        at_least("1x3, CFR-D: after the first iteration / at the end", 10.0, first / last),
        at_most("1x3: CFR-D / FP", 1.0, last / fictitious.last(PLAYED)),
        between("1x3: CFR-D", 0.0, 0.03, last, target=0.03),
        between("1x3: CFR-D, every iterate drawn", 0.0, 0.03, whole.last(DRAWN), target=0.03),
    ]
    return on(STAND_IN, checks)


def size_checks(size: str, found: Mapping[tuple[str, str], LearningCourse], full: bool) -> list[Check]:
    """A training shorter than the text's; the quick one may be twice as far from equilibrium."""
    run, most = found[size, SELF_PLAY], MOST[size] * (1.0 if full else 2.0)
    checks = [
        between(f"{size}: CFR-D", 0.0, most, run.last(PLAYED), target=PUBLISHED["ReBeL, CFR-D"][size]),
        at_least(f"{size}, CFR-D: final averages / random iterates", 1.0, run.last(AVERAGES) / run.last(PLAYED)),
    ]
    if full:
        other, printed = found[size, FP].last(PLAYED), PUBLISHED["ReBeL, FP"][size]
        checks += [
            between(f"{size}: FP", 0.0, 2.0 * printed, other, target=printed),
            at_most(f"{size}: CFR-D / FP", 1.0, run.last(PLAYED) / other),
        ]
    return on(SHORTER, checks)


def run(request: Request) -> Findings:
    chosen = methods(request.full)
    found: dict[tuple[str, str], LearningCourse] = {}
    for k, ((size, label), method) in enumerate(chosen.items()):
        share = (k / len(chosen), (k + 1) / len(chosen))
        found[size, label] = learn(label, size, method, request, share)
    checks = small_checks(found)
    for size in MOST if request.full else ("1x4",):
        checks += size_checks(size, found, request.full)
    lines = {
        f"{size}, {label}, {reading}": (each.iterations, each.exploitability[reading])
        for (size, label), each in found.items()
        for reading in (PLAYED, AVERAGES)
    }
    return Findings(
        setting="; ".join(
            f"{size}, {method!r}, {method.iterations} iterations" for (size, _), method in chosen.items()
        ),
        checks=checks,
        published=PUBLISHED,
        measured={
            f"{size}, {label}": {reading: values[-1] for reading, values in each.exploitability.items()}
            for (size, label), each in found.items()
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
    source="[Brown20, §5.3.5, Table 5.7]",
    seconds_quick=110,
    seconds_full=14400,
    run=run,
    text="Liar's Dice 1x4, 1x5, 1x6 and 2x3",
    quick={
        "Liar's Dice 1x3": ("pattern", "reference"),
        "sizes of the text, shorter training": ("reference", "pattern"),
    },
    gpu=True,
)
