"""All players by the name people type, and `load_agent`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from equilibrist.core.catalogue import Entry, Makers, signature_parameters, summary_of
from equilibrist.core.errors import FormatError, NotApplicableError, UnknownNameError
from equilibrist.core.names import parse_name
from equilibrist.core.player import Player
from equilibrist.games.catalogue import IN_PYTHON, recorded_game

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution

BLUEPRINT = "poker-blueprint"
THREE_WAY = "three-way-solution"
TABLE = "table-solution"


@dataclass(frozen=True)
class AgentEntry(Entry):
    """What the list of players says about a kind."""

    source: str = ""
    learns: bool = False  # changes its play with the hands it sees


def plugged_agent(name: str, found: Any) -> AgentEntry:
    """A player of a plug-in: an entry, or a class or function that makes the player."""
    if isinstance(found, AgentEntry):
        return found
    if not callable(found):
        raise FormatError(
            f"The player '{name}' of a plug-in is {found!r}; it must name a class, a function or an AgentEntry."
        )
    return AgentEntry(name, summary_of(found), found, signature_parameters(found), "plug-in")


PUBLISHED = (  # bots that play a blueprint
    "gs1", "gs2", "gs3", "gs4", "gs5", "gs6", "tartanian", "tartanian2", "tartanian4", "tartanian4-tbr", "tartanian5", "tartanian6",
    "tartanian7", "claudico", "baby-tartanian8", "libratus", "modicum", "pluribus", "lu-base", "lu-endgame",
)  # fmt: skip
REBEL = "rebel"  # plays from the folder of a training
LEARNING = (  # players that learn about their opponent
    "rwywe", "befewp", "beffe", "best-equilibrium", "sps", "rwyw", "best-response", "dbbr", "portfolio", "exp3",
    "endgame-exploiter",
)  # fmt: skip

AGENTS: Makers[AgentEntry, Player] = Makers(
    kind="player",
    package="equilibrist.agents",
    table={
        "simple": ("always-call", "always-fold", "always-raise", "random", "random-river"),
        "strength_players": ("rule-based", "tight-aggressive", "off-tree", "fixed-raiser"),
        "nemesis": ("nemesis",),
        "exploiting.safe_exploiter": LEARNING[:7],
        "exploiting.dbbr_player": LEARNING[7:8],
        "exploiting.bandit_players": LEARNING[8:10],
        "exploiting.endgame_exploiter": LEARNING[10:],
        "presets": PUBLISHED,
        "rebel_player": (REBEL,),
    },
    hint="'equilibrist agents' lists all of them; saved solutions are given as files (.eqb).",
    group="equilibrist.agents",
    adapt=plugged_agent,
)


def list_agents() -> list[str]:
    """Names of all players; `load_agent` takes them, with parameters in brackets."""
    return AGENTS.names()


def load_agent(text: str) -> Player:
    """A player by name (`always-raise(size=1)`) or from a saved solution (`leduc.eqb`)."""
    path, ending, settings = text.partition(".eqb")
    if ending and (not settings or settings.startswith("(")):
        return _from_file(path + ending, parse_name(f"file{settings}").parameters)
    return AGENTS.make(text)


def agent_game(text: str) -> str | None:
    """The game that a player was made for, if it plays only one."""
    if ".eqb" not in text and parse_name(text).base.lower() not in (*PUBLISHED, REBEL):
        return None
    name: str | None = getattr(load_agent(text), "game", None)
    return None if name is None else recorded_game(name).name  # refuses code that only a file names


def _from_file(path: str, settings: Mapping[str, Any]) -> Player:
    """A saved solution of a game or a spot (with `mapping` and `post`), or a trained blueprint (also `vary`, `search` …)."""
    from equilibrist.agents.policy_player import PolicyPlayer
    from equilibrist.core.artifact import artifact_kind
    from equilibrist.solvers.saved_solutions import load_solution

    if not os.path.isfile(path):
        raise UnknownNameError(
            f"There is no file '{path}'; give a solution written by 'equilibrist solve --out', or a trained blueprint."
        )
    if artifact_kind(path) == BLUEPRINT:
        from equilibrist.agents.blueprint.settings import blueprint_player

        return blueprint_player(path, settings)
    if artifact_kind(path) == TABLE:
        stat = os.stat(path)
        solution: Solution = _opened_table(path, stat.st_mtime_ns, stat.st_size)
    else:
        solution = load_solution(path)
    refuse_three_seats(solution.kind, path)
    if settings:
        from equilibrist.agents.translated_player import translated_player

        return translated_player(solution.policy, _checked_game(solution, path), solution.evaluation, settings)
    return PolicyPlayer(solution.policy, _checked_game(solution, path), solution.evaluation)


@lru_cache(maxsize=4)
def _opened_table(path: str, changed: int, size: int) -> Solution:
    """A solved table fills many seats, and is opened once; `changed` and `size` tell files apart that had the same name."""
    from equilibrist.solvers.saved_solutions import load_solution

    return load_solution(path)


def refuse_three_seats(kind: str, path: str) -> None:
    """Strategies of three-way spots are for study."""
    if kind == THREE_WAY:
        raise NotApplicableError(
            f"'{path}' is a solved spot of three players, which cannot be played against; `equilibrist show` shows its strategies."
        )


def _checked_game(solution: Any, path: str) -> str:
    """The name of the game a solution plays; one of a Python file must have been named by somebody, and be the one solved."""
    name: str = solution.game
    if solution.kind == TABLE:
        return recorded_game(name).name  # how it was solved is no part of the rules
    if IN_PYTHON not in name:
        return name
    from equilibrist.core.policy import TabularPolicy
    from equilibrist.forms.compiled import check_fits

    game = recorded_game(name)
    if isinstance(solution.policy, TabularPolicy):
        check_fits(game, solution.policy.infosets, f"'{path}'")
    return game.name
