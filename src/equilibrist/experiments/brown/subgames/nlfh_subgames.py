"""Subgames of no-limit flop hold'em solved again: all flops with --full, all flops of a deck of eighteen cards otherwise."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from equilibrist.compute.kernel import cache_folder
from equilibrist.compute.machine import cores as all_cores
from equilibrist.experiments.brown.subgames.nlfh import MBB, NAMES, Column, ColumnSetting, ColumnWork
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between
from equilibrist.experiments.pictures import COLOURS
from equilibrist.experiments.registry import Experiment

FULL = (ColumnSetting(200, scaled=True), ColumnSetting(2000), ColumnSetting(30_000))
QUICK = (
    ColumnSetting(20, ranks=6, suits=3, blueprint=300, search=100),
    ColumnSetting(100, ranks=6, suits=3, blueprint=300, search=100),
)
PUBLISHED = {  # Table 5.1, mbb per hand; action sets and stacks of the thesis's game are not given
    "trunk": {200: 88.69, 2000: 37.374, 30_000: 9.128},
    "unsafe": {200: 14.68, 2000: 3.958, 30_000: 0.5514},
    "resolve": {200: 60.16, 2000: 17.79, 30_000: 5.407},
    "maxmargin": {200: 30.05, 2000: 13.99, 30_000: 4.343},
    "reach-maxmargin": {200: 29.88, 2000: 13.90, 30_000: 4.147},
    "reach-maxmargin-unsplit": {200: 24.87, 2000: 9.807, 30_000: 2.588},
    "estimate-resolve": {200: 11.66, 2000: 6.261, 30_000: 2.423},
    "estimate-distributional": {200: 10.44, 2000: 6.245, 30_000: 3.430},
    "reach-estimate-distributional": {200: 10.21, 2000: 5.798, 30_000: 2.258},
    "reach-estimate-distributional-unsplit": {200: 9.560, 2000: 4.924, 30_000: 1.733},
}
SAFE = ("resolve", "maxmargin", "reach-resolve", "reach-maxmargin")
BOARDS = 1755
# seconds of one core, measured on this kind of board: one iteration of the blueprint, and of one search, on one flop
BLUEPRINT_SECONDS, SEARCH_SECONDS = 1.05e-3, 0.4e-3


def plan(settings: tuple[ColumnSetting, ...], threads: int) -> str:
    """Time and memory of the full setting, said before it begins."""
    seconds = sum(
        BOARDS * (s.blueprint * BLUEPRINT_SECONDS + 2 * len(s.techniques) * s.search * SEARCH_SECONDS) for s in settings
    )
    widest = max(s.buckets for s in settings)
    tables = 8 * 130 * widest * (6 + threads)  # regrets, averages, what is added to them, and sums of every thread
    return f"about {seconds / threads / 60:.0f} minutes on {threads} threads, {(4e8 + tables) / 1e9:.1f} GB of memory"


def orderings(column: Column, full: bool) -> list[Check]:
    """Those of Tables 5.1 to 5.3; a short deck claims those that do not depend on gifts or on how bad estimates are."""
    found, name = {"trunk": column.trunk, **column.searched}, f"{column.setting.buckets} buckets"

    def below(low: str, high: str, slack: float = 0.0) -> Check:
        return at_most(f"{name}: {low} / {high}", 1.0 + slack, found[low] / found[high])

    best = min(found[technique] for technique in NAMES)
    checks = [
        *(below(technique, "trunk", 0.01) for technique in SAFE),
        below("maxmargin", "resolve"),
        below("reach-maxmargin", "maxmargin", 0.02),
        below("reach-resolve", "resolve", 0.05),
        below("estimate-resolve", "maxmargin"),
        at_most(f"{name}: reach-estimate-distributional / best", 1.1, found["reach-estimate-distributional"] / best),
        between(f"{name}: trunk / maxmargin", 2.0, 4.0, found["trunk"] / found["maxmargin"], kind="pattern"),
    ]
    return [*checks, below("resolve", "estimate-maxmargin")] if full else checks


def gift_checks(column: Column) -> list[Check]:
    """Figure 5.7: gifts counted once do not hurt, far too often they do."""
    found = column.searched
    curve = {name: found[name] for name in found if name.startswith("gifts times")}
    return [
        at_most("gifts times 1 / no gifts", 1.02, found["reach-maxmargin"] / found["maxmargin"]),
        at_least("gifts times too much / no gifts", 1.0, max(curve.values()) / found["maxmargin"]),
    ]


def draw(figure: Any, columns: list[Column]) -> None:
    panels = figure.subplots(1, len(columns), squeeze=False).flat
    for panel, column in zip(panels, columns, strict=True):
        shown = {"trunk": column.trunk, **{name: column.searched[name] for name in NAMES}}
        panel.barh(list(shown), list(shown.values()), color=COLOURS[0], alpha=0.7)
        marks = [
            (PUBLISHED[n][column.setting.buckets], i)
            for i, n in enumerate(shown)
            if column.setting.buckets in PUBLISHED.get(n, {})
        ]
        panel.plot([x for x, _ in marks], [y for _, y in marks], "x", color=COLOURS[1])
        panel.set(title=f"{column.setting.buckets} buckets", xlabel="exploitability, mbb (cross: thesis)")
        panel.invert_yaxis()
        panel.tick_params(axis="y", labelsize=6)


def kept_in(request: Request) -> Path | None:
    """Where finished boards are kept: the folder given as data, else one of the cache; quick settings keep nothing."""
    if request.data is not None:
        return Path(request.data)
    return cache_folder() / "nlfh-subgames" if request.full else None


def run(request: Request) -> Findings:
    settings, cores = (FULL, all_cores()) if request.full else (QUICK, min(2, all_cores()))
    folder, columns = kept_in(request), []
    if request.full:
        request.report(f"{plan(settings, cores)}; finished boards are kept in '{folder}'", 0.0)
    try:
        columns = [ColumnWork(setting, folder, cores, request.report).column() for setting in settings]
    except KeyboardInterrupt:
        if folder is None:
            raise
        raise KeyboardInterrupt(
            f"Interrupted; finished boards are kept in '{folder}', and the same command goes on from there."
        ) from None
    checks = [check for column in columns for check in orderings(column, request.full)]
    for coarse, fine in pairwise(columns):
        name = f"trunk with {fine.setting.buckets} / {coarse.setting.buckets} buckets"
        checks.append(at_most(name, 1.0, fine.trunk / coarse.trunk))
    if request.full:
        checks += gift_checks(columns[0])
    first = settings[0]
    return Findings(
        setting=f"small NLFH with {first.ranks * first.suits} cards, {', '.join(str(s.buckets) for s in settings)} buckets; blueprint "
        f"{first.blueprint} and subgames {first.search} iterations of DCFR; {cores} threads"
        + ("" if request.full else "; the whole deck needs --full"),
        checks=checks,
        published=PUBLISHED,
        measured={
            f"{column.setting.buckets} buckets": {
                "trunk": column.trunk,
                "blueprint inside its abstraction": column.inside,
                **column.searched,
                "smallest margins, chips": column.margins,
                "setting": asdict(column.setting),
            }
            for column in columns
        },
        remarks=(
            *(
                ()
                if request.full
                else (
                    "Against these blueprints nobody gains by folding before the flop: there are no gifts, and Reach changes nothing.",
                )
            ),
            "The thesis gives neither bet sizes nor stacks of its game: its numbers are for orientation, and orderings are compared.",
            f"Exploitability is half of what exact best responses over all flops win, in mbb per hand (chips times {MBB:g}).",
        ),
        draw=lambda figure: draw(figure, columns),
    )


EXPERIMENT = Experiment(
    id="brown/nlfh-subgames",
    title="Subgames of no-limit flop hold'em solved again, eleven techniques",
    source="[Brown20, Table 5.1, Figure 5.7]",
    seconds_quick=60,
    seconds_full=24_000,
    run=run,
    text="no-limit flop hold'em with 52 cards, stacks and sizes not given",
    quick={"18 cards, stacks and sizes of ours": ("pattern",)},
    full={"52 cards, stacks and sizes of ours": ("pattern",)},
)
