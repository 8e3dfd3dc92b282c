"""Workers: where independent pieces of work run. Threads of this machine, or the processes of a Ray cluster; results are the same."""

from __future__ import annotations

import importlib.util
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from equilibrist.core.errors import EquilibristError, MissingExtraError, ParameterError

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 2  # pieces begun per worker: results wait in memory


class Workers(Protocol):
    """Something that works on pieces and gives the results in their order."""

    def map(self, work: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]: ...


class ThreadWorkers:
    """Threads; with one, everything runs where it is called."""

    def __init__(self, threads: int = 1) -> None:
        if threads < 1:
            raise ParameterError(f"At least one thread is needed, but {threads} were asked for.")
        self.threads = threads

    def map(self, work: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]:
        if self.threads == 1:
            yield from map(work, pieces)
            return
        pool = ThreadPoolExecutor(self.threads)
        waiting: deque[Future[R]] = deque()
        try:
            for piece in pieces:
                waiting.append(pool.submit(work, piece))
                if len(waiting) >= AHEAD * self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # an interrupt leaves what is not yet begun undone
            pool.shutdown(cancel_futures=True)


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
        ahead = AHEAD * max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        waiting: deque[Any] = deque()
        for piece in pieces:
            waiting.append(call.remote(shared, piece))
            if len(waiting) >= ahead:
                yield self._collect(waiting.popleft())
        while waiting:
            yield self._collect(waiting.popleft())

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
