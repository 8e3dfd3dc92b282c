"""Dynamic thresholding with Hedge, regret matching and EGT on Leduc and Leduc-5: [Brown20, Figures 3.16 and 3.17]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from equilibrist.experiments.brown.pruning.thresholded_egt import CutCurve, cut_checks, cut_curves
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between
from equilibrist.experiments.pictures import COLOURS
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import UNITS, Replica, Spread, run_all, writings
from equilibrist.solvers.pruned_cfr.run import PrunedCFR

LEDUC_NAME = "leduc(suits=merged)"
LEDUC_T = 10_000
LEDUC_5_T = {False: 300, True: 3000}  # by `full`
CUTS = (0.25, 0.5, 1.0, 2.0, 4.0)  # d = C - 1
REFERENCE = {
    0.0: (6.5e-3, 3.7e7),
    0.5: (6.1e-3, 2.5e7),
    2.0: (5.6e-3, 2.5e7),
}  # total exploitability and nodes, recomputed
TOLERANCE = 0.15
STEPS = 24  # of a curve

PLAIN = "Hedge"
PARTIAL, BOTH = "Hedge, DT, partial", "Hedge, DT, RBP"
MATCHING, MATCHING_CUT, MATCHING_RBP = "RM, partial", "RM, DT, partial", "RM, RBP"
PLUS = "CFR+, partial"
SOLVERS = {
    PLAIN: "cfr(minimiser=hedge,on=pruned)",
    PARTIAL: "cfr(minimiser=hedge,threshold=0.5,pruning=partial)",
    BOTH: "cfr(minimiser=hedge,threshold=0.5,pruning=rbp)",
    MATCHING: "cfr(pruning=partial)",
    MATCHING_CUT: "cfr(threshold=0.5,pruning=partial)",
    MATCHING_RBP: "cfr(pruning=rbp)",
    PLUS: "cfr+(pruning=partial)",
}


@dataclass(frozen=True)
class ThresholdingTrace:
    """One run: iterations, nodes and total exploitability at several points."""

    iterations: Sequence[int]
    nodes: Sequence[int]
    exploitability: Sequence[float]


def trace(way: Replica, solver: str, iterations: int) -> ThresholdingTrace:
    """A run of so many iterations, looked at in steps."""
    run = cast(PrunedCFR, way.start(solver))
    marks = sorted({max(1, round(iterations ** (i / STEPS))) for i in range(1, STEPS + 1)})
    nodes, found = [], []
    for mark in marks:
        run.advance(mark - run.iteration)
        nodes.append(run.nodes_touched)
        found.append(run.evaluate().nash_conv / way.unit)
    return ThresholdingTrace(marks, nodes, found)


@dataclass(frozen=True)
class ThresholdingOutcome:
    """Equivalent runs of every solver on one game."""

    game: str
    runs: Mapping[str, Sequence[ThresholdingTrace]]

    def end(self, name: str) -> float:
        return Spread(tuple(one.exploitability[-1] for one in self.runs[name])).centre

    def nodes(self, name: str) -> float:
        return sum(one.nodes[-1] for one in self.runs[name]) / len(self.runs[name])

    def numbers(self) -> dict[str, dict[str, float]]:
        return {name: {"exploitability": self.end(name), "nodes": self.nodes(name)} for name in self.runs}


def measure(
    game: str, solvers: Mapping[str, str], iterations: int, units: int, request: Request
) -> ThresholdingOutcome:
    request.report(f"{game}: {len(solvers)} solvers, {iterations:,} iterations")
    ways = writings(game, UNITS[:units])
    found = iter(run_all([partial(trace, way, solver, iterations) for solver in solvers.values() for way in ways]))
    return ThresholdingOutcome(game, {name: [next(found) for _ in ways] for name in solvers})


def hedge(cut: float) -> str:
    return f"cfr(minimiser=hedge,threshold={cut},pruning=partial)"


def leduc_checks(found: ThresholdingOutcome, cuts: ThresholdingOutcome) -> list[Check]:
    """Figures 3.16 and 3.17 as recomputed."""
    ends = {0.0: found.end(PLAIN)} | {cut: cuts.end(hedge(cut)) for cut in CUTS}
    nodes = {cut: cuts.nodes(hedge(cut)) for cut in CUTS}
    checks = []
    for cut, (published, touched) in REFERENCE.items():
        name = f"Leduc, Hedge, d={cut:g}, T={LEDUC_T}"
        checks.append(between(f"{name}: exploitability", published * (1 - TOLERANCE), published * (1 + TOLERANCE), ends[cut],
                              target=published))  # fmt: skip
        if cut:
            checks.append(between(f"{name}: nodes", 0.95 * touched, 1.05 * touched, nodes[cut], target=touched))
    every = [cuts.end(hedge(cut)) for cut in CUTS]
    return [
        *checks,
        at_most("Figure 3.16, Leduc: Hedge with / without thresholds, equal iterations", 1.1, found.end(PARTIAL) / found.end(PLAIN)),
        at_least("Figure 3.16, Leduc: nodes without / with thresholds", 1.4, found.nodes(PLAIN) / found.nodes(PARTIAL)),
        at_most("Figure 3.17, Leduc: largest / smallest exploitability over d", 1.5, max(every) / min(every)),
        between(
            "thresholds on regret matching, Leduc: exploitability with / without (no effect)", 0.7, 1.4,
            found.end(MATCHING_CUT) / found.end(MATCHING), kind="pattern",
        ),
        between(
            "thresholds on regret matching, Leduc: nodes with / without (no effect)", 0.9, 1.1,
            found.nodes(MATCHING_CUT) / found.nodes(MATCHING), kind="pattern",
        ),
    ]  # fmt: skip


def leduc_5_checks(found: ThresholdingOutcome, full: bool) -> list[Check]:
    """Figure 3.16 on the larger game: equal iterations, far fewer nodes, no worse."""
    saved, gate = found.nodes(PLAIN) / found.nodes(BOTH), 3.0 if full else 1.8
    return [
        at_least("Figure 3.16, Leduc-5: nodes of Hedge / with thresholds and RBP", gate, saved),
        at_most(
            "Figure 3.16, Leduc-5: Hedge with both / Hedge, equal iterations", 1.15, found.end(BOTH) / found.end(PLAIN)
        ),
        at_most(
            "Figure 3.16, Leduc-5: CFR+ / Hedge with both, equal iterations", 1.0, found.end(PLUS) / found.end(BOTH)
        ),
    ]


def at_nodes(line: ThresholdingTrace, nodes: float) -> float:
    """Exploitability at the last look within so many nodes."""
    within = [e for n, e in zip(line.nodes, line.exploitability, strict=True) if n <= nodes]
    return within[-1] if within else line.exploitability[0]


def run(request: Request) -> Findings:
    units = 4 if request.full else 2
    leduc = measure(LEDUC_NAME, SOLVERS, LEDUC_T, units, request)
    cuts = measure(LEDUC_NAME, {hedge(cut): hedge(cut) for cut in CUTS}, LEDUC_T, units, request)
    chosen = {name: SOLVERS[name] for name in (PLAIN, PARTIAL, BOTH, MATCHING, MATCHING_RBP, PLUS)}
    leduc_5 = measure("leduc-5", chosen, LEDUC_5_T[request.full], 1, request)
    outcomes = {"Leduc": leduc, "Leduc-5": leduc_5}
    egt = cut_curves(request)
    return Findings(
        setting=_setting(request.full, units),
        checks=[*leduc_checks(leduc, cuts), *leduc_5_checks(leduc_5, request.full), *cut_checks(egt)],
        published=TEXT,
        recomputed={f"d={cut:g}": {"exploitability": e, "nodes": n} for cut, (e, n) in REFERENCE.items()},
        measured={name: found.numbers() for name, found in outcomes.items()}
        | {"d on Leduc": cuts.numbers()}
        | {
            f"EGT on {name}": {f"c={c.cut:g}": {"nodes": c.nodes, "gap": c.gaps} for c in found}
            for name, found in egt.items()
        },
        remarks=[_order(outcomes), REMARK],
        draw=lambda figure: draw(figure, outcomes, egt),
    )


def _setting(full: bool, units: int) -> str:
    last = f"Leduc-5 to T={LEDUC_5_T[full]:,} (one run)"
    later = "" if full else "; the saving of three on Leduc-5, and EGT there, need --full"
    return f"Leduc to T={LEDUC_T:,} ({units} equivalent runs), {last}{later}"


def _order(outcomes: Mapping[str, ThresholdingOutcome]) -> str:
    """Who leads at equal nodes, which the text says of Figure 3.16."""
    parts = []
    for name, found in outcomes.items():
        nodes = min(found.nodes(BOTH), found.nodes(MATCHING_RBP))
        ratio = at_nodes(found.runs[BOTH][0], nodes) / at_nodes(found.runs[MATCHING_RBP][0], nodes)
        parts.append(f"{ratio:.2f} on {name}")
    return f"Hedge with thresholds and RBP over regret matching with RBP, at equal nodes: {', '.join(parts)} (text: below 1, above 1)."


def draw(figure: Any, outcomes: Mapping[str, ThresholdingOutcome], egt: Mapping[str, Sequence[CutCurve]]) -> None:
    """Total exploitability against nodes touched."""
    panels = figure.subplots(1, len(outcomes) + len(egt), squeeze=False)[0]
    for panel, (name, curves) in zip(panels[len(outcomes) :], egt.items(), strict=True):
        for place, curve in enumerate(curves):
            panel.plot(curve.nodes, curve.gaps, color=COLOURS[place], label=f"EGT, c = {curve.cut:g}", linewidth=1.2)
        panel.set(xscale="log", yscale="log", title=f"EGT, {name}", xlabel="nodes touched")
        panel.grid(alpha=0.25)
        panel.legend(fontsize=7, frameon=False)
    for panel, (name, found) in zip(panels[: len(outcomes)], outcomes.items(), strict=True):
        for solver, runs in found.runs.items():
            colour = COLOURS[list(SOLVERS).index(solver)]
            panel.plot(runs[0].nodes, runs[0].exploitability, color=colour, label=solver, linewidth=1.2)
        panel.set(xscale="log", yscale="log", title=name, xlabel="nodes touched", ylabel="total exploitability (chips)")
        panel.grid(alpha=0.25)
        panel.legend(fontsize=7, frameon=False)


REMARK = (
    "Thresholds take effect at the infosets that a walk meets; elsewhere Hedge's falling rate waits for the next visit, so equal "
    "iterations are not bit for bit the same as without pruning."
)
TEXT = {
    "Figure 3.16": "thresholds and RBP make Hedge 7 times faster in Leduc-5; with both, Hedge beats RM in Leduc and loses in Leduc-5; CFR+ "
    "is best in Leduc-5",
    "Figure 3.16, EGT": "thresholds make EGT twice as fast in Leduc-5",
    "Figure 3.17": "Hedge is insensitive to d, EGT to c up to 0.01; c = 0.05 is too much",
}

EXPERIMENT = Experiment(
    id="brown/thresholding",
    title="Dynamic thresholding with Hedge, regret matching and EGT",
    source="[Brown20, §3.4.3, Figures 3.16 and 3.17]",
    seconds_quick=40,
    seconds_full=300,
    run=run,
    text="Leduc and Leduc-5",
    quick={"text": ("reference", "pattern")},
)
