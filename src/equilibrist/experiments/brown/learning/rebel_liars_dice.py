"""ReBeL on Liar's Dice: Table 5.7, random iterates against final averages, self-play against random beliefs.

The quick setting learns 1x3 in three ways and 1x4 with CFR-D; --full learns all sizes of the text with both solvers. Trainings are
shorter than the text's; play is searched as long as there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from equilibrist.experiments.brown.depth_limits.liars_dice import (
    REFERENCE,
    game_name,
    order_check,
    printed_checks,
    tables_of,
)
from equilibrist.experiments.brown.learning.courses import CoursePlan, LearningCourse, Reading, courses
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between, on
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import UNITS, writings
from equilibrist.experiments.tables import Rerun, rerun, table_checks
from equilibrist.solvers.responses.best_response import evaluate_policy

if TYPE_CHECKING:
    from equilibrist.learning.rebel.rebel import ReBeL

PUBLISHED = {
    "CFR-D": {"1x4": 0.017, "1x5": 0.015, "1x6": 0.024, "2x3": 0.017},
    "FP": {"1x4": 0.041, "1x5": 0.020, "1x6": 0.040, "2x3": 0.020},
}
WHOLE = {
    "full-game FP": {"1x4": 0.012, "1x5": 0.024, "1x6": 0.039, "2x3": 0.057},
    "full-game CFR": {"1x4": 0.001, "1x5": 0.001, "1x6": 0.002, "2x3": 0.002},
}
MOST = 1.3  # measured / published
SIZES = ("1x4", "1x5", "1x6", "2x3")
STAND_IN = "Liar's Dice 1x3"
TABLE = {False: "text: 1x4, CFR-D", True: "text: ReBeL"}
SOLVED = {False: "text: 1x4 solved whole", True: "text: solved whole"}
SELF_PLAY, FP, RANDOM = "CFR-D", "FP", "CFR-D, random beliefs"
PLAYED, AVERAGES, DRAWN = "played", "averages", "drawn"
SEEDS = {
    SELF_PLAY: {"1x4": 3, "1x5": 2, "1x6": 2, "2x3": 2},
    FP: {"1x4": 1, "1x5": 1, "1x6": 1, "2x3": 1},
}
ITERATIONS = {
    SELF_PLAY: {"1x4": 1000, "1x5": 850, "1x6": 800, "2x3": 480},
    FP: {"1x4": 850, "1x5": 500, "1x6": 300, "2x3": 360},
}
TRACED, MANY = 64, 1024  # play-throughs on the way, and of the text
THROUGHS = {False: 256, True: MANY}  # at the last checkpoints
CHECKPOINTS = 3  # whose mean counts, as in the text
ON_THE_WAY = (1, 5, 10, 20, 100, 250)
Trained = Mapping[tuple[str, str, int], LearningCourse]  # by size, way and seed


def small_method() -> ReBeL:
    """Some seconds' training on one core."""
    from equilibrist.learning.rebel.rebel import ReBeL  # late: PyTorch

    return ReBeL(inside=64, hands=64, width=64, rate=1e-3, batch=256, halve=10, reuse=64, throughs=64, iterations=36)


def quick_method() -> ReBeL:
    """1x4 with CFR-D: searches in play are the text's; in learning they are shorter, and there are far fewer of them."""
    from equilibrist.learning.rebel.rebel import ReBeL

    return ReBeL(
        inside=128, hands=256, memory=8192, reuse=64.0, halve=15, centred=True, averaged=0.8, asked="averaged",
        playing_inside=512, iterations=60,
    )  # fmt: skip


def table_method(size: str, label: str) -> ReBeL:
    """A quarter of an hour on one core, play measured apart."""
    from equilibrist.learning.rebel.rebel import ReBeL

    end = ITERATIONS[label][size]
    own = ReBeL(
        inside=256, hands=256, memory=100_000, reuse=32.0, halve=end // 5, averaged=0.95, asked="averaged",
        playing_inside=512, iterations=end,
    )  # fmt: skip
    if label == FP:
        return replace(own, solver="fp", targets="averages")
    return replace(own, centred=True)


