"""equilibrist solves, plays and explains games of imperfect information, poker above all.

Start with `load_game`, `solve` and the `Solution` they give. These names are the public interface; everything below them is
internal and may change. Each is imported when it is first used, so `import equilibrist` is quick.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from equilibrist.version import __version__

if TYPE_CHECKING:
    from equilibrist.agents.matches.match import MatchSettings, play_match
    from equilibrist.agents.registry import list_agents, load_agent
    from equilibrist.cards.equity import equity
    from equilibrist.cards.ranges import Range, parse_range
    from equilibrist.core.errors import EquilibristError
    from equilibrist.core.opponent import Binding
    from equilibrist.core.player import Player
    from equilibrist.core.policy import Policy, TabularPolicy
    from equilibrist.core.solution import Evaluation, Solution
    from equilibrist.evaluation.verification.verify import verify
    from equilibrist.experiments.registry import list_experiments, reproduce
    from equilibrist.forms.compiled import Compiled, compiled
    from equilibrist.games.catalogue import list_games, load_game
    from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
    from equilibrist.games.spots.spot import Spot
    from equilibrist.search.blueprint import Blueprint
    from equilibrist.search.subgame import Subgame
    from equilibrist.search.subgame_solving import search
    from equilibrist.solvers.blueprint.strategy import load_blueprint
    from equilibrist.solvers.cfr.cfr import CFR
    from equilibrist.solvers.cfr.schedules import DCFR, LINEAR, PLUS, VANILLA
    from equilibrist.solvers.fictitious_play.fictitious_play import FictitiousPlay
    from equilibrist.solvers.linear_programs.sequence_lp import SequenceFormLP
    from equilibrist.solvers.mccfr.mccfr import MCCFR
    from equilibrist.solvers.registry import list_solvers, make_solver
    from equilibrist.solvers.responses.best_response import best_response, evaluate_policy, exploitability, nash_conv
    from equilibrist.solvers.saved_solutions import load_solution
    from equilibrist.solvers.solve import solve
    from equilibrist.testing.games import check_game

# the home of every name, in six groups
_HOME = {
    # games
    "Game": "games.rules",
    "State": "games.rules",
    "CHANCE": "games.rules",
    "TERMINAL": "games.rules",
    "Spot": "games.spots.spot",
    "load_game": "games.catalogue",
    "list_games": "games.catalogue",
    "check_game": "testing.games",
    "Compiled": "forms.compiled",
    "compiled": "forms.compiled",
    # solvers
    "solve": "solvers.solve",
    "list_solvers": "solvers.registry",
    "make_solver": "solvers.registry",
    "CFR": "solvers.cfr.cfr",
    "DCFR": "solvers.cfr.schedules",
    "LINEAR": "solvers.cfr.schedules",
    "PLUS": "solvers.cfr.schedules",
    "VANILLA": "solvers.cfr.schedules",
    "MCCFR": "solvers.mccfr.mccfr",
    "FictitiousPlay": "solvers.fictitious_play.fictitious_play",
    "SequenceFormLP": "solvers.linear_programs.sequence_lp",
    # results
    "Solution": "core.solution",
    "Evaluation": "core.solution",
    "Policy": "core.policy",
    "TabularPolicy": "core.policy",
    "load_solution": "solvers.saved_solutions",
    "evaluate_policy": "solvers.responses.best_response",
    "exploitability": "solvers.responses.best_response",
    "nash_conv": "solvers.responses.best_response",
    "verify": "evaluation.verification.verify",
    "EquilibristError": "core.errors",
    # search and exploitation
    "search": "search.subgame_solving",
    "Blueprint": "search.blueprint",
    "Subgame": "search.subgame",
    "best_response": "solvers.responses.best_response",
    "Binding": "core.opponent",
    # play
    "Player": "core.player",
    "load_agent": "agents.registry",
    "list_agents": "agents.registry",
    "load_blueprint": "solvers.blueprint.strategy",
    "play_match": "agents.matches.match",
    "MatchSettings": "agents.matches.match",
    "reproduce": "experiments.registry",
    "list_experiments": "experiments.registry",
    # cards
    "Range": "cards.ranges",
    "parse_range": "cards.ranges",
    "equity": "cards.equity",
}

__all__ = [
    "CFR",
    "CHANCE",
    "DCFR",
    "LINEAR",
    "MCCFR",
    "PLUS",
    "TERMINAL",
    "VANILLA",
    "Binding",
    "Blueprint",
    "Compiled",
    "EquilibristError",
    "Evaluation",
    "FictitiousPlay",
    "Game",
    "MatchSettings",
    "Player",
    "Policy",
    "Range",
    "SequenceFormLP",
    "Solution",
    "Spot",
    "State",
    "Subgame",
    "TabularPolicy",
    "__version__",
    "best_response",
    "check_game",
    "compiled",
    "equity",
    "evaluate_policy",
    "exploitability",
    "list_agents",
    "list_experiments",
    "list_games",
    "list_solvers",
    "load_agent",
    "load_blueprint",
    "load_game",
    "load_solution",
    "make_solver",
    "nash_conv",
    "parse_range",
    "play_match",
    "reproduce",
    "search",
    "solve",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'equilibrist' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"equilibrist.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__all__)


class _Public(ModuleType):
    """The package as a module whose public names stay what they are when a folder of the same name (`search`) is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Public
