"""Neural fictitious self-play on Leduc poker, the baseline of [Brown20, §4.1.3]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.experiments.brown.learning.courses import LearningCourse, course, draw_courses
from equilibrist.experiments.findings import Check, Findings, Request, between, descending, on, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import compiled

THOUSANDTHS = 1000.0  # the ante of Leduc poker is one chip
PUBLISHED = {
    "NFSP, footnote of §4.1.3": 37,
    "NFSP at 8 x 10^5 and 2.5 x 10^6 iterations, read off a figure of [Steinberger20] by others": [71, 58],
    "NFSP at 10^6 and 3 x 10^6 iterations, read off a figure of [Heinrich16] by others": [128, 75],
}
TOLERANCE = 15  # thousandths of an ante, above the number of the text
RATE = 0.01  # of the average net, as [Steinberger20] took it for NFSP; everything else as [Heinrich16]
SHORT = "Leduc poker, a fraction of the rounds"


@dataclass(frozen=True)
class NFSPSetting:
    iterations: int  # of a thousand rounds each
    marks: tuple[int, ...]
    seeds: tuple[int, ...]


QUICK = NFSPSetting(150, (10, 40, 150), (0,))
FULL = NFSPSetting(3000, (10, 100, 1000, 3000), (0, 1, 2))


def run(request: Request) -> Findings:
    from equilibrist.learning.reinforcement.nfsp import NFSP  # late: learning is optional

    setting, game, method = (
        FULL if request.full else QUICK,
        compiled("leduc"),
        NFSP(rate_average=RATE),
    )
    runs = [
        course(
            f"seed {seed}",
            method,
            game,
            request,
            iterations=setting.iterations,
            seed=seed,
            marks=setting.marks,
            progress=(k / len(setting.seeds), (k + 1) / len(setting.seeds)),
        )
        for k, seed in enumerate(setting.seeds)
    ]
    falls = {f"{1000 * mark:,} rounds": at(runs, mark) for mark in setting.marks}
    end = at(runs, setting.iterations)
    checks: list[Check] = [descending("exploitability falls", falls)]
    if request.full:
        found = between("thousandths of an ante at the end", 0, 37 + TOLERANCE, end, target=37)
        checks += printed([found])
    else:
        checks = on(
            SHORT, [*checks, between("thousandths of an ante, published after 10^6 rounds", 0, 128, end, target=128)]
        )
    lines = {
        f"seed {seed}": ([1000 * t for t in each.iterations], [THOUSANDTHS * e for e in each.exploitability["policy"]])
        for seed, each in zip(setting.seeds, runs, strict=True)
    }
    return Findings(
        setting=f"Leduc poker, {1000 * setting.iterations:,} rounds of 128 decisions and 2 steps of each net; "
        f"{len(setting.seeds)} seed{'s' if len(setting.seeds) > 1 else ''}; {method!r}",
        checks=checks,
        published=PUBLISHED,
        measured={"thousandths of an ante": falls, "by seed": [THOUSANDTHS * each.last("policy") for each in runs]},
        remarks=(
            "The text tells neither settings nor time; its nets were those of Deep CFR, ours have one hidden layer.",
            "An iteration of [Heinrich16] is read as 128 decisions of both players together, as others do.",
        ),
        draw=lambda figure: draw_courses(figure, lines, "rounds", "exploitability (thousandths of an ante)"),
    )


def at(runs: list[LearningCourse], iteration: int) -> float:
    """The mean over seeds."""
    return float(np.mean([THOUSANDTHS * each.at("policy", iteration=iteration) for each in runs]))


EXPERIMENT = Experiment(
    id="brown/nfsp",
    title="Neural fictitious self-play on Leduc poker",
    source="[Brown20, §4.1.3]",
    seconds_quick=60,
    seconds_full=3600,
    run=run,
    text="Leduc poker",
    quick={"Leduc poker, a fraction of the rounds": ("pattern", "reference")},
    full={"text": ("pattern", "printed")},
)
