"""GS1 to GS4 and Tartanian as far as two cores go: sizes of their programs, sign tests, matches, and the 144-chip raise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer, parts_of
from equilibrist.agents.registry import load_agent
from equilibrist.agents.strength_players import FixedRaiser
from equilibrist.core.player import Player
from equilibrist.evaluation.play.statistics import Estimate
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, close, equal, on, printed
from equilibrist.experiments.gilpin.gs.sign_test import sign_test
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.trained import duel, trained
from equilibrist.forms.betting_tree.counting import count_betting
from equilibrist.games.poker.family import limit_holdem
from equilibrist.solvers.blueprint.presets import find_plan
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

PROGRAMS = {  # buckets, cap after the flop; rows and columns as printed (§6.3.1, Table 8.1)
    "GS1, rounds 1 and 2": ((169, 2465), 3, (243_938, 244_107)),
    "Texas": ((10, 150, 750, 3750), 3, (18_536_842, 18_536_852)),
    "GS4": ((20, 800, 4800, 28_800), 4, (299_477_082, 299_477_102)),
}
SERIES = {38: 3.06e-4, 28: 0.480, 32: 0.0649, 48: 2.27e-12, 35: 6.60e-3, 44: 3.24e-8}  # wins of 50, two-sided p
TABLE_6_2 = {
    "always-call": 0.532,
    "always-raise": 0.442,
    "always-fold": 0.75,
}  # small bets a hand; the last one by counting
SMALL_BET = 2.0  # chips
BOTS = "bots with 169/50/50/50 buckets"
TARTANIAN_2007 = {"PokeMinn": -42.055, "average of nine opponents": -3.046}


def program(buckets: tuple[int, ...], cap: int) -> tuple[int, int]:
    """Rows and columns of the linear program of a limit game: |S1| + |U2| + 1 and |S2| + |U1| + 1."""
    rules, rounds = limit_holdem().rules, len(buckets)
    caps = (3.0, *[float(cap)] * (rounds - 1))
    size = count_betting(
        replace(rules, board=rules.board[:rounds], menus=rules.menus[:rounds], caps=caps, first=rules.first[:rounds])
    )
    plans = [1 + size.slots(buckets, player) for player in range(2)]
    infosets = [sum(row[p] * k for row, k in zip(size.decisions, buckets, strict=True)) for p in range(2)]
    return plans[0] + infosets[1] + 1, plans[1] + infosets[0] + 1


def tables() -> list[Check]:
    """What needs no bot: sizes and p-values."""
    checks = [
        equal(f"{name}: rows and columns", printed, program(buckets, cap))
        for name, (buckets, cap, printed) in PROGRAMS.items()
    ]
    for wins, told in SERIES.items():
        checks.append(close(f"{wins} of 50 series: p", told, sign_test(wins, 50), 0.006 * told))
    return checks


def blinds(request: Request) -> Check:
    """Always-fold loses blinds to always-raise: half a small bet and a whole one in turn ([Gilpin09, Table 6.2])."""
    makers: dict[str, Callable[[], Player]] = {
        name: partial(load_agent, name) for name in ("always-raise", "always-fold")
    }
    found = duel("limit-holdem", makers, 20, request, aivat="off")
    return equal("always-fold against always-raise, small bets a hand", 0.75, found.estimates[0].mean / SMALL_BET)


def against(blueprint: PokerBlueprint, name: str, hands: int, request: Request) -> Estimate:
    """Small bets a hand of a limit bot, duplicate deals."""
    makers: dict[str, Callable[[], Player]] = {
        "limit bot": lambda: BlueprintPlayer(blueprint),
        name: lambda: load_agent(name),
    }
    found = duel(blueprint.plan.game_name, makers, hands, request, aivat="off")
    return found.estimates[0].scaled(1.0 / SMALL_BET)


def raised(blueprint: PokerBlueprint, mapping: str, hands: int, request: Request) -> Estimate:
    """Chips a hand that the 144-chip opponent wins from Tartanian with a mapping."""
    makers: dict[str, Callable[[], Player]] = {
        "144 chips": FixedRaiser,
        f"Tartanian, {mapping} mapping": lambda: BlueprintPlayer(blueprint, parts_of(mapping=mapping)),
    }
    found = duel(blueprint.plan.game_name, makers, hands, request, aivat="chance")
    assert found.adjusted is not None
    return found.adjusted[0]


def run(request: Request) -> Findings:
    deals, hands = (10_000_000, 50_000) if request.full else (500_000, 2000)
    checks, measured = on("text: sizes and p-values", printed([*tables(), blinds(request)])), {}
    limit = replace(find_plan("gs3").plan, cards="small")
    bot = trained(limit, deals, request)
    for name in TABLE_6_2:
        result = against(bot, name, hands, request)
        measured[f"against {name}, small bets a hand"] = shown(result)
        if name != "always-fold":
            low = at_least(f"against {name}: lower end of the 95 % interval", 0.0, result.interval[0])
            checks += on(BOTS, [low])
    tartanian = trained(find_plan("tartanian").plan, deals, request)
    by = {mapping: raised(tartanian, mapping, 12 * hands, request) for mapping in ("absolute", "relative")}
    for mapping, result in by.items():
        measured[f"144 chips against {mapping} mapping, chips a hand"] = shown(result)
    spread = 1.96 * math.hypot(by["absolute"].error, by["relative"].error)
    raises = [
        at_least("§7.4.3: absolute mapping loses to 144 chips, lower end", 0.0, by["absolute"].interval[0]),
        at_most("§7.4.3: relative mapping does not, lower end of what 144 chips win", 0.0, by["relative"].interval[0]),
        at_least("§7.4.3: difference, lower end", 0.0, by["absolute"].mean - by["relative"].mean - spread),
    ]
    return Findings(
        setting=f"sizes and p-values exactly; a limit bot and Tartanian (stacks 1,000, blinds 1 and 2) of {deals:,} deals with "
        f"169/50/50/50 buckets; {hands:,} hands each in duplicate, twelve times as many against 144 chips",
        checks=[*checks, *on(BOTS, raises)],
        published={"Table 6.2, small bets a hand": TABLE_6_2, "Tartanian 2007, chips a hand": TARTANIAN_2007},
        measured=measured,
        remarks=(
            "The opponent raises the best 15 % of its hands to 144 and folds the others: it gives up the blinds most of the time.",
            "Our always-fold checks where it can, so a bot that sometimes calls the blind wins less than 0.75 small bets from it.",
            "The opponents of Table 6.1 are closed, so only its p-values are checked; phases and ablations are in gilpin/gs-phases.",
        ),
    )


def shown(result: Estimate) -> dict[str, object]:
    return {"mean": result.mean, "interval": list(result.interval), "samples": result.samples}


EXPERIMENT = Experiment(
    id="gilpin/gs-bots",
    title="GS1 to GS4 and Tartanian: programs, series, matches, and 144 chips",
    source="[Gilpin09, §6.3.1, §7.4.3, Tables 6.1, 6.2 and 8.1]",
    seconds_quick=110,
    seconds_full=3600,
    run=run,
    text="GS1 to GS4 and Tartanian",
    quick={"text: sizes and p-values": ("printed",), "bots with 169/50/50/50 buckets": ("pattern",)},
)
