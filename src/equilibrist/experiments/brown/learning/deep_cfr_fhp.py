"""Deep CFR on limit flop hold'em beside external sampling with tables of all hands, exploitability exact over all flops.

The quick setting learns on a deck of four ranks and claims only what it shows there; the text's game needs --full and a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equilibrist.experiments.brown.learning.courses import LearningCourse, course, draw_courses
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BlueprintRun
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.blueprint.values.streamed_responses import StreamedResponses

MBB = 1000.0  # chips, mean of both players -> thousandths of the big blind of 2 chips, both players added
DEEP_CFR, NFSP = 37, 47  # mbb/g
CURVE = {50: 154, 100: 70, 200: 51, 300: 40, 450: 40}  # read off Figure 4.4 by others
PUBLISHED: dict[str, Any] = {"Deep CFR, mbb/g": DEEP_CFR, "NFSP, mbb/g": NFSP, "Figure 4.4, by iteration": CURVE}
FEWER = 10  # times the nodes that tables get; the text has two to three orders of magnitude


@dataclass(frozen=True)
class FlopLearning:
    """Settings of the text, or small ones."""

    game: str
    iterations: int
    traversals: int
    steps: int
    batch: int
    memory: int
    average: str  # Deep CFR on the text's game, as there; the exact average on the small one


QUICK = FlopLearning("flop-holdem(ranks=4)", 10, 1000, 300, 1000, 500_000, "nets")
FULL = FlopLearning("flop-holdem", 450, 10_000, 4000, 10_000, 40_000_000, "net")


def run(request: Request) -> Findings:
    from equilibrist.learning.regression.deep_cfr import DeepCFR  # late: PyTorch

    setting = FULL if request.full else QUICK
    method = DeepCFR(
        "deep-cfr" if setting.average == "net" else "sd-cfr",
        setting.average,
        traversals=setting.traversals,
        steps=setting.steps,
        batch=setting.batch,
        memory=setting.memory,
    )
    marks = [mark for mark in (*CURVE, 150) if mark <= setting.iterations]
    found = course(
        "nets", method, compiled(setting.game), request, iterations=setting.iterations, marks=marks, progress=(0.0, 0.9)
    )
    curve = [MBB * value for value in found.exploitability["policy"]]
    checks, measured = _text_checks(found) if request.full else _small_checks(setting, found, request)
    lines = {"nets": (found.nodes, curve)} | ({"tables": measured.pop("curve")} if "curve" in measured else {})
    return Findings(
        setting=f"{setting.game}, {setting.traversals:,} walks and {setting.steps:,} steps an iteration, {setting.iterations} iterations; "
        "exact exploitability in mbb/g, both players added",
        checks=checks,
        published=PUBLISHED,
        measured={
            "mbb/g by iteration": dict(zip(found.iterations, curve, strict=True)),
            "nodes": found.nodes[-1],
            **measured,
        },
        remarks=(
            "The text does not say what its exploitability counts: in thousandths of the big blind, both players added, Linear CFR on all "
            "hands comes to its numbers (brown/fhp-abstractions).",
        ),
        draw=lambda figure: draw_courses(figure, lines, "nodes touched", "exploitability of both (mbb/g)"),
    )


def _text_checks(found: LearningCourse) -> tuple[list[Check], dict[str, Any]]:
    """What the text prints."""
    by_150 = MBB * found.at("policy", iteration=150)
    end = MBB * found.last("policy")
    return [
        at_most("below 100 mbb/g by iteration 150", 100.0, by_150),
        *printed([between("Deep CFR, mbb/g", 0.0, 1.1 * DEEP_CFR, end, target=DEEP_CFR)]),
    ], {}


def _small_checks(setting: FlopLearning, found: LearningCourse, request: Request) -> tuple[list[Check], dict[str, Any]]:
    """Tables of all hands, with many times the nodes."""
    most = FEWER * found.nodes[-1]
    nodes, values = tables(setting.game, [most // 8, most // 4, most // 2, most], request)
    curve = [MBB * value for value in found.exploitability["policy"]]
    checks = [
        at_least(f"tables with {FEWER} times the nodes / nets: exploitability", 1.0, values[-1] / curve[-1]),
        at_most("nets: last / first point of the curve", 0.5, curve[-1] / curve[0]),
    ]
    return checks, {"tables, mbb/g by nodes": dict(zip(nodes, values, strict=True)), "curve": (nodes, values)}


def tables(game: str, marks: Sequence[int], request: Request) -> tuple[list[int], list[float]]:
    """External-sampling linear CFR with a row for every hand up to suits: nodes touched and mbb/g."""
    abstract = BlueprintPlan(game, {}, "isomorphism(sizes=all/all)").game()
    training = BlueprintRun(abstract, Training(period=16, discounts=10**6), planned=10**9)
    responses = StreamedResponses(abstract)
    nodes, values = [], []
    for mark in marks:
        while training.nodes_touched < mark:
            training.advance(1)
            request.report(
                f"tables: {training.nodes_touched / marks[-1]:.0%}", 0.9 + 0.1 * training.nodes_touched / marks[-1]
            )
        nodes.append(training.nodes_touched)
        values.append(MBB * responses.exploitability(training.average, training.regret))
    return nodes, values


EXPERIMENT = Experiment(
    id="brown/deep-cfr-fhp",
    title="Deep CFR on limit flop hold'em",
    source="[Brown20, §4.1, Figures 4.2 and 4.4]",
    seconds_quick=60,
    seconds_full=1_800,
    run=run,
    text="limit flop hold'em with 52 cards",
    quick={"limit flop hold'em with four ranks": ("pattern",)},
    full={"text": ("printed", "pattern")},
    gpu=True,
)
