"""Workers: where independent pieces of work run. Threads or processes of this machine, or a Ray cluster; results are the same."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from equilibrist.compute.interrupts import interrupts_heard, interrupts_in_a_helper, interrupts_later, stop_with
from equilibrist.core.errors import EquilibristError, LostWorkerError, MissingExtraError, ParameterError

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 2  # pieces begun per worker: results wait in memory


class Workers(Protocol):
    """Something that works on pieces: batches of training, deals of matches, flops of reports."""

    def map(self, work: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]:
        """Results in the order of the pieces."""

    def as_done(self, work: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]:
        """Results as they come, one piece at a time for each worker: nothing that is done waits for something slow.

        Pieces are asked for one by one, after the result before was taken, so that results may decide whether there is another.
        """


class ThreadWorkers:
    """Threads; with one, everything runs where it is called. Whoever may leave off early closes the results: what is in work gives up."""

    def __init__(self, threads: int = 1) -> None:
        if threads < 1:
            raise ParameterError(f"At least one thread is needed, but {threads} were asked for.")
        self.threads = threads

    def map(self, work: Callable[[T], R], pieces: Iterable[T]) -> Generator[R, None, None]:
        if self.threads == 1:
            yield from map(work, pieces)
            return
        pool, stopping = self._pool()
        waiting: deque[Future[R]] = deque()
        try:
            for piece in pieces:
                waiting.append(pool.submit(work, piece))
                if len(waiting) >= AHEAD * self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # an interrupt leaves what is not yet begun undone
            stopping.set()
            pool.shutdown(cancel_futures=True)

    def as_done(self, work: Callable[[T], R], pieces: Iterable[T]) -> Generator[R, None, None]:
        if self.threads == 1:
            yield from map(work, pieces)
            return
        pool, stopping = self._pool()
        try:
            yield from _as_done(pool, work, pieces, self.threads)
        finally:
            stopping.set()
            pool.shutdown(cancel_futures=True)

    def _pool(self) -> tuple[ThreadPoolExecutor, threading.Event]:
        """With what is set when no more is wanted."""
        stopping = threading.Event()
        return ThreadPoolExecutor(self.threads, initializer=stop_with, initargs=(stopping,)), stopping


class ProcessWorkers:
    """Processes of this machine, for work that Python itself does; `work` travels to each of them once, pieces one by one."""

    def __init__(self, processes: int) -> None:
        if processes < 1:
            raise ParameterError(f"At least one process is needed, but {processes} were asked for.")
        self.processes = processes

    def as_done(self, work: Callable[[T], R], pieces: Iterable[T]) -> Generator[R, None, None]:
        context, left = get_context("spawn"), iter(pieces)
        begun, stopping = context.Event(), context.Event()
        with ProcessPoolExecutor(self.processes, context, _begin_helper, (work, begun, stopping)) as pool:
            try:
                with interrupts_later():  # whoever is just starting would answer with a traceback
                    first = {pool.submit(_work_here, piece) for piece in islice(left, self.processes)}
                yield from _followed(pool, _work_here, left, first)
            except BrokenProcessPool:
                raise LostWorkerError(LOST if begun.is_set() else NEVER_BEGUN) from None
            finally:
                stopping.set()
                _interrupt(pool)
                pool.shutdown(wait=True, cancel_futures=True)


LOST = (
    "A process that worked for this one ended without a word (killed, or out of memory); what was done before is kept where it was asked "
    "for: give the same command again to go on, with fewer workers if memory is short."
)
NEVER_BEGUN = (
    "Processes that work for this one could not begin. In a script, calls that use several need to stand below "
    "\"if __name__ == '__main__':\", since every process reads the script again; or ask for one worker."
)


def _interrupt(pool: ProcessPoolExecutor) -> None:
    """Nobody waits for what helpers are still at work on; those without work do not listen."""
    if os.name == "posix":
        for process in list((pool._processes or {}).values()):
            with contextlib.suppress(ProcessLookupError):
                if process.pid is not None:
                    os.kill(process.pid, signal.SIGINT)


def _begin_helper(work: Callable[[Any], Any], begun: Any, stopping: Any) -> None:
    """In a process that works for another: what it does, when it stops, and that it ends when the other does."""
    global _work
    _work = work
    interrupts_in_a_helper()
    stop_with(stopping)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    begun.set()


def _end_with_parent() -> None:
    """Nobody is left to take results, and a device would be held for them."""
    parent = parent_process()
    assert parent is not None, "helpers are begun by others"
    parent.join()
    os._exit(1)


_work: Callable[[Any], Any] | None = None  # of a helper


def _work_here(piece: Any) -> Any:
    assert _work is not None, "helpers are told their work first"
    with interrupts_heard():
        return _work(piece)


def _as_done(pool: Executor, work: Callable[[T], R], pieces: Iterable[T], at_once: int) -> Iterator[R]:
    """The next piece is asked for when a result was taken, so that results may decide whether there is one."""
    left = iter(pieces)
    yield from _followed(pool, work, left, {pool.submit(work, piece) for piece in islice(left, at_once)})


def _followed(
    pool: Executor, work: Callable[[T], R], left: Iterator[T], running: set[Future[R]]
) -> Generator[R, None, None]:
    while running:
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for each in sorted(done, key=lambda one: one.exception() is not None):  # what was found before what was lost
            yield each.result()
            running |= {pool.submit(work, piece) for piece in islice(left, 1)}


def made_ahead(make: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]:
    """What `make` makes of each piece; the next is made in a thread while the present one is in use, for a device that must not wait."""
    left = iter(pieces)
    with ThreadPoolExecutor(1) as pool:
        following = [pool.submit(make, piece) for piece in islice(left, 1)]
        while following:
            made = following.pop().result()
            following = [pool.submit(make, piece) for piece in islice(left, 1)]
            yield made


def require_ray() -> None:
    """Refuse early where Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        raise MissingExtraError("ray", "cluster", "Working on a cluster")


