"""The common loop of all iterative methods: advance, measure, report, stop, go on later."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.time_limit import building_is_over, working_until
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.core.numbers import finite_number, whole_number, yes_or_no
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import EXACT, Evaluation, Solution, SolveRecord, TabularSolution, check_numbers
from equilibrist.forms.compiled import Compiled
from equilibrist.version import __version__

DEFAULT_ITERATIONS = 1000
LONGEST_CHUNK_SECONDS = 0.5  # so that progress moves and Ctrl-C answers
LONGEST_SILENCE = 1.5  # factor by which the iteration may grow without a check


@dataclass(frozen=True)
class Stop:
    """When to stop, whichever comes first (nothing given: 1,000 iterations), and which profile to give back."""

    exploitability: float | None = None
    iterations: int | None = None
    seconds: float | None = None
    nodes: int | None = None  # touched in all; for methods that count them
    keep_best: bool = False  # the least exploitable profile measured on the way instead of the last one

    def __post_init__(self) -> None:
        for name, said in (("exploitability", "until"), ("seconds", "seconds")):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, finite_number(said, getattr(self, name)))
        for name in ("iterations", "nodes"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole_number(name, getattr(self, name), least=1))
        yes_or_no("keep_best", self.keep_best)

    def to_json(self) -> dict[str, Any]:
        """The goals, as a record keeps them."""
        return {"until": self.exploitability, "iterations": self.iterations, "seconds": self.seconds}

    @property
    def last_iteration(self) -> int | None:
        goals = (self.iterations, self.exploitability, self.seconds, self.nodes)
        return DEFAULT_ITERATIONS if all(goal is None for goal in goals) else self.iterations


@dataclass(frozen=True)
class Progress:
    """What a progress callback is told."""

    iteration: int
    seconds: float
    exploitability: float | None
    fraction: float | None  # of the way to the goal, where that can be said
    seconds_left: float | None
    snapshot: Callable[[], Any] | None = None  # what has been found so far, to save and resume from
    told: str = ""  # more about the last check, where a run has more to say


ProgressCallback = Callable[[Progress], None]


class Run(Protocol):
    """A method at work on one game."""

    iteration: int
    first_check: int  # iteration at which exploitability is first worth measuring
    check_growth: float  # later checks come when the iteration has grown by this factor

    def advance(self, iterations: int) -> None:
        """Work on."""

    def average(self) -> TabularPolicy:
        """The answer so far."""

    def last(self) -> TabularPolicy | None:
        """The current iterate, if the method has one."""

    def evaluate(self) -> Evaluation:
        """Values and best responses of `average()`."""

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything needed to go on later."""

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from `state()`."""


@runtime_checkable
class Reporting(Protocol):
    """Runs that have more to say than their policy."""

    def details(self) -> dict[str, float]:
        """Plain numbers for `Solution.extra`."""


@runtime_checkable
class CountingRun(Protocol):
    """A run that counts the histories it touches."""

    @property
    def nodes_touched(self) -> int: ...

    def advance(self, iterations: int, nodes: int = ...) -> None:
        """Work on, up to the iteration that reaches so many nodes touched in all."""

    def counts(self) -> dict[str, Any]:
        """Work done, for `Solution.extra`."""


@runtime_checkable
class QuickRun(Protocol):
    """A run that knows its exploitability sooner than all values and best responses."""

    def exploitability(self) -> float: ...


@runtime_checkable
class SteadyRun(Protocol):
    """A run whose exploitability does not fall faster than a power of the iteration, so that many checks need not be made."""

    steepest: float


@runtime_checkable
class SizedRun(Protocol):
    """A run that knows how much its tables take."""

    @property
    def memory_bytes(self) -> int: ...


@runtime_checkable
class SelfCheckingRun(Protocol):
    """A run that makes iterations and checks in one call, where calls would take longer than the work."""

    @property
    def checks_itself(self) -> bool: ...

    def advance_to(self, most: int, check: float, goal: float, silence: float) -> tuple[float, float, int]:
        """At most so many iterations, until a check meets the goal: the next check, the last exploitability found and when."""


@runtime_checkable
class RoundedRun(Protocol):
    """A run that knows how far its values may be off by rounding."""

    @property
    def error(self) -> float: ...


class Solver(Protocol):
    """Anything that turns a game into a solution."""

    @property
    def name(self) -> str:
        """As people type it, parameters included."""

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        """Solve a game until told to stop; an interrupted solve returns what it has, unconverged."""


def finish(
    run: Steps[M],
    stop: Stop,
    make: Callable[[Finished[M]], S],
    *,
    solver: str,
    progress: ProgressCallback | None = None,
    before: SolveRecord | None = None,
    threads: int = 1,
    bits: int = 64,
    settings: Mapping[str, Any] | None = None,
    measured: str = EXACT,
    profile: Callable[[], Any] | None = None,
    best: Best[M] | None = None,
) -> S:
    """Run to the stop or to Ctrl-C and make a solution of what was found; `before` is the record of the run that goes on.

    `profile` copies what the run has found, for stops that keep the best one; `best` is the best one so far.
    """
    loop: Loop[M] = Loop(run, stop, progress, before.seconds if before else 0.0)
    loop.profile, loop.best = profile, best
    cpu = time.process_time() - (before.cpu_seconds if before else 0.0)

    def outcome(interrupted: bool) -> S:
        last = loop.final_evaluation()  # which may be the best one
        evaluation = last if loop.best is None else loop.best.evaluation
        reached = stop.exploitability is not None and evaluation.exploitability <= stop.exploitability
        record = SolveRecord(
            solver=solver,
            iterations=run.iteration,
            seconds=loop.elapsed(),
            converged=reached and not interrupted,
            interrupted=interrupted,
            cpu_seconds=time.process_time() - cpu,
            threads=threads,
            bits=bits,
            memory_bytes=int(run.memory_bytes) if isinstance(run, SizedRun) else 0,
            settings=stop.to_json() | dict(settings or {}),
            provenance={"version": __version__, "exploitability": measured}
            | ({"error": run.error} if isinstance(run, RoundedRun) else {}),
            extra=_details(run, loop),
        )
        return make(Finished(evaluation, record, loop.best))

    return loop.finish(outcome)


def _details(run: Steps[M], loop: Loop[M]) -> dict[str, Any]:
    """What a method knows of itself (smoothing, bounds, steps, work done), if it says so."""
    told: dict[str, Any] = {}
    if isinstance(run, Reporting):
        told |= {name: float(number) for name, number in run.details().items()}
    if loop.best is not None:
        told["best_iteration"] = loop.best.iteration
    return told | (run.counts() if isinstance(run, CountingRun) else {})


def go_on(
    run: Resumable, resume: Solution | None, *, kind: str, game: str, solver: str, bits: int | None = None
) -> SolveRecord | None:
    """Put the tables of a saved solution into a run; refuses what another solver made of another game."""
    if resume is None:
        return None
    if resume.kind != kind or resume.game != game or resume.solver != solver:
        other = "" if resume.kind == kind else f" (saved as {resume.kind}, not as {kind})"
        raise FormatError(
            f"The saved run is '{resume.solver}' on '{resume.title}'{other}, which cannot go on as '{solver}' on '{game}'; "
            "name the same game and solver."
        )
    if bits not in (None, resume.record.bits):
        raise ParameterError(f"The saved run has {resume.record.bits}-bit tables, but {bits} bits were asked for.")
    if not resume.state:
        raise FormatError("The saved solution holds no solver state, so it cannot be resumed; solve it anew.")
    state = resume.state
    if "iteration" in state and int(np.ravel(state["iteration"])[0]) != resume.iterations:
        raise FormatError("The saved solver state is of another iteration than the file says; solve it anew.")
    try:
        check_numbers(state)
        run.restore(state)
    except (KeyError, ValueError, FormatError) as error:
        raise FormatError(f"The saved solver state does not fit this game ({error}); solve it anew.") from None
    return resume.record


S = TypeVar("S")
M = TypeVar("M", bound="Measured")
M_co = TypeVar("M_co", bound="Measured", covariant=True)


class Measured(Protocol):
    """How good a run's answer is."""

    @property
    def exploitability(self) -> float: ...


