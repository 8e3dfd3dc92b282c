"""Errors that speak to the user: what was given, what was expected, what to try."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class EquilibristError(Exception):
    """Any refusal of bad input; its text is one complete sentence."""


class UnknownNameError(EquilibristError):
    """A game, solver, experiment or infoset that does not exist."""


class ParameterError(EquilibristError):
    """A parameter that is unknown, of the wrong kind, or out of range."""


class FormatError(EquilibristError):
    """A file or text that cannot be read: foreign, damaged or malformed."""


class CannotWriteError(FormatError):
    """A file that the system does not let us write: a full disk, a read-only place, no permission."""


class NotApplicableError(EquilibristError):
    """A method asked to work on something it is not sound or defined for."""


class TooLargeError(EquilibristError):
    """Work that would not fit in memory, known before it is begun."""


class TimeLimitError(EquilibristError):
    """Work that is not done when its time is over, and of which nothing can be kept."""


class MissingExtraError(EquilibristError):
    """An optional dependency that is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed; try: pip install 'equilibrist[{extra}]'."
        )


def suggest(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?` for the nearest known name, or nothing."""
    written = {each.lower(): each for each in known}  # compared without regard to case, shown as they are written
    near = difflib.get_close_matches(name.lower(), list(written), n=1, cutoff=0.5)
    return f" Did you mean '{written[near[0]]}'?" if near else ""


class LostWorkerError(EquilibristError):
    """A process that worked for this one ended without a word."""
