"""Neural fictitious self-play on Leduc poker, the baseline of [Brown20, §4.1.3]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from equilibrist.experiments.brown.learning.courses import CoursePlan, LearningCourse, courses, draw_courses
from equilibrist.experiments.findings import Check, Findings, Request, between, descending, on, ours, printed
from equilibrist.experiments.registry import Experiment

THOUSANDTHS = 1000.0  # the ante of Leduc poker is one chip
PRINTED, TOLERANCE = 37, 15  # thousandths of an ante: the text's number, and how far above it a run may end
PUBLISHED = {
    "NFSP with the nets of Deep CFR, footnote of §4.1.3": PRINTED,
    "NFSP at 8 x 10^5 and 2.5 x 10^6 iterations, read off a figure of [Steinberger20] by others": [71, 58],
    "NFSP at 10^6 and 3 x 10^6 iterations, read off a figure of [Heinrich16] by others": [128, 75],
}
RATE = 0.01  # of the average net with one hidden layer, as [Steinberger20] took it; everything else as [Heinrich16]
SHALLOW = "Leduc poker, nets of one hidden layer"


@dataclass(frozen=True)
class NFSPSetting:
    iterations: int  # of 100,000 decisions each
    marks: tuple[int, ...]
    seeds: tuple[int, ...]
    rounds: int  # thousands of rounds of the method as in [Heinrich16]; 0: none


QUICK = NFSPSetting(2500, (100, 500, 2500), (0,), 0)
FULL = NFSPSetting(5000, (100, 500, 2500, 5000), (0, 1, 2), 3000)


def run(request: Request) -> Findings:
    from equilibrist.learning.reinforcement.fitted_nfsp import FittedNFSP  # late: learning is optional

    setting, method = FULL if request.full else QUICK, FittedNFSP()
    keys = [*setting.seeds, *([SHALLOW] if setting.rounds else [])]
    made = courses(partial(plan, setting=setting), keys, request)
    runs = [made[seed] for seed in setting.seeds]
    falls = {f"iteration {mark}": _mean(runs, mark) for mark in setting.marks}
    end = _mean(runs, setting.iterations)
    found = between("thousandths of an ante at the end", 0, PRINTED + TOLERANCE, end, target=PRINTED)
    checks: list[Check] = [descending("exploitability falls", falls), *printed([found])]
    measured: dict[str, object] = {
        "thousandths of an ante": falls,
        "by seed": [round(THOUSANDTHS * each.last("policy"), 1) for each in runs],
        "decisions": setting.iterations * method.decisions,
    }
    if setting.rounds:
        shallow = _shallow(made[SHALLOW], setting.rounds)
        checks += on(SHALLOW, shallow[0])
        measured["nets of one hidden layer"] = shallow[1]
    lines = {
        f"seed {seed}": (each.iterations, [THOUSANDTHS * e for e in each.exploitability["policy"]])
        for seed, each in zip(setting.seeds, runs, strict=True)
    }
    return Findings(
        setting=f"Leduc poker, {setting.iterations:,} iterations of {method.decisions:,} decisions; "
        f"{len(setting.seeds)} seed{'s' if len(setting.seeds) > 1 else ''}; {method!r}",
        checks=checks,
        published=PUBLISHED,
        measured=measured,
        remarks=(
            "The text tells neither settings nor time of its run; its nets were those of Deep CFR, as here.",
            "Nets are fitted to sums over all that memories hold, which costs no more than a batch where infosets are few.",
        ),
        draw=lambda figure: draw_courses(figure, lines, "iterations", "exploitability (thousandths of an ante)"),
    )


def plan(key: int | str, setting: NFSPSetting) -> CoursePlan:
    """The run of a seed, or the one with the settings of [Heinrich16]."""
    from equilibrist.learning.reinforcement.fitted_nfsp import FittedNFSP
    from equilibrist.learning.reinforcement.nfsp import NFSP

    if isinstance(key, str):
        marks = _shallow_marks(setting.rounds)
        return CoursePlan("seed 0", NFSP(rate_average=RATE), "leduc", setting.rounds, 0, marks)
    return CoursePlan(f"seed {key}", FittedNFSP(), "leduc", setting.iterations, key, setting.marks)


def _shallow_marks(rounds: int) -> tuple[int, int]:
    return rounds // 3, rounds


def _shallow(made: LearningCourse, rounds: int) -> tuple[Sequence[Check], Mapping[str, float]]:
    """The settings of [Heinrich16], one seed."""
    marks = _shallow_marks(rounds)
    found = {f"{mark / 1000:g} million rounds": THOUSANDTHS * made.at("policy", iteration=mark) for mark in marks}
    first = next(iter(found.values()))
    return ours([between("thousandths of an ante after a million rounds", 0, 128, first, target=128)]), found


def _mean(runs: Sequence[LearningCourse], iteration: int) -> float:
    """Over seeds."""
    return float(np.mean([THOUSANDTHS * each.at("policy", iteration=iteration) for each in runs]))


EXPERIMENT = Experiment(
    id="brown/nfsp",
    title="Neural fictitious self-play on Leduc poker",
    source="[Brown20, §4.1.3]",
    seconds_quick=70,
    seconds_full=1500,
    run=run,
    text="Leduc poker",
    quick={"text": ("pattern", "printed")},
    full={"text": ("pattern", "printed"), "Leduc poker, nets of one hidden layer": ("reference",)},
    side_by_side=True,
)