def connect(address: str, processes: int) -> Any:
    """The module of Ray, connected to a cluster: `local` starts one on this machine, anything else is the address of one that runs."""
    import ray

    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "ignore_reinit_error": True}
    if address == "local":
        options |= {"num_cpus": processes, "include_dashboard": False}
    try:
        ray.init(address=address, **options)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ParameterError(
            f"No Ray cluster answers at '{address}' ({reason}); start one with 'ray start --head', or use 'local'."
        ) from None
    return ray


class RayWorkers:
    """Processes of a Ray cluster."""

    def __init__(self, address: str, processes: int = 2) -> None:
        require_ray()
        self.address, self.processes = address, processes
        self._ray: Any = None

    def __enter__(self) -> Self:
        self._ray = connect(self.address, self.processes)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ray is not None:
            self._ray.shutdown()
            self._ray = None

    def map(self, work: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]:
        assert self._ray is not None, "open the cluster with `with` first"
        shared = self._ray.put(work)
        call = self._ray.remote(_apply)
        ahead = AHEAD * self.cores
        waiting: deque[Any] = deque()
        for piece in pieces:
            waiting.append(call.remote(shared, piece))
            if len(waiting) >= ahead:
                yield self._collect(waiting.popleft())
        while waiting:
            yield self._collect(waiting.popleft())

    def as_done(self, work: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]:
        assert self._ray is not None, "open the cluster with `with` first"
        shared, left = self._ray.put(work), iter(pieces)
        call = self._ray.remote(_apply)
        running = [call.remote(shared, piece) for piece in islice(left, self.cores)]
        while running:
            done, running = self._ray.wait(running, num_returns=1)
            for reference in done:
                yield self._collect(reference)
                running += [call.remote(shared, piece) for piece in islice(left, 1)]

    @property
    def cores(self) -> int:
        """How many pieces the cluster works on at a time."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def _collect(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, EquilibristError):
                raise cause from None
            raise


def _apply(work: Callable[[T], R], piece: T) -> R:
    return work(piece)
