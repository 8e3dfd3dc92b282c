"""A small Tartanian: 20-bb no-limit hold'em with public clusters against simple players; one worker and two ([Ganzfried15, §6.3])."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer, parts_of
from equilibrist.agents.registry import load_agent
from equilibrist.core.player import Player
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, on
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.trained import duel, trained
from equilibrist.forms.compiled import compiled
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint.abstract_poker import lift
from equilibrist.solvers.blueprint.distributed.run import BATCH, DistributedRun, local_run
from equilibrist.solvers.blueprint.plan import EXACT, BlueprintPlan
from equilibrist.solvers.blueprint.run import BlueprintRun
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.blueprint.values.flop_values import flop_values
from equilibrist.solvers.responses.best_response import evaluate_policy

GAME = "nolimit-holdem(stack=2000)"
BETS = "100%, a"
MENU = {"menu": {"bet": BETS, "raise": BETS}}
CARDS = (
    "ehs-equal(sizes=169/240/240/240, public=8, sample=100000, runouts=100)"  # 8 clusters of flops, 30 buckets in each
)
PLAN = BlueprintPlan(GAME, MENU, CARDS)
PREFLOP_ONLY = BlueprintPlan(GAME, {"menu": {"bet": "", "raise": "", "preflop": {"raise": BETS}}}, "tiny")
OPPONENTS = ("always-call", "always-raise", "random")
SHARED = BlueprintPlan(
    "flop-holdem(ranks=6,suits=2)", {}, "ehs-equal(sizes=12/36, public=3)"
)  # three clusters of flops
LOOKS = 6  # at regrets, while workers train
PUBLISHED = {"Table 6.1, mean over 13 opponents, mbb/h": 479}


def opponents(deals: int, request: Request) -> dict[str, Callable[[], Player]]:
    """Simple players, and an equilibrium of the game without bets after the flop, which checks and calls there."""
    simple: dict[str, Callable[[], Player]] = {name: partial(load_agent, name) for name in OPPONENTS}
    preflop = trained(PREFLOP_ONLY, deals, request)
    return {**simple, "preflop only": lambda: BlueprintPlayer(preflop)}


def matches(
    blueprint: PokerBlueprint, deals: int, hands: int, request: Request
) -> tuple[list[Check], dict[str, object]]:
    """The bot beats simple players."""
    checks: list[Check] = []
    measured: dict[str, object] = {}
    for name, maker in opponents(deals, request).items():
        makers: dict[str, Callable[[], Player]] = {
            "bot": lambda: BlueprintPlayer(blueprint, parts_of(post="generalised(0.2)", spare="first")),
            name: maker,
        }
        found = duel(GAME, makers, hands, request, aivat="chance")
        result = found.scaled((found.adjusted or found.estimates)[0])
        checks.append(at_least(f"against {name}, mbb/h, lower end of the 95 % interval", 0.0, result.interval[0]))
        measured[name] = {"mbb/h": result.mean, "interval": list(result.interval)}
    return checks, measured


def threads(request: Request) -> tuple[list[Check], dict[str, object]]:
    """Two threads on the same tables learn what one does."""
    blocks, found = 2000 if request.full else 150, {}
    for count in (1, 2):
        request.report(f"Leduc with {count} threads", None)
        training = Training(discounts=10)  # threads work between discounts, so these must not follow on every block
        game = BlueprintPlan("leduc", cards=EXACT).game()
        run = BlueprintRun(game, training, planned=blocks * 4096, threads=count)
        run.advance(blocks)
        policy = lift(run.game, compiled("leduc").tree.infosets, run.packed())
        found[count] = evaluate_policy(compiled("leduc"), policy).exploitability
    ratio = found[2] / found[1]
    return [at_most("exploitability with two threads over that with one", 1.3, max(ratio, 1.0 / ratio))], {
        f"{count} threads, antes": value for count, value in found.items()
    }


def workers(request: Request) -> tuple[list[Check], dict[str, object]]:
    """[Ganzfried15, §6.2]: a head, one or two workers with own flops: regrets on the way, exploitability in the end."""
    blocks, game = 6000 if request.full else 480, SHARED.game()
    curves, gaps = {}, {}
    for count in (1, 2):
        run = local_run(game, Training(weighting="none"), count, planned=blocks * BATCH)
        curve = []
        for look in range(LOOKS):
            request.report(f"a head and {count} workers", look / LOOKS)
            run.advance(blocks // LOOKS)
            curve.append(mean_regret(run))
        curves[count] = curve
        gaps[count] = flop_values([PokerBlueprint(SHARED, game, run.packed())]).exploitability(0)
    ratios = [b / a for a, b in zip(curves[1], curves[2], strict=True)]
    apart, gap = max(abs(ratio - 1.0) for ratio in ratios), gaps[2] / gaps[1]
    return [
        at_most("mean regrets with two workers beside those with one, largest deviation", 0.1, apart),
        at_most("exploitability with two workers over that with one", 1.1, max(gap, 1.0 / gap)),
    ], {
        f"{count} workers": {"mean regrets, chips": curve, "exploitability, chips": gaps[count]}
        for count, curve in curves.items()
    }


def mean_regret(run: DistributedRun) -> float:
    """Largest positive regret of an infoset over its iterations, mean over all infosets."""
    tree = run.game.tree
    widths = np.asarray(run.game.buckets.sizes, dtype=np.int64)[tree.round[tree.decisions]]
    infosets, total = kernels.tally(run.tree, tree.decisions, widths, run.whole()["regret"])
    return float(total) / int(infosets) / run.iteration


def run(request: Request) -> Findings:
    deals, hands = (50_000_000, 50_000) if request.full else (1_500_000, 4000)
    blueprint = trained(PLAN, deals, request)
    checks, won = matches(blueprint, deals // 2, hands, request)
    more, learned = threads(request)
    shared, divided = workers(request)
    return Findings(
        setting=f"20 bb, fold, call, pot and all-in, 169 buckets and 8 x 30 on each later street, {deals:,} deals; {hands:,} hands in "
        "duplicate against each of four; Leduc for two threads; limit flop hold'em with 12 cards and three clusters for two workers",
        checks=[*checks, *on("Leduc, and flop hold'em with 12 cards", [*more, *shared])],
        published=PUBLISHED,
        measured={"matches": won, "threads": learned, "workers": divided},
        remarks=(
            "Less than 5 mbb/h in a game of three clusters was hoped for; buckets of strength leave more than that, so one and two "
            "workers are compared with each other.",
            "The speed of two workers and threads is in benchmarks/blueprint.py; rivers are in ganzfried/river-solving, buckets in "
            "ganzfried/flop-duel.",
        ),
    )


EXPERIMENT = Experiment(
    id="ganzfried/tartanian",
    title="A small Tartanian: simple opponents, one worker and two",
    source="[Ganzfried15, §6.2 and §6.3]",
    seconds_quick=120,
    seconds_full=3600,
    run=run,
    text="no-limit hold'em of 200 big blinds, 60 x 500 buckets, competition bots",
    quick={
        "20 big blinds, 8 x 30 buckets, simple players": ("pattern",),
        "Leduc, and flop hold'em with 12 cards": ("pattern",),
    },
)
