"""Published bots as values: which blueprint, and which parts play from it (docs/bots.md says what is faithful and what is scaled down).

A bot is no class: its blueprint is a plan of `solvers/blueprint/bot_plans.py`, its play a set of settings of blueprint players. It is
called by name with a trained file, `tartanian7(blueprint=FOLDER)`, and any setting may be given anew: `tartanian7(blueprint=FOLDER,
post=purify)`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from equilibrist.agents.registry import AgentEntry
from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Value
from equilibrist.core.player import Player
from equilibrist.solvers.blueprint.folder import BLUEPRINT

LU_BETS = "10%, 25%, 37.5%, 50%, 62.5%, 75%, 100%, 150%, 200%, 300%, a"  # the river menus of [Lu16, §4.3.1]
LU_RAISES = "25%, 50%, 75%, 100%, 150%, 200%, 300%, a"


@dataclass(frozen=True)
class Bot:
    """One row of the table."""

    name: str
    summary: str
    source: str
    play: Mapping[str, Value] = field(default_factory=dict)  # settings of a blueprint player
    plan: str = ""  # the preset that trains its blueprint, if not of its own name

    @property
    def preset(self) -> str:
        return self.plan or self.name


BOTS = {
    bot.name: bot
    for bot in (
        Bot(
            "gs1",
            "limit; solves turn and river as they come",
            "[Gilpin09, §6.3.1]",
            {"search": "turn", "iterations": 200},
        ),
        Bot(
            "gs2", "limit; as GS1, buckets by expectation", "[Gilpin09, §6.4.1]", {"search": "turn", "iterations": 200}
        ),
        Bot("gs3", "limit; all four rounds at once, no search", "[Gilpin09, §6.5.4]"),
        Bot("gs4", "limit; as GS3, other buckets", "[Gilpin09, §6.6]"),
        Bot("gs5", "limit; branching 15, 40, 6, 6 in the original", "[Ganzfried15, §12.3.1]"),
        Bot("gs6", "limit; thresholded", "[Ganzfried15, §8.6.2]", {"post": "threshold(0.15)"}),
        Bot("tartanian", "no-limit 2007; absolute mapping", "[Gilpin09, §7.4.3]", {"mapping": "absolute"}),
        Bot("tartanian2", "no-limit 2008; relative mapping", "[Gilpin09, §7.4.4]", {"mapping": "relative"}),
        Bot(
            "tartanian4",
            "no-limit 2010; thresholded",
            "[Ganzfried15, §8.6.1]",
            {"mapping": "relative", "post": "threshold(0.15)"},
        ),
        Bot(
            "tartanian4-tbr",
            "the same, purified",
            "[Ganzfried15, §8.6.1]",
            {"mapping": "relative", "post": "purify"},
            "tartanian4",
        ),
        Bot(
            "tartanian5",
            "no-limit 2012; pseudo-harmonic mapping, purified",
            "[Ganzfried15, §7.9]",
            {"mapping": "det-pshar", "post": "purify"},
        ),
        Bot(
            "tartanian6",
            "no-limit 2013; New-0.2, river solved",
            "[Ganzfried15, §10.3]",
            {"post": "generalised(0.2)", "spare": "first", "search": "river", "iterations": 300},
        ),
        Bot(
            "tartanian7",
            "no-limit 2014; public clusters, New-0.2",
            "[Ganzfried15, §6.3]",
            {"post": "generalised(0.2)", "spare": "first"},
        ),
        Bot(
            "claudico",
            "no-limit 2015; more opening sizes, river solved",
            "[Brown20, §6.2]",
            {"search": "river", "iterations": 300},
        ),
        Bot(
            "baby-tartanian8",
            "no-limit 2016; purified after the preflop",
            "[Brown20, §6.3]",
            {"post": "purify", "spare": "preflop"},
        ),
        Bot(
            "libratus",
            "no-limit 2017; nested safe search with Reach margins from the turn, varied sizes",
            "[Brown20, §6.4]",
            {"search": "turn", "technique": "reach-maxmargin", "vary": 0.08, "iterations": 200, "seconds": 20.0},
        ),
        Bot(
            "modicum",
            "no-limit 2018; flop searched to a depth limit, then nested safe search with Reach margins",
            "[Brown20, §6.5]",
            {
                "search": "flop",
                "depth_limit": "flop",
                "technique": "reach-maxmargin",
                "iterations": 150,
                "seconds": 20.0,
            },
        ),
        Bot(
            "pluribus",
            "six players 2019; every round after the first trained again",
            "[Brown20, §6.6]",
            {"search": "flop", "technique": "sampled", "blocks": 40, "seconds": 10.0},
        ),
        Bot("lu-base", "25-bb no-limit; soft geometric mapping", "[Lu16, §4.3.1]", {"mapping": "soft-geometric"}),
        Bot(
            "lu-endgame",
            "lu-base, river solved with eleven sizes",
            "[Lu16, §4.2]",
            {"mapping": "soft-geometric", "search": "river", "iterations": 200, "bet": LU_BETS, "raises": LU_RAISES},
            "lu-base",
        ),
    )
}


def blueprint_path(bot: Bot, given: Value) -> str:
    """The file a bot plays from: a blueprint, or the folder of a training."""
    path = Path(str(given))
    if os.path.isdir(path):
        path = path / BLUEPRINT
    if not str(given) or not os.path.isfile(path):
        found = f"but there is none at '{given}'" if str(given) else "and none was given"
        raise ParameterError(
            f"The bot '{bot.name}' plays from a trained blueprint, {found}; train one with 'equilibrist train start FOLDER "
            f"--preset {bot.preset}' (any blueprint of its game will do) and play {bot.name}(blueprint=FOLDER)."
        )
    return str(path)


def _bot(name: str, blueprint: str = "", **settings: Any) -> Player:
    """A published bot; settings replace its own."""
    from equilibrist.agents.blueprint.settings import blueprint_player

    bot = BOTS[name]
    return blueprint_player(blueprint_path(bot, blueprint), {**bot.play, **settings})


ENTRIES = [
    AgentEntry(
        bot.name, bot.summary, partial(_bot, bot.name), {"blueprint": "FOLDER", **bot.play}, bot.source, open=True
    )
    for bot in BOTS.values()
]
