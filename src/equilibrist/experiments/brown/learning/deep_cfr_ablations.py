"""What parts of Deep CFR are worth, on Leduc poker with 13 ranks and memories that fill up early: one part left out at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.experiments.brown.learning.courses import CoursePlan, LearningCourse, courses, draw_courses
from equilibrist.experiments.brown.subgames.bl26 import GAME, MILLI
from equilibrist.experiments.findings import Findings, Request, at_least
from equilibrist.experiments.registry import Experiment

if TYPE_CHECKING:
    from equilibrist.learning.regression.deep_cfr import DeepCFR

PART = "Leduc poker with 13 ranks"
WHOLE = "as in the text"
PUBLISHED = {
    "nets fitted further instead of anew": "final exploitability 50 % higher",
    "even play where no advantage is positive": "final exploitability 50 % higher",
    "no linear weights": "the same in the end, slower",
    "a window of the newest samples": "gets worse once the memory is full; the reservoir goes on",
}


MEMORY = 50_000  # samples of each; full after 13 iterations of a player's 3,800


@dataclass(frozen=True)
class PartsSetting:
    iterations: int
    seeds: tuple[int, ...]


QUICK = PartsSetting(60, (0,))
FULL = PartsSetting(60, (0, 1, 2))


def variants() -> dict[str, DeepCFR]:
    """The method, and the method with one part changed."""
    from equilibrist.learning.regression.deep_cfr import DeepCFR  # late: PyTorch

    whole = DeepCFR("sd-cfr", "nets", traversals=1000, steps=100, batch=512, rate=3e-3, memory=MEMORY)
    changed = (
        replace(whole, restart=False),
        replace(whole, uniform=True),
        replace(whole, linear=False),
        replace(whole, window=True),
    )
    return {WHOLE: whole, **dict(zip(PUBLISHED, changed, strict=True))}


def plan(key: tuple[str, int], setting: PartsSetting) -> CoursePlan:
    """The run of a variant and a seed."""
    label, seed = key
    marks = (setting.iterations // 3,)
    return CoursePlan(f"{label}, seed {seed}", variants()[label], GAME, setting.iterations, seed, marks)


def run(request: Request) -> Findings:
    setting = FULL if request.full else QUICK
    found: dict[str, list[LearningCourse]] = {}
    keys = [(label, seed) for label in variants() for seed in setting.seeds]
    for (label, _), made in courses(partial(plan, setting=setting), keys, request).items():
        found.setdefault(label, []).append(made)
    ends = {label: float(np.mean([each.last("policy") for each in runs])) for label, runs in found.items()}
    early = {label: float(np.mean([_early(each) for each in runs])) for label, runs in found.items()}
    anew, even, plain, window = (ends[label] / ends[WHOLE] for label in PUBLISHED)
    checks = [
        at_least("fitted further / anew: final exploitability", 1.0, anew),
        at_least("even play / largest advantage: final exploitability", 1.0, even),
        at_least("no linear weights / linear: a third of the way", 1.0, early["no linear weights"] / early[WHOLE]),
        at_least("window / reservoir: final exploitability", 1.0, window),
    ]
    lines = {
        label: (runs[0].iterations, [MILLI * value for value in runs[0].exploitability["policy"]])
        for label, runs in found.items()
    }
    return Findings(
        setting=f"{PART}, SD-CFR with memories of {MEMORY:,} samples, {setting.iterations} iterations of 1,000 walks, "
        f"{len(setting.seeds)} seed{'s' if len(setting.seeds) > 1 else ''}",
        checks=checks,
        published=PUBLISHED,
        measured=_measured(ends, early, plain),
        remarks=(
            "Figure 4.4 is of limit flop hold'em with 52 cards.",
            "Between seeds exploitability differs by a tenth or more.",
            "On Leduc poker itself, and at a rate too low for nets to be fitted anew, fitting them further is better instead.",
        ),
        draw=lambda figure: draw_courses(figure, lines, "iterations", "exploitability (thousandths of an ante)"),
    )


def _early(run: LearningCourse) -> float:
    """After a third of the iterations."""
    return run.at("policy", iteration=run.iterations[-1] // 3)


def _measured(ends: Mapping[str, float], early: Mapping[str, float], plain: float) -> dict[str, Any]:
    return {
        "thousandths of an ante at the end": {label: round(MILLI * value, 1) for label, value in ends.items()},
        "after a third": {label: round(MILLI * value, 1) for label, value in early.items()},
        "no linear weights / linear at the end": plain,
    }


EXPERIMENT = Experiment(
    id="brown/deep-cfr-ablations",
    title="Deep CFR with one part left out, on Leduc poker with 13 ranks",
    source="[Brown20, §4.1, Figure 4.4]",
    seconds_quick=90,
    seconds_full=300,
    run=run,
    text="limit flop hold'em",
    quick={"Leduc poker with 13 ranks": ("pattern",)},
    gpu=True,
    side_by_side=True,
)
