"""The CFR family on four subgames of heads-up no-limit hold'em: [Brown20, Figures 3.1 to 3.4] recomputed.

The ranges are data of others: they are read from a folder that the user names. Without them every hand is equally likely,
and only tree sizes and orderings are claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np

from equilibrist.cards.ranges import Range
from equilibrist.core.errors import FormatError
from equilibrist.experiments.brown.discounting.hunl_published import (
    FLOORED,
    NO,
    PLUS,
    SUBGAMES,
    TOLERANCE,
    PublishedSubgame,
    Row,
)
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
)
from equilibrist.experiments.pictures import curves
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import Spread, run_all
from equilibrist.experiments.tables import Curve, PublishedTable, Rerun, fine_steps, table_checks
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.forms.boards.street_betting import DEAL, FOLD, IP, SHOWDOWN
from equilibrist.games.spots.imports import LIBRATUS_BETS, LIBRATUS_STACK, spot_from_subgame
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import factors_of
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.registry import make_solver

MBB = 10.0  # mbb/g in a chip: the big blind is 100 chips
RIVERS_DEALT = 48  # cards that a turn leaves
UNITS = (1, 3, 5, 7, 11, 13)  # whole, so that bets stay whole chips; none but the first a power of two
LAST_QUICK = 1000  # iterations
ORDERED = ("cfr", PLUS, "lcfr", "dcfr")  # whom the text puts in an order


class UsualAverage(BoardCFR):
    """The same passes, with each player's strategy averaged before its own update, as the published values were made.

    The solver averages what the opponent faces, which for the player out of position is one iteration later (both are
    usual). Here an iteration ends between the two updates, so that both have played T strategies.
    """

    def advance(self, iterations: int) -> None:
        t = np.arange(self.iteration, self.iteration + iterations + 1, dtype=np.float64)
        at = np.maximum(t, 1.0)
        factors = np.stack(factors_of(self.schedule, at), axis=1)
        factors[t == 0.0, :2] = 0.0  # nothing is learnt before the first iteration, only played: uniformly
        weights = factors.astype(np.float32)
        for before, now in pairwise(weights):
            self._pass(kernels.LEARN, 1, kernels.Weights(before[0], before[1], now[2]))
            self._pass(kernels.LEARN, 0, kernels.Weights(*now))
        self.iteration += iterations


def start_usual(spot: Spot, solver: str) -> UsualAverage:
    """As `start_spot`, with the other average."""
    schedule = cast(CFR, make_solver(solver)).schedule
    return UsualAverage.on_spot(compile_spot(spot), schedule)


class Cells(Rerun):
    """A table with holes: only published cells are compared."""

    def checked_cells(self) -> Iterator[tuple[str, float, Spread]]:
        return (entry for entry in super().checked_cells() if math.isfinite(entry[1]))

    def order(self, name: str, solvers: Sequence[str], mark: int) -> Check:
        return ascending(name, {solver: self.at(solver, mark).centre for solver in solvers})

    def ratio(self, one: str, other: str, mark: int) -> float:
        return self.at(one, mark).centre / self.at(other, mark).centre


def load(subgame: PublishedSubgame, folder: str | None) -> Spot:
    """The subgame with the ranges of a folder, or with every hand equally likely."""
    if folder is None:
        everything = Range(np.ones(1326))
        return Spot(
            board=subgame.board,
            pot=subgame.pot,
            stack=LIBRATUS_STACK - subgame.pot / 2.0,
            range={"oop": everything, "ip": everything},
            bets=LIBRATUS_BETS,
        )
    path = Path(folder) / f"subgame{subgame.number}.txt"
    spot = spot_from_subgame(path)
    if (spot.board_text, spot.pot) != (subgame.board, subgame.pot):
        raise FormatError(
            f"'{path}' holds the board {spot.board_text} with a pot of {spot.pot:g}; expected {subgame.board} with "
            f"{subgame.pot:g}, subgame {subgame.number} of the four published ones."
        )
    return spot


def in_unit(spot: Spot, unit: int) -> Spot:
    """The same spot in smaller chips."""
    return spot if unit == 1 else spot.changed(pot=unit * spot.pot, stack=unit * spot.stack)


def tree_size(spot: Spot) -> tuple[tuple[int, ...], int]:
    """Decision, fold, showdown and chance nodes with cards dealt; infoset-actions over the hands of either range."""
    held = int(np.count_nonzero(spot.weights(0) + spot.weights(1)))
    nodes, entries = np.zeros(4, dtype=np.int64), 0
    for depth, forest in enumerate(compile_spot(spot).forests):
        boards = RIVERS_DEALT**depth
        kind = forest.kind
        nodes += boards * np.array([(kind <= IP).sum(), *((kind == end).sum() for end in (FOLD, SHOWDOWN, DEAL))])
        entries += boards * held * sum(forest.slots)
    return tuple(int(n) for n in nodes), entries


def tree_checks(subgame: PublishedSubgame, spot: Spot, ranges: bool) -> list[Check]:
    """What does not depend on solving; without the ranges only the public tree."""
    nodes, entries = tree_size(spot)
    checks = [equal(f"{subgame.name}: decision, fold, showdown, chance nodes", list(subgame.nodes), list(nodes))]
    if ranges:
        run = start_usual(spot, "cfr")
        run.advance(1)
        checks += [
            close(f"{subgame.name}: infoset-actions", subgame.infoset_actions[0], entries, subgame.infoset_actions[1]),
            close(f"{subgame.name}: mbb/g at T=1", subgame.uniform, MBB * run.exploitability(), 5.0),
        ]
    return checks


def exploitability_at(run: BoardCFR, marks: Sequence[int], unit: int = 1) -> list[float]:
    """mbb/g of the average after each number of iterations."""
    found = []
    for mark in marks:
        run.advance(mark - run.iteration)
        found.append(MBB * run.exploitability() / unit)
    return found


@dataclass(frozen=True)
class SubgameOutcome:
    """One subgame solved by every solver of its table."""

    cells: Cells
    value: float  # chips to the player out of position, from DCFR
    rises: Sequence[tuple[float, int]] = ()  # of DCFR(1.5, -inf, 2) in each run: factor, and the iterations it ends at


def rerun(subgame: PublishedSubgame, spot: Spot, table: PublishedTable, request: Request) -> SubgameOutcome:
    """Every solver in every unit, as far as numbers are published."""
    cells: dict[str, Sequence[Spread]] = {}
    lines: dict[str, Curve] = {}
    value, rises = NO, []
    for number, (solver, row) in enumerate(table.rows.items()):
        request.report(f"{table.name}: {solver}", number / len(table.rows))
        known = [mark for mark, x in zip(table.marks, row, strict=True) if math.isfinite(x)] or table.marks
        marks = [mark for mark in table.marks if mark <= known[-1]]
        steps = fine_steps(marks)
        units = UNITS[: subgame.runs]
        runs = [start_usual(in_unit(spot, unit), solver) for unit in units]
        found = run_all([partial(exploitability_at, r, steps, u) for r, u in zip(runs, units, strict=True)])
        measured = [Spread(tuple(line[steps.index(mark)] for line in found)) for mark in marks]
        cells[solver] = [*measured, *[Spread((NO,))] * (len(table.marks) - len(marks))]
        lines[solver] = steps, found[0]
        if solver == "dcfr":
            value = runs[0].expected_value(0)
        if solver == FLOORED:
            rises = [largest_rise(steps, line) for line in found]
    return SubgameOutcome(Cells(table, cells, lines), value, rises)


def largest_rise(steps: Sequence[int], line: Sequence[float], first: int = 100) -> tuple[float, int]:
    """The largest factor by which a curve climbs above an earlier point, and where."""
    found, lowest = (0.0, 0), math.inf
    for step, x in zip(steps, line, strict=True):
        if step >= first:
            found = max(found, (x / lowest, step))
            lowest = min(lowest, x)
    return found


def patterns(number: int, outcome: SubgameOutcome) -> list[Check]:
    """What the text says of Figures 3.1 to 3.4, as far as the run went."""
    return {1: _first, 2: _second, 3: _third, 4: _fourth}[number](outcome)


def _first(outcome: SubgameOutcome) -> list[Check]:
    found = outcome.cells
    return [
        found.order("Figure 3.1, T=100: LCFR < DCFR < CFR+ < CFR", ("lcfr", "dcfr", PLUS, "cfr"), 100),
        at_most("Figure 3.1, T=100: LCFR / CFR+", 0.6, found.ratio("lcfr", PLUS, 100)),
        at_least("Figure 3.1, T=1000: CFR+ / DCFR", 1.9, found.ratio(PLUS, "dcfr", 1000)),
        at_least("Figure 3.1, T=1000: CFR+ / LCFR", 3.3, found.ratio(PLUS, "lcfr", 1000)),
    ]


def _second(outcome: SubgameOutcome) -> list[Check]:
    found = outcome.cells
    like = found.ratio("lcfr", PLUS, 1000)
    return [
        at_most("Figure 3.2, T=316: DCFR / CFR+", 0.55, found.ratio("dcfr", PLUS, 316)),
        at_most("Figure 3.2, T=1000: DCFR / CFR+", 0.4, found.ratio("dcfr", PLUS, 1000)),
        between("Figure 3.2, T=1000: LCFR / CFR+", 0.9, 1.1, like, kind="pattern"),
        at_least(
            "Figure 3.2: DCFR(1.5,-inf,2) at T=500 over T=316 (the spike)",
            1.0,
            found.at(FLOORED, 500).centre / found.at(FLOORED, 316).centre,
        ),
    ]


def _third(outcome: SubgameOutcome) -> list[Check]:
    found = outcome.cells
    return [
        found.order("Figure 3.3, T=1000: LCFR < DCFR < CFR+", ("lcfr", "dcfr", PLUS), 1000),
        at_least("Figure 3.3, T=1000: CFR+ / DCFR", 2.5, found.ratio(PLUS, "dcfr", 1000)),
        at_least("Figure 3.3, T=1000: CFR+ / LCFR", 5.0, found.ratio(PLUS, "lcfr", 1000)),
    ]


def _fourth(outcome: SubgameOutcome) -> list[Check]:
    found = outcome.cells
    checks = [at_least("Figure 3.4, T=1000: CFR+ / DCFR", 1.4, found.ratio(PLUS, "dcfr", 1000))]
    if found.table.marks[-1] < 8192:
        return checks
    return [
        *checks,
        at_least("Figure 3.4, T=8192: CFR+ / DCFR", 2.0, found.ratio(PLUS, "dcfr", 8192)),
        found.order("Figure 3.4, T=8192: CFR+ < LCFR", (PLUS, "lcfr"), 8192),
    ]


def solver_average(spot: Spot, table: PublishedTable) -> dict[str, list[float]]:
    """The same columns with the average that the solver itself keeps."""
    jobs = [partial(exploitability_at, start_spot(spot, solver), table.marks) for solver in table.rows]
    return dict(zip(table.rows, run_all(jobs), strict=True))


def deviations(table: PublishedTable, found: Mapping[str, Row]) -> list[float]:
    """Relative, of the published cells."""
    pairs = [(x, y) for s, row in table.rows.items() for x, y in zip(found[s], row, strict=True)]
    return [abs(x / y - 1.0) for x, y in pairs if math.isfinite(y)]


def run(request: Request) -> Findings:
    ranges = request.data is not None
    spots = {subgame.number: load(subgame, request.data) for subgame in SUBGAMES}
    checks = [c for subgame in SUBGAMES for c in tree_checks(subgame, spots[subgame.number], ranges)]
    last = math.inf if request.full else LAST_QUICK
    played = [subgame for subgame in SUBGAMES if subgame.river or (request.full and ranges)]
    outcomes: dict[str, SubgameOutcome] = {}
    for subgame in played:
        table = subgame.table(last, tuple(subgame.rows) if ranges else ORDERED, ranges)
        outcome = outcomes[subgame.name] = rerun(subgame, spots[subgame.number], table, request)
        checks += patterns(subgame.number, outcome)
        if ranges:
            checks += table_checks([outcome.cells])
            checks.append(close(f"{subgame.name}: value in chips", subgame.value[0], outcome.value, subgame.value[1]))
    return _findings(request, spots, outcomes, checks)


def _findings(
    request: Request, spots: Mapping[int, Spot], outcomes: Mapping[str, SubgameOutcome], checks: list[Check]
) -> Findings:
    tables = {name: outcome.cells for name, outcome in outcomes.items()}
    measured = {
        name: {"table": o.cells.numbers(), "value in chips": o.value, "rises of DCFR(1.5,-inf,2)": list(o.rises)}
        for name, o in outcomes.items()
    }
    return Findings(
        setting=_setting(request, len(outcomes)),
        checks=checks,
        published=TEXT,
        recomputed={s.name: s.table(math.inf, tuple(s.rows), True).numbers() for s in SUBGAMES},
        measured=measured,
        remarks=_remarks(request, spots, tables),
        draw=lambda figure: curves(figure, tables, "iterations", "exploitability (mbb/g)"),
    )


def _setting(request: Request, solved: int) -> str:
    if request.data is None:
        return (
            "stand-in ranges: every hand that the board allows, equally likely, for both players; tree sizes of all four "
            "subgames and orderings on the two rivers; the table needs --data FOLDER with subgame1.txt to subgame4.txt"
        )
    scope = "all columns" if request.full else "the two rivers to T=1000; turns and later columns need --full"
    return f"{scope}; {solved} subgames solved; mbb/g; equivalent runs in chips of other sizes"


def _remarks(request: Request, spots: Mapping[int, Spot], tables: Mapping[str, Cells]) -> list[str]:
    if request.data is None:
        return ["On the stand-in ranges no published number can be compared, so the status is at most a pattern."]
    rivers = {number: tables[f"subgame {number}"].table for number in (3, 4)}
    own = [x for number, table in rivers.items() for x in deviations(table, solver_average(spots[number], table))]
    every = [(name, cell.centre / x) for table in tables.values() for name, x, cell in table.checked_cells()]
    far = [f"{name} x{ratio:.2f}" for name, ratio in every if abs(ratio - 1.0) > TOLERANCE]
    return [
        f"{len(every) - len(far)} of {len(every)} centres lie within 10 % of the published number, whatever the scatter; "
        f"the others, divided by it: {'; '.join(far) or 'none'}.",
        "Published values average each player's strategy before its own update, so T=1 is the uniform strategy of both; "
        "the table is measured that way. The solver itself averages what the opponent faces: with that average and one "
        f"run, {sum(x <= TOLERANCE for x in own)} of {len(own)} river cells lie within 10 % and the farthest is "
        f"{max(own):.0%} off.",
        "Regrets are 32 bits wide. Runs in chips of another size part company as in the tabular tables; a cell must lie "
        "within four standard deviations of them, widened by 10 %.",
        "LCFR+ is left out: it is chaotic.",
        *_spike(tables),
    ]


def _spike(tables: Mapping[str, Cells]) -> list[str]:
    if "subgame 2" not in tables:
        return []
    before, after = (tables["subgame 2"].at(FLOORED, mark).values for mark in (316, 500))
    rising = sum(x < y for x, y in zip(before, after, strict=True))
    return [
        "Figure 3.2 was recomputed with a rise of DCFR(1.5,-inf,2) between T=316 and 500 on subgame 2. That holds in "
        f"{rising} of {len(before)} equivalent runs: rounding decides whether and when the spike comes."
    ]


TEXT = {
    "subgames 1 and 3": "LCFR does particularly well (large mistakes are possible); DCFR beats CFR+",
    "subgames 2 and 4": "DCFR is better than CFR+, usually by a factor of 2 to 3",
    "subgame 2": "DCFR(1.5, -inf, 2) shows a spike",
    "subgame 4": "LCFR is asymptotically worse than CFR+",
}

EXPERIMENT = Experiment(
    id="brown/dcfr-hunl",
    title="The CFR family on four subgames of no-limit hold'em",
    source="[Brown20, §3.1.4, Figures 3.1 to 3.4]",
    seconds_quick=20,
    seconds_full=1500,
    run=run,
    text="four subgames of no-limit hold'em with Libratus' ranges",
    quick={"every hand equally likely": ("reference", "pattern")},
    data={"text": ("reference", "pattern")},
)
