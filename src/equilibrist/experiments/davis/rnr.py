"""Restricted Nash responses in Leduc: gain against risk, plain and generalised ([Davis15, §2.6 and §4.3])."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.findings import Check, Findings, Request, at_most, close
from equilibrist.experiments.leduc_merges import leduc_merge
from equilibrist.experiments.registry import Experiment
from equilibrist.exploit.models.observations import fixed_policy
from equilibrist.exploit.response_functions.response_functions import (
    AbstractBestResponse,
    Mixture,
    Static,
    optimum,
    response_value,
)
from equilibrist.exploit.response_functions.strength import Sides, both_sides
from equilibrist.exploit.responses.restricted_nash import restricted_nash_answer

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 0.9, 0.99, 1.0)
# exploitation and exploitability of the response, chips, seats averaged (2000 CFR+ iterations)
RECOMPUTED = {
    "uniform": (
        (0.708, 0.000), (0.839, 0.003), (1.008, 0.015), (1.183, 0.045), (1.386, 0.113),
        (1.845, 0.452), (2.136, 0.954), (2.255, 1.779), (2.373, 3.352), (2.374, 3.417),
    ),
    "always-call": (
        (0.633, 0.000), (1.034, 0.006), (1.078, 0.010), (1.193, 0.031), (1.271, 0.055),
        (1.350, 0.114), (1.467, 0.329), (1.467, 0.329), (1.467, 0.329), (1.467, 2.77),
    ),
}  # fmt: skip
GENERALISED = {
    0.05: (1.107, 0.168),
    0.2: (1.445, 0.125),
    0.5: (1.713, -0.051),
    0.75: (2.100, -0.631),
    0.9: (2.344, -1.947),
}
WIDTH = 0.02
TIED = ("always-call", 0.75)  # a corner of the frontier: all responses along an edge are optimal there


def trade_off(sides: Sides, model: TabularPolicy, p: float) -> tuple[float, float]:
    """Seat averages of payoff against the model and of risk."""
    answers = [
        restricted_nash_answer(seat, model, p, method="cfr" if p == 0.0 else "lp", iterations=2000) for seat in sides
    ]
    return sum(a.payoff for a in answers) / 2.0, sum(a.risk for a in answers) / 2.0


def generalised(sides: Sides, model: TabularPolicy, p: float) -> tuple[float, float, float]:
    """Exploitation, value against the abstract responder, full exploitability of the optimum against the mixture."""
    found = []
    for seat in sides:
        g = AbstractBestResponse(leduc_merge(seat.form, "JQ.K/nil+pair", seat.opponent))
        _, plan = optimum(seat, Mixture(p, Static(model), g))
        found.append((seat.payoff(plan, seat.their_plan(model)), response_value(seat, g, plan).mean, seat.risk(plan)))
    gain, against, risk = np.mean(found, axis=0).tolist()
    return gain, against, risk


def run(request: Request) -> Findings:
    sides = both_sides("leduc")
    infosets = sides[0].form.infosets
    models = {"uniform": infosets.uniform(), "always-call": fixed_policy(infosets, "call")}
    curves: dict[str, list[tuple[float, float]]] = {}
    for number, (name, model) in enumerate(models.items()):
        request.report(f"restricted Nash responses to {name}", number / 3)
        curves[name] = [trade_off(sides, model, p) for p in WEIGHTS]
    request.report("generalised restricted responses", 0.7)
    wide = {p: generalised(sides, models["uniform"], p) for p in GENERALISED}
    return Findings(
        setting="all recomputed rows by linear program (p = 0 by CFR+, which picks the equilibrium), chips, seats averaged",
        checks=[*_rows(curves), *_shapes(curves), *_generalised(wide, curves["uniform"])],
        recomputed={"plain": RECOMPUTED, "generalised": {str(p): pair for p, pair in GENERALISED.items()}},
        measured={
            **{name: {str(p): pair for p, pair in zip(WEIGHTS, pairs, strict=True)} for name, pairs in curves.items()},
            "generalised": {str(p): row for p, row in wide.items()},
        },
        remarks=(
            "Against always-call, p = 0.75 is a corner of the frontier where a whole edge is optimal; only the goal is compared.",
            "A weight of 0.99 takes as much from always-call as 1 does, and risks an eighth of it.",
            "Where several responses are optimal, exploitability may differ from the reference run: p = 1 is not compared.",
        ),
        draw=_picture(curves),
    )


def _rows(curves: Mapping[str, list[tuple[float, float]]]) -> list[Check]:
    checks = []
    for name, pairs in curves.items():
        for p, (gain, risk), (target, exposed) in zip(WEIGHTS, pairs, RECOMPUTED[name], strict=True):
            width = 0.1 if p == 0.0 else WIDTH  # equilibria differ in what they take from a model
            best = p * target - (1.0 - p) * exposed
            checks.append(
                close(f"{name}, p={p:g}: goal", best, p * gain - (1.0 - p) * risk, 0.1 if p == 0.0 else 0.005)
            )
            if (name, p) == TIED:
                continue
            checks.append(close(f"{name}, p={p:g}: exploitation", target, gain, width))
            if p < 1.0:
                checks.append(close(f"{name}, p={p:g}: exploitability", exposed, risk, WIDTH))
    return checks


def _shapes(curves: Mapping[str, list[tuple[float, float]]]) -> list[Check]:
    """Both coordinates rise with p, and the frontier is concave."""
    checks = []
    for name, pairs in curves.items():
        falls = max(max(a[i] - b[i] for a, b in pairwise(pairs)) for i in range(2))
        checks.append(at_most(f"{name}: largest fall along p", 1e-6, falls))
        distinct = [pairs[0]] + [b for a, b in pairwise(pairs) if b[1] > a[1] + 1e-4]
        slopes = [(b[0] - a[0]) / (b[1] - a[1]) for a, b in pairwise(distinct)]
        bend = max((after - before for before, after in pairwise(slopes)), default=0.0)
        checks.append(at_most(f"{name}: the frontier bends down", 1e-3, bend))
    return checks


def _generalised(wide: Mapping[float, tuple[float, float, float]], plain: list[tuple[float, float]]) -> list[Check]:
    checks = []
    for p, (gain, against, _) in wide.items():
        checks.append(close(f"generalised, p={p:g}: exploitation", GENERALISED[p][0], gain, 0.03))
        checks.append(close(f"generalised, p={p:g}: value against g", GENERALISED[p][1], against, 0.05))
    for p in (0.05, 0.2):
        beyond = wide[p][0] - plain[WEIGHTS.index(p)][0]
        checks.append(at_most(f"p={p:g}: plain less generalised exploitation", -0.1, -beyond))
    return checks


def _picture(curves: Mapping[str, list[tuple[float, float]]]) -> Any:
    def draw(figure: Any) -> None:
        from equilibrist.experiments.pictures import COLOURS

        axes = figure.add_subplot()
        for number, (name, pairs) in enumerate(curves.items()):
            axes.plot([b for _, b in pairs], [a for a, _ in pairs], color=COLOURS[number], marker="o", label=name)
        axes.set_xlabel("exploitability of the response, chips")
        axes.set_ylabel("exploitation of the model, chips")
        axes.legend()

    return draw


EXPERIMENT = Experiment(
    id="davis/rnr",
    title="Restricted Nash responses in Leduc, plain and generalised",
    source="[Davis15, §2.6 and §4.3], recomputed",
    seconds_quick=10,
    seconds_full=10,
    run=run,
    text="no game: definitions and theorems",
    quick={"Leduc": ("pattern", "reference")},
)
