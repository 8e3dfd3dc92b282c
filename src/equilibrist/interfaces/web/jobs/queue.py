"""JobQueue: solves in worker threads, in the order they came, never more than the memory holds; all of it outlives the server."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from equilibrist.core.errors import EquilibristError, NotApplicableError, TooLargeError, UnknownNameError
from equilibrist.core.writing import reason
from equilibrist.games.size_estimate import memory_limit
from equilibrist.interfaces.web.data.dials import Dials
from equilibrist.interfaces.web.data.library import Library, room_for
from equilibrist.interfaces.web.data.store import JobRow, JobStatus, Store, StoreError
from equilibrist.interfaces.web.jobs.work import WORK
from equilibrist.interfaces.web.settings import MOST_WAITING, ServerSettings

log = logging.getLogger(__name__)

ACTIVE = ("queued", "running")
OVERHEAD = 1.15  # what a solve takes beside its tables


class JobQueue:
    """Jobs by id; every change raises `version`, so that streams know when to send."""

    def __init__(self, settings: ServerSettings, store: Store, library: Library) -> None:
        self.settings, self.store, self.library = settings, store, library
        self.dials = Dials(store, library)
        self._wake = threading.Condition()  # over a lock that one thread may take twice
        self._jobs: dict[str, JobRow] = {}
        self._changed: dict[str, int] = {}
        self._stop: dict[str, JobStatus] = {}  # id -> the status to end in
        self.version = 0
        self._closing = False
        self._threads: list[threading.Thread] = []
        self._unwritten: set[str] = set()  # jobs whose last change the store has not taken; it is asked again
        for job in reversed(store.jobs()):
            if job.status == "running":  # the server was killed
                job.status = "interrupted"
                job.message = "The server stopped during this job; it can go on from its last save."
                self._unwritten.add(job.id)
            self._jobs[job.id] = job
        self._write_down()
        if settings.resume:
            self.resume_interrupted()

    def start(self) -> None:
        """Let workers wait for jobs, if they do not yet."""
        for number in range(len(self._threads), self.settings.workers):
            thread = threading.Thread(target=self._work, name=f"solve-{number}", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # too little memory, or a limit on threads
                raise NotApplicableError(
                    f"{self.settings.workers} solves at a time take as many threads, but the system gives {number} only ({error}); "
                    "use fewer --workers."
                ) from error
            self._threads.append(thread)

    def close(self, timeout: float = 30.0) -> None:
        """Stop running solves at the next moment when their tables are whole, and keep them."""
        with self._wake:
            self._closing = True
            for job in self._jobs.values():
                if job.status == "running":
                    self._stop.setdefault(job.id, "interrupted")
            self._wake.notify_all()
        for thread in self._threads:
            thread.join(timeout)

    @property
    def closing(self) -> bool:
        return self._closing

    @property
    def memory(self) -> int:
        """Bytes for all solves together."""
        return self.settings.memory if self.settings.memory is not None else memory_limit()

    def submit(self, job: JobRow, *, disk_bytes: int | None = None) -> JobRow:
        """Enter a job; refuses what could never run, and what would not fit on the disk."""
        self._check_memory(job.need_bytes)
        room_for(self.library.folder, job.need_bytes if disk_bytes is None else disk_bytes)
        with self._wake:
            if sum(other.status == "queued" for other in self._jobs.values()) >= MOST_WAITING:
                raise NotApplicableError(f"{MOST_WAITING} solves are waiting already; cancel some or wait.")
            self._enter([job])
        return job

    def _check_memory(self, table_bytes: int) -> None:
        need = int(table_bytes * OVERHEAD)
        if need > self.memory:
            raise TooLargeError(
                f"This spot needs {need / 1e9:.2f} GB, but {self.memory / 1e9:.2f} GB are available to solves; use fewer bet "
                "sizes, narrower ranges or a later street."
            )

    def _enter(self, jobs: list[JobRow]) -> None:
        """Take jobs in, all or none; what cannot be written down is refused. Called with the lock held."""
        try:
            for job in jobs:
                self.store.put_job(job)
        except StoreError:
            with contextlib.suppress(StoreError):
                for job in jobs:
                    self.store.delete_job(job.id)
            raise
        for job in jobs:
            self._jobs[job.id] = job
            self._tell(job)
        self._wake.notify_all()

    def submit_all(self, jobs: list[JobRow]) -> None:
        """Enter several jobs, all or none; the largest must fit into the memory, the files of all on the disk."""
        self._check_memory(max(job.need_bytes for job in jobs))
        with self._wake:
            waiting = sum(other.status == "queued" for other in self._jobs.values())
            if waiting + len(jobs) > MOST_WAITING:
                raise NotApplicableError(
                    f"At most {MOST_WAITING} jobs may wait, and {waiting} do; cancel some or wait."
                )
            room_for(self.library.folder, sum(job.need_bytes for job in jobs))
            self._enter(jobs)

    def job(self, number: str) -> JobRow:
        with self._wake:
            if number not in self._jobs:
                raise UnknownNameError(f"There is no job '{number}'; it may have been deleted.")
            return self._jobs[number]

    def jobs(self) -> list[JobRow]:
        """Newest first."""
        with self._wake:
            return sorted(self._jobs.values(), key=lambda job: -job.created)

    def changes(self, since: int) -> tuple[int, list[JobRow], list[str]]:
        """The version now, the jobs that changed after another version, and the ids of all."""
        with self._wake:
            found = [job for job in self._jobs.values() if self._changed.get(job.id, 0) > since]
            return self.version, found, list(self._jobs)

    def cancel(self, number: str) -> JobRow:
        """Stop a job; what it has found is kept."""
        with self._wake:
            job = self.job(number)
            if job.status == "queued":
                job.status, job.message = "stopped", "Cancelled before it began."
                self._note(job)
            elif job.status == "running":
                self._stop[number] = "stopped"
            return job

    def resume(self, number: str, until: str | None = None) -> JobRow:
        """Let a job go on from its last save, or from the beginning where there is none."""
        with self._wake:
            job = self.job(number)
            if job.status in ACTIVE:
                raise NotApplicableError("This job has not ended, so it cannot be resumed.")
            job.status, job.message, job.until = "queued", "", until or job.until
            self._note(job)
            self._wake.notify_all()
            return job

    def resume_interrupted(self) -> list[JobRow]:
        """Let all jobs go on that a stop of the server interrupted; those that people stopped stay stopped."""
        with self._wake:
            return [self.resume(job.id) for job in list(self._jobs.values()) if job.status == "interrupted"]

    def delete(self, number: str) -> None:
        """Forget a job that has ended; its solution stays."""
        with self._wake:
            if self.job(number).status in ACTIVE:
                raise NotApplicableError("This job has not ended; cancel it first.")
            self.store.delete_job(number)  # first: what the store keeps would come back with the next start
            del self._jobs[number]
            for remembered in (self._changed, self._stop):
                remembered.pop(number, None)
            self._unwritten.discard(number)
            self.version += 1

    def knows(self, number: str) -> bool:
        with self._wake:
            return number in self._jobs

    def is_active(self, number: str) -> bool:
        with self._wake:
            return number in self._jobs and self._jobs[number].status in ACTIVE

    def stopping(self, number: str) -> bool:
        """Whether a running job was told to stop."""
        return number in self._stop

    def ended_by(self, number: str) -> JobStatus:
        """How a job ends that was told to stop."""
        return self._stop.get(number, "stopped")

    @contextmanager
    def changing(self, job: JobRow, *, write: bool = True) -> Iterator[JobRow]:
        """Change a job and tell whoever watches; without `write` it is written down a little later."""
        with self._wake:
            yield job
            if write:
                self._note(job)
            else:
                self._tell(job)

    def _tell(self, job: JobRow) -> None:
        """Let streams know of a change; called with the lock held."""
        self.version += 1
        self._changed[job.id] = self.version

    def _note(self, job: JobRow) -> None:
        """Remember a change; called with the lock held. A store that does not take it is asked again later."""
        self._tell(job)
        self._unwritten.add(job.id)
        self._write_down()

    def _write_down(self) -> None:
        """Write what the store has not taken yet; called with the lock held, and never fails."""
        for number in list(self._unwritten):
            try:
                self.store.put_job(self._jobs[number])
            except StoreError as error:
                log.warning("job %s is not written down yet: %s", number, error)
                return
            self._unwritten.discard(number)

    def _next(self) -> JobRow | None:
        """The oldest waiting job, once it fits beside those that run; None when the server closes."""
        with self._wake:
            while not self._closing:
                self._write_down()
                waiting = [job for job in self._jobs.values() if job.status == "queued"]
                busy = sum(job.need_bytes for job in self._jobs.values() if job.status == "running")
                if waiting:
                    job = min(waiting, key=lambda each: each.created)
                    obstacle = self._obstacle(job, busy)
                    if obstacle is None:
                        job.status, job.message = "running", ""
                        self._stop.pop(job.id, None)
                        self._note(job)
                        return job
                    if job.message != obstacle:
                        job.message = obstacle
                        self._note(job)
                self._wake.wait(1.0)
            return None

    def _obstacle(self, job: JobRow, busy: int) -> str | None:
        """Why a job cannot begin yet: memory that others use, or a disk without room for what it will save."""
        if busy and (busy + job.need_bytes) * OVERHEAD > self.memory:
            return "Waits until the memory of a running solve is free."
        try:
            room_for(self.library.folder, job.need_bytes if job.kind == "solve" else 0)
        except NotApplicableError as error:
            return f"Waits for room on the disk. {error}"
        except OSError as error:
            return f"Waits for the data folder, which cannot be looked at ({reason(error)})."
        return None

    def _work(self) -> None:
        while (job := self._next()) is not None:
            status: JobStatus = "failed"
            try:
                status, message = WORK[job.kind](self, job)
            except EquilibristError as error:
                message = str(error)
            except KeyboardInterrupt:
                status, message = self.ended_by(job.id), "Stopped before anything was found."
            except MemoryError:
                message = "There was not enough memory; use fewer bet sizes or narrower ranges."
            except Exception as error:  # a worker must live on whatever happens in one job
                log.exception("job %s failed", job.id)
                message = f"The solver failed ({type(error).__name__}); this should not happen."
            with self._wake:  # nothing from here on may fail, or the worker would be gone for good
                job.status, job.message = status, message
                self._note(job)
                self._wake.notify_all()
