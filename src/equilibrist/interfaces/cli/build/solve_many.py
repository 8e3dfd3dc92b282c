"""`equilibrist solve` of many spots: files, a folder of them, or JSON lines; each is saved when it is done."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.games.spots.spot_lists import NamedSpot
    from equilibrist.interfaces.cli.progress import SolveMeter
    from equilibrist.interfaces.cli.study.solve_request import SolveRequest
    from equilibrist.solvers.postflop.batches.spot_folder import FolderTask, SpotOutcome
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

TAKEN = ("game", "solver", "until", "iterations", "threads", "device", "out")  # the other options are for one game


def stands_for_many(games: list[str], out: Path | None) -> bool:
    """Whether several spots were named, or one to be saved in a folder; endings are looked at first, so that games start fast."""
    if len(games) != 1:
        return len(games) > 1
    several = games[0].endswith(".jsonl") or os.path.isdir(games[0])
    return several or (games[0].endswith(".toml") and out is not None and os.path.isdir(out))


def solve_many(games: list[str], request: SolveRequest, *, as_json: bool) -> None:
    """Solve them all and print a table; Ctrl-C keeps what is done, and the same command goes on."""
    import typer

    from equilibrist.interfaces.cli.guard import INTERRUPTED, complain
    from equilibrist.interfaces.cli.output import print_json, screen

    task = _task(games, request)
    run = _Run(task)
    try:
        run.solve()
    except KeyboardInterrupt:
        run.stopped = True
    if as_json:
        print_json(run.to_json())
    else:
        run.print(screen())
    if run.stopped:
        complain(run.interrupted)
        raise typer.Exit(INTERRUPTED)


def _task(games: list[str], request: SolveRequest) -> FolderTask:
    from equilibrist.compute.machine import cores
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.games.spots.spot_lists import read_spots
    from equilibrist.interfaces.cli.study.solve_request import DEFAULT_SPOT_UNTIL
    from equilibrist.solvers.auto_solver import AUTO
    from equilibrist.solvers.postflop.batches.spot_folder import FolderTask
    from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER

    for each in fields(request):
        if each.name not in TAKEN and getattr(request, each.name) != each.default:
            raise NotApplicableError(
                f"--{each.name.replace('_', '-')} is for one game or spot, but several spots were named; leave it out."
            )
    folder = _folder(request.out)
    until = DEFAULT_SPOT_UNTIL if request.until is None and request.iterations is None else request.until
    named = None if request.solver == AUTO else request.solver
    task = FolderTask(
        read_spots(games), folder, named or DEFAULT_SPOT_SOLVER, until, request.iterations,
        cores() if request.threads is None else request.threads,
        request.device,
    )  # fmt: skip
    task.check()
    if folder is not None:
        folder.mkdir(exist_ok=True)
    return task


def _folder(out: Path | None) -> Path | None:
    from equilibrist.core.errors import ParameterError
    from equilibrist.interfaces.cli.files import check_folder

    if out is None:
        return None
    if out.exists() and not os.path.isdir(out):
        raise ParameterError(f"--out '{out}' is a file, but several spots are saved in a folder; name one.")
    check_folder(out, "--out")
    return out


class _Run:
    """What has been done, and how it is told."""

    def __init__(self, task: FolderTask) -> None:
        self.task, self.stopped = task, False
        self.outcomes: dict[str, SpotOutcome] = {}

    def solve(self) -> None:
        from equilibrist.compute.interrupts import StopSignals
        from equilibrist.interfaces.cli.progress import Meter, preparing
        from equilibrist.solvers.postflop.batches.spot_folder import solve_folder

        number = len(self.task.spots)
        with Meter("solving") as meter:
            meter.show(None, preparing(), worth_a_line=False)
            for outcome in solve_folder(self.task, self._watch, _save):
                self.outcomes[outcome.name] = outcome
                self.stopped = outcome.record.interrupted or StopSignals.arrived is not None
                if self.stopped:  # also by a signal that waited for a file
                    return
                done = len(self.outcomes)
                meter.show(done / number, f"{done:,} of {number:,} spots  {outcome.name}", worth_a_line=done < number)

    @contextmanager
    def _watch(self, one: NamedSpot, file: Path | None) -> Iterator[SolveMeter]:
        """Long solves are saved on the way, too."""
        from equilibrist.interfaces.cli.progress import SolveMeter

        with SolveMeter(one.name, file) as meter:
            yield meter

    @property
    def _listed(self) -> list[SpotOutcome]:
        """In the order in which spots were named."""
        return [self.outcomes[one.name] for one in self.task.spots if one.name in self.outcomes]

    def to_json(self) -> dict[str, Any]:
        folder = self.task.folder
        return {
            "kind": "solve-spots",
            "solver": self.task.solver,
            "spots": [each.to_json() for each in self._listed],
            "left": len(self.task.spots) - sum(not each.record.interrupted for each in self._listed),
            "folder": None if folder is None else str(folder),
        }

    def print(self, console: Console) -> None:
        from equilibrist.interfaces.cli.output import duration, plain_table, print_whole

        table = plain_table("spot", "board", "EV oop", "EV ip", "exploitability", "iterations", "time", "")
        for each in self._listed:
            table.add_row(
                each.name,
                each.spot.board_text,
                *(f"{value:,.3f}" for value in each.ev),
                f"{100.0 * each.exploitability / each.spot.pot:.3g} %",
                f"{each.record.iterations:,}",
                duration(each.record.seconds),
                _status(each, self.task),
            )
        print_whole(table, console)
        if self.task.folder is not None:
            console.print(f"Saved in {self.task.folder}", markup=False, soft_wrap=True)

    @property
    def interrupted(self) -> str:
        done, number, folder = self.outcomes.values(), len(self.task.spots), self.task.folder
        whole = sum(not each.record.interrupted for each in done)
        if folder is None:
            return f"Interrupted after {whole:,} of {number:,} spots; nothing was saved, since no --out was given."
        return f"Interrupted; {whole:,} of {number:,} spots are done in '{folder}', and the same command goes on from there."


def _save(file: Path, solution: SpotSolution) -> Path:
    from equilibrist.interfaces.cli.files import save_result

    return save_result(file, solution.save)


def _status(outcome: SpotOutcome, task: FolderTask) -> str:
    if outcome.record.interrupted:
        return "interrupted"
    if outcome.kept:
        return "there already"
    aimed = any(task.goal(one) is not None for one in task.spots if one.name == outcome.name)
    return "" if outcome.record.converged or not aimed else "NOT converged"
