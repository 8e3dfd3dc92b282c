"""What stands around every command: refusals become one sentence and exit code 2, never a traceback."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

import typer

P = ParamSpec("P")
R = TypeVar("R")

BAD_INPUT = 2
INTERRUPTED = 130  # of SIGTERM and SIGHUP the door makes 143 and 129
misplaced: list[str] = []  # results of this command that had to be written to another place than was asked for
LONGEST = 2_000  # characters of a sentence
LONGEST_HALF = 600


def guarded(command: Callable[P, R], *, ends: bool = False) -> Callable[P, R]:
    """The command with its refusals caught, and with signals that ask it to stop answered as Ctrl-C is.

    A solve answers Ctrl-C with what it has found; a command to which that is of no use `ends` with it.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from equilibrist.compute.interrupts import InterruptsEndAll, StopSignals
        from equilibrist.core.errors import EquilibristError

        misplaced.clear()
        with StopSignals() as signals:
            try:
                with InterruptsEndAll() if ends else contextlib.nullcontext():
                    result = command(*args, **kwargs)
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
                raise typer.Exit(signals.exit_code()) from None
            except BrokenPipeError:
                raise typer.Exit(1) from None
            except OSError as error:  # what nobody below has put in better words
                if signals.arrived is not None:  # the terminal that was closed takes no more text
                    raise typer.Exit(signals.exit_code()) from None
                from equilibrist.core.writing import reason

                where = f"'{error.filename}'" if error.filename else f"A file of {_given()}"
                refuse(f"{where} cannot be read or written ({reason(error)}); check the path and the room on the disk.")
            except typer.Exit as leave:
                stopped = signals.arrived is not None or leave.exit_code == INTERRUPTED
                raise (typer.Exit(signals.exit_code()) if stopped else leave) from None
            if signals.arrived is not None:  # the command has kept what it had, and said so
                raise typer.Exit(signals.exit_code())
            if misplaced:
                raise typer.Exit(BAD_INPUT)
            return result

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
    with contextlib.suppress(OSError):  # a closed terminal
        print(sentence, file=sys.stderr, flush=True)
