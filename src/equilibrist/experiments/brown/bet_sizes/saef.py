"""SAEF on continuous Leduc: automated abstractions beside fixed ones, [Brown20, Figure 4.9]."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between, equal
from equilibrist.experiments.pictures import COLOURS
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import run_all
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.bet_sizing.saef import SAEF, SAEFRun
from equilibrist.solvers.responses.any_size_response import LEAST, MOST, interval_response
from equilibrist.solvers.responses.best_response import own_reach

COARSE = "continuous-leduc"
FIXED = {
    "Branch-2": COARSE,
    "Branch-3": "continuous-leduc(sizes=[0.01,0.33333333333,1])",
    "Branch-5": "continuous-leduc(sizes=[0.01,0.142857142857,0.33333333333,0.6,1])",
}
NEVER = SAEF(threshold=math.inf)
AUTOMATED = {"Recovery-1.01": SAEF(), "Recovery-1.0": SAEF(threshold=1.0), "Transfer": SAEF(method="transfer")}
NODES = {False: 8e6, True: 3e8}  # by `full`
FIRST_MARK = 2e5


@dataclass(frozen=True)
class SAEFTrace:
    """Exploitability in the full game, and histories of the abstraction, by nodes touched."""

    nodes: Sequence[float]
    exploitability: Sequence[float]
    histories: Sequence[int]

    def at(self, nodes: float) -> float:
        """Between the looks, on logarithmic scales."""
        return float(np.exp(np.interp(math.log(nodes), np.log(self.nodes), np.log(self.exploitability))))


def trace(solver: SAEF, game: str, budget: float) -> SAEFTrace:
    run = solver.start(compiled(game))
    nodes, found, sizes = [], [], []
    mark = FIRST_MARK / 4.0
    while True:
        run.advance(5)
        if run.nodes >= mark or run.nodes >= budget:
            nodes.append(float(run.nodes))
            found.append(run.evaluate().exploitability)
            sizes.append(run.game.tree.histories)
            mark = run.nodes * 1.25
        if run.nodes >= budget:
            return SAEFTrace(nodes, found, sizes)


def orderings(found: Mapping[str, SAEFTrace], budget: float, full: bool) -> list[Check]:
    """What the text says of Figure 4.9, at log-spaced points."""
    marks = np.geomspace(2e6, budget, 20)
    best = found["Recovery-1.01"]

    def share(other: str) -> float:
        return float(np.mean([best.at(m) < found[other].at(m) for m in marks]))

    checks = [
        at_least(f"Figure 4.9: share of points with Recovery-1.01 below {name}", 0.9, share(name))
        for name in ("Branch-2", "Branch-3", "Branch-5", "Transfer")
    ]
    last = {name: one.exploitability[-1] for name, one in found.items()}
    checks.append(at_least("Figure 4.9: Branch-2 / Branch-3 at the end", 1.5, last["Branch-2"] / last["Branch-3"]))
    if full:
        checks += [
            at_least("Figure 4.9: Branch-3 / Branch-5 at the end", 1.0, last["Branch-3"] / last["Branch-5"]),
            at_most(
                "Figure 4.9: Recovery-1.01 / Recovery-1.0 at the end", 1.0, last["Recovery-1.01"] / last["Recovery-1.0"]
            ),
            at_most("Figure 4.9: Recovery-1.01 / Branch-5 at the end", 0.5, last["Recovery-1.01"] / last["Branch-5"]),
        ]
    return checks


def merge_checks() -> list[Check]:
    """Adding a bet changes no regret and no average elsewhere, but for the common factor ([Brown20, §4.3.1])."""
    run = SAEF(threshold=math.inf).start(compiled(COARSE))
    run.advance(100)
    old, form = run.tables, run.run.form
    tables = {"regrets": old.regret.copy(), "averages": old.average.copy()}
    extension = run.game.tree.with_action("x:b2", "50%")
    added = run.add("x:b2", "50%")
    carried = old.carried(extension, added.tables.form)
    inside = np.zeros(len(carried.regret), dtype=bool)
    inside[added.part.entrance] = True
    for i in added.part.inside:
        inside[
            added.tables.form.first_sequence[i] : added.tables.form.first_sequence[i] + added.tables.form.actions[i]
        ] = True
    assert len(tables["regrets"]) == int(form.offset[2])
    same = [
        bool(np.array_equal(added.tables.regret[~inside], carried.regret[~inside] * added.weight)),
        bool(np.array_equal(added.tables.average[~inside], carried.average[~inside] * added.weight)),
    ]
    return [
        equal("adding a bet: regrets outside the added part unchanged", True, same[0]),
        equal("adding a bet: averages outside unchanged", True, same[1]),
    ]


def grid_checks(run: SAEFRun) -> list[Check]:
    """The closed form of the best bet ([Brown20, §4.3.3]) beside a grid of step 0.001."""
    sizes, policy = run.sizes, run.average()
    plan, infosets = own_reach(sizes.forest, policy.probabilities), sizes.tree.infosets
    worst = 0.0
    for player in range(2):
        answer = interval_response(sizes, plan, player)
        for i in np.flatnonzero(infosets.player == player):
            first, last = int(sizes.first_bet[i]), int(infosets.first_slot[i + 1])
            if first == last:
                continue
            exact = answer.infoset_value[i]
            others = answer.slot_value[infosets.first_slot[i] : first].max()
            grid = _on_grid(sizes.share[first:last], answer.slot_value[first:last], answer.fold[first:last])
            worst = max(worst, abs(exact - max(others, grid)))
    return [between("best bet, closed form less grid of 0.001 (largest at an infoset)", 0.0, 1e-4, worst)]


def _on_grid(share: Any, value: Any, fold: Any) -> float:
    """The best bet by trying them all, written from the definition of the mapping."""
    best = -math.inf
    for x in np.append(np.arange(LEAST, MOST, 0.001), MOST):
        above = int(np.searchsorted(share, x))
        if above == 0 or above == len(share):
            near = min(above, len(share) - 1)
            worth = fold[near] + (1 + 2 * x) / (1 + 2 * share[near]) * (value[near] - fold[near])
        else:
            a, b = share[above - 1], share[above]
            chance = (b - x) * (1 + a) / ((b - a) * (1 + x))
            low, high = (fold[k] + (1 + 2 * x) / (1 + 2 * share[k]) * (value[k] - fold[k]) for k in (above - 1, above))
            worth = chance * low + (1 - chance) * high
        best = max(best, float(worth))
    return best


def run(request: Request) -> Findings:
    budget = NODES[request.full]
    plans: dict[str, tuple[SAEF, str]] = {name: (NEVER, game) for name, game in FIXED.items()}
    plans |= {name: (solver, COARSE) for name, solver in AUTOMATED.items() if request.full or name != "Recovery-1.0"}
    request.report(f"{len(plans)} runs of {budget:.0e} nodes", 0.0)
    traces = run_all([partial(trace, solver, game, budget) for solver, game in plans.values()])
    found = dict(zip(plans, traces, strict=True))
    request.report("merging and grids", 0.9)
    short = SAEF().start(compiled(COARSE))
    short.advance(60)
    return Findings(
        setting=f"vanilla CFR, simultaneous updates, {budget:.0e} nodes touched each; exploitability in the continuous game",
        checks=[*orderings(found, budget, request.full), *merge_checks(), *grid_checks(short)],
        published=TEXT,
        measured={
            name: {"exploitability": one.exploitability[-1], "histories": one.histories[-1], "nodes": one.nodes[-1]}
            for name, one in found.items()
        },
        remarks=REMARKS,
        draw=lambda figure: draw(figure, found),
    )


def draw(figure: Any, found: Mapping[str, SAEFTrace]) -> None:
    """Exploitability in the full game and size of the abstraction against nodes touched."""
    above, below = figure.subplots(1, 2)
    for place, (name, one) in enumerate(found.items()):
        above.plot(one.nodes, one.exploitability, color=COLOURS[place], label=name, linewidth=1.2)
        below.plot(one.nodes, one.histories, color=COLOURS[place], label=name, linewidth=1.2)
    above.set(xscale="log", yscale="log", xlabel="nodes touched", ylabel="exploitability (antes)", title="full game")
    below.set(xscale="log", yscale="log", xlabel="nodes touched", ylabel="histories", title="abstraction")
    for panel in (above, below):
        panel.grid(alpha=0.25)
        panel.legend(fontsize=7, frameon=False)


REMARKS = (
    "Best responses are taken branch by branch, as if the bettor saw which size its bet was translated to: an "
    "upper bound of exploitability under a hidden draw.",
    "Nodes are histories that some player reaches; recovery games count with all their iterations, estimates by regret transfer with none.",
    "A new size keeps min(0.1, 0.5 T^(-1/4)) from those on the menu on the scale x / (1 + x), "
    "and recovery games have at least 50 iterations: choices that the text leaves open.",
)
TEXT = {
    "Figure 4.9": "Recovery-1.01 is below Branch-2, Branch-3 and Branch-5 at every point; fixed abstractions level off; "
    "Recovery-1.0 and Transfer are worse, Transfer with a bump",
}

EXPERIMENT = Experiment(
    id="brown/saef",
    title="SAEF on continuous Leduc",
    source="[Brown20, §4.3, Figure 4.9]",
    seconds_quick=40,
    seconds_full=550,
    run=run,
    text="continuous Leduc",
    quick={"text": ("pattern", "reference")},
)
