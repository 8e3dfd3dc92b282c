"""Ctrl-C, and signals that mean the same, answered at a moment when a solver's tables are whole."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, Self

_thread = threading.local()  # `stopping`: an event that asks the work of a thread to stop


def stop_with(event: threading.Event) -> None:
    """From now on this thread's work stops when the event is set; nobody waits for what it has found."""
    _thread.stopping = event


def _asked_to_stop() -> bool:
    event = getattr(_thread, "stopping", None)
    return event is not None and event.is_set()


class HeldInterrupts:
    """While this is open, a first Ctrl-C is kept until the next `checkpoint`; a second one interrupts at once.

    A signal that lands inside an iteration would leave regrets and the iteration count out of step, and such a state
    must not be saved. Outside the main thread signals never arrive, and whoever gave a thread its work may ask it to stop (`stop_with`).
    A solver answers Ctrl-C with what it has found; inside `InterruptsEndAll` what asked for that answer is ended with it.
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
            if (self.asked or _asked_to_stop()) and kind is None and InterruptsEndAll.open:
                raise KeyboardInterrupt
        elif kind is None and _asked_to_stop():
            raise KeyboardInterrupt

    def checkpoint(self) -> None:
        """Called between chunks of work."""
        if self.asked or _asked_to_stop():
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        StopSignals.note(number)
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


class StopSignals:
    """While this is open, a polite kill (SIGTERM) and a closed terminal (SIGHUP) are answered as Ctrl-C is; the first is remembered.

    What ignores a signal from the start goes on ignoring it: `nohup` means it.
    """

    arrived: int | None = None  # the signal that asked to stop

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        StopSignals.arrived = None
        if threading.current_thread() is threading.main_thread():
            self._take(signal.SIGINT, self._interrupt)
            for name in ("SIGTERM", "SIGHUP"):  # the second is unknown to Windows
                if hasattr(signal, name):
                    self._take(getattr(signal, name), self._pass_on)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _take(self, number: int, handler: Any) -> None:
        if signal.getsignal(number) != signal.SIG_IGN:
            self._before[number] = signal.signal(number, handler)

    @classmethod
    def note(cls, number: int) -> None:
        cls.arrived = cls.arrived or number

    @classmethod
    def exit_code(cls) -> int:
        """128 and the signal's number, as shells count: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP."""
        return 128 + (cls.arrived or signal.SIGINT)

    @classmethod
    def _interrupt(cls, number: int, frame: FrameType | None) -> None:
        cls.note(number)
        raise KeyboardInterrupt

    @classmethod
    def _pass_on(cls, number: int, frame: FrameType | None) -> None:
        """To whoever answers Ctrl-C now; in the background a shell may have had it ignored."""
        cls.note(number)
        answer = signal.getsignal(signal.SIGINT)
        if not callable(answer):
            raise KeyboardInterrupt
        answer(number, frame)


def interrupts_in_a_helper() -> None:
    """For processes that work for another: whoever they work for hears Ctrl-C and tells them; they hear it themselves while they work.

    A solve that is asked to stop is ended with what asked for it, so that half an answer is none.
    """
    InterruptsEndAll.open += 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked by `interrupts_later` where it was begun


@contextlib.contextmanager
def interrupts_heard() -> Iterator[None]:
    """In a helper while it works on something."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def interrupts_later() -> Iterator[None]:
    """Ctrl-C waits until this is over; processes begun here begin without hearing it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
