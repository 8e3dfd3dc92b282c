"""Files that commands read and write, checked before long work begins."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.core.writing import clear_leftovers, reason

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution


def read_solution(path: Path, game: str | None = None) -> Solution:
    """Any saved solution; `game` is what --game names, for games of a Python file, and must be the one that was solved."""
    if os.path.isdir(path):
        raise FormatError(f"'{path}' is a folder; give the path of a solution file (.eqb).")
    from equilibrist.games.catalogue import IN_PYTHON, load_game, recorded_game
    from equilibrist.solvers.saved_solutions import load_solution

    given = None if game is None else load_game(game)
    solution = load_solution(path)
    if IN_PYTHON in solution.game:
        from equilibrist.forms.compiled import check_fits

        known = recorded_game(solution.game) if given is None else given
        check_fits(known, solution.tabular().infosets, f"'{path}'")
    elif given is not None and given.name != solution.game:
        raise ParameterError(
            f"'{path}' is a solution of '{solution.game}', but --game {given.name} was given; leave --game out."
        )
    return solution


def save_result(target: Path, save: Callable[[Path], None]) -> Path:
    """Save what a command has found; where the target cannot be written, in another place, which is said. The command then ends with 2."""
    from equilibrist.compute.interrupts import HeldInterrupts
    from equilibrist.compute.saving import save_somewhere
    from equilibrist.interfaces.cli.guard import complain, misplaced

    with HeldInterrupts() as held:  # whoever asks to stop now waits for the file
        place, why = save_somewhere(target, save)
        held.asked = False  # and has it: the command ends anyway, by the signal that is remembered
    if why:
        complain(f"{why} The result is in '{place}' instead.")
        misplaced.append(str(place))
    return place


def check_writable(path: Path | None, option: str) -> None:
    """Refuse now what could only fail after the work is done."""
    if path is None:
        return
    if os.path.isdir(path):
        raise ParameterError(f"{option} '{path}' is a folder; give the name of a file.")
    _check_folder(path.parent, path, option)
    clear_leftovers(path)


def check_folder(path: Path, option: str) -> None:
    """The same for a folder of results, which may have to be made."""
    _check_folder(path if os.path.isdir(path) else path.parent, path, option)


def _check_folder(folder: Path, path: Path, option: str) -> None:
    """Whether a file can be made there."""
    if not os.path.isdir(folder):
        raise ParameterError(f"{option} '{path}' lies in a folder that does not exist; create '{folder}' first.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ParameterError(f"{option} '{path}' cannot be written ({reason(error)}); choose another place.") from None
