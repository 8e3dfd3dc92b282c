"""CFR-FBR in limit hold'em with buckets: strategies trained against responders of n hands ([Davis15, §5.2])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.kernel import cache_folder
from equilibrist.experiments.davis.bucket_holdem import BucketSetting, numbers, open_setting, solve_to
from equilibrist.experiments.findings import Check, Findings, Request, ascending, at_least, at_most, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.exploit.response_functions.class_cfr_f import RoundTraining
from equilibrist.exploit.response_functions.class_uct_fbr import RoundFBR, head_to_head
from equilibrist.exploit.response_functions.response_functions import SampleMean
from equilibrist.solvers.hand_classes.passes import Weights

ALWAYS_FOLD = 750.0  # mbb/g
PUBLISHED = {
    "CFR against FBR-10k": 75,
    "CFR-FBR-10k": "negative against FBR-10k for 24 hours, then passes CFR; also ahead against FBR-3k and FBR-1k",
    "exploitability of CFR-FBR-10k": "above 1000",
    "CFR-FBR-30k": "about equal to CFR against FBR-30k",
    "CFR-FBR-100k": "worse than CFR against FBR-100k after 5.8 M iterations",
}
STEPS_PER_DECADE = 4  # of a training curve
KEPT_SECONDS = 60.0  # between saves
KEPT_VERSION = 1  # raised whenever the same run would learn otherwise


@dataclass(frozen=True)
class Plan:
    """What is trained, how long, and how it is measured."""

    game: str
    goal: float  # exploitability of the equilibrium, mbb/g
    rows: Mapping[int, int]  # hands of the responder -> iterations
    grades: Sequence[int]  # responders that everything is measured against
    runs: int  # draws of a responder for a cell
    points: int  # draws for a point of a training curve
    passes: Sequence[int]  # rows that must pass the equilibrium against their own responder


QUICK = Plan(
    "bucket-holdem(buckets=3,boards=2000)", 4.0, {300: 600, 1000: 600}, (100, 300, 1000, 10_000), 20, 5, (300, 1000)
)
FULL = Plan(
    "bucket-holdem",
    4.0,
    {1000: 1000, 3000: 2000, 10_000: 3000, 30_000: 3000, 100_000: 3000},
    (1000, 3000, 10_000, 30_000, 100_000, 1_000_000),
    100,
    10,
    (1000, 3000, 10_000),
)


@dataclass
class Learning:
    """Figures 5.3 and 5.4: iterations, value against the own responder with its interval, exploitability."""

    rows: list[tuple[float, float, float, float]] = field(default_factory=list)

    def add(self, iteration: int, value: SampleMean, exploitability: float) -> None:
        self.rows.append((iteration, value.mean, value.interval, exploitability))

    def column(self, k: int) -> list[float]:
        return [row[k] for row in self.rows]


def marks(last: int) -> list[int]:
    """Iterations at which a training curve is measured."""
    steps = {round(10 ** (k / STEPS_PER_DECADE)) for k in range(STEPS_PER_DECADE, 40)}
    return sorted({step for step in steps if step < last} | {last})


def train(setting: BucketSetting, n: int, plan: Plan, request: Request) -> tuple[Weights, Learning]:
    """CFR-FBR-n; what was learnt is kept every minute, and a run that was interrupted goes on."""
    training = RoundTraining(setting.arena.form, RoundFBR(n), seed=n)
    kept = Checkpoints(
        cache_folder() / "training" / "cfr-fbr",
        f"{KEPT_VERSION}-{setting.game.deals.hash}-{n}-{plan.points}",
        seconds=KEPT_SECONDS,
    )
    name, learning = f"fbr-{n}-{setting.game.deals.hash[:8]}", Learning()
    found = kept.load(name)
    if found is not None and int(found["iteration"][0]) <= plan.rows[n]:
        training.restore(found)
        learning.rows = [tuple(row) for row in found["curve"].tolist()]

    def state() -> dict[str, Any]:
        return {**training.state(), "curve": np.array(learning.rows).reshape(-1, 4)}

    last = plan.rows[n]
    for mark in marks(last):
        while training.iteration < mark:
            training.advance(1)
            request.report(f"CFR-FBR-{n}: iteration {training.iteration:,} of {last:,}", training.iteration / last)
            kept.save_now_and_then(name, state)
        if not learning.rows or learning.rows[-1][0] < mark:
            value = setting.value(training.average, RoundFBR(n), plan.points, seed=mark)
            learning.add(mark, value, setting.exploitability(training.average))
    if request.full:  # the next row may be interrupted
        kept.save(name, state())
    return training.average, learning


def measure(
    setting: BucketSetting, weights: Weights, plan: Plan, request: Request, title: str
) -> dict[int, SampleMean]:
    """A strategy against all grades (Figure 5.5)."""
    cells = {}
    for n in plan.grades:
        request.report(f"{title} against FBR-{n}", None)
        cells[n] = setting.value(weights, RoundFBR(n), plan.runs if n < 1_000_000 else max(2, plan.runs // 10))
    return cells


def row_checks(n: int, plan: Plan, cells: Mapping[str, Mapping[int, SampleMean]], learning: Learning) -> list[Check]:
    """What the thesis says of one strategy."""
    title, own, base = f"CFR-FBR-{n}", cells[f"CFR-FBR-{n}"], cells["CFR"]
    checks = [
        at_most(f"{title}: value against its responder at first, mbb/g", 0.0, learning.rows[0][1]),
        at_least(f"{title}: exploitability in the end, mbb/g", ALWAYS_FOLD / 2, learning.rows[-1][3]),
        ascending(
            f"{title}: value falls as the responder grows beyond its own",
            {str(m): -cell.mean for m, cell in own.items() if m >= n},
        ),
    ]
    for m in (m for m in plan.grades if m <= n and n in plan.passes):
        margin = float(np.hypot(own[m].interval, base[m].interval))
        checks.append(at_least(f"{title} less CFR against FBR-{m}, mbb/g: ahead", margin, own[m].mean - base[m].mean))
    return checks


def run(request: Request) -> Findings:
    plan = FULL if request.full else QUICK
    setting = open_setting(plan.game, request)
    solved, reached = solve_to(setting, plan.goal, request)
    cells = {"CFR": measure(setting, solved.average, plan, request, "CFR")}
    checks, curves = ours([at_most("exploitability of CFR, mbb/g", plan.goal, reached)]), {}
    against = {}
    for n in plan.rows:
        weights, learning = train(setting, n, plan, request)
        title = f"CFR-FBR-{n}"
        curves[title], cells[title] = learning, measure(setting, weights, plan, request, title)
        against[title] = head_to_head(setting.arena, weights, solved.average) * setting.unit
        checks += row_checks(n, plan, cells, learning)
    return Findings(
        setting=f"{plan.game}, iterations {dict(plan.rows)}, {plan.runs} draws of each responder, both seats averaged, mbb/g",
        checks=checks,
        published=PUBLISHED,
        measured={
            "exploitability of CFR": reached,
            "values": {name: numbers(row) for name, row in cells.items()},
            "exploitability": {name: learning.rows[-1][3] for name, learning in curves.items()},
            "against CFR": against,
            "training": {
                name: {"iterations": c.column(0), "value": c.column(1), "exploitability": c.column(3)}
                for name, c in curves.items()
            },
        },
        remarks=(
            "One full-width update for each answer; the thesis makes 1,200 sampled ones, which leaves the definition of CFR-f.",
            "Interrupted runs go on from what they kept a minute ago.",
        ),
        draw=lambda figure: _draw(figure, cells, curves),
    )


def _draw(figure: Any, cells: Mapping[str, Mapping[int, SampleMean]], curves: Mapping[str, Learning]) -> None:
    from equilibrist.experiments.pictures import COLOURS

    graded, learning, risk = figure.subplots(1, 3)
    for number, (name, row) in enumerate(cells.items()):
        means, half = [c.mean for c in row.values()], [c.interval for c in row.values()]
        graded.errorbar(list(row), means, yerr=half, color=COLOURS[number % len(COLOURS)], marker="o", label=name)
    for number, (name, curve) in enumerate(curves.items(), start=1):
        colour = COLOURS[number % len(COLOURS)]
        learning.plot(curve.column(0), curve.column(1), "o-", color=colour, label=name)
        risk.plot(curve.column(0), curve.column(3), "o-", color=colour, label=name)
    graded.set(xscale="log", xlabel="hands of the responder", ylabel="our value, mbb/g")
    learning.set(xscale="log", xlabel="iterations", ylabel="value against the own responder, mbb/g")
    risk.set(xscale="log", yscale="log", xlabel="iterations", ylabel="exploitability, mbb/g")
    graded.legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    id="davis/cfr-fbr-holdem",
    title="Strategies trained against frequentist responders in limit hold'em with buckets",
    source="[Davis15, §5.2, Figures 5.3 to 5.5]",
    seconds_quick=100,
    seconds_full=6000,
    run=run,
    text="five-bucket limit hold'em, responders of 1,000 to 100,000 hands",
    quick={"three-bucket game, responders of 300 and 1,000 hands": ("pattern", "reference")},
    full={"text": ("pattern", "reference")},
)
