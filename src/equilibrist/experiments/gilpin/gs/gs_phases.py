"""The phases of GS1 and GS2 in limit hold'em: bisected classes, buckets by expectation, programs at the table, ablations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.kernel import cache_folder
from equilibrist.compute.machine import cores
from equilibrist.experiments.findings import Check, Findings, Request, at_most, equal, on, printed
from equilibrist.experiments.gilpin.gs.gs_ablations import (
    PRINTED,
    SMALL_BET,
    WHOLE,
    Ablation,
    AblationSetting,
    Variant,
    ablation_checks,
    all_variants,
    common_blueprint,
    play_off,
    recorded_river,
    river_check,
)
from equilibrist.experiments.gilpin.gs.gs_turns import (
    GS1_TARGETS,
    GS2_PHASE_TWO,
    TableSetting,
    shrunk_boards,
    table_checks,
)
from equilibrist.experiments.gilpin.gs.phase_one import (
    PhaseStrategy,
    SampleSize,
    board_sample,
    phase_classes,
)
from equilibrist.experiments.registry import Experiment

GS2_PHASE_ONE = (15, 225, 900)  # [Gilpin09, §6.4.1]
GAP = 0.05  # small bets a hand


@dataclass(frozen=True)
class PhaseSetting:
    """How much is run."""

    boards: int  # whose classes are bisected
    sample: SampleSize
    ablation: AblationSetting
    table: TableSetting


QUICK = PhaseSetting(
    8, SampleSize(30, 4, 4), AblationSetting((6, 24, 80), 2000, 400_000, gap=0.016), TableSetting((6, 36), 3)
)


def full_setting() -> PhaseSetting:
    threads = cores()
    ablation = AblationSetting(GS2_PHASE_ONE, 5000, 10_000_000, threads, gap=0.008)
    return PhaseSetting(50, SampleSize(200, 10, 8), ablation, TableSetting(GS2_PHASE_TWO, 9, min(2, threads)))


def phase_one_checks(players: dict[Variant, PhaseStrategy], sizes: Sequence[int]) -> list[Check]:
    """Solved games carry their gaps, and both players bracket the value."""
    checks: list[Check] = []
    for variant, found in players.items():
        checks.append(equal(f"§6.4.1, {variant.name}: classes", list(sizes), list(found.classes.counts)))
        checks.append(at_most(f"§6.4.1, {variant.name}: gap, small bets a hand", GAP, found.gap / SMALL_BET))
        if found.second is not None:
            apart = max(found.bracket[0] - found.second[1], found.second[0] - found.bracket[1])
            checks.append(at_most(f"§6.4.1, {variant.name}: values by EGT-2 and by CFR apart by, chips", 0.0, apart))
    return checks


def run(request: Request) -> Findings:
    setting = full_setting() if request.full else QUICK
    classes, measured = shrunk_boards(setting.boards, request)
    request.report("a sample of boards")
    sample = board_sample(setting.sample)
    blueprint = common_blueprint(setting.ablation.training, request, setting.ablation.threads)
    folder = cache_folder() / "experiments" / "gs-phases" if request.full else None
    kept = Checkpoints(folder, repr(setting))
    table = recorded_river(blueprint, sample)
    players = all_variants(sample, table, setting.ablation, kept, request)
    published = phase_classes(sample, GS2_PHASE_ONE, "expectation").counts
    total = equal("§6.4.1, classes by expectation with totals 15, 225, 900", list(GS2_PHASE_ONE), list(published))
    solved = [river_check(table), *phase_one_checks(players, setting.ablation.sizes)]
    games, tables = (
        ("sampled flops", "text: programs of 10 and 100 buckets")
        if request.full
        else ("6-24-80 classes on 30 flops", "programs of 6 and 36 buckets")
    )
    at_table, programs = table_checks(players[WHOLE], sample, setting.table, request)
    ablations = play_off(blueprint, sample, players, request)
    kept.clear()
    return Findings(
        setting=_described(setting),
        checks=[
            *on("text: classes", printed([*classes, total])),
            *on(games, [*solved, *ablation_checks(ablations)]),
            *on(tables, at_table),
        ],
        published={
            "§6.3.1, classes of turn and river": GS1_TARGETS,
            "§6.4.1, first phase": GS2_PHASE_ONE,
            "§6.4.1, second phase": {"buckets": GS2_PHASE_TWO, "seconds": "usually under a minute"},
            "Table 6.1, series won of 50 and small bets a hand": {v.name: row for v, row in PRINTED.items()},
        },
        measured={
            **measured,
            "first phases": {v.name: _phase(found) for v, found in players.items()},
            **programs,
            "ablations, the whole player against": {v.name: each.shown() for v, each in ablations.items()},
        },
        remarks=(
            "Turn and river of the ablations are played by one blueprint for everybody, not by programs at the table; deals come from the "
            "sampled flops, and each is worth its expectation over all actions.",
            "The old abstraction merges along chains: almost all hands of a round end in one class. In the thesis it lost less.",
            "Estimated payoffs come from the blueprint's own play of the river; the thesis recorded Sparbot.",
        ),
        draw=partial(_draw, ablations=ablations),
    )


def _described(setting: PhaseSetting) -> str:
    sample, ablation, table = setting.sample, setting.ablation, setting.table
    return (
        f"{setting.boards} random boards by thresholds; first phases with {'-'.join(map(str, ablation.sizes))} classes on "
        f"{sample.flops} flops, {sample.turns} turns of each and {sample.rivers} rivers of each turn, by EGT-2 to a gap of "
        f"{ablation.gap:g} chips or {ablation.iterations:,} iterations; {table.situations} programs with {table.buckets[0]} and "
        f"{table.buckets[1]} buckets; ablations by 50 series of 1,000 "
        f"duplicate hands, turn and river by one blueprint of {ablation.training:,} deals"
    )


def _phase(found: PhaseStrategy) -> dict[str, Any]:
    return {
        "classes": found.classes.counts,
        "share of hands in the largest class, by round": found.classes.largest_share(),
        "gap, small bets": found.gap / SMALL_BET,
        "bracket of the value, chips": found.bracket,
        "the same by CFR": found.second,
        "iterations": found.iterations,
    }


def _draw(figure: Any, ablations: dict[Variant, Ablation]) -> None:
    """Win rates of the whole player, printed and measured."""
    from equilibrist.experiments.pictures import COLOURS

    axis = figure.subplots()
    for place, (variant, found) in enumerate(ablations.items()):
        axis.errorbar(place, found.result.mean, 1.96 * found.result.error, fmt="o", color=COLOURS[0])
        axis.plot(place, PRINTED[variant][1], "x", color=COLOURS[1])
    axis.set_xticks(range(len(ablations)), [variant.name.replace(", ", "\n") for variant in ablations], fontsize=8)
    axis.axhline(0.0, color="0.7", linewidth=0.8)
    axis.set(ylabel="small bets a hand won by the whole player (x: printed)")


EXPERIMENT = Experiment(
    id="gilpin/gs-phases",
    title="The phases of GS1 and GS2: thresholds, buckets, programs at the table, ablations",
    source="[Gilpin09, §6.3, §6.4 and §7.2, Table 6.1]",
    seconds_quick=110,
    seconds_full=9000,
    run=run,
    text="limit hold'em: 25 and 125 classes; 15-225-900 classes; 10 and 100 buckets; matches of GS2",
    quick={
        "text: classes": ("printed",),
        "6-24-80 classes on 30 flops": ("pattern", "reference"),
        "programs of 6 and 36 buckets": ("pattern", "reference"),
    },
    full={
        "text: classes": ("printed",),
        "sampled flops": ("pattern", "reference"),
        "text: programs of 10 and 100 buckets": ("pattern", "reference"),
    },
)
