"""Ctrl-C and a polite kill, answered at a moment when the solver's tables are whole."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """While this is open, a first signal is kept until the next `checkpoint`; a second one interrupts at once.

    A signal that lands inside an iteration would leave regrets and the iteration count out of step, and such a state
    must not be saved. Before the first checkpoint there is nothing to save, so the signal interrupts at once.
    """

    def __init__(self) -> None:
        self.asked = False
        self._working = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def checkpoint(self) -> None:
        """Called between chunks of work."""
        self._working = True
        if self.asked:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.asked or not self._working:
            raise KeyboardInterrupt
        self.asked = True
        # os.write, because a handler must not enter a stream that the interrupted code may be writing to
        os.write(2, b"\nStopping after this step; once more to stop at once.\n")
