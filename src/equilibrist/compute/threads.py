"""Threads for kernels: they let go of the interpreter, so a pool of threads is enough; rows are shared out by weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np

from equilibrist.compute.machine import cores
from equilibrist.core.arrays import Longs
from equilibrist.core.errors import ParameterError

Span = tuple[int, int]
R = TypeVar("R")


class Team:
    """A fixed number of threads; with one, everything runs where it is called."""

    def __init__(self, threads: int = 1) -> None:
        if threads < 1:
            raise ParameterError(f"At least one thread is needed, but {threads} were asked for.")
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def run(self, jobs: Sequence[Callable[[], R]]) -> list[R]:
        """Results of all jobs in their order; whoever is free takes the next one, this thread as well as the others."""
        if self._pool is None or len(jobs) < 2:
            return [job() for job in jobs]
        results: dict[int, R] = {}
        left = iter(range(len(jobs)))  # next() on one iterator is atomic

        def work() -> None:
            try:
                for number in left:
                    results[number] = jobs[number]()
            except BaseException:
                for _ in left:  # what nobody has begun is left undone
                    pass
                raise

        others = [self._pool.submit(work) for _ in range(min(self.threads, len(jobs)) - 1)]
        try:
            work()
        finally:
            wait(others)
        for each in others:
            each.result()
        return [results[number] for number in range(len(jobs))]


def share_out(weight_before: Longs, parts: int, bounds: Longs | None = None) -> list[Span]:
    """Rows 0 .. n-1 in spans of about equal weight; `weight_before` [n + 1] sums it up, spans begin at `bounds` only."""
    allowed = np.arange(len(weight_before)) if bounds is None else bounds
    wanted = weight_before[-1] * np.arange(1, parts) / parts
    cuts = allowed[np.abs(weight_before[allowed][None, :] - wanted[:, None]).argmin(axis=1)] if parts > 1 else []
    ends = [0, *(int(cut) for cut in cuts), len(weight_before) - 1]
    return [(a, b) for a, b in pairwise(ends) if b > a]


def in_spans(number: int, job: Callable[[slice], object], *, least: int = 64) -> None:
    """A kernel on spans of `number` rows, one thread for each; few rows are not worth a thread."""
    parts = max(1, min(cores(), number // least))
    ends = [number * k // parts for k in range(parts + 1)]
    Team(parts).run([partial(job, slice(a, b)) for a, b in pairwise(ends)])
