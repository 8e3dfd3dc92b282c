"""What the new abstraction and estimated payoffs are worth: four variants of GS2 play each other (the last rows of Table 6.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.evaluation.play.statistics import Estimate, estimate
from equilibrist.experiments.findings import Check, Request, ascending, at_least
from equilibrist.experiments.gilpin.gs.limit_duels import (
    blueprint_choices,
    draw_deals,
    duplicate,
    river_table,
    river_values,
    turn_worths,
)
from equilibrist.experiments.gilpin.gs.phase_one import (
    Meetings,
    PhaseClasses,
    PhaseStrategy,
    SampledStrengths,
    meetings,
    phase_classes,
    phase_form,
    phase_strategy,
)
from equilibrist.experiments.gilpin.gs.sign_test import sign_test
from equilibrist.experiments.gilpin.gs.simulated_round import ActionTable, last_round, round_worth
from equilibrist.experiments.trained import trained
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.solvers.blueprint.presets import find_plan
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.first_order.excessive_gap import egt
from equilibrist.solvers.hand_classes.solve_classes import solve_rounds

SMALL_BET = 2.0
SERIES, HANDS = 50, 1000
ROUND_CAP = 4
TABLE_DEALS = 4000  # on which the blueprint's play of the river is recorded
SECOND_ROUTE = 0.02  # chips: exploitability to which CFR checks values
STEP = 50  # iterations between looks at the gap


@dataclass(frozen=True)
class Variant:
    """One of four players; the first row of PRINTED is the whole of GS2."""

    method: str  # of `phase_classes`
    estimated: bool

    @property
    def name(self) -> str:
        return f"{'new' if self.method == 'expectation' else 'old'} abstraction, {'with' if self.estimated else 'without'} estimates"


WHOLE = Variant("expectation", True)
PRINTED = {  # without: series won of 50, small bets a hand
    Variant("threshold", False): (48, 0.0287),
    Variant("threshold", True): (35, 0.0273),
    Variant("expectation", False): (44, 0.0072),
}


@dataclass(frozen=True)
class AblationSetting:
    sizes: tuple[int, int, int]
    iterations: int  # of EGT-2, at most
    training: int  # deals of the blueprint that plays turn and river
    threads: int = 1
    gap: float = 0.0  # chips; all variants stop here, since a player solved less exactly loses for that alone


@dataclass(frozen=True)
class Ablation:
    """The whole player against one without something, small bets a hand."""

    result: Estimate
    wins: int

    def shown(self) -> dict[str, Any]:
        return {
            "small bets a hand": self.result.mean,
            "standard error": self.result.error,
            "deals": self.result.samples,
            f"series won of {SERIES}": self.wins,
            "p by sign test": sign_test(self.wins, SERIES),
        }


def solve_variant(
    variant: Variant,
    classes: PhaseClasses,
    met: Meetings,
    setting: AblationSetting,
    kept: Checkpoints,
    request: Request,
) -> PhaseStrategy:
    """EGT-2 on the game of three rounds; interrupted work is taken up again where checkpoints are kept."""
    form = phase_form(classes, met, estimated=variant.estimated, threads=setting.threads)
    run = egt().on(form)
    name = variant.name.replace(" ", "-").replace(",", "")
    before = kept.load(name)
    if before is not None:
        run.restore(before)
    with HeldInterrupts() as held:
        while run.iteration < setting.iterations and (run.iteration == 0 or run.evaluate().nash_conv > setting.gap):
            run.advance(min(STEP, setting.iterations - run.iteration))
            request.report(f"EGT-2: {variant.name}", run.iteration / setting.iterations)
            kept.save_now_and_then(name, run.state)
            if held.asked:
                break
        kept.save(name, run.state())
        held.checkpoint()
    found = phase_strategy(classes, form, run.answer, run.evaluate(), run.iteration)
    if isinstance(form, KroneckerForm):
        found = replace(found, second=solve_rounds(form, until=SECOND_ROUTE, iterations=2000).bracket)
    return found


def common_blueprint(deals: int, request: Request, threads: int = 1) -> PokerBlueprint:
    """Who plays turn and river for everybody, and whose river is recorded."""
    return trained(replace(find_plan("gs3").plan, cards="small"), deals, request, threads=threads)


def recorded_river(blueprint: PokerBlueprint, sample: SampledStrengths, seed: int = 1) -> ActionTable:
    """How the blueprint acts on rivers of the sample, by value of the hand."""
    deals = draw_deals(sample.flops, TABLE_DEALS, np.random.default_rng([seed, 7_2]))
    return river_table(blueprint.abstract.tree, deals, blueprint_choices(blueprint, deals), river_values(deals))


def all_variants(
    sample: SampledStrengths, table: ActionTable, setting: AblationSetting, kept: Checkpoints, request: Request
) -> dict[Variant, PhaseStrategy]:
    """Four first phases."""
    worth = round_worth(last_round(1.0, 1.0, ROUND_CAP), table)
    found = {}
    for method in ("expectation", "threshold"):
        request.report(f"classes by {method}")
        classes = phase_classes(sample, setting.sizes, method)
        count = partial(meetings, sample, classes, table, worth, Team(setting.threads))
        met = Meetings(**kept.keep(f"meetings-{method}", partial(_arrays, count)))
        for estimated in (True, False):
            variant = Variant(method, estimated)
            found[variant] = solve_variant(variant, classes, met, setting, kept, request)
    return found


def play_off(
    blueprint: PokerBlueprint, sample: SampledStrengths, players: dict[Variant, PhaseStrategy], request: Request
) -> dict[Variant, Ablation]:
    """The whole player against the three others: 50 series of 1,000 hands, every deal played twice, the same deals for all."""
    tree = blueprint.abstract.tree
    deals = draw_deals(sample.flops, SERIES * HANDS // 2, np.random.default_rng(6_1))
    request.report("turns and rivers of all deals")
    after = turn_worths(tree, deals, blueprint_choices(blueprint, deals))
    return {other: _ablation(duplicate(tree, players[WHOLE], players[other], deals, after)) for other in PRINTED}


def _arrays(count: Callable[[], Meetings]) -> dict[str, Floats]:
    return dict(vars(count()))


def _ablation(chips: Floats) -> Ablation:
    won = chips / SMALL_BET
    series = won.reshape(SERIES, -1).mean(axis=1)
    return Ablation(estimate(won), int((series > 0).sum()))


def river_check(table: ActionTable) -> Check:
    """Who acts first on the river bets the best hands oftener than middling ones: the lost curves rise at their right end."""
    bets = table.rows[""][:, 1]
    fifth = len(bets) // 5
    middling = {"middling": float(bets[2 * fifth : 3 * fifth].mean()), "best": float(bets[-fifth:].mean())}
    return ascending("estimated payoffs: first bets on the river by value of the hand", middling)


def ablation_checks(found: dict[Variant, Ablation]) -> list[Check]:
    """Target of the row: three differences above 0, beyond chance, and more than 35 series won from neither improvement."""
    checks = [
        at_least(
            f"Table 6.1, against {v.name}: small bets a hand, lower end of the 95 % interval",
            0.0,
            each.result.interval[0],
        )
        for v, each in found.items()
    ]
    neither = found[Variant("threshold", False)]
    return [*checks, at_least("Table 6.1, against neither improvement: series won of 50", 36, neither.wins)]
