"""All players by the name people type, and `load_agent`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equilibrist.agents.nemesis import Nemesis
from equilibrist.agents.policy_player import PolicyPlayer
from equilibrist.agents.simple import AlwaysCall, AlwaysFold, AlwaysRaise, RandomPlayer, RandomRiver
from equilibrist.agents.strength_players import OffTreeBettor, RulePlayer
from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError, suggest
from equilibrist.core.names import parse_name
from equilibrist.core.player import Player


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
        "nemesis",
        "exact best response to another player, in small games",
        _nemesis,
        {"of": "always-call"},
        "ganzfried 2.18",
    ),
]


def agent_catalogue() -> dict[str, AgentEntry]:
    """All kinds of players by name."""
    return {entry.name: entry for entry in ENTRIES}


def load_agent(text: str) -> Player:
    """A player by name (`always-raise(size=1)`) or from a saved solution (`leduc.eqb`)."""
    if text.endswith(".eqb"):
        return _from_file(text)
    name = parse_name(text)
    known = agent_catalogue()
    entry = known.get(name.base.lower())
    if entry is None:
        raise UnknownNameError(
            f"There is no player '{name.base}'.{suggest(name.base, known)} 'equilibrist agents' lists all of them; "
            "saved solutions are given as files (.eqb)."
        )
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
    if not text.endswith(".eqb"):
        return None
    player = _from_file(text)
    return player.game


def _from_file(path: str) -> PolicyPlayer:
    from equilibrist.solvers.saved_solutions import load_solution
    from equilibrist.solvers.spot_solution import SpotSolution

    if not Path(path).is_file():
        raise UnknownNameError(f"There is no file '{path}'; give a solution written by 'equilibrist solve --out'.")
    solution = load_solution(path)
    if isinstance(solution, SpotSolution):
        raise NotApplicableError(f"'{path}' is a solved spot, not a whole game; a player needs a solution of a game.")
    return PolicyPlayer(solution.policy, solution.game)
