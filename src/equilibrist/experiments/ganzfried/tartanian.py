"""A small Tartanian: 20-bb no-limit hold'em against simple players, rivers solved again, two threads (Ganzfried 2015, 6 and 10)."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import numpy as np

from equilibrist.abstraction.abstract_poker import lift
from equilibrist.agents.blueprint_player import BlueprintPlayer, parts_of
from equilibrist.agents.registry import load_agent
from equilibrist.agents.searching_player import SearchingPlayer, SearchSettings
from equilibrist.core.player import Player, StrategicPlayer
from equilibrist.evaluation.river_values import RiverDuel
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.trained import River, duel, rivers, trained
from equilibrist.games.catalogue import load_game
from equilibrist.games.compiled import compiled
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.best_response import evaluate_policy
from equilibrist.solvers.blueprint import BlueprintRun, PokerBlueprint, Training
from equilibrist.solvers.blueprint.plan import EXACT, BlueprintPlan

GAME = "nolimit-holdem(stack=2000)"
BETS = "100%, a"
PLAN = BlueprintPlan(GAME, {"menu": {"bet": BETS, "raise": BETS}}, "small")
OPPONENTS = ("always-call", "always-raise", "random")
PUBLISHED = {
    "Table 6.1, mean over 13 opponents, mbb/h": 479,
    "Table 10.1, river solving, mbb/h": {"Hyperborean.iro": "+87 +- 50", "Slumbot": "+29 +- 25"},
}


def matches(blueprint: PokerBlueprint, hands: int, request: Request) -> tuple[list[Check], dict[str, object]]:
    """3.2 (d): the bot beats simple players."""
    checks: list[Check] = []
    measured: dict[str, object] = {}
    for name in OPPONENTS:
        makers: dict[str, Callable[[], Player]] = {
            "bot": lambda: BlueprintPlayer(blueprint, parts_of(post="generalised(0.2)", spare="first")),
            name: partial(load_agent, name),
        }
        found = duel(GAME, makers, hands, request, aivat="chance")
        result = found.scaled((found.adjusted or found.estimates)[0])
        checks.append(
            at_least(f"3.2 d: against {name}, mbb/h, lower end of the 95 % interval", 0.0, result.interval[0])
        )
        measured[name] = {"mbb/h": result.mean, "interval": list(result.interval)}
    return checks, measured


def gap(player: StrategicPlayer, other: StrategicPlayer, game: Poker, river: River) -> float:
    """How exploitable a strategy is on one river, as a share of the pot there."""
    for seat, each in enumerate((player, other)):
        each.reset(seat, game, random.Random(f"{river.hand}/{seat}"))
    return RiverDuel(river.state, (player, other), river.ranges).exploitability() / river.state.node.pot


def endgames(blueprint: PokerBlueprint, count: int, request: Request) -> tuple[list[Check], dict[str, object]]:
    """3.6: rivers as the bot plays them, and solved."""
    game = load_game(GAME)
    assert isinstance(game, Poker)
    settings = SearchSettings(street="river", iterations=300, seconds=600.0, bet=BETS, raises=BETS)
    base, solved = [], []
    for number, river in enumerate(rivers(blueprint, game, seed=1)):
        if number == count:
            break
        request.report("rivers as played and solved", number / count)
        base.append(gap(BlueprintPlayer(blueprint), BlueprintPlayer(blueprint), game, river))
        pair = [SearchingPlayer(blueprint, None, settings) for _ in range(2)]
        solved.append(gap(pair[0], pair[1], game, river))
    means = float(np.mean(base)), float(np.mean(solved))
    return [
        at_most("3.6: exploitability of solved rivers over that of the bot's", 0.35, means[1] / means[0]),
        at_most("3.6: exploitability of solved rivers, share of the pot", 0.01, means[1]),
    ], {"bot": means[0], "solved": means[1], "rivers": count}


def workers(request: Request) -> tuple[list[Check], dict[str, object]]:
    """3.2 (b): two threads on the same tables learn what one does."""
    blocks, found = 2000 if request.full else 150, {}
    for threads in (1, 2):
        request.report(f"Leduc with {threads} threads", None)
        training = Training(discounts=10)  # threads work between discounts, so these must not follow on every block
        game = BlueprintPlan("leduc", cards=EXACT).game()
        run = BlueprintRun(game, training, planned=blocks * 4096, threads=threads)
        run.advance(blocks)
        policy = lift(run.game, compiled("leduc").tree.infosets, run.packed())
        found[threads] = evaluate_policy(compiled("leduc"), policy).exploitability
    ratio = found[2] / found[1]
    return [at_most("3.2 b: exploitability with two threads over that with one", 1.3, max(ratio, 1.0 / ratio))], {
        f"{threads} threads, antes": value for threads, value in found.items()
    }


def run(request: Request) -> Findings:
    deals, hands, count = (20_000_000, 50_000, 200) if request.full else (600_000, 3000, 20)
    blueprint = trained(PLAN, deals, request)
    checks, won = matches(blueprint, hands, request)
    more, gaps = endgames(blueprint, count, request)
    threads, learned = workers(request)
    return Findings(
        setting=f"20 bb, fold, call, pot and all-in, 169/50/50/50 buckets, {deals:,} deals; {hands:,} hands in duplicate against each of "
        f"three; {count} rivers of self-play; Leduc for two threads",
        checks=[*checks, *more, *threads],
        published=PUBLISHED,
        measured={"matches": won, "rivers": gaps, "threads": learned},
        remarks=(
            "Buckets are by strength without public clusters; `equilibrist train start FOLDER --preset tartanian7` has eight of them.",
            "Not part of it: 3.1 (a match between potential-aware and distribution-aware buckets), 3.2 c (speed of two threads is in "
            "benchmarks/blueprint.py), and the match of 3.6 (lu/endgame-agent measures that gain exactly).",
        ),
    )


EXPERIMENT = Experiment(
    id="ganzfried/tartanian",
    title="A small Tartanian: simple opponents, rivers, two threads",
    source="Ganzfried 2015, 6 and 10; ganzfried 3.2 b d, 3.6",
    seconds_quick=110,
    seconds_full=3600,
    run=run,
)
