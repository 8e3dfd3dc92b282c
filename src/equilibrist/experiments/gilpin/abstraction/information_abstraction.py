"""Expectation-based against potential-aware abstraction: Tables 6.6 to 6.9 on Rhode Island hold'em, and a small game with all its cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.abstraction.information.methods import abstract, parse_sizes
from equilibrist.cards.evaluator import hand_index
from equilibrist.compute.machine import cores
from equilibrist.evaluation.reports.abstraction_report import AbstractionReport
from equilibrist.evaluation.reports.abstraction_study import AbstractionStudy, WantedAbstraction
from equilibrist.experiments.findings import (
    Check,
    Findings,
    Request,
    ascending,
    at_most,
    between,
    close,
    equal,
    on,
    ours,
    printed,
)
from equilibrist.experiments.gilpin.abstraction.abstraction_tables import (
    EQUILIBRIUM,
    FULL_RESOLUTION,
    HEAD_TO_HEAD,
    LAST,
    METHODS,
    NEMESIS,
    ROWS,
    VALUES,
    amount,
    watching,
)
from equilibrist.experiments.registry import Experiment
from equilibrist.games.poker.family import rhode_island
from equilibrist.solvers.hand_classes.gameshrink_loss import VerifiedShrink, verify_strategy

QUICK_ROWS = ROWS[:3]
EXTRA = "PA, all temporary clusters"
PAIRS = (("EB", "EB2"), ("EB", "PA"), ("EB2", "PA"))

DATABASES = {"handval": 133_784_560, "db5": 25_989_600, "db223": 14_047_378_800}  # [Gilpin09, §6.3.1]
RECOMPUTED = {  # against an equilibrium, and the nemesis
    "EB": {"13-25-125": (-27.2, -157.6), "13-50-250": (-18.5, -128.4), "13-75-500": (-13.8, -92.3), "13-100-750": (-10.6, -64.1)},
    "PA": {"13-25-125": (-43.1, -197.4), "13-50-250": (-25.7, -137.3), "13-75-500": (-10.6, -72.3), "13-100-750": (-6.1, -40.2)},
}  # fmt: skip
LOSS_OF_EXPECTATION = 0.429  # to a nemesis, with all classes that it can tell apart
SHIFT = -0.0374  # value of EB less value of PA in the last row

SMALL_GAME = {"ranks": 6, "suits": 3}
SMALL_ROWS = ("6-16-76", "6-24-133", "6-39-250", "6-49-334", "6-65-486")
REMARK = (
    "The printed values of the game (Table 6.9) differ from ours by -3 to +6 chips, row by row, for reasons that are not known. They are "
    "not checked; gilpin/rhode-island shows that the last of them cannot come out. EB and EB2 lie farther apart in the coarse rows than "
    "the printed fractions of a chip: their classes depend on the error that the 0-1 program adds up, which the text does not say."
)

Reports = dict[str, dict[str, AbstractionReport]]  # by row and method


@dataclass(frozen=True)
class RhodeIslandMeasures:
    """Reports of Rhode Island, and nemeses that see all cards."""

    reports: Reports
    all_cards: dict[str, dict[str, float]]  # by row and method; empty where not asked for


def measure(rows: Sequence[str], gap: float, last_gap: float, threads: int, request: Request) -> RhodeIslandMeasures:
    """Make, solve and lift every abstraction; everything is measured in the game of 13 - 205 - 1,774 classes."""
    study = AbstractionStudy(rhode_island(), reference="signature", threads=threads, watch=watching(request))
    study.solve_reference(last_gap / 2)
    whole = AbstractionStudy(rhode_island(), threads=threads) if request.full else None
    reports: Reports = {}
    all_cards: dict[str, dict[str, float]] = {}
    for row in rows:
        made = _row(study, row, last_gap if row == LAST else gap)
        reports[row] = report_row(study, row, made)
        if request.full and row != LAST:
            wanted = WantedAbstraction(FULL_RESOLUTION, parse_sizes(row))
            made[EXTRA] = study.play(wanted, gap / 2)
            reports[row][EXTRA] = study.report(wanted, made[EXTRA])
        if whole is not None:
            all_cards[row] = {name: verify_strategy(each.solution, whole.full).nemesis for name, each in made.items()}
    return RhodeIslandMeasures(reports, all_cards)


def _row(study: AbstractionStudy, row: str, gap: float) -> dict[str, VerifiedShrink]:
    made: dict[str, VerifiedShrink] = {}
    for name, method in METHODS.items():
        if row == LAST and name == "EB2":  # squaring changes no order, so the classes are those of EB
            made[name] = made["EB"]
        elif row == LAST and name == "PA":  # the reference game itself
            assert study.solution is not None
            made[name] = verify_strategy(study.solution, study.full)
        else:
            made[name] = study.play(WantedAbstraction(method, parse_sizes(row)), gap / 2)
    return made


def report_row(study: AbstractionStudy, row: str, made: Mapping[str, VerifiedShrink]) -> dict[str, AbstractionReport]:
    """All criteria of one row; each method is also matched with those after it."""
    out = {}
    for name, each in made.items():
        others = [(other, made[other]) for first, other in PAIRS if first == name]
        out[name] = study.report(WantedAbstraction(METHODS[name], parse_sizes(row)), each, others)
    return out


def count_checks() -> list[Check]:
    """What needs no solving: classes of the last row, and the sizes of the card databases ([Gilpin09, §6.3.1])."""
    rules = rhode_island().rules
    potential, signature = abstract(rules, FULL_RESOLUTION, parse_sizes(LAST)), shrink(rules, "signature")
    same = all(np.array_equal(a, b) for a, b in zip(potential.table, signature.table, strict=True))
    found = {
        "handval": int(hand_index(np.arange(45, 52)[None, :])[0]) + 1,
        "db5": comb(52, 2) * comb(50, 3),
        "db223": comb(52, 2) * comb(50, 2) // 2 * comb(48, 3),
    }
    return [
        equal("EB, all it can tell apart", [13, 204, 1_748], list(abstract(rules, METHODS["EB"]).counts)),
        equal("EB2, all it can tell apart", [13, 204, 1_748], list(abstract(rules, METHODS["EB2"]).counts)),
        equal("PA at 13-205-1774 is GameShrink", True, same),
        *printed([equal("entries of the databases", DATABASES, found)]),
    ]


def row_checks(reports: Reports) -> list[Check]:
    """Coarse rows: nemeses within a quarter of the printed ones, and what holds from row to row."""
    rows = [row for row in reports if row != LAST]
    checks = []
    for row in rows:
        for name in METHODS:
            told = NEMESIS[name][ROWS.index(row)]
            found = amount(reports[row][name].nemesis)
            checks.append(
                between(
                    f"{row}: {name} against its nemesis", 1.25 * told, 0.75 * told, found, target=told, kind="pattern"
                )
            )
    for name in METHODS:
        for what, key in (("an equilibrium", "against_equilibrium"), ("a nemesis", "nemesis")):
            values = {row: amount(getattr(reports[row][name], key)) for row in reports}
            checks.append(ascending(f"{name} against {what}, row by row", values))
    checks += [_order_check(row, reports[row]) for row in rows]
    for row in rows:
        apart, told = (
            table[0] - table[1]
            for table in (
                [amount(reports[row][name].against_equilibrium) for name in ("EB", "EB2")],
                [EQUILIBRIUM[name][ROWS.index(row)] for name in ("EB", "EB2")],
            )
        )
        checks += printed([close(f"{row}: EB less EB2 against an equilibrium", told, apart, 1.0)])
    return checks


def _order_check(row: str, reports: Mapping[str, AbstractionReport]) -> Check:
    """PA is the worst in the coarsest row and the best in all others, by all three matches."""
    expectation = [reports["EB"], reports["EB2"]]
    wins = [
        *(amount(reports["PA"].nemesis) > amount(each.nemesis) for each in expectation),
        *(amount(reports["PA"].against_equilibrium) > amount(each.against_equilibrium) for each in expectation),
        *(each.head_to_head["PA"] < 0 for each in expectation),
    ]
    wanted = row != ROWS[0]
    text = "ahead" if wanted else "behind"
    return Check(
        f"{row}: PA is {text}", text, sum(wins), "all six comparisons", all(win == wanted for win in wins), "pattern"
    )


def last_row_checks(reports: Mapping[str, AbstractionReport], gap: float) -> list[Check]:
    """Here nothing depends on clusters: EB has all its 204 and 1,748 classes, PA is the reference."""
    expectation, potential = reports["EB"], reports["PA"]
    shift = amount(expectation.value) - amount(potential.value)
    loss = -amount(expectation.nemesis) - amount(expectation.gap) / 2
    return [
        *printed(
            [
                close("last row: value of EB less value of PA", SHIFT, shift, 0.005),
                close(
                    "last row: EB against an equilibrium",
                    EQUILIBRIUM["EB"][-1],
                    amount(expectation.against_equilibrium),
                    0.02,
                ),
                close("last row: loss of EB to a nemesis, its own gap removed", LOSS_OF_EXPECTATION, loss, 0.03),
            ]
        ),
        at_most("last row: loss of PA to a nemesis", gap / 2, -amount(potential.nemesis)),
    ]


def small_game(threads: int, request: Request) -> Reports:
    """The same comparison on 18 cards, measured with all of them told apart; gap 1 chip."""
    study = AbstractionStudy(rhode_island(**SMALL_GAME), threads=threads, watch=watching(request))
    study.solve_reference(0.5)
    out = {}
    for row in SMALL_ROWS:
        made = {name: study.play(WantedAbstraction(method, parse_sizes(row)), 0.5) for name, method in METHODS.items()}
        out[row] = report_row(study, row, made)
    return out


def small_checks(reports: Reports) -> list[Check]:
    """Finer is better for every method, and the lead changes hands here, too."""
    checks = [
        ascending(
            f"18 cards: {name} against a nemesis, row by row",
            {row: amount(reports[row][name].nemesis) for row in reports},
        )
        for name in METHODS
    ]
    for row, leader in zip(SMALL_ROWS, ("EB", "EB", "PA", "PA", "PA"), strict=True):
        pair = {"EB": amount(reports[row]["EB"].nemesis), "PA": amount(reports[row]["PA"].nemesis)}
        best = max(pair, key=lambda name: pair[name])
        checks.append(
            Check(f"18 cards, {row}: less exploitable of EB and PA", leader, pair, "order", best == leader, "pattern")
        )
    return checks


def run(request: Request) -> Findings:
    rows = ROWS if request.full else QUICK_ROWS
    gap, last_gap = (0.1, 0.02) if request.full else (1.0, 1.0)
    threads = min(2, cores())
    request.report("making classes", 0.0)
    checks = count_checks()
    found = measure(rows, gap, last_gap, threads, request)
    checks += row_checks(found.reports)
    if request.full:
        checks += last_row_checks(found.reports[LAST], last_gap)
    small = small_game(threads, request)
    checks += on("18 cards", ours(small_checks(small)))
    scope = (
        f"gaps {gap:g}, last row and reference {last_gap:g}"
        if request.full
        else f"gaps {gap:g}; {len(ROWS)} rows need --full"
    )
    return Findings(
        setting=f"{len(rows)} rows in the game of 13 - 205 - 1,774 classes, {scope}; {len(small)} rows of 18 cards; chips, ante 500",
        checks=checks,
        published={
            "rows": ROWS,
            "against an equilibrium": EQUILIBRIUM,
            "nemesis": NEMESIS,
            "head to head": HEAD_TO_HEAD,
            "values": VALUES,
            "entries of the databases": DATABASES,
        },
        recomputed={"against an equilibrium, nemesis": RECOMPUTED},
        measured={
            "rows": table(found.reports),
            "nemesis that sees all cards": found.all_cards,
            "18 cards, measured among all of them": table(small),
        },
        remarks=(
            REMARK,
            "The text leaves open the error measure, restarts and temporary clusters: here squared errors for EB and EB2, for PA 30 "
            "restarts and 5 temporary clusters, in the last row all of them. With all of them in every row, PA is still behind EB at "
            "13-50-250.",
        ),
        draw=lambda figure: _draw(figure, found.reports, small),
    )


def table(reports: Reports) -> dict[str, dict[str, dict[str, Any]]]:
    """Numbers by row and method."""
    return {
        row: {
            name: {
                "classes": report.classes,
                "value": report.value,
                "value less reference": amount(report.value) - report.reference["value"],
                "against an equilibrium": report.against_equilibrium,
                "nemesis": report.nemesis,
                "gap": report.gap,
                **{f"against {other}": earned for other, earned in report.head_to_head.items()},
            }
            for name, report in by_method.items()
        }
        for row, by_method in reports.items()
    }


def _draw(figure: Any, reports: Reports, small: Reports) -> None:
    """Nemeses by row: Rhode Island beside the printed ones, and the small game."""
    from equilibrist.experiments.pictures import COLOURS

    panels = figure.subplots(1, 2)
    for colour, name in zip(COLOURS, METHODS, strict=False):
        panels[0].plot(range(len(ROWS)), NEMESIS[name], "x--", color=colour, alpha=0.5, label=f"{name}, printed")
        places = [ROWS.index(row) for row in reports]
        panels[0].plot(places, [reports[row][name].nemesis for row in reports], "o-", color=colour, label=name)
        panels[1].plot(range(len(small)), [small[row][name].nemesis for row in small], "o-", color=colour, label=name)
    for panel, rows, title in (
        (panels[0], ROWS, "13 - 205 - 1,774 classes"),
        (panels[1], SMALL_ROWS, "18 cards, all told apart"),
    ):
        panel.set_xticks(range(len(rows)), rows, rotation=40, ha="right", fontsize=7)
        panel.set(title=title, ylabel="against a nemesis, chips")
        panel.grid(alpha=0.25)
        panel.legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    id="gilpin/information-abstraction",
    title="Expectation-based and potential-aware abstraction of Rhode Island hold'em",
    source="[Gilpin09, §6.7, Tables 6.6 to 6.9]",
    seconds_quick=80,
    seconds_full=900,
    run=run,
    text="Rhode Island hold'em",
    quick={"text": ("printed", "pattern", "reference"), "18 cards": ("reference",)},
)
