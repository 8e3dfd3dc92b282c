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
LONGEST = 2_000  # characters of a sentence
LONGEST_HALF = 600


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
        except OverflowError:
            refuse(f"A number in {_given()} is too large to compute with; give smaller numbers.")
        except RecursionError:
            refuse(f"Something in {_given()} is nested too deeply to be read; give a flatter one.")
        except KeyboardInterrupt as interrupt:  # work that keeps what it has done says so itself
            complain(str(interrupt) or "Interrupted; nothing was written.")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            raise typer.Exit(1) from None
        except OSError as error:  # what nobody below has put in better words
            from equilibrist.core.writing import reason

            where = f"'{error.filename}'" if error.filename else f"A file of {_given()}"
            refuse(f"{where} cannot be read or written ({reason(error)}); check the path and the room on the disk.")

    return run


def refuse(sentence: str) -> NoReturn:
    """Say why on stderr and leave with the code for bad input; what was given may be long, the sentence is not."""
    complain(sentence if len(sentence) <= LONGEST else f"{sentence[:LONGEST_HALF]} … {sentence[-LONGEST_HALF:]}")
    raise typer.Exit(BAD_INPUT)


def _given() -> str:
    """What was typed, as far as it is short."""
    words = " ".join(sys.argv[1:])
    return f"'{words if len(words) <= 120 else words[:120] + ' …'}'"


def complain(sentence: str) -> None:
    print(sentence, file=sys.stderr)
