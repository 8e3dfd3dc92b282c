"""Iterated smoothing against smoothing: steps to an accuracy on random matrices and sequential games (Figure 8.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, on
from equilibrist.experiments.gilpin.equilibria.conditioning import estimate_condition
from equilibrist.experiments.gilpin.equilibria.instances import SMALL_TREE, TINY
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import compiled
from equilibrist.forms.form import Form
from equilibrist.forms.sequence_form.operator_form import OperatorForm
from equilibrist.forms.sequence_form.sequence_form import SparsePayoff, sparse_payoff
from equilibrist.solvers.first_order.smoothing import Smoothing, iterated_smoothing, smoothing

REFERENCE = {
    "smoothing": (42_528, 60_000, 42_093),
    "iterated": (3_105, 29_605, 9_322),
}  # recomputed, 10x10 at 1e-5, three seeds
METHODS = ("smoothing", "iterated", "iterated, Lan-Lu-Monteiro")
FUSED = 200  # sizes up to which loops in one kernel are faster than dense products
MOST = 100_000  # steps after which a run counts as ended


@dataclass(frozen=True)
class DenseMatrix:
    """A matrix as a payoff operator; the empty sequences earn nothing."""

    payoff: Floats

    def gradient(self, player: int, opponent_plan: Floats) -> Floats:
        out = self.payoff @ opponent_plan[1:] if player == 0 else -(opponent_plan[1:] @ self.payoff)
        return np.concatenate([[0.0], out])


def random_form(size: int, seed: int) -> Form:
    """Payoffs drawn from [-1, 1], as in the text."""
    payoff = np.random.default_rng([seed, size]).uniform(-1.0, 1.0, (size, size))
    ints = (np.array(values, dtype=np.int32) for values in ([0, size + 1, 2 * size + 2], [0, 1, 2], [1, size + 2]))
    offset, first_infoset, first_sequence = ints
    actions, parent = np.full(2, size, dtype=np.int32), np.array([0, size + 1], dtype=np.int32)
    arrays = (offset, first_infoset, first_sequence, actions, parent)
    largest = float(np.abs(payoff).max())
    operator = DenseMatrix(payoff) if size > FUSED else _sparse(payoff, offset)
    return OperatorForm(f"{size}x{size} matrix", *arrays, operator, largest)


def _sparse(payoff: Floats, offset: Ints) -> SparsePayoff:
    """All entries written out, for which whole runs are compiled."""
    row, column = np.indices(payoff.shape).reshape(2, -1)
    worth = np.stack([payoff.ravel(), -payoff.ravel()], axis=1)
    return sparse_payoff(row + 1, column + int(offset[1]) + 1, worth, offset)


@dataclass(frozen=True)
class Group:
    """Saddle points of one kind and the accuracies asked for."""

    name: str
    forms: Sequence[Form]
    accuracies: Sequence[float]


@dataclass(frozen=True)
class GradientSteps:
    """Mean number of gradient steps to each accuracy, by method; `ended` runs came to the limit first."""

    mean: Mapping[str, list[float]]
    ended: Mapping[str, int]

    def to_json(self, accuracies: Sequence[float]) -> dict[str, Any]:
        return {name: dict(zip(map(str, accuracies), row, strict=True)) for name, row in self.mean.items()}


def count_steps(group: Group, request: Request) -> GradientSteps:
    counts: dict[str, list[list[int]]] = {name: [] for name in METHODS}
    for number, form in enumerate(group.forms):
        request.report(group.name, number / len(group.forms))
        counts["smoothing"].append([smoothing(accuracy=a).on(form).reach(a, MOST) for a in group.accuracies])
        for name, step in zip(METHODS[1:], ("nesterov", "lan-lu-monteiro"), strict=True):
            counts[name].append(_steps_on_the_way(iterated_smoothing(step=step), form, group.accuracies))
    return GradientSteps(
        {name: np.mean(rows, axis=0).tolist() for name, rows in counts.items()},
        {name: int((np.array(rows) >= MOST).sum()) for name, rows in counts.items()},
    )


def _steps_on_the_way(method: Smoothing, form: Form, accuracies: Sequence[float]) -> list[int]:
    """One run passes all accuracies in turn."""
    run, found = method.on(form), []
    for accuracy in accuracies:
        run.reach(accuracy, MOST - run.iteration)
        found.append(run.iteration)
    return found


def slope(accuracies: Sequence[float], steps: Sequence[float]) -> float:
    """How steps grow with 1 / accuracy, on a logarithmic scale, over the last three accuracies."""
    return float(np.polyfit(-np.log10(accuracies[-3:]), np.log10(steps[-3:]), 1)[0])


def checks_of(group: Group, found: GradientSteps) -> list[Check]:
    plain, iterated, other = (found.mean[name] for name in METHODS)
    checks = [
        at_most(f"{group.name}: iterated / smoothing at {group.accuracies[-1]:g}", 1.0, iterated[-1] / plain[-1]),
        at_most(f"{group.name}: Lan-Lu-Monteiro / iterated", 1.25, other[-1] / iterated[-1]),
    ]
    if group.name == "10x10":
        rates = [slope(group.accuracies, found.mean[name]) for name in METHODS[:2]]
        checks += [
            at_least("10x10: smoothing / iterated at 1e-05", 3.0, plain[-1] / iterated[-1]),
            at_least("10x10: slope of smoothing", 0.7, rates[0]),
            at_most("10x10: slope of iterated / of smoothing", 0.8, rates[1] / rates[0]),
        ]
    return checks


def _part(group: Group, full: bool) -> str:
    if len(group.forms) > 1:
        return "text: random matrices"
    return "Kuhn and Leduc" if full else "Kuhn"


def groups(full: bool) -> list[Group]:
    five = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5]
    found = [
        Group("10x10", [random_form(10, seed) for seed in range(100 if full else 20)], five),
        Group("100x100", [random_form(100, seed) for seed in range(20 if full else 3)], five[: 4 if full else 3]),
        Group(f"{TINY.name} (for {TINY.stands_for})", [TINY.form()], five),
    ]
    if full:
        found.append(Group("1000x1000", [random_form(1000, seed) for seed in range(3)], five[:2]))
        found.append(Group(f"{SMALL_TREE.name} (for {SMALL_TREE.stands_for})", [SMALL_TREE.form()], five[:2]))
    return found


def run(request: Request) -> Findings:
    parts = groups(request.full)
    steps = {group.name: count_steps(group, request) for group in parts}
    request.report("condition measures")
    conditions = {name: estimate_condition(compiled(name)) for name in ("kuhn", "random-matrix(rows=10,columns=10)")}
    return Findings(
        setting=f"{', '.join(f'{g.name}: {len(g.forms)} games' for g in parts)}; at most {MOST:,} steps a run",
        checks=[
            check for group in parts for check in on(_part(group, request.full), checks_of(group, steps[group.name]))
        ],
        published={"Figure 8.6": "iterated smoothing is faster everywhere, the more so the higher the accuracy"},
        recomputed={"10x10 at 1e-5, three seeds": REFERENCE},
        measured={
            "steps": {group.name: steps[group.name].to_json(group.accuracies) for group in parts},
            "runs that came to the limit": {name: found.ended for name, found in steps.items()},
            "condition": {
                name: {"norm": c.norm, "delta at most": c.delta, "kappa at least": c.kappa}
                for name, c in conditions.items()
            },
        },
        remarks=(
            "Smoothing is run anew for every accuracy, iterated smoothing passes all of them in one run.",
            "delta(A) is the smallest gap / distance from equilibrium among iterates: a bound from above.",
        ),
        draw=lambda figure: _draw(figure, parts, steps),
    )


def _draw(figure: Any, parts: Sequence[Group], steps: Mapping[str, GradientSteps]) -> None:
    from equilibrist.experiments.pictures import COLOURS

    panels = figure.subplots(1, len(parts), squeeze=False)[0]
    for panel, group in zip(panels, parts, strict=True):
        for colour, look, name in zip(COLOURS, ("o-", "o-", "x:"), METHODS, strict=False):
            panel.plot(group.accuracies, steps[group.name].mean[name], look, color=colour, markersize=4, label=name)
        panel.set(xscale="log", yscale="log", xlabel="gap", ylabel="gradient steps")
        panel.set_title(group.name, fontsize=9)
        panel.invert_xaxis()
        panel.grid(alpha=0.25)
    panels[0].legend(frameon=False, fontsize=7)


EXPERIMENT = Experiment(
    id="gilpin/smoothing",
    title="Iterated smoothing: logarithmic instead of proportional",
    source="[Gilpin09, §8.4 to §8.6, Figure 8.6]",
    seconds_quick=60,
    seconds_full=900,
    run=run,
    text="100 random games of each size, 81, 10k and 160k",
    quick={"text: random matrices": ("pattern",), "Kuhn": ("pattern",)},
    full={"text: random matrices": ("pattern",), "Kuhn and Leduc": ("pattern",)},
)
