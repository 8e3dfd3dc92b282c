"""`solve`: one call from a game and a solver's name to a solution."""

from __future__ import annotations

import re

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.solution import Solution
from equilibrist.games.compiled import Compiled, compiled
from equilibrist.games.rules import Game
from equilibrist.games.tree import GameTree
from equilibrist.solvers.driver import ProgressCallback, Solver, Stop
from equilibrist.solvers.registry import make_solver

DEFAULT_SOLVER = "dcfr"

_AMOUNT = re.compile(r"\s*([0-9.eE+-]+)\s*(%|mbb|mbb/g)?\s*\Z")


def solve(
    game: str | Game | GameTree | Compiled,
    solver: str | Solver = DEFAULT_SOLVER,
    *,
    until: float | str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
) -> Solution:
    """Solve a game; stops at exploitability `until` (chips, `%` of the pot or `mbb`), `iterations` or `seconds`."""
    target = compiled(game)
    chosen = make_solver(solver) if isinstance(solver, str) else solver
    stop = Stop(exploitability=exploitability_target(until, target.game), iterations=iterations, seconds=seconds)
    return chosen.solve(target, stop, seed=seed, progress=progress, resume=resume)


def exploitability_target(until: float | str | None, game: Game) -> float | None:
    """A target in the game's own chips."""
    if until is None or isinstance(until, int | float):
        return until
    match = _AMOUNT.match(until)
    try:
        if match is None:
            raise ValueError
        amount = float(match.group(1))
    except ValueError:
        raise ParameterError(
            f"Cannot read the target '{until}': expected chips (0.001), '0.3%' of the pot or '5mbb'."
        ) from None
    unit = match.group(2)
    if unit is None:
        return amount
    if unit == "%":
        if game.pot is None:
            raise NotApplicableError(
                f"The game '{game.name}' has no pot, so '{until}' means nothing; give chips or points."
            )
        return amount / 100.0 * game.pot
    if game.big_blind is None:
        raise NotApplicableError(
            f"The game '{game.name}' has no blinds or antes, so '{until}' means nothing; give chips."
        )
    return amount / 1000.0 * game.big_blind
