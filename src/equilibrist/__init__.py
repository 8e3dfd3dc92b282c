"""equilibrist solves, plays and explains games of imperfect information, poker above all.

Start with `load_game`, `solve` and the `Solution` they give. Names are imported when first used, so
`import equilibrist` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from equilibrist.version import __version__

if TYPE_CHECKING:
    from equilibrist.agents.matches.match import MatchSettings, play_match
    from equilibrist.agents.registry import load_agent
    from equilibrist.cards.equity import equity
    from equilibrist.cards.ranges import Range, parse_range
    from equilibrist.core.errors import EquilibristError
    from equilibrist.core.policy import Policy, TabularPolicy
    from equilibrist.core.solution import Evaluation, Solution
    from equilibrist.forms.compiled import Compiled, compiled
    from equilibrist.games.catalogue import load_game
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
    from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution
    from equilibrist.solvers.registry import make_solver
    from equilibrist.solvers.responses.best_response import best_response, evaluate_policy
    from equilibrist.solvers.saved_solutions import load_solution
    from equilibrist.solvers.solve import solve

_HOME = {
    "MatchSettings": "agents.matches.match",
    "load_agent": "agents.registry",
    "play_match": "agents.matches.match",
    "EquilibristError": "core.errors",
    "Policy": "core.policy",
    "TabularPolicy": "core.policy",
    "Evaluation": "core.solution",
    "Solution": "core.solution",
    "BoardSolution": "solvers.postflop.solutions.game_solution",
    "load_solution": "solvers.saved_solutions",
    "load_game": "games.catalogue",
    "Compiled": "forms.compiled",
    "compiled": "forms.compiled",
    "Spot": "games.spots.spot",
    "Range": "cards.ranges",
    "parse_range": "cards.ranges",
    "equity": "cards.equity",
    "load_spot_solution": "solvers.postflop.solutions.spot_solution",
    "best_response": "solvers.responses.best_response",
    "evaluate_policy": "solvers.responses.best_response",
    "make_solver": "solvers.registry",
    "solve": "solvers.solve",
}

__all__ = [
    "BoardSolution",
    "Compiled",
    "EquilibristError",
    "Evaluation",
    "MatchSettings",
    "Policy",
    "Range",
    "Solution",
    "Spot",
    "TabularPolicy",
    "__version__",
    "best_response",
    "compiled",
    "equity",
    "evaluate_policy",
    "load_agent",
    "load_game",
    "load_solution",
    "load_spot_solution",
    "make_solver",
    "parse_range",
    "play_match",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'equilibrist' has no attribute {name!r}")
    return getattr(importlib.import_module(f"equilibrist.{_HOME[name]}"), name)
