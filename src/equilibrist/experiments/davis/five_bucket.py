"""Five-bucket limit hold'em: an equilibrium, and what graded responders get from it ([Davis15, §5.2])."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from equilibrist.experiments.davis.bucket_holdem import BucketSetting, numbers, open_setting, solve_to
from equilibrist.experiments.findings import (
    Check,
    Findings,
    Request,
    ascending,
    at_least,
    at_most,
    between,
    close,
    equal,
    on,
    ours,
    printed,
)
from equilibrist.experiments.registry import Experiment
from equilibrist.exploit.response_functions.class_uct_fbr import FixedOpponent, RoundFBR, RoundUCT, sampled_value
from equilibrist.exploit.response_functions.response_functions import SampleMean
from equilibrist.solvers.hand_classes.class_cfr import ClassCFR
from equilibrist.solvers.hand_classes.passes import Weights

GAME = "bucket-holdem"
INFOSETS = 3_624_290  # [Davis15, §5.2.2]: 3.6e6
GOAL = 4.0  # mbb/g
OWN = 10_000  # hands of the responder that the thesis trains and measures with
PUBLISHED = {
    "exploitability of CFR, mbb/g": 4,
    "CFR against FBR-10k, mbb/g": 75,
    "always-fold, mbb/g": 750,
    "information sets": "3.6e6",
    "UCT after 5e7 samples": "loses 41 mbb/g",
    "FBR": "wins with fewer than 1e5 samples",
}
SAMPLED_HANDS = 2_000_000
FLAT = 30.0  # mbb/g: how far the score may move after the first quarter of training

Curve = dict[int, SampleMean]


def score_while_training(
    setting: BucketSetting, request: Request, runs: int, marks: tuple[int, ...]
) -> tuple[ClassCFR, float, Curve]:
    """CFR to the goal, and its score against FBR-10k on the way (Figure 5.3)."""
    curve: Curve = {}

    def watch(run: ClassCFR) -> None:
        if run.iteration in marks:
            curve[run.iteration] = setting.value(run.average, RoundFBR(OWN), runs)

    run, reached = solve_to(setting, GOAL, request, watch)
    curve[run.iteration] = setting.value(run.average, RoundFBR(OWN), runs)
    return run, reached, curve


def two_routes(setting: BucketSetting, weights: Weights) -> Check:
    """One answer of FBR-10k in the second seat: what products say, and what sampled hands say (4 standard errors)."""
    answer = RoundFBR(OWN).respond(setting.arena, 0, weights[0], np.random.default_rng(7))
    exact = FixedOpponent(setting.arena, 0, weights[0]).value(answer) * setting.unit
    drawn = sampled_value(setting.arena, (weights[0], answer), hands=SAMPLED_HANDS, rng=np.random.default_rng(11))
    return close(
        f"first seat against one FBR-{OWN}, mbb/g: products, and {SAMPLED_HANDS:,} sampled hands",
        exact,
        drawn.mean * setting.unit,
        2.05 * drawn.interval * setting.unit,
    )


def plateau(curve: Mapping[int, SampleMean]) -> Check:
    """The score against FBR-10k after the first quarter of training."""
    last = max(curve)
    late = [cell.mean for iteration, cell in curve.items() if iteration >= last / 4]
    return at_most(
        "movement of the score against FBR-10000 after the first quarter of training, mbb/g", FLAT, np.ptp(late)
    )


def run(request: Request) -> Findings:
    setting = open_setting(GAME, request)
    runs = 100 if request.full else 10
    grades = (1000, 3000, 10_000, 30_000, 100_000, 1_000_000) if request.full else (1000, 10_000, 100_000)
    searches = (10_000, 100_000, 1_000_000, 10_000_000) if request.full else (10_000, 100_000)
    marks = (10, 20, 30, 50, 70, 100, 140, 180, 220) if request.full else (20, 60, 120)
    folding = setting.exploitability(setting.always_fold())
    solved, reached, curve = score_while_training(setting, request, runs, marks)
    cells, searched = {}, {}
    for n in grades:
        request.report(f"equilibrium against FBR-{n}", None)
        cells[n] = setting.value(solved.average, RoundFBR(n), runs if n < 1_000_000 else 10)
    for n in searches:
        request.report(f"equilibrium against UCT-{n}", None)
        searched[n] = setting.value(solved.average, RoundUCT(n), max(5, runs // 10))
    form = setting.arena.form
    checks = [
        equal("information sets", INFOSETS, sum(form.infosets)),
        *printed(
            [
                between("information sets, two digits", 3.55e6, 3.65e6, sum(form.infosets), target=3.6e6),
                close("always-fold, exploitability, mbb/g", 750.0, folding, 1e-6),
                close(f"CFR against FBR-{OWN}, mbb/g", 75.0, cells[OWN].mean, 0.5 + cells[OWN].interval),
            ]
        ),
        *ours([at_most("exploitability of CFR, mbb/g", GOAL, reached)]),
        plateau(curve),
        ascending("value falls as FBR grows", {str(n): -cell.mean for n, cell in cells.items()}),
        *on(
            "UCT in the five-bucket game",
            [
                ascending("value falls as UCT grows", {str(n): -cell.mean for n, cell in searched.items()}),
                at_least(
                    f"value against UCT-{searches[1]} less that against FBR-{grades[0]}, mbb/g: UCT needs far more samples",
                    0.0,
                    searched[searches[1]].mean - cells[grades[0]].mean,
                ),
            ],
        ),
        two_routes(setting, solved.average),
    ]
    return Findings(
        setting=f"{GAME}: 20,000 boards, {solved.solver.name} to {GOAL:g} mbb/g ({solved.iteration} iterations), {runs} draws of each "
        "responder, both seats averaged, mbb/g",
        checks=checks,
        published=PUBLISHED,
        measured={
            "exploitability": reached,
            "iterations": solved.iteration,
            "always-fold": folding,
            "CFR against FBR-10000 while training": numbers(curve),
            "CFR against FBR": numbers(cells),
            "CFR against UCT": numbers(searched),
            "deals": setting.game.deals.hash,
        },
        remarks=(
            "The buckets of the thesis are not published; these are nested percentiles of E[HS²], counted on 20,000 boards.",
            f"CFR earns more than 75 mbb/g from FBR-{OWN}: what a poor model meets off the path depends on which equilibrium is found.",
            "UCT searches the abstract game here; the thesis let it search hold'em itself, which is harder still.",
        ),
        draw=lambda figure: _draw(figure, cells, searched, curve),
    )


def _draw(figure: Any, cells: Curve, searched: Curve, curve: Curve) -> None:
    from equilibrist.experiments.pictures import COLOURS

    left, right = figure.subplots(1, 2)
    for number, (name, row) in enumerate((("FBR", cells), ("UCT", searched))):
        means, half = [c.mean for c in row.values()], [c.interval for c in row.values()]
        left.errorbar(list(row), means, yerr=half, color=COLOURS[number], marker="o", label=f"CFR against {name}")
    left.set(xscale="log", xlabel="samples of the responder", ylabel="our value, mbb/g")
    left.legend(frameon=False)
    right.errorbar(
        list(curve),
        [c.mean for c in curve.values()],
        yerr=[c.interval for c in curve.values()],
        color=COLOURS[0],
        marker="o",
    )
    right.set(xlabel="iterations of CFR", ylabel=f"value against FBR-{OWN}, mbb/g")


EXPERIMENT = Experiment(
    id="davis/five-bucket",
    title="Five-bucket limit hold'em against graded responders",
    source="[Davis15, §5.2, Figure 5.3]",
    seconds_quick=100,
    seconds_full=1500,
    run=run,
    text="five-bucket limit hold'em; UCT in limit hold'em itself",
    quick={"text": ("printed", "pattern", "reference"), "UCT in the five-bucket game": ("pattern",)},
)
