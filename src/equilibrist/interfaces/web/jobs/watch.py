"""What the queue's work tells while it runs: progress to whoever watches, stops, and saves now and then."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from equilibrist.core.errors import EquilibristError, NotApplicableError
from equilibrist.interfaces.web.data.store import JobRow
from equilibrist.solvers.iteration_loop import Progress
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

if TYPE_CHECKING:
    from equilibrist.interfaces.web.jobs.queue import JobQueue

FIRST_SAVE_SECONDS = 3.0
NOTE_SECONDS = 1.0  # between rows written for a job that runs
SAVE_SHARE = 20.0  # a save that took a second is not made again within so many
RETRY_SECONDS = 2.0  # between tries to save what could not be saved
MOST_POINTS = 400  # of a curve


class Watch:
    """A progress callback: notes how far a job has come, and stops it where that was asked for."""

    def __init__(self, queue: JobQueue, job: JobRow, clock: Callable[[], float] = time.monotonic) -> None:
        self.queue, self.job, self.clock = queue, job, clock
        self.next_note = 0.0

    def __call__(self, progress: Progress) -> None:
        with self.queue.changing(self.job, write=self.clock() >= self.next_note) as job:
            self.take(job, progress)
        if self.clock() >= self.next_note:
            self.next_note = self.clock() + NOTE_SECONDS
        if self.queue.stopping(job.id):
            raise KeyboardInterrupt  # the loop answers with what it has found, as it does to Ctrl-C

    def say(self, message: str) -> None:
        with self.queue.changing(self.job) as job:
            job.message = message

    def patiently(self, save: Callable[[], None]) -> None:
        """Save what was found, trying again while there is patience: it would be lost otherwise."""
        end = self.clock() + self.queue.settings.save_patience
        while True:
            try:
                return save()
            except (EquilibristError, OSError) as error:
                if self.clock() >= end or self.queue.closing:
                    raise NotApplicableError(
                        f"What was found could not be saved: {error} Make room and resume; it goes on from its last save."
                    ) from None
                self.say(f"What was found cannot be saved; trying again. {error}")
            time.sleep(min(RETRY_SECONDS, max(end - self.clock(), 0.01)))

    def take(self, job: JobRow, progress: Progress) -> None:
        job.iteration, job.elapsed = progress.iteration, progress.seconds
        job.fraction, job.seconds_left = progress.fraction, progress.seconds_left
        job.exploitability = progress.exploitability


class SolveWatch(Watch):
    """The same for one solve, with its curve, saved now and then."""

    def __init__(self, queue: JobQueue, job: JobRow, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(queue, job, clock)
        self.next_save = clock() + FIRST_SAVE_SECONDS

    def __call__(self, progress: Progress) -> None:
        super().__call__(progress)
        if progress.snapshot is not None and self.clock() >= self.next_save:
            began = self.clock()
            try:
                self.keep(progress.snapshot())
            except (EquilibristError, OSError) as error:  # solving goes on; the next save may succeed
                self.say(f"It could not be saved just now, and solving goes on: {error}")
                self.next_save = self.clock() + self.queue.settings.save_seconds
                return
            took = self.clock() - began
            self.next_save = self.clock() + max(self.queue.settings.save_seconds, SAVE_SHARE * took)

    def take(self, job: JobRow, progress: Progress) -> None:
        before, measured = job.exploitability, progress.exploitability
        super().take(job, progress)
        job.exploitability = before if measured is None else measured
        if measured is not None and (not job.curve or job.curve[-1][2] != measured):
            job.curve.append((progress.iteration, progress.seconds, measured))
            if len(job.curve) > MOST_POINTS:  # every other of the older points
                job.curve[: MOST_POINTS // 2] = job.curve[: MOST_POINTS // 2 : 2]

    def keep(self, solution: SpotSolution) -> None:
        """Save what was found, and say so."""
        self.queue.library.keep(self.job.id, self.job.name, solution)
        with self.queue.changing(self.job) as job:
            job.message = ""
            job.saved, job.iteration, job.elapsed = True, solution.iterations, solution.seconds
            job.exploitability = solution.exploitability
            if not solution.interrupted:
                job.fraction, job.seconds_left = 1.0, 0.0
