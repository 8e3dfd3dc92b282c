"""Potential-aware against distribution-aware buckets where betting ends with the flop: exact values ([Ganzfried15, §5.3.1])."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.kernel import cache_folder
from equilibrist.compute.machine import cores
from equilibrist.evaluation.play.statistics import Estimate, estimate
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.trained import duel, trained
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.blueprint.values.flop_values import FlopValues, flop_values

NOTHING = {"bet": "", "raise": ""}
MENU = {"menu": {"bet": "100%, a", "raise": "100%, a", "turn": NOTHING, "river": NOTHING}}
WAYS = {
    "potential-aware": "ehs-equal/potential-aware/kmeans-emd/ehs-equal",
    "distribution-aware": "ehs-equal/kmeans-emd/kmeans-emd/ehs-equal",
}
PUBLISHED = {
    "small tree, mbb/h": "+2.58 +- 1.56",
    "large tree, mbb/h": "+2.22 +- 1.28",
    "buckets": "169/5000/5000/5000",
}
WORST = -2.0  # mbb a hand that potential-aware buckets may lose; ours


@dataclass(frozen=True)
class DuelSetting:
    """How large everything is."""

    game: str
    sizes: str
    sample: int
    deals: int  # of each training
    seeds: int  # pairs of trainings, buckets drawn anew for each
    hands: int  # of the duplicate match


QUICK = DuelSetting("nolimit-holdem(stack=2000,ranks=8)", "all/15/30/1", 200_000, 4_000_000, 3, 10_000)
FULL = DuelSetting("nolimit-holdem(stack=2000)", "169/200/500/1", 300_000, 300_000_000, 3, 200_000)


def plan(setting: DuelSetting, way: str, seed: int) -> BlueprintPlan:
    cards = f"{WAYS[way]}(sizes={setting.sizes}, sample={setting.sample}, seed={seed})"
    return BlueprintPlan(setting.game, MENU, cards)


def strategies(setting: DuelSetting, request: Request) -> list[PokerBlueprint]:
    """Those of the first way, then those of the second; a full run goes on where it was."""
    folder = cache_folder() / "experiments" / "flop-duel" if request.full else None
    threads = cores() if request.full else 1
    return [
        trained(plan(setting, way, seed), setting.deals, request, Training(seed=seed), threads, folder)
        for way in WAYS
        for seed in range(setting.seeds)
    ]


def walked(setting: DuelSetting, found: list[PokerBlueprint], request: Request) -> FlopValues:
    """Values and best responses over all flops."""
    folder = cache_folder() / "experiments" / "flop-duel" if request.full else None
    checkpoints = Checkpoints(folder, f"{setting} {[blueprint.abstract.buckets.hash for blueprint in found]}")
    return flop_values(found, threads=cores() if request.full else 1, checkpoints=checkpoints, report=request.report)


def gains(values: FlopValues, seeds: int, blind: float) -> Estimate:
    """mbb a hand of the first way against the second: each training of the first against all of the second is one sample."""
    rows = [
        np.mean([values.gain(one, seeds + other) for other in range(seeds)]) * 1000.0 / blind for one in range(seeds)
    ]
    return estimate(np.array(rows))


def match_check(
    setting: DuelSetting, found: list[PokerBlueprint], values: FlopValues, blind: float, request: Request
) -> tuple[Check, dict[str, object]]:
    """Duplicate hands between the first two trainings say the same as the walk over all flops."""
    pair = found[0], found[setting.seeds]
    makers = {way: partial(BlueprintPlayer, blueprint) for way, blueprint in zip(WAYS, pair, strict=True)}
    played = duel(setting.game, dict(makers), setting.hands, request, aivat="off")
    result, exact = played.scaled(played.estimates[0]), values.gain(0, setting.seeds) * 1000.0 / blind
    errors = (exact - result.mean) / result.error
    return between("duplicate match: exact value less result, standard errors", -3.0, 3.0, errors), {
        "mbb a hand": result.mean,
        "interval": list(result.interval),
        "exact": exact,
    }


def worked_out(setting: DuelSetting, request: Request) -> tuple[list[PokerBlueprint], FlopValues]:
    """Strategies and their values."""
    try:
        found = strategies(setting, request)
        return found, walked(setting, found, request)
    except KeyboardInterrupt:
        if request.full:
            request.report("kept as far as it has come; the same command goes on from here", None)
        raise


def run(request: Request) -> Findings:
    setting = FULL if request.full else QUICK
    found, values = worked_out(setting, request)
    blind, seeds = max(found[0].plan.rules.blinds), setting.seeds
    open_to = [values.exploitability(number) * 1000.0 / blind for number in range(2 * seeds)]
    first, second = float(np.mean(open_to[:seeds])), float(np.mean(open_to[seeds:]))
    won = gains(values, seeds, blind)
    agreed, played = match_check(setting, found, values, blind, request)
    return Findings(
        setting=f"{setting.game}, no bets on turn and river, pot and all-in before; {setting.sizes} buckets, "
        f"{setting.deals:,} deals a training, {seeds} trainings of each kind; {setting.hands:,} duplicate hands"
        + ("" if request.full else "; all 52 cards and 169/200/500 buckets need --full"),
        checks=[
            at_least(
                "potential-aware against distribution-aware, mbb a hand: lower end of the 95 % interval",
                WORST,
                won.interval[0],
            ),
            at_most("exploitability, potential-aware over distribution-aware", 1.05, first / second),
            agreed,
        ],
        published=PUBLISHED,
        measured={
            "gain of potential-aware buckets, mbb a hand": {
                "mean": won.mean,
                "interval": list(won.interval),
                "lowest of all pairs": min(
                    values.gain(a, seeds + b) * 1000.0 / blind for a in range(seeds) for b in range(seeds)
                ),
            },
            "exploitability, mbb a hand": dict(zip(WAYS, (open_to[:seeds], open_to[seeds:]), strict=True)),
            "duplicate match": played,
        },
        remarks=(
            "Every value is an expectation over all deals, computed flop by flop; what is left to chance are buckets and trainings, so the "
            "interval is over these.",
            "With no bets on turn and river it does not matter when a hand's strength becomes known, which is what potential-aware "
            "buckets tell apart: no gain is to be expected. Draws of buckets differ as much as the two kinds do.",
        ),
    )


EXPERIMENT = Experiment(
    id="ganzfried/flop-duel",
    title="Potential-aware against distribution-aware buckets, betting up to the flop",
    source="[Ganzfried15, §5.3.1]",
    seconds_quick=120,
    seconds_full=7200,
    run=run,
    text="no-limit hold'em, four rounds of betting",
    quick={"32 cards, no bets after the flop": ("pattern", "reference")},
    full={"no bets after the flop": ("pattern", "reference")},
)
