"""The excessive gap technique without branches that are reached too seldom: c / T on Leduc and Leduc-5 (Figures 3.16 and 3.17)."""

from __future__ import annotations

from dataclasses import dataclass, field

from equilibrist.experiments.findings import Check, Request, at_least, at_most
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.first_order.excessive_gap import ThresholdedGapRun, egt
from equilibrist.solvers.pruned_cfr.dynamic_thresholding import ThresholdedForm

CUTS = (0.0, 0.001, 0.005, 0.01, 0.05)  # c of the text; 0.05 was too much
GENTLE = CUTS[1:4]
LEDUC = "leduc(suits=merged)"
MARKS = {LEDUC: (10, 30, 100, 300, 1000), "leduc-5": (10, 30, 100, 300)}


@dataclass
class CutCurve:
    """One run: nodes touched and gap at each mark."""

    cut: float
    iterations: list[int] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)


def cut_curve(game: Compiled, cut: float, marks: tuple[int, ...]) -> CutCurve:
    run, curve = ThresholdedGapRun(egt(), ThresholdedForm(game, cut)), CutCurve(cut)
    for mark in marks:
        run.advance(mark - run.iteration)
        curve.iterations.append(mark)
        curve.nodes.append(run.nodes_touched)
        curve.gaps.append(run.evaluate().nash_conv)
    return curve


def cut_curves(request: Request) -> dict[str, list[CutCurve]]:
    """Every c on Leduc and, with --full, on Leduc-5."""
    out = {}
    for name, marks in (MARKS if request.full else {LEDUC: MARKS[LEDUC]}).items():
        request.report(f"{name}: EGT with {len(CUTS)} thresholds")
        out[name] = [cut_curve(compiled(name), cut, marks) for cut in CUTS]
    return out


def cut_checks(curves: dict[str, list[CutCurve]]) -> list[Check]:
    """Fewer nodes for as good an answer, whatever c up to 0.01; too large a c is seen to hurt."""
    checks = []
    for name, found in curves.items():
        plain, *gentle, large = found
        saved = plain.nodes[-1] / gentle[0].nodes[-1]
        worst = max(curve.gaps[-1] for curve in gentle)
        checks += [
            at_least(f"Figure 3.16, {name}: nodes of EGT without / with c = {GENTLE[0]}", 1.3, saved),
            at_most(
                f"Figure 3.16, {name}: gap of EGT with c = {GENTLE[0]} / without",
                1.25,
                gentle[0].gaps[-1] / plain.gaps[-1],
            ),
            at_most(f"Figure 3.17, {name}: largest gap up to c = {GENTLE[-1]} / without", 1.5, worst / plain.gaps[-1]),
            at_least(
                f"Figure 3.17, {name}: gap with c = {CUTS[-1]} / without, too much",
                1.2,
                large.gaps[-1] / plain.gaps[-1],
            ),
        ]
    return checks
