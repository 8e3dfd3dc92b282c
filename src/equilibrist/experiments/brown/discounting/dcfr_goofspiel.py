"""The CFR family on Goofspiel with five cards: [Brown20, Figure 3.5] recomputed, and what the text says about it."""

from __future__ import annotations

from equilibrist.experiments.findings import Check, Findings, Request, at_least, between
from equilibrist.experiments.pictures import curves
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import writings
from equilibrist.experiments.tables import PublishedTable, Rerun, rerun, table_checks

GOOFSPIEL = PublishedTable(
    "Goofspiel-5",
    (10, 100, 1000, 8192),
    {
        "cfr": (1.52, 2.18e-1, 4.24e-2, 1.03e-2),
        "cfr+": (1.26, 6.91e-2, 5.08e-3, 1.81e-3),
        "cfr+(average=quadratic)": (1.24, 8.05e-2, 7.82e-3, 2.09e-3),
        "lcfr": (1.77, 1.62e-1, 5.60e-2, 7.4e-3),
        "lcfr+": (1.45, 1.12e-1, 7.74e-3, 3.2e-3),
        "dcfr": (1.68, 7.84e-2, 7.59e-3, 1.99e-3),
        "dcfr(beta=-inf)": (1.31, 5.98e-2, 6.70e-3, 2.01e-3),
        "dcfr(beta=0.5)": (1.65, 1.02e-1, 1.36e-2, 2.84e-3),
        "pcfr+": (1.41, 3.77e-2, 9.2e-4, 1.5e-4),
    },
    tolerance=0.03,
    chaotic=("lcfr+",),
)

PLUS, HALF = "cfr+(average=quadratic)", "dcfr(beta=0.5)"  # the CFR+ of chapter 3; DCFR for pruning
TEXT = {
    "DCFR against CFR+": "about equal",
    "LCFR": "poor",
    "DCFR(1.5, 0.5, 2)": "noticeably worse than DCFR(1.5, 0, 2)",
}


def ratios(goofspiel: Rerun) -> dict[str, float]:
    """At T = 1000, between the centres of equivalent runs."""
    at = {solver: cells[2].centre for solver, cells in goofspiel.cells.items() if len(cells) > 2}
    return {
        "DCFR / CFR+": at["dcfr"] / at[PLUS],
        "LCFR / CFR+": at["lcfr"] / at[PLUS],
        "DCFR.5 / DCFR": at[HALF] / at["dcfr"],
    }


def patterns(found: dict[str, float]) -> list[Check]:
    return [
        between("DCFR / CFR+ at T=1000: about equal", 0.7, 1.4, found["DCFR / CFR+"], kind="pattern"),
        at_least("LCFR / CFR+ at T=1000: poor", 3.0, found["LCFR / CFR+"]),
        at_least("DCFR(1.5,.5,2) / DCFR at T=1000: noticeably worse", 1.3, found["DCFR.5 / DCFR"]),
    ]


def run(request: Request) -> Findings:
    ways = writings("goofspiel(cards=5)")
    whole = rerun(GOOFSPIEL if request.full else GOOFSPIEL.up_to(100), ways, request)
    late = whole
    if not request.full:  # the text's claims are about late iterations, of four solvers only
        four = {solver: GOOFSPIEL.rows[solver][:3] for solver in (PLUS, "lcfr", "dcfr", HALF)}
        late = rerun(PublishedTable("Goofspiel-5, late", (10, 100, 1000), four, GOOFSPIEL.tolerance), ways, request)
    scope = "all columns" if request.full else "T to 100 for all solvers, to 1000 for four; the rest needs --full"
    found = ratios(late)
    return Findings(
        setting=f"{scope}; average exploitability in points; bids revealed; {len(ways)} equivalent runs per cell",
        checks=[*table_checks([whole]), *patterns(found)],
        published=TEXT,
        recomputed=GOOFSPIEL.numbers(),
        measured={"table": whole.numbers(), "late": late.numbers(), "ratios at T=1000": found},
        remarks=(
            "Equal prospects make exact ties, so runs that are identical on paper part company from the start.",
            "LCFR+ is shown but not checked: it is chaotic.",
        ),
        draw=lambda figure: curves(figure, {"goofspiel(cards=5)": late}, "iterations", "exploitability (points)"),
    )


EXPERIMENT = Experiment(
    id="brown/dcfr-goofspiel",
    title="The CFR family on Goofspiel with five cards",
    source="[Brown20, §3.1.4, Figure 3.5]",
    seconds_quick=75,
    seconds_full=400,
    run=run,
    text="Goofspiel with five cards",
    quick={"text": ("reference", "pattern")},
)
