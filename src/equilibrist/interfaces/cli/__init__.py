"""The `equilibrist` command.

In goes what somebody typed, out come a table or one JSON object on stdout, progress on stderr, and an exit code: 0
well, 1 a verification or reproduction that fails, 2 bad input, 129, 130 or 143 stopped by a signal. Start with `app.py`; each command is
one module, which imports the library only when it runs, so that `--help` is quick.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of the console script."""
    try:
        from equilibrist.interfaces.cli.app import app

        try:
            app()
        finally:
            sys.stdout.flush()  # here, where a reader that has gone away can still be told from an error
    except KeyboardInterrupt:  # before a command could say something better
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