def marks(end: int) -> list[int]:
    """Where play is measured: on the way, and at the last three checkpoints."""
    last = last_marks(end)
    return sorted({mark for mark in ON_THE_WAY if mark <= end // 2} | set(last))


def last_marks(end: int) -> list[int]:
    return kept_marks(end)[-CHECKPOINTS:]


def kept_marks(end: int) -> list[int]:
    """Evenly apart back from the end: wherever time is over, the last three that were reached are what counts."""
    return sorted(set(range(end, 0, -max(5, end // 40))) - set(ON_THE_WAY))


def table_readings(end: int, full: bool, drawn: bool) -> dict[str, Reading]:
    """Play-throughs and final averages at the marks; the text's own protocol at the end."""

    def at_marks(policy: Callable[[Any], Any], where: Sequence[int]) -> Reading:
        def found(learner: Any) -> float:
            known = learner.iteration in where
            return evaluate_policy(learner.game, policy(learner)).exploitability if known else math.nan

        return found

    def played(learner: Any) -> Any:
        count = THROUGHS[full] if learner.iteration in kept_marks(end) else TRACED
        return learner.playing().play_throughs(count, _random(), thinned=True)

    where = [*marks(end), *(kept_marks(end) if full else ())]
    found = {
        PLAYED: at_marks(played, where),
        AVERAGES: at_marks(lambda learner: learner.playing().averages(), where),
    }
    if drawn:
        found[DRAWN] = at_marks(
            lambda learner: learner.playing().play_throughs(MANY, _random(), iterates_only=True, thinned=True), [end]
        )
    return found


def small_readings(end: int) -> dict[str, Reading]:
    """Play-throughs, final averages, and at the end iterates drawn at random alone."""

    def averages(learner: Any) -> float:
        return evaluate_policy(learner.game, learner.playing().averages()).exploitability

    def drawn(learner: Any) -> float:
        if learner.iteration < end:
            return math.nan
        policy = learner.playing().play_throughs(4 * TRACED, _random(), iterates_only=True)
        return evaluate_policy(learner.game, policy).exploitability

    return {PLAYED: lambda learner: float(learner.measure()[0]), AVERAGES: averages, DRAWN: drawn}


def _random() -> Any:
    import numpy as np

    return np.random.default_rng(0)


def methods(full: bool) -> dict[tuple[str, str, int], ReBeL]:
    """What is trained, by size, way and seed."""
    own = small_method()
    small = {SELF_PLAY: own, FP: replace(own, solver="fp"), RANDOM: replace(own, random_beliefs=True)}
    chosen = {("1x3", label, 0): method for label, method in small.items()}
    if not full:
        return chosen | {("1x4", SELF_PLAY, 0): quick_method()}
    return chosen | {
        (size, label, seed): table_method(size, label)
        for label, seeds in SEEDS.items()
        for size in SIZES
        for seed in range(seeds[size])
    }


def plan(key: tuple[str, str, int], full: bool) -> CoursePlan:
    """One training."""
    size, label, seed = key
    method = methods(full)[key]
    end = method.iterations
    drawn = full and size == "1x4" and seed == 0
    readings = small_readings(end) if size == "1x3" else table_readings(end, full, drawn)
    later = () if size == "1x3" else kept_marks(end)
    return CoursePlan(f"{size}, {label}", method, game_name(size), end, seed, marks(end), readings, later)


def reached(run: LearningCourse, reading: str = PLAYED) -> float:
    """Mean of the last three checkpoints."""
    known = checkpoints(run, reading)
    return sum(value for _, value in known) / len(known) if known else math.nan


def checkpoints(run: LearningCourse, reading: str = PLAYED) -> list[tuple[int, float]]:
    """The last three iterations whose play was measured at length, and what came out."""
    each = zip(run.iterations, run.exploitability[reading], strict=True)
    known = [(iteration, value) for iteration, value in each if not math.isnan(value)]
    return [(iteration, value) for iteration, value in known if iteration not in ON_THE_WAY][-CHECKPOINTS:]


def small_checks(found: Trained) -> list[Check]:
    whole, fictitious = found["1x3", SELF_PLAY, 0], found["1x3", FP, 0]
    first, last = whole.exploitability[PLAYED][0], whole.last(PLAYED)
    checks = [
        at_least("1x3, CFR-D: after the first iteration / at the end", 10.0, first / last),
        at_most("1x3: CFR-D / FP", 1.0, last / fictitious.last(PLAYED)),
        between("1x3: CFR-D", 0.0, 0.03, last, target=0.03),
        between("1x3: CFR-D, every iterate drawn", 0.0, 0.03, whole.last(DRAWN), target=0.03),
    ]
    return on(STAND_IN, checks)


def table_cells(found: Trained, full: bool) -> list[Check]:
    """Each cell of Table 5.7 that was trained: the published number and 30 % more."""
    checks = []
    for (size, label, seed), run in found.items():
        if size == "1x3" or seed:
            continue
        target = PUBLISHED[label][size]
        checks.append(between(f"{size}: {label}", 0.0, MOST * target, reached(run), target=target, kind="printed"))
        if label == SELF_PLAY:
            ratio = reached(run, AVERAGES) / reached(run)
            checks.append(at_least(f"{size}, CFR-D: final averages / random iterates", 1.0, ratio))
    return on(TABLE[full], checks)


def solved_whole(sizes: Sequence[str], request: Request) -> tuple[list[Check], dict[str, Rerun]]:
    """The upper half of the table: tabular solvers after 1,024 half steps."""
    checks, tables = [], {}
    for size in sizes:
        request.report(f"solving Liar's Dice {size} whole")
        tables[size] = rerun(tables_of(size)[0], writings(game_name(size), UNITS), request)
        checks += [*printed_checks(size, tables[size]), order_check(size, tables[size])]
    return on(SOLVED[request.full], [*table_checks(list(tables.values())), *checks]), tables


def run(request: Request) -> Findings:
    chosen = methods(request.full)
    tabular, tables = solved_whole(SIZES if request.full else ("1x4",), request)
    long_first = sorted(chosen, key=lambda key: (key[0] in SIZES, key[0]), reverse=True)
    made = courses(partial(plan, full=request.full), long_first, request)
    found = {key: made[key] for key in chosen}
    return Findings(
        setting="; ".join(
            f"{size}, {method!r}, {method.iterations} iterations"
            for (size, _, seed), method in chosen.items()
            if not seed
        ),
        checks=[*small_checks(found), *table_cells(found, request.full), *tabular],
        published={f"ReBeL, {label}": row for label, row in PUBLISHED.items()} | WHOLE,
        recomputed=REFERENCE,
        measured={
            **{
                name_of(*key): {reading: reached(run, reading) for reading in run.exploitability}
                | {"checkpoints": dict(checkpoints(run))}
                for key, run in found.items()
            },
            "solved whole": {size: table.numbers() for size, table in tables.items()},
        },
        remarks=REMARKS,
        draw=lambda figure: draw(figure, found),
    )


def name_of(size: str, label: str, seed: int) -> str:
    return f"{size}, {label}" + (f", seed {seed}" if seed else "")


REMARKS = (
    "'played': the mean of play-throughs of which every iterate of the first search is followed, and below public states fewer the less "
    "likely players are to get there; inside each search of CFR-D the mean over all iterates. 'drawn': 1,024 play-throughs in which each "
    "search plays one iterate, as in the text (256 on 1x3, all followed up). 'averages': always final averages, not safe.",
    "The sizes of the text are means of the last three checkpoints of one seed; further seeds, where trained, are measured beside it.",
    "The text trains on 25.6 million examples for each size, with 512 iterations of each player in a search; ours has 512 in play alone.",
    "Random beliefs are no check: on three hands an even draw covers all beliefs well.",
)


def draw(figure: Any, found: Trained) -> None:
    """Exploitability over training; what the text prints as a dotted line of the same colour."""
    shown = [key for key in found if key[0] != "1x3"]
    sizes = list(dict.fromkeys(size for size, _, _ in shown))
    for panel, size in zip(figure.subplots(1, len(sizes), squeeze=False, sharey=True)[0], sizes, strict=True):
        for label, colour in ((SELF_PLAY, "C0"), (FP, "C1")):
            for key in (key for key in shown if key[:2] == (size, label)):
                run = found[key]
                for reading, style in ((PLAYED, "-"), (AVERAGES, ":")):
                    points = [
                        (t, e) for t, e in zip(run.iterations, run.exploitability[reading], strict=True) if e == e
                    ]
                    name = f"{label}, {reading}" if not key[2] else None
                    panel.plot(*zip(*points, strict=True), style, color=colour, label=name, linewidth=1.2)
                panel.axhline(PUBLISHED[label][size], color=colour, linestyle="--", linewidth=0.8)
        panel.set(xscale="log", yscale="log", title=size, xlabel="iterations")
        panel.grid(alpha=0.25)
        panel.legend(fontsize=6, frameon=False)
    figure.axes[0].set_ylabel("exploitability (dashed: Table 5.7)")


EXPERIMENT = Experiment(
    id="brown/rebel-liars-dice",
    title="ReBeL on Liar's Dice",
    source="[Brown20, §5.3.5, Table 5.7]",
    seconds_quick=110,
    seconds_full=14_000,
    full_on="one core",
    run=run,
    text="Liar's Dice 1x4, 1x5, 1x6 and 2x3",
    quick={
        "text: 1x4, CFR-D": ("printed", "pattern"),
        "text: 1x4 solved whole": ("reference", "printed", "pattern"),
        "Liar's Dice 1x3": ("pattern", "reference"),
    },
    full={
        "text: ReBeL": ("printed", "pattern"),
        "text: solved whole": ("reference", "printed", "pattern"),
        "Liar's Dice 1x3": ("pattern", "reference"),
    },
    gpu=True,
    side_by_side=True,
)
