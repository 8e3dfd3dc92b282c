"""All players by the name people type, and `load_agent`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from equilibrist.agents.nemesis import Nemesis
from equilibrist.agents.policy_player import PolicyPlayer
from equilibrist.agents.presets import BOTS, Bot, blueprint_path
from equilibrist.agents.simple import AlwaysCall, AlwaysFold, AlwaysRaise, RandomPlayer, RandomRiver
from equilibrist.agents.strength_players import FixedRaiser, OffTreeBettor, RulePlayer
from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.core.names import parse_name
from equilibrist.core.player import Player

BLUEPRINT = "poker-blueprint"


@dataclass(frozen=True)
class AgentEntry:
    """What the list of players says about a kind."""

    name: str
    summary: str
    make: Callable[..., Player]
    parameters: Mapping[str, Any] = field(default_factory=dict)  # name -> default
    source: str = ""


def _tight_aggressive(raise_at: float = 0.7, margin: float = 0.12, size: float = 1.0, bluff: float = 0.0) -> RulePlayer:
    return RulePlayer(raise_at, margin, size, bluff)


def _random_river(base: str = "rule-based") -> RandomRiver:
    return RandomRiver(load_agent(base))


def _nemesis(of: str = "always-call") -> Nemesis:
    return Nemesis(load_agent(of))


ENTRIES = [
    AgentEntry("always-call", "checks and calls", AlwaysCall, source="ganzfried 2.18, lu 2.10"),
    AgentEntry("always-fold", "folds to any bet, checks otherwise", AlwaysFold, source="ganzfried 2.18, gilpin 2.23"),
    AgentEntry("always-raise", "raises whenever legal", AlwaysRaise, {"size": 0.5}, "ganzfried 2.18, lu 2.10"),
    AgentEntry("random", "any action, any size", RandomPlayer, source="ganzfried 2.18"),
    AgentEntry(
        "random-river",
        "another player, random bets in the last round",
        _random_river,
        {"base": "rule-based"},
        "lu 2.10",
    ),
    AgentEntry(
        "rule-based",
        "hand strength against pot odds, some bluffs",
        RulePlayer,
        {"raise_at": 0.75, "margin": 0.0, "size": 0.75, "bluff": 0.05},
        "lu 2.10",
    ),
    AgentEntry(
        "tight-aggressive",
        "few hands, raised hard",
        _tight_aggressive,
        {"raise_at": 0.7, "margin": 0.12, "size": 1.0, "bluff": 0.0},
        "ours",
    ),
    AgentEntry(
        "off-tree",
        "bets between the sizes of a tree, where translation errs",
        OffTreeBettor,
        {"sizes": (0.5, 1.0, 2.0), "nudge": 0.02, "bluff": 0.3},
        "ganzfried 2.18",
    ),
    AgentEntry(
        "fixed-raiser",
        "strong hands put in the same odd amount before the flop",
        FixedRaiser,
        {"amount": 144.0, "hands": 0.15},
        "gilpin H30",
    ),
    AgentEntry(
        "nemesis",
        "exact best response to another player, in small games",
        _nemesis,
        {"of": "always-call"},
        "ganzfried 2.18",
    ),
]


def _bot(name: str, blueprint: str = "", **settings: Any) -> Player:
    """A published bot; settings replace its own."""
    bot = BOTS[name]
    return blueprint_player(blueprint_path(bot, blueprint), {**bot.play, **settings})


def bot_entry(bot: Bot) -> AgentEntry:
    """A published bot in the list of players."""
    return AgentEntry(bot.name, bot.summary, partial(_bot, bot.name), {"blueprint": "FOLDER", **bot.play}, bot.source)


def agent_catalogue() -> dict[str, AgentEntry]:
    """All kinds of players by name."""
    return {entry.name: entry for entry in (*ENTRIES, *map(bot_entry, BOTS.values()))}


def load_agent(text: str) -> Player:
    """A player by name (`always-raise(size=1)`) or from a saved solution (`leduc.eqb`)."""
    path, _, settings = text.partition(".eqb")
    if _ and (not settings or settings.startswith("(")):
        return _from_file(path + _, parse_name(f"file{settings}").parameters)
    name = parse_name(text)
    known = agent_catalogue()
    entry = known.get(name.base.lower())
    if entry is None:
        raise UnknownNameError(
            f"There is no player '{name.base}'.{suggest(name.base, known)} 'equilibrist agents' lists all of them; "
            "saved solutions are given as files (.eqb)."
        )
    if entry.name in BOTS:  # any setting of a blueprint player may be given, and is checked there
        return entry.make(**name.parameters)
    for key, value in name.parameters.items():
        if key not in entry.parameters:
            options = ", ".join(entry.parameters) or "none"
            raise ParameterError(f"The player '{entry.name}' has no parameter '{key}' (it has: {options}).")
        default = entry.parameters[key]
        if isinstance(default, float) and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise ParameterError(f"The parameter '{key}' of '{entry.name}' is a number, but {value!r} was given.")
    inspect.signature(entry.make).bind(**name.parameters)
    return entry.make(**name.parameters)


def agent_game(text: str) -> str | None:
    """The game that a player was made for, if it plays only one."""
    if ".eqb" not in text and parse_name(text).base.lower() not in BOTS:
        return None
    player = load_agent(text)
    return getattr(player, "game", None)


def _from_file(path: str, settings: Mapping[str, Any]) -> Player:
    """A saved solution of a game or a spot, or a trained blueprint (with parts: `mapping`, `post`, `vary`, `search` …)."""
    from equilibrist.core.artifact import artifact_kind
    from equilibrist.solvers.saved_solutions import load_solution

    if not Path(path).is_file():
        raise UnknownNameError(
            f"There is no file '{path}'; give a solution written by 'equilibrist solve --out', or a trained blueprint."
        )
    if artifact_kind(path) == BLUEPRINT:
        return blueprint_player(path, settings)
    if settings:
        raise ParameterError(f"A saved solution has no parameters, but {', '.join(settings)} was given.")
    solution = load_solution(path)
    return PolicyPlayer(solution.policy, solution.game, solution.evaluation)


def blueprint_player(path: str, settings: Mapping[str, Any]) -> Player:
    """A trained blueprint at the table."""
    from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer, parts_of
    from equilibrist.agents.blueprint.round_searcher import RoundSearcher, RoundSearchSettings
    from equilibrist.agents.blueprint.searching_player import SearchingPlayer, SearchSettings
    from equilibrist.solvers.blueprint.strategy import load_blueprint

    known = (*inspect.signature(parts_of).parameters, "search", *_SEARCHES)
    for key in settings:
        if key not in known:
            raise ParameterError(f"A blueprint player has no parameter '{key}' (it has: {', '.join(known)}).")
    parts = parts_of(**{key: value for key, value in settings.items() if key not in ("search", *_SEARCHES)})
    how = {key: value for key, value in settings.items() if key in _SEARCHES}
    if "search" not in settings:
        if how:
            raise ParameterError(
                f"'{next(iter(how))}' is a setting of search; add search=river, search=turn or search=flop."
            )
        return BlueprintPlayer(load_blueprint(path), parts)
    street = str(settings["search"])
    if how.get("technique") == SAMPLED:
        for key in set(how) & set(_ON_BOARDS):
            raise ParameterError(
                f"'{key}' is a setting of search on boards; a sampled one has blocks, seconds and final."
            )
        del how["technique"]
        return RoundSearcher(load_blueprint(path), parts, RoundSearchSettings(street=street, **how))
    for key in set(how) & set(_SAMPLED):
        raise ParameterError(f"'{key}' is a setting of sampled search; add technique={SAMPLED}.")
    return SearchingPlayer(load_blueprint(path), parts, SearchSettings(street=street, **how))


SAMPLED = "sampled"
_ON_BOARDS = ("iterations", "bet", "raises", "threads")
_SAMPLED = ("blocks", "final")
_SEARCHES = ("technique", "seconds", *_ON_BOARDS, *_SAMPLED)
