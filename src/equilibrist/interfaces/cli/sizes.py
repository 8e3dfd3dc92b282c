"""How large the games of the catalogue are, as far as that can be said quickly."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from equilibrist.games.rules import CHANCE, TERMINAL, Game
from equilibrist.games.sizing import estimate_histories

QUICK_SECONDS = 0.2  # CPU for one game, so that the whole list stays under two seconds
QUICK_WALK = 13_000  # histories walked to count infosets when nobody asked for more
PATIENT_WALK = 300_000


@dataclass(frozen=True)
class Size:
    """Numbers, or None where counting would take too long."""

    histories: float | None
    exact: bool
    infosets: int | None

    def text(self) -> str:
        """For a table."""
        if self.histories is None:
            return "not counted"
        if not math.isfinite(self.histories):
            return "too many to count"
        amount = f"{self.histories:,.0f}" if self.histories < 1e9 else f"{self.histories:.1e}"
        return amount if self.exact else f"about {amount}"


def measure(game: Game, *, patient: bool = False) -> Size:
    """Histories as the rules know or estimate them; infosets of small games by walking."""
    try:
        with _deadline(None if patient else QUICK_SECONDS):
            known = game.histories()
            histories = estimate_histories(game) if known is None else known
    except _TooSlowError:
        return Size(None, exact=False, infosets=None)
    walk = histories <= (PATIENT_WALK if patient else QUICK_WALK)
    return Size(float(histories), exact=known is not None, infosets=count_infosets(game) if walk else None)


def count_infosets(game: Game) -> int:
    """Decision points of all players, by walking every history."""
    seen: set[tuple[int, str]] = set()
    stack = [game.start()]
    while stack:
        state = stack.pop()
        if state.player == TERMINAL:
            continue
        width = len(state.chance()) if state.player == CHANCE else len(state.actions())
        if state.player != CHANCE:
            seen.add((state.player, state.infoset(state.player)))
        stack.extend(state.child(index) for index in range(width))
    return len(seen)


class _TooSlowError(Exception):
    """Counting was given up."""


@contextmanager
def _deadline(cpu_seconds: float | None) -> Iterator[None]:
    """Give up after so much CPU time, where the platform has a timer for that."""
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if cpu_seconds is None or not usable:
        yield
        return

    def give_up(number: int, frame: FrameType | None) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
