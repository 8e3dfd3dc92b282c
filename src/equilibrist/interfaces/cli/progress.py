"""Progress on stderr: a bar on a terminal, elsewhere a plain line every few seconds."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from equilibrist.interfaces.cli.guard import complain
from equilibrist.interfaces.cli.output import duration

if TYPE_CHECKING:
    from equilibrist.solvers.iteration_loop import Progress

FIRST_LINE_SECONDS = 2.0
LINE_SECONDS = 5.0
BAR_PARTS = 1000
AUTOSAVE_SECONDS = 60.0  # so that even a hard kill loses little
WARM_UP = 10  # iterations before the time left is worth saying: the first may compile


class TrainingTold(Protocol):
    """What trainings of values and of ReBeL tell of themselves."""

    iterations: int
    planned: int
    doing: str
    share: float
    seconds_left: float | None
    warning: str


class Meter:
    """One bar or a series of lines; a stream that goes away is forgotten, the work goes on."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._bar: Any = None
        self._task: Any = None
        self._next_line = time.monotonic() + FIRST_LINE_SECONDS

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._bar = _rich_bar()
            self._task = self._bar.add_task(self.title, total=None, facts="")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, fraction: float | None, facts: str, worth_a_line: bool = True) -> None:
        """`fraction` None: no end is in sight."""
        try:
            if self._bar is not None:
                total = None if fraction is None else BAR_PARTS
                self._bar.update(self._task, total=total, completed=(fraction or 0.0) * BAR_PARTS, facts=facts)
            elif time.monotonic() >= self._next_line and worth_a_line:
                self._next_line = time.monotonic() + LINE_SECONDS
                share = "" if fraction is None else f" {fraction:4.0%}"
                print(f"{self.title}{share}  {facts}", file=sys.stderr, flush=True)
        except OSError:
            self._bar, self._next_line = None, float("inf")


class SolveMeter(Meter):
    """The callback of a solve; remembers the curve for a picture and saves what was found once a minute."""

    def __init__(self, title: str, out: Path | None) -> None:
        from equilibrist.compute.saving import Autosave

        super().__init__(title)
        self._out, self._autosave = out, Autosave(AUTOSAVE_SECONDS, complain)
        self.curve: list[tuple[int, float]] = []  # iteration, exploitability

    def __call__(self, progress: Progress) -> None:
        measured = progress.exploitability
        if measured is not None and math.isnan(measured):
            measured = None  # imperfect recall: there is nothing to measure
        if measured is not None and (not self.curve or measured != self.curve[-1][1]):
            self.curve.append((progress.iteration, measured))
        facts = f"iteration {progress.iteration:,}"
        if measured is not None:
            facts += f"  {progress.told}" if progress.told else f"  exploitability {measured:.3g}"
        if progress.seconds_left is not None and progress.iteration >= WARM_UP:
            facts += f"  {duration(progress.seconds_left)} left"
        self.show(progress.fraction, facts, worth_a_line=progress.iteration >= WARM_UP)
        out, snapshot = self._out, progress.snapshot
        if out is not None and snapshot is not None and self._autosave.due:
            self._autosave.save(lambda: snapshot().save(out))


def preparing() -> str:
    """What happens before the first iteration; the very first run on a machine compiles."""
    from equilibrist.compute.kernel import JIT_ENABLED, cache_folder

    first = JIT_ENABLED and not (cache_folder() / "kernels").is_dir()
    return "compiling for this machine, once" if first else "preparing"


def _rich_bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    return RichProgress(
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[facts]}"),
        console=Console(file=sys.stderr),
        transient=True,
    )


def follow_training(title: str, work: Callable[[Callable[[Any], None]], Any], more: Callable[[Any], str]) -> None:
    """Training with a line about how far it is; `more` is said of what it is doing."""

    def text(progress: TrainingTold) -> str:
        said = f"{progress.iterations:,} of {progress.planned:,} iterations, {progress.doing}{more(progress)}"
        if progress.seconds_left is not None:
            said += f", {duration(progress.seconds_left)} left"
        return f"{said}. {progress.warning}" if progress.warning else said

    with Meter(title) as meter:
        work(lambda progress: meter.show(progress.share, text(progress)))
