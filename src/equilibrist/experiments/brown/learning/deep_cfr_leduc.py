"""Deep CFR and SD-CFR on Leduc poker, beside external sampling with tables and the same walks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from equilibrist.experiments.brown.learning.courses import CoursePlan, LearningCourse, Reading, courses, draw_courses
from equilibrist.experiments.findings import Check, Findings, Request, at_most, between, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.responses.best_response import evaluate_policy

THOUSANDTHS = 1000.0  # the ante of Leduc poker is one chip
PUBLISHED = {
    "NFSP, §4.1.3": 37,
    "ES-SD-CFR at 10^7 nodes [Steinberger20]": 46,
    "SD-CFR at 5,000 iterations [Steinberger19]": 59,
    "Deep CFR at 5,000 iterations [Steinberger19]": 80,
}


@dataclass(frozen=True)
class LeducSetting:
    """Nodes, not iterations, make runs alike: `compared` is where others' numbers by nodes are; the first seed goes on from there."""

    iterations: int
    compared: int
    seeds: tuple[int, ...]

    def until(self, seed: int) -> int:
        return self.iterations if seed == self.seeds[0] else self.compared


QUICK = LeducSetting(iterations=250, compared=250, seeds=(0,))
FULL = LeducSetting(iterations=5000, compared=820, seeds=(0, 1, 2))
WALKS, STEPS = 300, 200  # of 12,500 nodes an iteration: 10^7 nodes are 820 iterations; published runs had 1,500 and 750


def tables(game: Compiled, iterations: int, seed: int) -> float:
    """External-sampling linear CFR with tables after as many walks."""
    solver = MCCFR(traversals=WALKS, weighting="linear", period=12_500)
    run = solver.start(game, seed)
    run.advance(iterations)
    return THOUSANDTHS * evaluate_policy(game, run.average()).exploitability


READINGS: dict[str, Reading] = {
    "SD-CFR": lambda learner: evaluate_policy(learner.game, learner.averaged()).exploitability,
    "Deep CFR": lambda learner: float(learner.measure()[0]),
}


def plan(seed: int, setting: LeducSetting) -> CoursePlan:
    """The run of a seed."""
    from equilibrist.learning.regression.deep_cfr import DeepCFR  # late: PyTorch

    method = DeepCFR("deep-cfr", "net", traversals=WALKS, steps=STEPS)
    marks = (200, setting.compared)
    return CoursePlan(f"seed {seed}", method, "leduc", setting.until(seed), seed, marks, READINGS)


def run(request: Request) -> Findings:
    setting, game = FULL if request.full else QUICK, compiled("leduc")
    runs = list(courses(partial(plan, setting=setting), setting.seeds, request).values())
    tabular = float(np.mean([tables(game, setting.compared, seed) for seed in setting.seeds]))
    lines = {
        f"{label}, seed {seed}": (each.nodes, [THOUSANDTHS * value for value in each.exploitability[label]])
        for seed, each in zip(setting.seeds, runs, strict=True)
        for label in READINGS
    }
    return Findings(
        setting=f"Leduc poker, {WALKS} walks and {STEPS} steps an iteration, {setting.compared} iterations, "
        f"{len(setting.seeds)} seed{'s' if len(setting.seeds) > 1 else ''}"
        + (f"; one of them {setting.iterations:,} iterations" if request.full else ""),
        checks=ours(checks_of(setting, runs, tabular, request.full)),
        published=PUBLISHED,
        measured={
            f"tables, iteration {setting.compared}": tabular,
            **{
                f"{label}, iteration {t}": [round(THOUSANDTHS * each.at(label, iteration=t), 1) for each in runs]
                for label in READINGS
                for t in (200, setting.compared)
            },
            **{f"{label}, iteration {setting.iterations}": THOUSANDTHS * runs[0].last(label) for label in READINGS},
            "nodes at the end": [each.nodes[-1] for each in runs],
        },
        remarks=(
            "The text plots flop hold'em (Figure 4.2); numbers for Leduc poker are those that others published for the same method, "
            "with five times as many walks in an iteration and 3.75 times as many steps.",
            "Memories are sums by infoset, as if they never filled up; nets are fitted to all of them at each step.",
        ),
        draw=lambda figure: draw_courses(figure, lines, "nodes touched", "exploitability (thousandths of an ante)"),
    )


def checks_of(setting: LeducSetting, runs: list[LearningCourse], tabular: float, full: bool) -> list[Check]:
    """Means over seeds against what others published, and nets against tables."""

    def mean(label: str, iteration: int) -> float:
        return float(np.mean([THOUSANDTHS * each.at(label, iteration=iteration) for each in runs]))

    single, policy = (mean(label, setting.compared) for label in ("SD-CFR", "Deep CFR"))
    by_200 = mean("Deep CFR", 200)
    checks = [
        between("Deep CFR at iteration 200, thousandths of an ante", 0.0, 100.0, by_200, target=100),
        at_most("one net for the average against all nets: ratio", 1.3, policy / single),
        at_most("nets against tables after the same walks: ratio", 1.5, single / tabular),
    ]
    if full:
        end = THOUSANDTHS * runs[0].last("SD-CFR")
        checks.append(between("SD-CFR at 10^7 nodes", 0.0, 46.0, single, target=46))
        checks.append(between("SD-CFR at 5,000 iterations, one seed", 0.0, 60.0, end, target=59))
    return checks


EXPERIMENT = Experiment(
    id="brown/deep-cfr-leduc",
    title="Deep CFR and SD-CFR on Leduc poker",
    source="[Brown20, §4.1]",
    seconds_quick=75,
    seconds_full=3300,
    full_on="one core",
    run=run,
    text="limit flop hold'em",
    quick={"Leduc poker": ("reference",)},
    gpu=True,
    side_by_side=True,
)
