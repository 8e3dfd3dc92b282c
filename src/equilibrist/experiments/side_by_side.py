"""Pieces of an experiment that do not hang on each other: one after the other, or each in a process of its own."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Generic, TypeVar

from equilibrist.compute.workers import ProcessWorkers
from equilibrist.experiments.findings import Request

LISTENS = 0.2  # seconds
LONGEST = 200  # characters of what is being done
K = TypeVar("K")
R = TypeVar("R")
Span = tuple[float, float]  # of the work of an experiment: where it begins and ends
Work = Callable[[K, Span, Request], R]  # travels to other processes, and so do its pieces and results


def side_by_side(
    work: Work[K, R], pieces: Sequence[K], request: Request, progress: Span = (0.0, 1.0)
) -> Iterator[tuple[K, R]]:
    """Pieces with their results as they come, as many at a time as the request has jobs."""
    low, high = progress
    if request.jobs == 1 or len(pieces) < 2:
        each = (high - low) / max(1, len(pieces))
        for number, piece in enumerate(pieces):
            yield piece, work(piece, (low + number * each, low + (number + 1) * each), request)
        return
    with _reports(request, progress, len(pieces)) as told:
        helper = _Helper(work, replace(request, progress=None, jobs=1), told)
        for number, result in ProcessWorkers(min(request.jobs, len(pieces))).as_done(helper, enumerate(pieces)):
            yield pieces[number], result


@dataclass(frozen=True)
class _Helper(Generic[K, R]):
    """In a process that works for another."""

    work: Work[K, R]
    request: Request
    told: Connection

    def __call__(self, piece: tuple[int, K]) -> tuple[int, R]:
        number, own = piece

        def report(doing: str, share: float | None) -> None:
            self.told.send((number, doing[:LONGEST], share))

        result = self.work(own, (0.0, 1.0), replace(self.request, progress=report))
        self.told.send((number, "", 1.0))
        return number, result


@contextlib.contextmanager
def _reports(request: Request, progress: Span, pieces: int) -> Iterator[Connection]:
    """Where helpers send what they do; it reaches the request with the mean of their shares.

    A pipe without a lock, since a helper may be killed that holds one: messages are short enough to be written at once.
    """
    receiver, sender = get_context("spawn").Pipe(duplex=False)
    shares, over = [0.0] * pieces, threading.Event()

    def listen() -> None:
        while (waiting := receiver.poll(LISTENS)) or not over.is_set():
            if waiting:
                number, doing, share = receiver.recv()
                shares[number] = shares[number] if share is None else share
                if doing:
                    done = sum(shares) / pieces
                    request.report(doing, progress[0] + (progress[1] - progress[0]) * done)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield sender
    finally:
        over.set()
        listener.join()
