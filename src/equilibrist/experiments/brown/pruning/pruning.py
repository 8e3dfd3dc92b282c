"""Pruning on Leduc and Leduc-5: [Brown20, Figures 3.13 to 3.15 and 3.18 to 3.21]."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, cast

from equilibrist.experiments.brown.pruning.pruning_published import (
    AT_ONCE,
    BRP,
    FLOORED,
    FLOORED_BRP,
    HALF_DECADES,
    ITERATIONS,
    LEDUC,
    LEDUC_5,
    PARTIAL,
    RBP,
    SPACE,
    STEADY_NODES,
    TEXT,
    at_once,
    skipping,
)
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between
from equilibrist.experiments.pictures import COLOURS, curves
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import UNITS, Replica, Spread, run_all, writings
from equilibrist.experiments.tables import Curve, PublishedTable, Rerun, table_checks
from equilibrist.solvers.pruned_cfr.run import PrunedCFR

LEDUC_NAME = "leduc(suits=merged)"
SKIPS = (1, 5, 10, 25, 50)
PER_DECADE = 4  # steps of a curve
ITERATIONS_TOLERANCE = 0.15
SPACE_TOLERANCE = 0.08  # absolute


@dataclass(frozen=True)
class RunPoint:
    """A run after so many nodes."""

    nodes: int
    iterations: int
    exploitability: float  # total, in chips
    space: float  # living sequences / all


def trace(writing: Replica, solver: str, marks: Sequence[int]) -> list[RunPoint]:
    """One run, looked at whenever it has touched so many nodes."""
    run, found = cast(PrunedCFR, writing.start(solver)), []
    for mark in marks:
        run.advance_nodes(mark)
        total = run.evaluate().nash_conv / writing.unit
        found.append(RunPoint(run.nodes_touched, run.iteration, total, run.live_fraction))
    return found


def steps_up_to(marks: Sequence[int]) -> list[int]:
    """The marks and steps before and between them."""
    first, last = math.log10(marks[0]) - 1.0, math.log10(marks[-1])
    fine = {round(10 ** (first + i / PER_DECADE)) for i in range(math.ceil((last - first) * PER_DECADE))}
    return sorted({step for step in fine if step < marks[-1]} | set(marks))


@dataclass(frozen=True)
class Runs(Rerun):
    """A table measured at equal nodes, with everything that was seen on the way."""

    points: Mapping[str, Sequence[Sequence[RunPoint]]] = field(default_factory=dict)  # solver -> equivalent run -> mark
    paths: Mapping[str, Sequence[RunPoint]] = field(default_factory=dict)  # solver -> the first run in finer steps

    def mean(self, solver: str, mark: int, what: str) -> float:
        place = list(self.table.marks).index(mark)
        values = [getattr(run[place], what) for run in self.points[solver]]
        return float(sum(values) / len(values))

    def ratio(self, one: str, other: str, mark: int) -> float:
        return self.at(one, mark).centre / self.at(other, mark).centre


def measure(table: PublishedTable, ways: Sequence[Replica], request: Request) -> Runs:
    """Every solver of a table on every writing of its game."""
    steps = steps_up_to(table.marks)
    jobs = [partial(trace, way, solver, steps) for solver in table.rows for way in ways]
    request.report(f"{table.name}: {len(jobs)} runs to {table.marks[-1]:.3g} nodes")
    found = iter(run_all(jobs))
    cells: dict[str, list[Spread]] = {}
    lines: dict[str, Curve] = {}
    points: dict[str, list[list[RunPoint]]] = {}
    paths: dict[str, list[RunPoint]] = {}
    for solver in table.rows:
        runs = [next(found) for _ in ways]
        paths[solver] = runs[0]
        lines[solver] = [point.nodes for point in runs[0]], [point.exploitability for point in runs[0]]
        points[solver] = [[run[steps.index(mark)] for mark in table.marks] for run in runs]
        cells[solver] = [
            Spread(tuple(point.exploitability for point in column)) for column in zip(*points[solver], strict=True)
        ]
    return Runs(table, cells, lines, points, paths)


def iteration_checks(runs: Runs) -> list[Check]:
    """Iterations done within the same nodes: how much is left out."""
    checks = []
    for solver, row in ITERATIONS[runs.table.name].items():
        for mark, published in zip(runs.table.marks, row, strict=False):
            if math.isfinite(published):
                low, high = published * (1 - ITERATIONS_TOLERANCE), published * (1 + ITERATIONS_TOLERANCE)
                measured = runs.mean(solver, mark, "iterations")
                name = f"{runs.table.name}: iterations of {solver}, {mark:.3g} nodes"
                checks.append(between(name, low, high, measured, target=published))
    return checks


def space_checks(runs: Runs) -> list[Check]:
    """Figures 3.18 and 3.19: living sequences, and that they become fewer."""
    checks = []
    for solver, row in SPACE.get(runs.table.name, {}).items():
        for mark, published in zip(runs.table.marks, row, strict=False):
            if math.isfinite(published):
                low, high = published - SPACE_TOLERANCE, published + SPACE_TOLERANCE
                measured = runs.mean(solver, mark, "space")
                name = f"{runs.table.name}: space of {solver}, {mark:.3g} nodes"
                checks.append(between(name, low, high, measured, target=published))
    return checks


def zero_reach(request: Request, game: str, iterations: int) -> tuple[list[Check], dict[str, float]]:
    """Figure 3.13: total exploitability with and without a best response below actions that are not played."""
    request.report(f"{game}: best responses in zero-reach sequences")
    solvers = {
        "CFR": at_once("cfr(on=pruned)"),
        "CFR, safe": at_once("cfr(zero_reach=safe)"),
        "CFR, always": at_once("cfr(zero_reach=always)"),
        "CFR+": at_once("cfr+(on=pruned)"),
        "CFR+, always": at_once("cfr+(zero_reach=always)"),
    }
    ways = writings(game, UNITS[:2])
    jobs = [partial(_after, way, solver, iterations) for solver in solvers.values() for way in ways]
    values = iter(run_all(jobs))
    found = {name: Spread(tuple(next(values) for _ in ways)).centre for name in solvers}
    checks = [
        at_least(
            f"Figure 3.13, {game}, T={iterations}: CFR over CFR with best responses",
            1.5,
            found["CFR"] / found["CFR, always"],
        ),
        between(
            f"Figure 3.13, {game}: the same for CFR+ (no effect)",
            0.5,
            2.0,
            found["CFR+"] / found["CFR+, always"],
            kind="pattern",
        ),
    ]
    return checks, found


def _after(way: Replica, solver: str, iterations: int) -> float:
    run = way.start(solver)
    run.advance(iterations)
    return run.evaluate().nash_conv / way.unit


def skip_checks(request: Request, nodes: int) -> tuple[list[Check], dict[str, float]]:
    """Figure 3.15: least numbers of iterations worth skipping, at equal nodes, on Leduc-5."""
    request.report("Leduc-5: thresholds for skipping")
    solvers = [skipping(RBP, n) for n in SKIPS]
    (way,) = writings("leduc-5", UNITS[:1])
    found = run_all([partial(trace, way, solver, [nodes]) for solver in solvers])
    values = {solver: points[0].exploitability for solver, points in zip(solvers, found, strict=True)}
    spread = max(values.values()) / min(values.values())
    return [at_most(f"Figure 3.15, Leduc-5, {nodes:.3g} nodes: largest over smallest", 2.0, spread)], values


def forgetting(request: Request, nodes: int) -> tuple[list[Check], dict[str, float]]:
    """Figure 3.19 with the averages of rare actions dropped: C = 0.1 frees more than C = 0."""
    request.report("Leduc-5: averages dropped")
    (way,) = writings("leduc-5", UNITS[:1])
    solvers = {c: f"cfr(pruning=brp,forget={c})" for c in (0.01, 0.1)}
    runs = {c: cast(PrunedCFR, way.start(solver)) for c, solver in solvers.items()}
    run_all([partial(run.advance_nodes, nodes) for run in runs.values()])
    found = {f"averages, C={c}": run.live_averages for c, run in runs.items()}
    found |= {f"regrets, C={c}": run.live_fraction for c, run in runs.items()}
    return [
        at_most(f"Figure 3.19, Leduc-5, {nodes:.3g} nodes: averages in memory at C=0.1", 0.9, found["averages, C=0.1"])
    ], found


def patterns(leduc: Runs, leduc_5: Runs, full: bool) -> list[Check]:
    """What the text says of Figures 3.14, 3.19, 3.20 and 3.21, as far as the runs went."""
    last, last_5 = leduc.table.marks[-1], leduc_5.table.marks[-1]
    checks = [
        at_most(f"Figure 3.14, Leduc, {last:.3g} nodes: RBP / partial", 1.0, leduc.ratio(RBP, PARTIAL, last)),
        at_most(
            f"Figure 3.14, Leduc-5, {last_5:.3g} nodes: RBP / partial", 0.4 if full else 0.55, leduc_5.ratio(RBP, PARTIAL, last_5)
        ),
        between(f"Figure 3.20, Leduc, {last:.3g} nodes: BRP / RBP", 1 / 1.3, 1.3, leduc.ratio(BRP, RBP, last), kind="pattern"),
        between(f"Figure 3.21, Leduc-5, {last_5:.3g} nodes: BRP / RBP", 1 / 1.3, 1.3, leduc_5.ratio(BRP, RBP, last_5), kind="pattern"),
        at_most(
            f"Figure 3.21, Leduc-5, {last_5:.3g} nodes: RM+ with BRP / partial", 0.25 if full else 0.6,
            leduc_5.ratio(FLOORED_BRP, FLOORED, last_5),
        ),
        at_most(
            f"Figure 3.19, Leduc-5, {last_5:.3g} nodes: space of BRP", 0.55 if full else 0.75, leduc_5.mean(BRP, last_5, "space")
        ),
        at_least("Figure 3.19, Leduc-5: space falls from mark to mark, by at least", 0.0, _smallest_fall(leduc_5)),
    ]  # fmt: skip
    if full:
        rate = {solver: _steady_nodes(leduc_5, solver) for solver in (PARTIAL, RBP)}
        checks.append(
            at_least("Figure 3.14, Leduc-5: nodes per iteration, partial / RBP", 4.0, rate[PARTIAL] / rate[RBP])
        )
        for solver, published in STEADY_NODES.items():
            name = f"Leduc-5: nodes per iteration of {solver}, last marks"
            checks.append(between(name, 0.75 * published, 1.25 * published, rate[solver], target=published))
    return checks


def _smallest_fall(runs: Runs) -> float:
    spaces = [runs.mean(BRP, mark, "space") for mark in runs.table.marks]
    return min(a - b for a, b in pairwise(spaces))


def _steady_nodes(runs: Runs, solver: str) -> float:
    """Per iteration between the last two marks."""
    before, after = runs.table.marks[-2:]
    done = runs.mean(solver, after, "iterations") - runs.mean(solver, before, "iterations")
    return (runs.mean(solver, after, "nodes") - runs.mean(solver, before, "nodes")) / done


def run(request: Request) -> Findings:
    full = request.full
    leduc = measure(LEDUC.up_to(10**9 if full else 10**7), writings(LEDUC_NAME, UNITS[: 6 if full else 4]), request)
    ways = writings("leduc-5", UNITS[: 2 if full else 1])
    leduc_5 = measure(LEDUC_5.up_to(10**9 if full else 10**8), ways, request)
    simultaneous = measure(AT_ONCE.up_to(10**9 if full else 10**7), ways[:1], request)
    tables = [leduc, leduc_5, simultaneous]
    idle, zero_reach_found = zero_reach(request, LEDUC_NAME, 10_000)
    skips, skips_found = skip_checks(request, HALF_DECADES[8.5] if full else HALF_DECADES[7.5])
    dropped, dropped_found = forgetting(request, HALF_DECADES[8.5] if full else HALF_DECADES[7.5])
    checks = [c for found in tables for c in (*table_checks([found]), *iteration_checks(found), *space_checks(found))]
    drawn = {found.table.name: found for found in tables}
    return Findings(
        setting=_setting(full),
        checks=[*checks, *patterns(leduc, leduc_5, full), *idle, *skips, *dropped],
        published=TEXT,
        recomputed={found.table.name: found.table.numbers() for found in tables},
        measured={
            **{found.table.name: _numbers(found) for found in tables},
            "zero reach": zero_reach_found,
            "thresholds for skipping": skips_found,
            "space with averages dropped": dropped_found,
        },
        remarks=REMARKS,
        draw=lambda figure: draw(figure, drawn),
    )


def draw(figure: Any, tables: Mapping[str, Runs]) -> None:
    """Three panels of exploitability, one of space."""
    curves(figure, tables, "nodes touched", "total exploitability (chips)")
    panel = figure.axes[len(tables)]
    for place, (solver, label) in enumerate(((BRP, "CFR"), (FLOORED_BRP, "RM+"))):
        for name, style in (("Leduc", "--"), ("Leduc-5", "-")):
            path = tables[name].paths[solver]
            nodes, space = [point.nodes for point in path], [point.space for point in path]
            panel.plot(nodes, space, style, color=COLOURS[place], label=f"{label} with BRP, {name}", linewidth=1.2)
            published = SPACE[name][solver][: len(tables[name].table.marks)]
            panel.plot(tables[name].table.marks, published, "x", color=COLOURS[place], markersize=5)
    panel.set(xscale="log", ylim=(0, 1.05), xlabel="nodes touched", ylabel="sequences in memory", title="Space")
    panel.grid(alpha=0.25)
    panel.legend(fontsize=7, frameon=False)


def _setting(full: bool) -> str:
    if full:
        return "all columns; total exploitability in chips; 6 (Leduc), 2 (Leduc-5) or 1 (simultaneous) equivalent runs"
    return (
        "Leduc to 1e7 nodes (4 equivalent runs), Leduc-5 to 1e8 and, simultaneous, to 1e7 (one run); later columns and the "
        "gates at 1e9 nodes need --full"
    )


def _numbers(runs: Runs) -> Mapping[str, object]:
    return {
        solver: {
            f"{mark:.3g}": {
                "exploitability": cell.centre,
                "iterations": runs.mean(solver, mark, "iterations"),
                "space": runs.mean(solver, mark, "space"),
            }
            for mark, cell in zip(runs.table.marks, cells, strict=True)
        }
        for solver, cells in runs.cells.items()
    }


REMARKS = (
    "Nodes are histories touched by walks, best responses, checks and settlements alike; lazily pushed plans count one per "
    "infoset passed.",
    "The factors 8 and 12 of the text for RBP with CFR are not confirmed, here or in the recomputed table; order and growth "
    "with the size of the game are.",
    "CFR+ with RBP is shown but not checked: an interval treated as one iteration makes it noisy.",
)

EXPERIMENT = Experiment(
    id="brown/pruning",
    title="Partial, regret-based and best-response pruning on Leduc and Leduc-5",
    source="[Brown20, §3.3 and §3.5, Figures 3.13 to 3.15 and 3.18 to 3.21]",
    seconds_quick=80,
    seconds_full=2400,
    run=run,
    text="Leduc and Leduc-5",
    quick={"text": ("reference", "pattern")},
)
