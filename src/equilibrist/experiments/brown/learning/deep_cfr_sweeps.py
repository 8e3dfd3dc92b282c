"""How Deep CFR depends on walks, steps and the size of its nets, on Leduc poker with 13 ranks: a smaller game than Figure 4.3's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.experiments.brown.learning.courses import CoursePlan, LearningCourse, courses
from equilibrist.experiments.brown.subgames.bl26 import GAME, MILLI
from equilibrist.experiments.findings import Check, Findings, Request, at_least, descending
from equilibrist.experiments.registry import Experiment

if TYPE_CHECKING:
    from equilibrist.learning.regression.deep_cfr import DeepCFR

WALKS, STEPS, WIDTH = "walks an iteration", "steps an iteration", "width of the nets"
PUBLISHED = {
    WALKS: "fewer: slower, the same exploitability in the end",
    STEPS: "fewer: as fast, a higher exploitability in the end",
    WIDTH: "wider: a lower exploitability in the end, up to a certain width",
}
Curves = dict[str, dict[int, list[LearningCourse]]]  # panel -> value -> a run for each seed


@dataclass(frozen=True)
class SweepSetting:
    """One value is varied at a time; the last of the others is the middle of its own panel."""

    iterations: int
    seeds: tuple[int, ...]
    swept: Mapping[str, tuple[int, ...]]
    usual: Mapping[str, int]


QUICK = SweepSetting(
    30,
    (0,),
    {WALKS: (30, 100, 1000), STEPS: (10, 30, 100), WIDTH: (8, 16, 64)},
    {WALKS: 1000, STEPS: 100, WIDTH: 64},
)
FULL = SweepSetting(
    200,
    (0, 1, 2),
    {WALKS: (30, 100, 300, 1000, 3000), STEPS: (25, 50, 100, 200, 400), WIDTH: (8, 16, 32, 64, 128, 256)},
    {WALKS: 1000, STEPS: 200, WIDTH: 64},
)


def method(values: Mapping[str, int]) -> DeepCFR:
    from equilibrist.learning.regression.deep_cfr import DeepCFR  # late: PyTorch

    return DeepCFR("sd-cfr", "nets", traversals=values[WALKS], steps=values[STEPS], width=values[WIDTH], batch=512)


def sweep(setting: SweepSetting, request: Request) -> Curves:
    """Runs of all panels; the usual setting is part of each, and made once."""
    wanted = [
        (panel, value, seed) for panel, values in setting.swept.items() for value in values for seed in setting.seeds
    ]
    first: dict[str, tuple[str, int, int]] = {}
    same = {each: first.setdefault(f"{_method(setting, each)!r} {each[2]}", each) for each in wanted}
    made = courses(partial(plan, setting=setting), list(first.values()), request)
    out: Curves = {panel: {} for panel in setting.swept}
    for panel, value, seed in wanted:
        out[panel].setdefault(value, []).append(made[same[panel, value, seed]])
    return out


def plan(key: tuple[str, int, int], setting: SweepSetting) -> CoursePlan:
    """The run of a panel, a value and a seed."""
    panel, value, seed = key
    title = f"{panel}: {value}, seed {seed}"
    return CoursePlan(title, _method(setting, key), GAME, setting.iterations, seed, (third(setting),))


def _method(setting: SweepSetting, key: tuple[str, int, int]) -> DeepCFR:
    return method({**setting.usual, key[0]: key[1]})


def third(setting: SweepSetting) -> int:
    return setting.iterations // 3


def run(request: Request) -> Findings:
    setting = FULL if request.full else QUICK
    curves = sweep(setting, request)
    ends = {panel: means(runs, setting.iterations) for panel, runs in curves.items()}
    early = {panel: means(runs, third(setting)) for panel, runs in curves.items()}
    return Findings(
        setting=f"Leduc poker with 13 ranks, SD-CFR, {setting.iterations} iterations; where nothing else is said "
        + ", ".join(f"{value} {name}" for name, value in setting.usual.items())
        + f"; {len(setting.seeds)} seed{'s' if len(setting.seeds) > 1 else ''}",
        checks=checks_of(early, ends),
        published=PUBLISHED,
        measured={
            f"{panel}: thousandths of an ante, a third of the way and at the end": {
                value: [round(early[panel][value], 1), round(ends[panel][value], 1)] for value in runs
            }
            for panel, runs in curves.items()
        },
        remarks=(
            "Figure 4.3 is of limit flop hold'em with 52 cards; of its curves no numbers are printed.",
            "That few walks come to the same in the end may take more iterations than the 30 of the quick setting.",
        ),
        draw=lambda figure: draw_panels(figure, curves),
    )


def means(runs: Mapping[int, Sequence[LearningCourse]], iteration: int) -> dict[int, float]:
    """Over seeds, thousandths of an ante."""
    return {
        value: float(np.mean([MILLI * each.at("policy", iteration=iteration) for each in own]))
        for value, own in runs.items()
    }


def checks_of(early: Mapping[str, Mapping[int, float]], ends: Mapping[str, Mapping[int, float]]) -> list[Check]:
    """What the text says of each panel."""
    slow, walks, steps, width = (list(each.values()) for each in (early[WALKS], ends[WALKS], ends[STEPS], ends[WIDTH]))
    nearer = (slow[0] / slow[-1]) / (walks[0] / walks[-1])
    return [
        descending(f"{WALKS}: slower with fewer", {str(key): value for key, value in early[WALKS].items()}),
        at_least(f"{STEPS}: fewest / most, exploitability at the end", 1.1, steps[0] / steps[-1]),
        at_least(f"{WIDTH}: narrowest / widest, exploitability at the end", 1.1, width[0] / width[-1]),
        at_least(f"{WALKS}: fewest / most, a third of the way / at the end", 1.0, nearer),
    ]


def draw_panels(figure: Any, curves: Curves) -> None:
    """One panel for each of what is varied."""
    panels = figure.subplots(1, len(curves), sharey=True)
    for panel, (name, runs) in zip(panels, curves.items(), strict=True):
        for value, own in runs.items():
            heights = np.mean([[MILLI * e for e in each.exploitability["policy"]] for each in own], axis=0)
            panel.plot(own[0].iterations, heights, label=str(value), linewidth=1.2)
        panel.set(xscale="log", yscale="log", xlabel="iterations", title=name)
        panel.title.set_fontsize(8)
        panel.grid(alpha=0.25)
        panel.legend(fontsize=7, frameon=False)
    panels[0].set_ylabel("exploitability (thousandths of an ante)")


EXPERIMENT = Experiment(
    id="brown/deep-cfr-sweeps",
    title="Deep CFR with fewer walks, fewer steps and smaller nets, on Leduc poker with 13 ranks",
    source="[Brown20, §4.1, Figure 4.3]",
    seconds_quick=100,
    seconds_full=10000,
    run=run,
    text="limit flop hold'em",
    quick={"Leduc poker with 13 ranks": ("pattern",)},
    gpu=True,
    side_by_side=True,
)
