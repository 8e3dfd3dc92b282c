"""A table of [Brown20, §5.1.8]: its columns worked out, the orders that the text states, a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from equilibrist.compute.kernel import cache_folder
from equilibrist.compute.machine import cores as all_cores
from equilibrist.experiments.brown.subgames.nlfh import MBB, NAMES, Column, ColumnSetting, ColumnWork
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between, ours
from equilibrist.experiments.pictures import COLOURS
from equilibrist.forms.boards.poker_streets import betting_streets
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.games.poker.abstracted_holdem import small_nolimit_flop_holdem

Published = Mapping[str, Mapping[int, float]]  # technique -> buckets -> mbb per hand

GAIN = (2.0, 4.0)
SAFE = ("resolve", "maxmargin", "reach-resolve", "reach-maxmargin")
BOARDS = {"small": 1755, "large": 1755, "turn": 63_193}  # of the last street of 52 cards, up to suits
# seconds of one core, measured on boards of the small game: one iteration of the blueprint, and of one search, on one flop
BLUEPRINT_SECONDS, SEARCH_SECONDS = 1.05e-3, 0.4e-3


def plan(settings: Sequence[ColumnSetting], threads: int) -> str:
    """Time and memory of the full setting on the CPU, said before it begins."""
    small = sum(betting_streets(small_nolimit_flop_holdem().rules)[1].slots)
    forests = [betting_streets(s.poker().rules) for s in settings]
    wider = [sum(streets[-1].slots) / small for streets in forests]
    seconds = sum(
        times * BOARDS[s.game] * (s.blueprint * BLUEPRINT_SECONDS + 2 * len(s.techniques) * s.search * SEARCH_SECONDS)
        for s, times in zip(settings, wider, strict=True)
    )
    memory = max(_memory(s, streets, threads) for s, streets in zip(settings, forests, strict=True))
    return f"about {seconds / threads / 60:.0f} minutes on {threads} threads, {memory / 1e9:.1f} GB of memory"


def _memory(setting: ColumnSetting, forests: Sequence[StreetForest], threads: int) -> float:
    """Bytes: rows of buckets, hands of all boards of the last street, and streets between it and the first hand by hand."""
    # regrets, averages, what is added to them, and sums of every thread
    rows = 8 * sum(forests[-1].slots) * setting.buckets * (6 + threads)
    lanes = 1755 * 1326 if len(forests) > 2 else 0  # flops, and hands on them
    between = 8 * sum(12 * len(forest) for forest in forests[1:-1]) * lanes + 4 * threads * forests[-1].roots * lanes
    return 3e8 + 60.0 * BOARDS[setting.game] * 1176 + rows + between


def orderings(column: Column, full: bool, gain: tuple[float, float] = GAIN) -> list[Check]:
    """Those of Tables 5.1 to 5.3; a short deck claims those that do not depend on gifts or on how bad estimates are.

    `gain`: between what the blueprint is how many times as exploitable as with Maxmargin.
    """
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
        between(f"{name}: trunk / maxmargin", *gain, found["trunk"] / found["maxmargin"], kind="pattern"),
    ]
    # the text has no such row: on BL26 estimates with Maxmargin are worse than Resolve
    return [*checks, *ours([below("resolve", "estimate-maxmargin")])] if full else checks


def gift_checks(column: Column) -> list[Check]:
    """Figure 5.7: gifts counted once do not hurt, far too often they do."""
    found = column.searched
    curve = {name: found[name] for name in found if name.startswith("gifts times")}
    return [
        at_most("gifts times 1 / no gifts", 1.02, found["reach-maxmargin"] / found["maxmargin"]),
        at_least("gifts times too much / no gifts", 1.0, max(curve.values()) / found["maxmargin"]),
    ]


def draw(figure: Any, columns: Sequence[Column], published: Published) -> None:
    panels = figure.subplots(1, len(columns), squeeze=False).flat
    for panel, column in zip(panels, columns, strict=True):
        shown = {"trunk": column.trunk, **{name: column.searched[name] for name in NAMES}}
        panel.barh(list(shown), list(shown.values()), color=COLOURS[0], alpha=0.7)
        marks = [
            (published[n][column.setting.buckets], i)
            for i, n in enumerate(shown)
            if column.setting.buckets in published.get(n, {})
        ]
        panel.plot([x for x, _ in marks], [y for _, y in marks], "x", color=COLOURS[1])
        panel.set(title=f"{column.setting.buckets} buckets", xlabel="exploitability, mbb (cross: thesis)")
        panel.invert_yaxis()
        panel.tick_params(axis="y", labelsize=6)


def kept_in(request: Request) -> Path | None:
    """Where finished boards are kept: the folder given as data, else one of the cache; quick settings keep nothing."""
    if request.data is not None:
        return Path(request.data)
    return (
        cache_folder() / "nlfh-subgames" if request.full else None
    )  # one folder for all tables: keys tell columns apart


def run_table(
    request: Request, settings: Sequence[ColumnSetting], published: Published, gain: tuple[float, float] = GAIN
) -> Findings:
    """All columns of a table and what they come to; `gain` as of `orderings`."""
    cores = all_cores() if request.full else min(2, all_cores())
    folder, columns = kept_in(request), []
    if request.full and request.device == "cpu":
        request.report(f"{plan(settings, cores)}; finished boards are kept in '{folder}'", 0.0)
    try:
        columns = [ColumnWork(setting, folder, cores, request.report, request.device).column() for setting in settings]
    except KeyboardInterrupt:
        if folder is None:
            raise
        raise KeyboardInterrupt(
            f"Interrupted; finished boards are kept in '{folder}', and the same command goes on from there."
        ) from None
    checks = [check for column in columns for check in orderings(column, request.full, gain)]
    for coarse, fine in pairwise(columns):
        name = f"trunk with {fine.setting.buckets} / {coarse.setting.buckets} buckets"
        checks.append(at_most(name, 1.0, fine.trunk / coarse.trunk))
    for column in columns:
        if column.setting.scaled and request.full:
            checks += gift_checks(column)
    first = settings[0]
    where = f"{cores} threads" if request.device == "cpu" else f"device {request.device}"
    return Findings(
        setting=f"{first.poker().name}, {', '.join(str(s.buckets) for s in settings)} buckets; blueprint "
        f"{first.blueprint} and subgames {first.search} iterations of DCFR; {where}"
        + ("" if request.full else "; the whole deck needs --full"),
        checks=checks,
        published=published,
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
                f"Against the blueprint of {column.setting.buckets} buckets nobody gains by folding before the flop: there are no gifts, "
                "and Reach changes nothing."
                for column in columns
                if column.searched["reach-maxmargin"] == column.searched["maxmargin"]
            ),
            "The thesis gives neither bet sizes nor stacks of its game: its numbers are for orientation, and orderings are compared.",
            f"Exploitability is half of what exact best responses over all boards win, in mbb per hand (chips times {MBB:g}).",
        ),
        draw=lambda figure: draw(figure, columns, published),
    )