@dataclass(frozen=True)
class Gap:
    """An exploitability alone."""

    exploitability: float


class Steps(Protocol[M_co]):
    """The part of a run that the loop needs."""

    iteration: int
    first_check: int
    check_growth: float

    def advance(self, iterations: int) -> None: ...

    def evaluate(self) -> M_co: ...


@dataclass(frozen=True)
class Best(Generic[M]):
    """The least exploitable profile measured so far."""

    evaluation: M
    iteration: int
    profile: Any


@dataclass(frozen=True)
class Finished(Generic[M]):
    """What a run has come to when it stops."""

    evaluation: M
    record: SolveRecord
    best: Best[M] | None  # the profile to give, where the last one is not wanted


class Resumable(Protocol):
    """The part of a run that going on needs."""

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None: ...


class Loop(Generic[M]):
    """Chunks between checks; serves runs on games and on spots alike."""

    def __init__(self, run: Steps[M], stop: Stop, progress: ProgressCallback | None, seconds_before: float) -> None:
        self.run, self.stop, self.progress = run, stop, progress
        building_is_over()
        self.begin = time.perf_counter() - seconds_before
        self.evaluation: tuple[int, M] | None = None
        self.gap: tuple[int, Measured] | None = None  # the same or, where that is cheaper, the exploitability alone
        self.rate = 0.0  # iterations per second
        self.first_exploitability: float | None = None
        self.checkpoint: Callable[[], None] = lambda: None
        self.snapshot: Callable[[], Any] | None = None
        self.profile: Callable[[], Any] | None = None  # a copy of what the run has found, for `keep_best`
        self.best: Best[M] | None = None
        if stop.nodes is not None and not isinstance(run, CountingRun):
            raise NotApplicableError(
                "Nodes touched are counted by Monte Carlo CFR and by walks (on=pruned, pruning=...), but not by this solver; stop "
                "by iterations, seconds or exploitability instead."
            )

    def elapsed(self) -> float:
        return time.perf_counter() - self.begin

    def work(self) -> None:
        run, stop = self.run, self.stop
        last = stop.last_iteration
        if run.iteration and stop.exploitability is not None:
            self._check()  # a resumed run may be there already
        check = self._next_check(run.iteration)
        if (
            isinstance(run, SelfCheckingRun)
            and run.checks_itself
            and stop.exploitability is not None
            and not stop.keep_best
        ):
            self._work_in_calls(run, stop.exploitability, float(check), last)
            return
        while not self._done(last):
            target = check if last is None else min(check, last)
            self._advance(target)
            if run.iteration >= check:
                if stop.exploitability is not None or self.progress is not None or stop.keep_best:
                    self._check()
                check = self._next_check(run.iteration)
            self._report(last)
            self.checkpoint()

    def _work_in_calls(self, run: SelfCheckingRun, goal: float, check: float, last: int | None) -> None:
        """As `work`, for runs that check themselves."""
        while not self._done(last):
            before, chunk = time.perf_counter(), self._chunk(None if last is None else last - self.run.iteration)
            if self.progress is not None:  # whoever watches wants to see the way, not only its end
                chunk = min(chunk, max(10, self.run.iteration // 4))
            check, found, at = run.advance_to(chunk, check, goal, LONGEST_SILENCE)
            self._learn_rate(chunk, time.perf_counter() - before)
            if at:
                self.gap = (at, Gap(max(0.0, found)))
                if self.first_exploitability is None:
                    self.first_exploitability = found
                self._confirm()
            self._report(last)
            self.checkpoint()

    def finish(self, solution: Callable[[bool], S]) -> S:
        """Work to the stop or to Ctrl-C, then make the solution; it is told whether the work was interrupted."""
        self.snapshot = lambda: solution(True)
        interrupted = False
        with HeldInterrupts() as interrupts:
            self.checkpoint = interrupts.checkpoint
            seconds = self.stop.seconds
            try:
                with working_until(None if seconds is None else self.begin + seconds):
                    self.work()
            except KeyboardInterrupt:
                interrupted = True
            return solution(interrupted)

    def final_evaluation(self) -> M:
        if self.evaluation is None or self.evaluation[0] != self.run.iteration:
            self._evaluate()
        assert self.evaluation is not None
        return self.evaluation[1]

    def _next_check(self, iteration: int) -> int:
        """The next of the fixed iterations at which the goal may have been reached."""
        check, soonest = float(self.run.first_check), self._soonest(iteration)
        while int(check) <= iteration or check < soonest:
            check = max(check + 1, check * self.run.check_growth)
        return int(check)

    def _soonest(self, iteration: int) -> float:
        """No earlier than here is the goal reached, as far as is known."""
        goal, known = self.stop.exploitability, self.gap
        if not goal or known is None or known[0] != iteration or not isinstance(self.run, SteadyRun):
            return 0.0
        above = max(known[1].exploitability / goal, 1.0)
        return iteration * min(float(above ** (1.0 / self.run.steepest)), LONGEST_SILENCE)

    def _advance(self, target: int) -> None:
        """One chunk towards `target`, short enough to stay responsive and inside the time limit."""
        chunk = self._chunk(target - self.run.iteration)
        before = time.perf_counter()
        if self.stop.nodes is not None and isinstance(self.run, CountingRun):
            self.run.advance(chunk, self.stop.nodes)
        else:
            self.run.advance(chunk)
        self._learn_rate(chunk, time.perf_counter() - before)

    def _chunk(self, wanted: int | None) -> int:
        """As many of the wanted iterations as a call may take."""
        longest = LONGEST_CHUNK_SECONDS
        if self.stop.seconds is not None:
            longest = min(longest, max(self.stop.seconds - self.elapsed(), 0.0))
        most = max(1, int(self.rate * longest)) if self.rate else 1
        return most if wanted is None else min(wanted, most)

    def _learn_rate(self, chunk: int, spent: float) -> None:
        """Grow carefully: the first call may compile."""
        self.rate = min(chunk / max(spent, 1e-9), max(self.rate, 1.0) * 16)

    def _check(self) -> None:
        """How far the run has come; all values only where they are kept or cost nothing more."""
        if isinstance(self.run, QuickRun) and not self.stop.keep_best:
            self.gap = (self.run.iteration, Gap(self.run.exploitability()))
            self._confirm()
        else:
            self._evaluate()
        assert self.gap is not None
        if self.first_exploitability is None:
            self.first_exploitability = self.gap[1].exploitability

    def _confirm(self) -> None:
        """Quick numbers say when to look; whether the goal is reached is said by those that will be stated."""
        goal = self.stop.exploitability
        if goal is not None and self._done_at(goal):
            self._evaluate()

    def _done_at(self, goal: float) -> bool:
        return self.gap is not None and self.gap[0] == self.run.iteration and self.gap[1].exploitability <= goal

    def _evaluate(self) -> None:
        found = self.run.evaluate()
        if not hasattr(found, "exploitability"):
            given = "nothing" if found is None else type(found).__name__
            raise NotApplicableError(
                f"`evaluate()` of {type(self.run).__name__} gave {given}; it gives an `Evaluation`."
            )
        self.evaluation = self.gap = (self.run.iteration, found)
        better = self.best is None or found.exploitability < self.best.evaluation.exploitability
        if self.stop.keep_best and self.profile is not None and better:
            self.best = Best(found, self.run.iteration, self.profile())

    def _done(self, last: int | None) -> bool:
        if last is not None and self.run.iteration >= last:
            return True
        if self.stop.seconds is not None and self.run.iteration > 0 and self.elapsed() >= self.stop.seconds:
            return True
        if (
            self.stop.nodes is not None
            and isinstance(self.run, CountingRun)
            and self.run.nodes_touched >= self.stop.nodes
        ):
            return True
        return self.stop.exploitability is not None and self._done_at(self.stop.exploitability)

    def _report(self, last: int | None) -> None:
        if self.progress is None:
            return
        exploitability = self.gap[1].exploitability if self.gap else None
        fraction = self._fraction(last, exploitability)
        elapsed = self.elapsed()
        left = elapsed * (1 - fraction) / fraction if fraction else None
        told = str(getattr(self.gap[1], "told", "")) if self.gap else ""
        self.progress(Progress(self.run.iteration, elapsed, exploitability, fraction, left, self.snapshot, told))

    def _fraction(self, last: int | None, exploitability: float | None) -> float | None:
        """The furthest of the goals that are set; exploitability counts on a logarithmic scale."""
        shares = []
        if last:
            shares.append(self.run.iteration / last)
        if self.stop.seconds:
            shares.append(self.elapsed() / self.stop.seconds)
        if self.stop.nodes and isinstance(self.run, CountingRun):
            shares.append(self.run.nodes_touched / self.stop.nodes)
        first, goal = self.first_exploitability, self.stop.exploitability
        if goal and first and exploitability and first > goal:
            shares.append(float(np.log(first / max(exploitability, goal)) / np.log(first / goal)))
        return min(1.0, max(0.0, *shares)) if shares else None  # exploitability may rise at first
