"""The jam/fold tournament of three players: four algorithms, what ICM misses, and the strategies that the text prints."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.kernel import cache_folder
from equilibrist.core.arrays import Floats
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, close, on, ours, printed
from equilibrist.experiments.ganzfried.tournaments.printed_grids import SINGLE_HAND, TOURNAMENT, UNEQUAL, printed_grid
from equilibrist.experiments.ganzfried.tournaments.runs import (
    TARGET,
    MethodCurve,
    equity_groups,
    icm_deviations,
    jam_shares,
    played_closer,
    run_method,
    single_hand,
)
from equilibrist.experiments.registry import Experiment
from equilibrist.games.tournaments.jam_fold import JamFold
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.stochastic_games.jam_fold_stages import SLOTS, JamFoldStages
from equilibrist.solvers.stochastic_games.outer_loops import StochasticSettings
from equilibrist.solvers.stochastic_games.tournaments import tournament_stages

EQUAL, SHORT, LONG = (4500, 4500, 4500), (300, 12_300, 900), (3300, 1500, 8700)
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0, 3.0)
TABLE_9_1 = (510, 460, 368, 363, 403, 626, 108)
AT_SHORT = {"button": 25.45, "small blind": 48.69, "big blind": 25.856}
TABLE_9_14 = {
    "tournament": (0.376, 0.088, 0.652, 0.145, 0.273, 0.021),
    "single hand": (0.355, 0.234, 0.633, 0.308, 0.466, 0.197),
}
DECISIONS = (
    "button",
    "small blind after jam",
    "small blind after fold",
    "big blind after jam, fold",
    "big blind after fold, jam",
    "big blind after two jams",
)
FP_MDP = 30  # iterations: 20 hours of 40 minutes
SINGLE_SWEEPS, SHOWN_SWEEPS = 60, 150  # of hands whose strategies are compared
CLOSER, POLISH = "PI-FP, stages to 0.001 $", 3  # strategies are compared after so many iterations more


@dataclass(frozen=True)
class Size:
    """One tournament of the experiment, and its name among the parts."""

    part: str
    chips: int
    groups: int | None  # classes of hands; None: all 169
    samples: int  # of each triple of classes in the table of all-ins


QUICK = Size("4,500 chips, 91 states, 20 classes of hands", 4500, 20, 300)
MIDDLE = Size("4,500 chips, 91 states", 4500, None, 10_000)
WHOLE = Size("text", 13_500, None, 10_000)
SINGLE = "text: a single hand"


def make_stages(size: Size, request: Request) -> JamFoldStages:
    groups = None if size.groups is None else equity_groups(size.groups)
    arrays: Any = np
    if wants_gpu(request.device, None, streets=2):
        from equilibrist.solvers.postflop.gpu.cuda_device import cupy

        arrays = cupy()
    return tournament_stages(
        JamFold(chips=size.chips), groups=groups, samples=size.samples, arrays=arrays, report=request.report
    )


def compare_methods(size: Size, stages: JamFoldStages, request: Request) -> dict[str, MethodCurve]:
    """[Ganzfried15, Figure 9.1], and VI-FP and PI-FP from values that are too high for anybody."""
    folder = cache_folder() / "experiments" / "tournament" if request.full else None
    kept = Checkpoints(folder, f"{size} {SINGLE_SWEEPS}")
    guess, high = stages.rules.guess(), np.full((stages.ends.states, 3), 100.0)
    name = f"{stages.ends.states}-"
    first = run_method(stages, "pi-fp", request, kept, values=guess, name=f"{name}pi-fp", most=10)
    return {
        "PI-FP": first,
        CLOSER: run_method(
            stages,
            "pi-fp",
            request,
            kept,
            values=first.values,
            plan=first.jams.reshape(stages.ends.states, -1),
            name=f"{name}pi-fp-closer",
            most=POLISH,
            least=POLISH,
            settings=StochasticSettings(gamma=0.001, first_gamma=0.001),
        ),
        "VI-FP": run_method(stages, "vi-fp", request, kept, values=guess, name=f"{name}vi-fp", most=20),
        "FP-MDP": run_method(
            stages, "fp-mdp", request, kept, values=guess, name=f"{name}fp-mdp", most=FP_MDP, least=FP_MDP, every=10
        ),
        "VI-FP from 100": run_method(
            stages, "vi-fp", request, kept, values=high, name=f"{name}vi-fp-from-100", most=4, least=4
        ),
        "PI-FP from 100": run_method(
            stages, "pi-fp", request, kept, values=high, name=f"{name}pi-fp-from-100", most=12
        ),
    }


def method_checks(curves: dict[str, MethodCurve]) -> list[Check]:
    """Who comes below five cents, and in how many iterations."""
    patterns = [
        at_most("PI-FP: largest gain of a deviation, $", TARGET, curves["PI-FP"].gain),
        at_most("VI-FP: largest gain of a deviation, $", TARGET, curves["VI-FP"].gain),
        at_most(
            "iterations below 0.05: PI-FP over VI-FP", 1.0, curves["PI-FP"].iterations / curves["VI-FP"].iterations
        ),
        at_least(f"FP-MDP after {FP_MDP} iterations: largest gain, $", TARGET, curves["FP-MDP"].gain),
        at_least("VI-FP from 100 for everybody: largest gain, $", 1.0, curves["VI-FP from 100"].gain),
        at_most("PI-FP from there: largest gain, $", TARGET, curves["PI-FP from 100"].gain),
    ]
    off = float(np.abs(curves["PI-FP"].values.sum(axis=1) - 100.0).max())
    return [*patterns, *ours([close("prize money in all, $", 100.0, 100.0 + off, 1e-6)])]


def icm_checks(rules: JamFold, values: Floats) -> tuple[list[Check], dict[str, Any]]:
    """[Ganzfried15, Table 9.1]."""
    off = icm_deviations(rules, values)
    counts = np.histogram(off, BINS)[0]
    names = [f"{a:g} to {b:g}" for a, b in pairwise(BINS)]
    checks = [
        close(f"Table 9.1: deviations of ICM, {name} $", target, float(count), 0.1 * target)
        for name, target, count in zip(names, TABLE_9_1, counts, strict=True)
    ]
    at_short = values[rules.state_of(SHORT)]
    checks += [
        close("Table 9.1: average deviation, $", 0.3703, float(off.mean()), 0.02),
        close("Table 9.1: largest deviation, $", 2.99, float(off.max()), 0.1),
        *(
            close(f"stacks {SHORT}: {seat}, $", target, float(value), 0.1)
            for (seat, target), value in zip(AT_SHORT.items(), at_short, strict=True)
        ),
    ]
    worst = rules.states[int(off.max(axis=1).argmax())]
    return checks, {
        "deviations of ICM": dict(zip(names, counts.tolist(), strict=True)),
        "average": float(off.mean()),
        "largest": float(off.max()),
        "largest at": [stack * rules.unit for stack in worst],
    }


def share_checks(kind: str, jams: Floats, tolerance: float) -> list[Check]:
    """[Ganzfried15, Table 9.14]."""
    return [
        close(f"Table 9.14, {kind}: {name}", target, share, tolerance)
        for name, target, share in zip(DECISIONS, TABLE_9_14[kind], jam_shares(jams).tolist(), strict=True)
    ]


def grid_checks(tables: dict[str, str], jams: Floats) -> tuple[list[Check], dict[str, Any]]:
    """Hands within five points of the print."""
    checks, measured = [], {}
    for table, line in tables.items():
        off = np.abs(jams[SLOTS[3].index(line)] - printed_grid(table))
        near = float((off <= 0.05 + 1e-9).mean())
        checks.append(at_least(f"Table {table}: share of hands within 5 points", 0.9, near))
        measured[f"Table {table}: share of hands within 5 points"] = near
    return checks, measured


def unexplained(jams: Floats) -> int:
    """Hands on the wrong side of the best place in the order of Table 9.16, out of 169."""
    ranks, jammed = printed_grid("9.16"), jams > 0.5
    return min(int(((ranks < cut) != jammed).sum()) for cut in range(170))


def ranking_checks(equal: Floats, unequal: Floats) -> list[Check]:
    """[Ganzfried15, §9.8.5]: no ranking holds at both stacks, and that of Table 9.16 misses many hands at equal ones."""
    at_equal, at_unequal = equal > 0.5, unequal > 0.5
    checks = [
        close(
            "Table 9.4: hands that the order of Table 9.16 misses",
            unexplained(printed_grid("9.4")),
            unexplained(equal),
            3,
        ),
        close(
            "Table 9.15: hands that the order of Table 9.16 misses",
            unexplained(printed_grid("9.15")),
            unexplained(unequal),
            3,
        ),
    ]
    return [
        *printed(checks),
        at_least("hands that the small blind jams at equal stacks alone", 1, int((at_equal & ~at_unequal).sum())),
        at_least(f"hands that it jams at {LONG} alone", 1, int((at_unequal & ~at_equal).sum())),
    ]


def mixed(jams: Floats) -> float:
    """Hands of a decision that are played both ways, on average over decisions."""
    return float(((jams > 0.05) & (jams < 0.95)).sum(axis=2).mean())


def run_size(size: Size, request: Request) -> tuple[list[Check], dict[str, Any], JamFoldStages]:
    stages = make_stages(size, request)
    curves = compare_methods(size, stages, request)
    checks, best = method_checks(curves), curves[CLOSER]
    measured: dict[str, Any] = {
        name: {
            "iterations": curve.points[:, 0].tolist(),
            "sweeps": curve.points[:, 1].tolist(),
            "seconds": curve.points[:, 2].round(1).tolist(),
            "largest gain, $": curve.points[:, 3].tolist(),
        }
        for name, curve in curves.items()
    }
    measured["policy iterations of the last check"] = best.checked
    if size is WHOLE:
        rules = stages.rules
        more, found = icm_checks(rules, best.values)
        shown = played_closer(stages, best.values, (EQUAL, LONG), request, sweeps=SHOWN_SWEEPS)
        equal, unequal = shown
        checks += printed([*more, *share_checks("tournament", equal, 0.015)])
        for tables, jams in ((TOURNAMENT, equal), (UNEQUAL, unequal)):
            grids, near = grid_checks(tables, jams)
            checks, found = checks + grids, found | near
        after_fold = SLOTS[3].index("F")
        checks += ranking_checks(equal[after_fold], unequal[after_fold])
        checks += [at_most("mixed hands in a decision", 5.0, mixed(shown))]
        measured["mixed hands in a decision"] = mixed(shown)
        measured |= found | {"Table 9.14, tournament": dict(zip(DECISIONS, jam_shares(equal).tolist(), strict=True))}
    return on(size.part, checks), {size.part: measured}, stages


def run_single(stages: JamFoldStages, request: Request) -> tuple[list[Check], dict[str, Any]]:
    jams, left = single_hand(stages, EQUAL, request, sweeps=SINGLE_SWEEPS)
    grids, near = grid_checks(SINGLE_HAND, jams)
    shares = dict(zip(DECISIONS, jam_shares(jams).tolist(), strict=True))
    return on(SINGLE, [*printed(share_checks("single hand", jams, 0.01)), *grids]), {
        SINGLE: {"Table 9.14, single hand": shares, **near, "largest gain, chips": left}
    }


def run(request: Request) -> Findings:
    sizes = [MIDDLE, WHOLE] if request.full else [QUICK]
    checks: list[Check] = []
    measured: dict[str, Any] = {}
    for size in sizes:
        found, numbers, stages = run_size(size, request)
        checks, measured = checks + found, measured | numbers
    if not request.full:
        stages = make_stages(Size("", 13_500, None, QUICK.samples), request)
    found, numbers = run_single(stages, request)
    return Findings(
        setting=f"{'; '.join(size.part for size in sizes)}; a single hand at equal stacks with all 169 classes"
        + ("" if request.full else "; 946 states with all classes need --full"),
        checks=[*checks, *found],
        published={
            "largest gain of a deviation, $": 0.049,
            "Figure 9.1": "PI-FP is the first below 0.05, VI-FP takes almost three times as long, FP-MDP is not below in 20 hours",
            "Table 9.1": dict(zip(BINS[1:], TABLE_9_1, strict=True)),
            "Table 9.14": {kind: dict(zip(DECISIONS, row, strict=True)) for kind, row in TABLE_9_14.items()},
        },
        measured=measured | numbers,
        remarks=(
            "Sweeps of fictitious play are weighted by their number, which takes a tenth of those of Equation 9.1; the check is exact.",
            "Showdowns are sampled for every triple of classes (10,000 samples: a standard error of at most 0.005), deals counted exactly.",
            "The text does not say what an uneven split, equal stacks lost in one hand or a blind above all other stacks lead to.",
        ),
    )


EXPERIMENT = Experiment(
    id="ganzfried/tournament",
    title="Jam/fold tournament of three players: VI-FP, PI-FP, FP-MDP, ICM, strategies",
    source="[Ganzfried15, §9.3 to §9.8, Figure 9.1, Tables 9.1 to 9.16]",
    seconds_quick=40,
    seconds_full=10800,
    run=run,
    text="13,500 chips, 946 states, 169 classes of hands",
    quick={
        "4,500 chips, 91 states, 20 classes of hands": ("pattern", "reference"),
        "text: a single hand": ("printed", "pattern"),
    },
    full={
        "4,500 chips, 91 states": ("pattern", "reference"),
        "text": ("printed", "pattern", "reference"),
        "text: a single hand": ("printed", "pattern"),
    },
    gpu=True,
)
