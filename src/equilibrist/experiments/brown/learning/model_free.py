"""Learning from single plays on Leduc poker: DREAM, ESCHER, VR-DeepDCFR+ and VR-DeepPDCFR+, and the same with tables and exact values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.experiments.brown.learning.courses import CoursePlan, LearningCourse, courses, draw_courses
from equilibrist.experiments.findings import Check, Findings, Request, ascending, between, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.responses.best_response import evaluate_policy

THOUSANDTHS = 1000.0  # the ante of Leduc poker is one chip
ORACLE = {"iterations": 1000, "plays": 500}
PUBLISHED = {
    "tables with exact values, NashConv [McAleer23, Fig. 3], averages by importance weights": {
        "ESCHER": 0.54,
        "DREAM": 0.37,
        "OS-MCCFR": 0.44,
    },
    "the same with exact averages, by others": {"ESCHER": 0.10, "DREAM": 0.15, "OS-MCCFR": 0.44},
    "VR-DeepDCFR+ at 10^6 and 10^7 episodes [Xu26]": [152, 89],
    "VR-DeepPDCFR+ at 10^6 and 10^7 episodes [Xu26]": [158, 90],
    "VR-DeepDCFR+ at 10^6 and 10^7 episodes, by others": [101, 69],
    "DREAM at 2.6 x 10^6 and 10^7 nodes [Steinberger20]": [78, 57],
}


@dataclass(frozen=True)
class PublishedPoint:
    """One method up to a published point."""

    label: str
    method: str
    iterations: int
    most: float  # the published number, thousandths of an ante


VR = "vr-deep-dcfr+"  # 20,000 episodes an iteration
VRP = "vr-deep-pdcfr+"
DREAM = "dream"  # 12,600 nodes an iteration
ESCHER = "escher"  # 14,100 nodes an iteration
QUICK = (
    PublishedPoint("VR-DeepDCFR+, 10^6 episodes", VR, 50, 152.0),
    PublishedPoint("DREAM, 2.6 x 10^6 nodes", DREAM, 206, 78.0),
)
FULL = (
    PublishedPoint("VR-DeepDCFR+, 10^7 episodes", VR, 500, 69.0),
    PublishedPoint("VR-DeepPDCFR+, 10^7 episodes", VRP, 500, 77.0),
    PublishedPoint("DREAM, 10^7 nodes", DREAM, 794, 60.0),
)


def with_exact_values(game: Compiled, seed: int = 0) -> dict[str, float]:
    """NashConv of tables after as many plays, with exact averages."""
    from equilibrist.learning.catalogue import load_method  # late: PyTorch

    found = {}
    for label in ("escher", "dream"):
        settings = f"plays={ORACLE['plays']},advantages=table,values=exact,linear=false,gamma=0,uniform=true"
        learner = load_method(f"{label}({settings})").start(game, seed=seed, device="cpu")
        for _ in range(ORACLE["iterations"]):
            learner.advance()
        found[label.upper()] = 2.0 * learner.measure()[0]
    outcome = MCCFR(sampling="outcome", traversals=ORACLE["plays"], exploration=0.5).start(game, seed)
    outcome.advance(ORACLE["iterations"])
    found["OS-MCCFR"] = 2.0 * evaluate_policy(game, outcome.average()).exploitability
    return found


def plan(key: tuple[PublishedPoint, int]) -> CoursePlan:
    """The run of a method and a seed."""
    from equilibrist.learning.catalogue import load_method  # late: PyTorch

    each, seed = key
    return CoursePlan(each.label, load_method(each.method), "leduc", each.iterations, seed)


def run(request: Request) -> Findings:
    game = compiled("leduc")
    runs, seeds = (FULL, (0, 1, 2)) if request.full else (QUICK, (0,))
    request.report("tables with exact values", 0.0)
    tables = with_exact_values(game)
    checks: list[Check] = [
        between("ESCHER, tables with exact values: NashConv", 0.0, 0.10, tables["ESCHER"], target=0.10),
        between("DREAM, tables with exact values: NashConv", 0.0, 0.15, tables["DREAM"], target=0.15),
        ascending("exact values of histories help", {key: tables[key] for key in ("ESCHER", "DREAM", "OS-MCCFR")}),
    ]
    measured: dict[str, object] = {"tables": tables}
    lines = {}
    unpublished = PublishedPoint("ESCHER", ESCHER, 710 if request.full else 120, np.inf)
    made = courses(plan, [*((each, seed) for each in runs for seed in seeds), (unpublished, 0)], request)
    for each in runs:
        ends = []
        for seed in seeds:
            found = made[each, seed]
            ends.append(THOUSANDTHS * found.last("policy"))
            lines[f"{each.label}, seed {seed}"] = _line(found)
        measured[each.label] = ends
        checks.append(between(each.label, 0.0, each.most, float(np.mean(ends)), target=each.most))
    escher = made[unpublished, 0]
    measured["ESCHER"] = dict(zip(escher.nodes, _line(escher)[1], strict=True))
    return Findings(
        setting=f"Leduc poker; nets of 3 layers of 64; {len(seeds)} seed{'s' if len(seeds) > 1 else ''} of each method",
        checks=ours(checks),
        published=PUBLISHED,
        measured=measured,
        remarks=(
            "The text names sampling as what is to come; the numbers are those of the papers and of others who ran the same methods.",
            "Averages are exact: every strategy that was played, by own reach and weight.",
            "VR-DeepDCFR+ takes fewer steps at a higher rate than in [Xu26], and samples are added up by row.",
        ),
        draw=lambda figure: draw_courses(figure, lines, "nodes touched", "exploitability (thousandths of an ante)"),
    )


def _line(found: LearningCourse) -> tuple[list[float], list[float]]:
    return [float(n) for n in found.nodes], [THOUSANDTHS * value for value in found.exploitability["policy"]]


EXPERIMENT = Experiment(
    id="brown/model-free",
    title="Learning from single plays on Leduc poker: DREAM, ESCHER, VR-DeepDCFR+",
    source="[Brown20, §4.1]; [Steinberger20]; [McAleer23]; [Xu26]",
    seconds_quick=55,
    seconds_full=1800,
    run=run,
    text="limit flop hold'em",
    quick={"Leduc poker": ("reference",)},
    side_by_side=True,
)
