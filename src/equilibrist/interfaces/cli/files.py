"""Files that commands read and write, checked before long work begins."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from equilibrist.core.errors import FormatError, ParameterError

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution
    from equilibrist.games.rules import Game
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution


def read_solution(path: Path, game: str | None = None) -> Solution | BoardSolution | BucketSolution:
    """A saved solution of a game whose stated numbers are numbers; `game` is what --game names, for games of a Python file."""
    if path.is_dir():
        raise FormatError(f"'{path}' is a folder; give the path of a solution file (.eqb).")
    given = None
    if game is not None:
        from equilibrist.games.catalogue import load_game

        given = load_game(game)
    solution = _read(path)
    _check_game(solution, given, path)
    return solution


def _check_game(solution: Solution | BoardSolution | BucketSolution, given: Game | None, path: Path) -> None:
    """A game of a Python file must have been named by the person, and be the one that was solved."""
    from equilibrist.games.catalogue import IN_PYTHON, recorded_game

    if IN_PYTHON in solution.game:
        from equilibrist.core.policy import TabularPolicy
        from equilibrist.forms.compiled import check_fits

        game = recorded_game(solution.game)
        if isinstance(solution.policy, TabularPolicy):
            check_fits(game, solution.policy.infosets, f"'{path}'")
    elif given is not None and given.name != solution.game:
        raise ParameterError(
            f"'{path}' is a solution of '{solution.game}', but --game {given.name} was given; leave --game out."
        )


def _read(path: Path) -> Solution | BoardSolution | BucketSolution:
    from equilibrist.core.artifact import artifact_kind
    from equilibrist.core.solution import load_solution

    if artifact_kind(path) == "boards":
        from equilibrist.solvers.postflop.solutions.game_solution import load_board_solution

        return load_board_solution(path)
    if artifact_kind(path) == "buckets":
        from equilibrist.solvers.hand_classes.bucket_solution import load_bucket_solution

        return load_bucket_solution(path)
    solution = load_solution(path)
    stated = solution.evaluation
    numbers = () if stated is None else (*stated.value, *(stated.best_response_value or ()))
    if not all(isinstance(x, int | float) and math.isfinite(x) for x in numbers):
        raise FormatError(f"'{path}' is damaged: its values are not numbers; write it again.")
    return solution


def check_writable(path: Path | None, option: str) -> None:
    """Refuse now what could only fail after the work is done."""
    if path is None:
        return
    folder = path.parent
    if path.is_dir():
        raise ParameterError(f"{option} '{path}' is a folder; give the name of a file.")
    if not folder.is_dir():
        raise ParameterError(f"{option} '{path}' lies in a folder that does not exist; create '{folder}' first.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ParameterError(f"{option} '{path}' cannot be written ({error.strerror}); choose another place.") from None
