"""Ctrl-C answered at a moment when a solver's tables are whole."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class HeldInterrupts:
    """While this is open, a first Ctrl-C is kept until the next `checkpoint`; a second one interrupts at once.

    A signal that lands inside an iteration would leave regrets and the iteration count out of step, and such a state
    must not be saved. Outside the main thread signals never arrive, so nothing is done there. A solver answers Ctrl-C with what it has
    found; inside `InterruptsEndAll` what asked for that answer is ended with it.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None
        self._installed = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._handle)
            self._installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, self._before)
            if self.asked and kind is None and InterruptsEndAll.open:
                raise KeyboardInterrupt

    def checkpoint(self) -> None:
        """Called between chunks of work."""
        if self.asked:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


class InterruptsEndAll:
    """While this is open, Ctrl-C ends all of the work, not only the solve that it falls into: for matches and experiments."""

    open = 0  # how many are; signals arrive in the main thread alone, and only solves there look at it

    def __enter__(self) -> Self:
        InterruptsEndAll.open += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        InterruptsEndAll.open -= 1


class TerminationAsInterrupt:
    """While this is open, a polite kill (SIGTERM) is treated as Ctrl-C."""

    def __init__(self) -> None:
        self._before: Any = None
        self._installed = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
            self._installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGTERM, self._before)
