"""Discounted Monte Carlo CFR on two river subgames of no-limit hold'em: [Brown20, Figures 3.6 and 3.7] recomputed.

The ranges are data of others: they are read from a folder that the user names. Without them every hand is equally likely,
and only orderings are claimed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from equilibrist.experiments.brown.discounting.dcfr_hunl import MBB, load
from equilibrist.experiments.brown.discounting.hunl_published import SUBGAMES, PublishedSubgame
from equilibrist.experiments.findings import Check, Findings, Request, at_most
from equilibrist.experiments.pictures import curves
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import Spread, run_all
from equilibrist.experiments.tables import Curve, PublishedTable, Rerun, table_checks
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.mccfr.spots import SpotMCCFR

VANILLA, LINEAR, INITIAL = "vanilla", "linear", "initial discount"
WEIGHTINGS = {VANILLA: "none", LINEAR: "linear", INITIAL: "initial"}
MARKS = (10**7, round(10**7.5), 10**8, round(10**8.5), 10**9)  # nodes
PER_DECADE = 4  # steps of a curve
TOLERANCE = 0.15  # means of two runs were published
RUNS = {False: 2, True: 4}  # by `full`

V5: Mapping[int, Mapping[str, Sequence[float]]] = {  # mbb/g, period of 1e7 nodes
    3: {
        VANILLA: (1383, 549, 207, 76.8, 31.4),
        LINEAR: (1383, 325, 95.7, 45.4, 22.4),
        INITIAL: (1383, 220, 93.1, 46.6, 25.2),
    },
    4: {
        VANILLA: (1065, 470, 212, 103, 47.6),
        LINEAR: (1065, 379, 182, 84.2, 40.9),
        INITIAL: (1065, 410, 194, 92.7, 45.8),
    },
}
RIVERS = {subgame.number: subgame for subgame in SUBGAMES if subgame.river}


def trace(spot: Spot, weighting: str, seed: int, steps: Sequence[int]) -> list[float]:
    """mbb/g of the average after so many nodes."""
    run, found = SpotMCCFR(spot, MCCFR(weighting=WEIGHTINGS[weighting]), seed), []
    for step in steps:
        run.advance_nodes(step)
        found.append(MBB * run.exploitability())
    return found


def steps_up_to(last: int) -> list[int]:
    fine = {round(10 ** (6 + i / PER_DECADE)) for i in range(int(PER_DECADE * math.log10(last / 1e6)))}
    return sorted(fine | {mark for mark in MARKS if mark <= last})


def measure(subgame: PublishedSubgame, spot: Spot, table: PublishedTable, runs: int, request: Request) -> Rerun:
    """Every weighting with several seeds."""
    request.report(f"{subgame.name}: {runs} runs of each weighting to {table.marks[-1]:.3g} nodes")
    steps = steps_up_to(table.marks[-1])
    found = iter(run_all([partial(trace, spot, name, seed, steps) for name in WEIGHTINGS for seed in range(runs)]))
    cells: dict[str, list[Spread]] = {}
    lines: dict[str, Curve] = {}
    for name in WEIGHTINGS:
        traces = [next(found) for _ in range(runs)]
        cells[name] = [Spread(tuple(line[steps.index(mark)] for line in traces)) for mark in table.marks]
        lines[name] = steps, traces[0]
    return Rerun(table, cells, lines)


def patterns(number: int, found: Rerun) -> list[Check]:
    """What the text says of Figures 3.6 and 3.7, as far as the run went."""
    ratio = {mark: found.at(LINEAR, mark).centre / found.at(VANILLA, mark).centre for mark in found.table.marks}
    if number == 3:
        return [at_most("Figure 3.6, 1e8 nodes: linear / vanilla", 0.6, ratio[10**8])]
    return [
        at_most(f"Figure 3.7, {mark:.3g} nodes: linear / vanilla", 1.0, ratio[mark]) for mark in found.table.marks[1:]
    ]


def run(request: Request) -> Findings:
    ranges, last = request.data is not None, 10**9 if request.full else 10**8
    checks: list[Check] = []
    tables: dict[str, Rerun] = {}
    for number, subgame in RIVERS.items():
        rows = {name: row if ranges else [math.nan] * len(row) for name, row in V5[number].items()}
        table = PublishedTable(subgame.name, MARKS, rows, TOLERANCE, mark="{:.3g} nodes").up_to(last)
        found = tables[subgame.name] = measure(subgame, load(subgame, request.data), table, RUNS[request.full], request)
        checks += patterns(number, found)
        if ranges:
            checks += table_checks([found])
    gains = {name: found.at(LINEAR, 10**8).centre / found.at(VANILLA, 10**8).centre for name, found in tables.items()}
    checks.append(
        at_most(
            "Figure 3.7: linear gains less than in Figure 3.6, ratio of both at 1e8",
            1.0,
            gains["subgame 3"] / gains["subgame 4"],
        )
    )
    return Findings(
        setting=_setting(request),
        checks=checks,
        published=TEXT,
        recomputed={
            RIVERS[number].name: {name: list(row) for name, row in rows.items()} for number, rows in V5.items()
        },
        measured={name: found.numbers() for name, found in tables.items()},
        remarks=_remarks(ranges),
        draw=lambda figure: curves(figure, tables, "nodes touched", "exploitability (mbb/g)"),
    )


def _setting(request: Request) -> str:
    scope = f"to {'1e9' if request.full else '1e8'} nodes, {RUNS[request.full]} seeds, periods of 1e7 nodes"
    if request.data is None:
        return (
            f"stand-in ranges: every hand that the board allows, equally likely; {scope}; the table needs --data FOLDER"
        )
    return f"{scope}; mbb/g" if request.full else f"{scope}; mbb/g; later columns need --full"


def _remarks(ranges: bool) -> list[str]:
    counted = "Nodes are decisions and leaves of the betting; the draw of the two hands is not counted."
    if ranges:
        return [
            counted,
            "Cells are geometric means over seeds; a published mean of two runs must lie within four deviations and 15 %.",
        ]
    return [counted, "On the stand-in ranges no published number can be compared, so the status is at most a pattern."]


TEXT = {
    "subgame 3": "linear weights are clearly better than none, most of all here; an initial discount lies between or close",
    "subgame 4": "linear weights are better",
}

EXPERIMENT = Experiment(
    id="brown/mccfr-hunl",
    title="Discounted Monte Carlo CFR on two river subgames of no-limit hold'em",
    source="[Brown20, §3.1.5, Figures 3.6 and 3.7]",
    seconds_quick=40,
    seconds_full=700,
    run=run,
    text="two rivers of no-limit hold'em with Libratus' ranges, 100 runs",
    quick={"every hand equally likely": ("pattern",)},
    data={"text": ("pattern", "reference")},
)
