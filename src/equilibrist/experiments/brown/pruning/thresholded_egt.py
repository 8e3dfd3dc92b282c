"""The excessive gap technique without branches that are reached too seldom: c / T on Leduc and Leduc-5 (Figures 3.16 and 3.17)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.experiments.findings import Check, Request, at_least, at_most
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.first_order.excessive_gap import egt
from equilibrist.solvers.pruned_cfr.dynamic_thresholding import BranchGradient

CUTS = (0.0, 0.001, 0.005, 0.01, 0.05)  # c of the text; 0.05 was too much
GENTLE = CUTS[1:4]
LEDUC = "leduc(suits=merged)"
MARKS = {LEDUC: (10, 30, 100, 300, 1000), "leduc-5": (10, 30, 100, 300)}


class SeldomCut:
    """A sequence form whose products leave out branches that chance and the opponent reach with less than c / T."""

    def __init__(self, game: Compiled, cut: float) -> None:
        self.form: SequenceForm = game.sequence_form
        self.walk, self.cut, self.iteration, self.exact = BranchGradient(game), cut, 1, True
        self.name = self.form.name
        self.offset, self.first_infoset = self.form.offset, self.form.first_infoset
        self.first_sequence, self.actions, self.parent = self.form.first_sequence, self.form.actions, self.form.parent
        self._plan = np.ones(int(self.offset[2]))

    def gradient(self, player: int, plan: Floats, out: Floats) -> None:
        """Exact while a run is set up or measured: only steps skip branches."""
        if self.exact:
            out[:] = self.form.payoff.gradient(player, plan)
            return
        self._plan[self.offset[1 - player] : self.offset[2 - player]] = plan
        out[:] = self.walk(player, self.form.behaviour(self._plan), self.cut / self.iteration)


@dataclass
class CutCurve:
    """One run: nodes touched and gap at each mark."""

    cut: float
    iterations: list[int] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)


def cut_curve(game: Compiled, cut: float, marks: tuple[int, ...]) -> CutCurve:
    form, curve = SeldomCut(game, cut), CutCurve(cut)
    run = egt().on(form)
    for mark in marks:
        form.exact = False
        while run.iteration < mark:
            form.iteration = run.iteration + 1
            run.advance(1)
        form.exact = True
        curve.iterations.append(mark)
        curve.nodes.append(form.walk.nodes_touched)
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
