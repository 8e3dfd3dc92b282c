"""What stands around every command: refusals become one sentence and exit code 2, never a traceback."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

import typer

P = ParamSpec("P")
R = TypeVar("R")

BAD_INPUT = 2
INTERRUPTED = 130


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """The command with its refusals caught."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from equilibrist.core.errors import EquilibristError

        try:
            return command(*args, **kwargs)
        except EquilibristError as error:
            refuse(str(error))
        except MemoryError:
            refuse("There is not enough memory for this; choose a smaller game or close other programs.")
        except KeyboardInterrupt as interrupt:  # work that keeps what it has done says so itself
            complain(str(interrupt) or "Interrupted; nothing was written.")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            raise typer.Exit(1) from None

    return run


def refuse(sentence: str) -> NoReturn:
    """Say why on stderr and leave with the code for bad input."""
    complain(sentence)
    raise typer.Exit(BAD_INPUT)


def complain(sentence: str) -> None:
    print(sentence, file=sys.stderr)
