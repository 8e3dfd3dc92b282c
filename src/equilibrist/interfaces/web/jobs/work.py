"""The work of a job: a solve to its goal, or the responses of a dial one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equilibrist.exploit.responses.data_biased_spots import LockedSpot
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.web.data.store import DialRow, JobRow, JobStatus, PointRow, new_id
from equilibrist.interfaces.web.jobs.watch import SolveWatch, Watch
from equilibrist.solvers.iteration_loop import Progress
from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution
from equilibrist.solvers.postflop.solve_spot import solve_spot

if TYPE_CHECKING:
    from equilibrist.interfaces.web.jobs.queue import JobQueue

Ended = tuple[JobStatus, str]


def solve(queue: JobQueue, job: JobRow) -> Ended:
    """Solve a spot, from its last save on."""
    path = queue.library.path(job.id)
    saved = load_spot_solution(path) if job.saved and path.exists() else None
    watch = SolveWatch(queue, job)
    solution = solve_spot(
        Spot.from_text(job.spot),
        job.solver,
        until=job.until,
        iterations=job.iterations,
        seconds=job.seconds,
        threads=queue.settings.threads,
        bits=job.bits,
        progress=watch,
        resume=saved,
    )
    watch.patiently(lambda: watch.keep(solution))
    if solution.interrupted:
        return queue.ended_by(job.id), "Stopped; what was found is in the library, and it can go on."
    if job.until is not None and not solution.converged:
        return "done", "The goal was not reached within the limits; it can go on."
    return "done", ""


class DialWatch(Watch):
    """Progress of one response as a part of the whole dial."""

    done, wanted, before = 0, 1, 0.0  # responses found, responses wanted, seconds of those found

    def take(self, job: JobRow, progress: Progress) -> None:
        super().take(job, progress)
        job.elapsed = self.before + progress.seconds
        job.fraction = (self.done + (progress.fraction or 0.0)) / self.wanted
        job.seconds_left = job.elapsed * (1.0 - job.fraction) / job.fraction if job.fraction else None


def respond(queue: JobQueue, job: JobRow) -> Ended:
    """Find the responses of a dial that are not there yet, the equilibrium first."""
    dial = queue.store.dial(job.id)
    locked = LockedSpot(Spot.from_text(dial.spot))
    watch = DialWatch(queue, job)
    while (p := queue.dials.missing(job.id)) is not None:
        dial = queue.store.dial(job.id)
        watch.done, watch.wanted, watch.before = len(dial.points), len(dial.steps), job.elapsed
        with queue.changing(job):
            job.message = f"{watch.done} of {watch.wanted} responses found."
        if not _add_point(queue, dial, locked, p, watch):
            return queue.ended_by(job.id), "Stopped; the responses found are kept, and it can go on."
    with queue.changing(job):
        job.saved, job.fraction, job.seconds_left = True, 1.0, 0.0
    return "done", ""


def _add_point(queue: JobQueue, dial: DialRow, locked: LockedSpot, p: float, watch: DialWatch) -> bool:
    """Find, save and enter one response; False where it was stopped."""
    answer = locked.respond(p, until=dial.until, threads=queue.settings.threads, progress=watch)
    found = answer.solution
    if found.interrupted:
        return False
    number = new_id()
    name = f"{dial.name}: {dial.player} trusts the locks by {p:g}"[:200]
    watch.patiently(lambda: queue.library.keep(number, name, found, part_of=dial.id))
    point = PointRow(
        p=p,
        payoff=answer.payoff,
        guarantee=answer.guarantee,
        exploitability=found.exploitability,
        iterations=found.iterations,
        solution=number,
    )
    watch.patiently(lambda: queue.dials.add_point(dial.id, point))
    return True


WORK = {"solve": solve, "dial": respond}
