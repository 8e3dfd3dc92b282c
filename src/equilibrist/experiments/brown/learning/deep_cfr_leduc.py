"""Deep CFR and SD-CFR on Leduc poker, beside external sampling with tables and the same walks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.experiments.brown.learning.courses import LearningCourse, course, draw_courses
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
    """Nodes, not iterations, make runs alike."""

    iterations: int
    seeds: tuple[int, ...]
    as_published: int  # iterations of one run with 1,500 walks and 750 steps; 0: none


QUICK = LeducSetting(iterations=250, seeds=(0,), as_published=0)
FULL = LeducSetting(iterations=820, seeds=(0, 1, 2), as_published=5000)
WALKS, STEPS = 300, 200  # of 12,500 nodes an iteration: 10^7 nodes are 820 iterations


def tables(game: Compiled, iterations: int, seed: int) -> float:
    """External-sampling linear CFR with tables after as many walks."""
    solver = MCCFR(traversals=WALKS, weighting="linear", period=12_500)
    run = solver.start(game, seed)
    run.advance(iterations)
    return THOUSANDTHS * evaluate_policy(game, run.average()).exploitability


def run(request: Request) -> Findings:
    from equilibrist.learning.regression.deep_cfr import DeepCFR  # late: PyTorch

    setting, game = FULL if request.full else QUICK, compiled("leduc")
    method = DeepCFR("deep-cfr", "net", traversals=WALKS, steps=STEPS)
    readings = {
        "SD-CFR": lambda learner: evaluate_policy(game, learner.averaged()).exploitability,
        "Deep CFR": lambda learner: learner.measure()[0],
    }
    runs = [
        course(
            f"seed {seed}",
            method,
            game,
            request,
            iterations=setting.iterations,
            seed=seed,
            marks=(200,),
            readings=readings,
            progress=(k / (len(setting.seeds) + 3), (k + 1) / (len(setting.seeds) + 3)),
        )
        for k, seed in enumerate(setting.seeds)
    ]
    ends = {label: float(np.mean([THOUSANDTHS * each.last(label) for each in runs])) for label in readings}
    by_200 = float(np.mean([THOUSANDTHS * each.at("Deep CFR", iteration=200) for each in runs]))
    tabular = float(np.mean([tables(game, setting.iterations, seed) for seed in setting.seeds]))
    checks: list[Check] = [
        between("Deep CFR at iteration 200, thousandths of an ante", 0.0, 100.0, by_200, target=100),
        at_most("one net for the average against all nets: ratio", 1.3, ends["Deep CFR"] / ends["SD-CFR"]),
        at_most("nets against tables after the same walks: ratio", 1.5, ends["SD-CFR"] / tabular),
    ]
    measured: dict[str, Any] = {
        "nodes": runs[0].nodes[-1],
        **ends,
        "tables": tabular,
        "Deep CFR, iteration 200": by_200,
    }
    if request.full:
        checks.append(between("SD-CFR at 10^7 nodes", 0.0, 46.0, ends["SD-CFR"], target=46))
        published = _as_published(game, setting.as_published, request)
        end = THOUSANDTHS * published.last("policy")
        checks.append(between("SD-CFR at 5,000 iterations of 1,500 walks", 0.0, 60.0, end, target=59))
        measured["SD-CFR, 1,500 walks, 5,000 iterations"] = end
    lines = {
        f"{label}, seed {seed}": (each.nodes, [THOUSANDTHS * value for value in each.exploitability[label]])
        for seed, each in zip(setting.seeds, runs, strict=True)
        for label in readings
    }
    return Findings(
        setting=f"Leduc poker, {WALKS} walks and {STEPS} steps an iteration, {setting.iterations} iterations, "
        f"{len(setting.seeds)} seed{'s' if len(setting.seeds) > 1 else ''}",
        checks=ours(checks),
        published=PUBLISHED,
        measured=measured,
        remarks=(
            "The text plots flop hold'em (Figure 4.2); numbers for Leduc poker are those that others published for the same method.",
            "Memories are sums by infoset, as if they never filled up; nets are fitted to all of them at each step.",
        ),
        draw=lambda figure: draw_courses(figure, lines, "nodes touched", "exploitability (thousandths of an ante)"),
    )


def _as_published(game: Compiled, iterations: int, request: Request) -> LearningCourse:
    from equilibrist.learning.regression.deep_cfr import DeepCFR

    method = DeepCFR("sd-cfr", "nets")
    return course("1,500 walks", method, game, request, iterations=iterations, progress=(0.5, 1.0))


EXPERIMENT = Experiment(
    id="brown/deep-cfr-leduc",
    title="Deep CFR and SD-CFR on Leduc poker",
    source="[Brown20, §4.1]",
    seconds_quick=75,
    seconds_full=6000,
    run=run,
    text="limit flop hold'em",
    quick={"Leduc poker": ("reference",)},
    gpu=True,
)
