"""Learning on Liar's Dice with one die of six faces each, beside tables: exact exploitability over the histories that were touched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from equilibrist.experiments.brown.learning.courses import CoursePlan, LearningCourse, courses, draw_courses
from equilibrist.experiments.findings import Check, Findings, Request, at_least, descending, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.responses.best_response import evaluate_policy

GAME = "liars-dice"
THOUSANDTHS = 1000.0  # of the stake
EXTERNAL, FULL_WIDTH = "tables, external sampling", "tables, CFR"
LEARNERS = {
    "SD-CFR": "sd-cfr(traversals=300,steps=100,rate=0.003)",
    "VR-DeepDCFR+": "vr-deep-dcfr+",
    "DREAM": "dream",
    "NFSP": "fitted-nfsp(decisions=10000,batch=1024)",
    "PPO": "ppo",
    "MMD": "mmd",
}
POINTS = 12  # of a curve of tables
Curve = dict[float, float]  # histories touched -> thousandths of the stake


@dataclass(frozen=True)
class DiceSetting:
    """How many histories each may touch; learners are measured at the first iteration that comes to so many."""

    nodes: float
    seeds: tuple[int, ...]


QUICK = DiceSetting(4e5, (0,))
FULL = DiceSetting(1e7, (0, 1, 2))


def by_sampling(game: Compiled, nodes: float, seed: int) -> Curve:
    """External sampling with linear weights and tables."""
    run, out = MCCFR(weighting="linear", period=nodes / 100).start(game, seed), Curve()
    for mark in np.geomspace(nodes / 100, nodes, POINTS):
        run.advance(10**9, nodes=round(mark))
        out[float(run.nodes_touched)] = THOUSANDTHS * evaluate_policy(game, run.average()).exploitability
    return out


def by_passes(game: Compiled, nodes: float) -> Curve:
    """CFR over all histories: two passes in an iteration, one for each player."""
    run, out = CFR().start(game), Curve()
    each = 2 * game.tree.histories
    for iteration in range(1, max(round(nodes / each), 1) + 1):
        run.advance(1)
        out[float(each * iteration)] = THOUSANDTHS * evaluate_policy(game, run.average()).exploitability
    return out


@cache
def iterations_of(name: str, nodes: float, device: str) -> int:
    """Until the first one that has touched enough."""
    from equilibrist.learning.catalogue import load_method  # late: PyTorch

    first = load_method(LEARNERS[name]).start(compiled(GAME), seed=0, device=device)
    first.advance()
    return max(int(np.ceil(nodes / first.counts()["nodes"])), 1)


def plan(key: tuple[str, int], nodes: float, device: str) -> CoursePlan:
    """The run of a learner and a seed."""
    from equilibrist.learning.catalogue import load_method

    name, seed = key
    return CoursePlan(
        f"{name}, seed {seed}", load_method(LEARNERS[name]), GAME, iterations_of(name, nodes, device), seed
    )


def by_learning(setting: DiceSetting, request: Request) -> dict[str, list[Curve]]:
    """Curves of each learner, one for each seed."""
    made = courses(
        partial(plan, nodes=setting.nodes, device=request.device),
        [(name, seed) for name in LEARNERS for seed in setting.seeds],
        request,
    )
    return {name: [_curve(made[name, seed]) for seed in setting.seeds] for name in LEARNERS}


def _curve(made: LearningCourse) -> Curve:
    return {
        float(nodes): THOUSANDTHS * value
        for nodes, value in zip(made.nodes, made.exploitability["policy"], strict=True)
    }


def run(request: Request) -> Findings:
    setting, game = FULL if request.full else QUICK, compiled(GAME)
    curves = {
        EXTERNAL: [by_sampling(game, setting.nodes, seed) for seed in setting.seeds],
        FULL_WIDTH: [by_passes(game, setting.nodes)],
    } | by_learning(setting, request)
    ends = {name: float(np.mean([list(each.values())[-1] for each in own])) for name, own in curves.items()}
    return Findings(
        setting=f"Liar's Dice 1x6, 24,576 infosets; {setting.nodes:.0e} histories touched, "
        f"{len(setting.seeds)} seed{'s' if len(setting.seeds) > 1 else ''}; exploitability exact, mean over players",
        checks=checks_of(ends, curves),
        measured={
            "thousandths of the stake at the end": {name: round(value, 1) for name, value in ends.items()},
            "histories touched": {name: round(max(max(each) for each in own)) for name, own in curves.items()},
        },
        remarks=(
            "[Brown20, §5.3] plays this game with search and values of beliefs; here it is learned without either.",
            "PPO and MMD play their last strategies, NFSP its average net, everybody else exact averages.",
            "A pass of CFR touches every history; its first iterations are all that so many histories pay for.",
        ),
        draw=lambda figure: draw_courses(
            figure,
            {name: (list(own[0]), list(own[0].values())) for name, own in curves.items()},
            "histories touched",
            "exploitability (thousandths of the stake)",
        ),
    )


def checks_of(ends: dict[str, float], curves: dict[str, list[Curve]]) -> list[Check]:
    """Everybody learns; regrets learn faster than rewards do."""
    checks: list[Check] = [
        at_least(f"{name}: first / last exploitability", 1.2, float(np.mean([_fall(each) for each in own])))
        for name, own in curves.items()
        if name in LEARNERS
    ]
    best = {name: min(ends[each] for each in group) for name, group in GROUPS.items()}
    checks.append(descending("policy gradients > regrets, the best of each", best))
    return ours(checks)


GROUPS = {"rewards": ("PPO", "MMD"), "regrets": ("SD-CFR", "VR-DeepDCFR+", "DREAM")}


def _fall(curve: Curve) -> float:
    values = list(curve.values())
    return values[0] / values[-1]


EXPERIMENT = Experiment(
    id="brown/learners-liars-dice",
    title="Learning Liar's Dice 1x6 without search, beside tables",
    source="[Brown20, §4.1, §5.3]; [Steinberger20]; [Xu26]; [Rudolph26]",
    seconds_quick=70,
    seconds_full=5000,
    run=run,
    text="Liar's Dice 1x6 by search and values of beliefs",
    quick={"Liar's Dice 1x6, without search": ("reference",)},
    gpu=True,
    side_by_side=True,
)
