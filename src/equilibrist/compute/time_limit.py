"""Time limits: while trees are grown, before a solver begins to count its own seconds, and for calls that cannot be cut into pieces."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from equilibrist.core.errors import TimeLimitError

CLOCK_EVERY = 1024  # histories between two looks at the clock

_ends: ContextVar[tuple[float, float] | None] = ContextVar("time_limit", default=None)  # moment, seconds given
_work_ends: ContextVar[float | None] = ContextVar("work_ends", default=None)  # moment by `time.perf_counter`


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """What is built inside ends after so many seconds; None: it may take its time."""
    token = _ends.set(None if seconds is None else (time.monotonic() + seconds, seconds))
    try:
        yield
    finally:
        _ends.reset(token)


def building_is_over() -> None:
    """From here on the work keeps the time itself, and its result is worth more than the limit."""
    _ends.set(None)


def check_time(what: str) -> None:
    """Called now and then while something is built."""
    ends = _ends.get()
    if ends is not None and time.monotonic() > ends[0]:
        raise TimeLimitError(
            f"{what} was not finished within the {ends[1]:g} seconds allowed; give more seconds or choose smaller parameters."
        )


@contextmanager
def working_until(moment: float | None) -> Iterator[None]:
    """What works inside and cannot be stopped between two steps is told when it should end; None: no limit."""
    token = _work_ends.set(moment)
    try:
        yield
    finally:
        _work_ends.reset(token)


def seconds_left() -> float | None:
    """Until the work under way should end; None without a limit."""
    ends = _work_ends.get()
    return None if ends is None else max(0.0, ends - time.perf_counter())
