"""`report`: solve one line on many flops, one after another or side by side, and sum them up; killed at any moment it goes on later."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from equilibrist.cards.equity import equity
from equilibrist.cards.flop_texture import flop_texture
from equilibrist.cards.ranges import parse_cards
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.compute.interrupts import HeldInterrupts, InterruptsEndAll
from equilibrist.compute.machine import cores
from equilibrist.compute.workers import ProcessWorkers, RayWorkers, ThreadWorkers, made_ahead
from equilibrist.core.errors import CannotWriteError, NotApplicableError, ParameterError, TooLargeError
from equilibrist.core.numbers import whole_number
from equilibrist.core.writing import held_folder, make_folder
from equilibrist.evaluation.flop_reports.folder import ReportFolder
from equilibrist.evaluation.flop_reports.order import ReportOrder
from equilibrist.evaluation.flop_reports.report import FlopReport, LineMeaning
from equilibrist.evaluation.flop_reports.summary import FlopSummary, summarise
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_betting import IP
from equilibrist.games.size_estimate import memory_limit
from equilibrist.games.spots.flops import WeightedFlop
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.solvers.postflop.board_runs import method_on_boards
from equilibrist.solvers.postflop.gpu.devices import check_device, wants_gpu
from equilibrist.solvers.postflop.solutions.spot_solution import ByPlayer, SpotSolution
from equilibrist.solvers.postflop.solve_spot import bytes_on_spot, solve_spot, solver_on_spots

KEEP = ("flop", "turn", "all")  # what is kept of every solution: its flop alone, its flop and turn, all streets
WITHOUT = {"flop": "turn", "turn": "river", "all": None}
MOST_WORKERS = 1024  # and threads
LINE_BYTES = 2_000  # of a flop in the list, about
GPU_WORKERS = 2  # processes that keep a GPU busy: while one builds a flop or sums it up, another solves its own
WORTH_WORKERS = 16  # flops from which processes of their own are begun for a GPU
ON_DEVICE, CONTEXT_BYTES = 1.3, 600_000_000  # what a flop takes there, in tables, and a process by itself


@dataclass(frozen=True)
class ReportProgress:
    """What a progress callback is told."""

    done: int
    flops: int
    seconds: float  # of this run
    seconds_left: float | None  # by the flops solved in this run
    last: FlopSummary | None = None
    warning: str = ""


Tell = Callable[[ReportProgress], None]
Summaries = Generator[FlopSummary, None, None]


@dataclass(frozen=True)
class ReportSize:
    """What a report will take, known before it is begun."""

    flops: int
    table_bytes: int  # of the largest flop
    workers: int
    disk_bytes: int

    @property
    def memory_bytes(self) -> int:
        return self.table_bytes * self.workers


@dataclass(frozen=True)
class FlopWork:
    """What is done with one flop; goes to threads and to other machines as it is."""

    order: ReportOrder
    threads: int = 1
    device: str = "cpu"
    keep: str | None = None
    folder: Path | None = None

    @cached_property
    def betting(self) -> CompiledSpot:
        """Grown once for all flops."""
        return self.order.checked()[1]

    def prepare(self, flop: str) -> tuple[CompiledSpot, ByPlayer]:
        """Everything that can be made without the solver: boards, and the equity of the ranges."""
        spot = self.betting.on_board(flop)
        _ = spot.boards
        return spot, ByPlayer(*equity(*spot.spot.ranges, spot.spot.board).equity)

    def finish(self, prepared: tuple[CompiledSpot, ByPlayer]) -> FlopSummary:
        """Solve and sum up; the solution is kept where that was asked for."""
        spot, shares = prepared
        order = self.order
        found = solve_spot(
            spot,
            order.solver,
            until=order.until,
            iterations=order.iterations,
            threads=self.threads,
            device=self.device,
        )
        solution = replace(found, known_equity=shares)
        summary = summarise(solution, order.lines)
        if self.keep is not None and self.folder is not None:
            self._save(solution)
        return summary

    def __call__(self, flop: str) -> FlopSummary:
        return self.finish(self.prepare(flop))

    def _save(self, solution: SpotSolution) -> None:
        assert self.folder is not None
        assert self.keep is not None
        path = ReportFolder(self.folder).solution(solution.spot.board_text)
        solution.save(path, with_state=False, without=WITHOUT[self.keep])


def report(
    order: ReportOrder | str | Path | Mapping[str, Any],
    out: str | Path,
    *,
    workers: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    ray: str | None = None,
    keep: str | None = None,
    progress: Tell | None = None,
    **given: Any,
) -> FlopReport:
    """Solve a line on many flops into a folder, going on with what is there, and sum up.

    `order` is a file as docs/reports.md describes it, its table, or a `ReportOrder`; beside a file or table `flops`, `until`, `lines`,
    `solver` and `iterations` may be given. `keep` says what of each solution is kept: its flop, flop and turn, or all streets.
    `workers`: how many flops are solved side by side; on a GPU by as many processes, so that a script that asks for several stands below
    `if __name__ == "__main__":`.
    """
    wanted, betting = _read(order, given).checked()
    folder = ReportFolder(Path(out))
    _check_keep(keep, ray)
    whole_number("workers", workers, least=1, most=MOST_WORKERS)
    chosen = chosen_device(wanted, device, ray=ray)
    per_flop = (
        max(1, cores() // workers) if threads is None else whole_number("threads", threads, least=1, most=MOST_WORKERS)
    )
    refuse_too_large(
        report_size(wanted, betting, workers=workers, keep=keep), Path(out), device=chosen, on_cluster=ray is not None
    )
    folder.begin(wanted)
    with held_folder(folder.path):
        solved = folder.summaries(wanted)
        if keep is not None:  # what was solved without being kept is solved again
            make_folder(folder.solution("").parent)
            streets = KEEP.index(keep) + 1
            solved = {name: each for name, each in solved.items() if folder.kept_streets(name) >= streets}
        left = [flop for flop in wanted.flops if flop[0] not in solved]
        work = FlopWork(wanted, per_flop, chosen, keep, folder.path if keep is not None else None)
        run = _Run(folder, wanted, solved, progress)
        with InterruptsEndAll():
            run.collect(_results(work, left, workers, ray))
    return sum_up(wanted, betting, solved)


def open_report(folder: str | Path) -> FlopReport:
    """A report as far as it has come."""
    found = ReportFolder(Path(folder))
    order = found.order()
    return sum_up(order, order.checked()[1], found.summaries(order))


def sum_up(order: ReportOrder, betting: CompiledSpot, solved: Mapping[str, FlopSummary]) -> FlopReport:
    """The report on what is solved."""
    done = tuple(solved[name] for name, _ in order.flops if name in solved)
    return FlopReport(order, done, tuple(_meaning(betting, line) for line in order.lines))


def report_size(order: ReportOrder, betting: CompiledSpot, *, workers: int = 1, keep: str | None = None) -> ReportSize:
    """Memory and disk, by the largest flop: one of each texture is looked at, since that decides how many boards differ by suits."""
    if keep is not None and keep not in KEEP:
        raise ParameterError(
            f"Of solutions '{KEEP[0]}', '{KEEP[1]}' or '{KEEP[2]}' is kept, but '{keep}' was asked for."
        )
    solver = solver_on_spots(order.solver)
    one_of = {flop_texture(parse_cards(name)).texture: name for name, _ in order.flops}
    largest = max((betting.on_board(name) for name in one_of.values()), key=lambda spot: bytes_on_spot(spot, solver))
    tables = bytes_on_spot(largest, solver)
    kept = 0
    if keep is not None:
        streets = KEEP.index(keep) + 1
        kept = largest_file(largest, streets)
    return ReportSize(len(order.flops), tables, workers, len(order.flops) * (LINE_BYTES * len(order.lines) + kept))


def largest_file(spot: CompiledSpot, streets: int) -> int:
    """Bytes of a saved flop with so many streets: averages, and values where the next street is left out."""
    total = 0
    for depth in range(streets):
        forest, boards = spot.forests[depth], spot.boards[depth]
        deals = len(forest.kind) if streets < len(spot.forests) else 0
        total += sum(
            4 * len(boards.cards) * own.places * (forest.slots[p] + deals) for p, own in enumerate(boards.player)
        )
    return total


def refuse_too_large(size: ReportSize, folder: Path, *, device: str = "cpu", on_cluster: bool = False) -> None:
    """Before anything is allocated or written."""
    if device == "cuda" and size.workers > 1 and not on_cluster:
        from equilibrist.solvers.postflop.gpu.cuda_device import Properties

        need = int(size.workers * (ON_DEVICE * size.table_bytes + CONTEXT_BYTES))
        Properties().refuse_what_does_not_fit(need, f"use fewer workers than {size.workers}")
    if not on_cluster and size.memory_bytes > memory_limit():
        raise TooLargeError(
            f"{size.workers} flops side by side need {size.memory_bytes / 1e9:.1f} GB for their tables, but "
            f"{memory_limit() / 1e9:.1f} GB are available; use fewer workers, fewer bet sizes or narrower ranges."
        )
    there = next(each for each in (folder, *folder.absolute().parents) if each.is_dir())
    free = shutil.disk_usage(there).free
    if size.disk_bytes > free:
        raise TooLargeError(
            f"The report needs {size.disk_bytes / 1e9:.1f} GB of disk, but {free / 1e9:.1f} GB are free at '{there}'; keep less "
            "(--keep flop), or choose another disk with --out."
        )


def _read(order: ReportOrder | str | Path | Mapping[str, Any], given: Mapping[str, Any]) -> ReportOrder:
    if isinstance(order, ReportOrder):
        if any(value is not None for value in given.values()):
            raise ParameterError(f"A ReportOrder says {', '.join(given)} already; change it with dataclasses.replace.")
        return order
    if isinstance(order, Mapping):
        return ReportOrder.from_table(order, **given)
    return ReportOrder.from_toml(order, **given)


def chosen_device(order: ReportOrder, device: str, *, ray: str | None = None) -> str:
    """Where flops are solved, "auto" decided; refused before anything is planned or written. On a cluster each machine decides."""
    check_device(device)
    if ray is not None:
        return device
    obstacle = method_on_boards(solver_on_spots(order.solver)).why_not_on_gpu()
    return "cuda" if wants_gpu(device, obstacle, streets=len(POSTFLOP_STREETS)) else "cpu"


def usual_workers(order: ReportOrder, betting: CompiledSpot, device: str, *, ray: str | None = None) -> int:
    """How many a command takes on a device that was chosen: two where many flops go to a GPU that has room for two, otherwise one."""
    if device != "cuda" or ray is not None or len(order.flops) < WORTH_WORKERS or cores() < GPU_WORKERS:
        return 1
    try:
        refuse_too_large(report_size(order, betting, workers=GPU_WORKERS), Path(), device=device)
    except TooLargeError:
        return 1
    return GPU_WORKERS


def _check_keep(keep: str | None, ray: str | None) -> None:
    if keep is not None and ray not in (None, "local"):
        raise NotApplicableError(
            "Solutions are kept on the machine that solves them, which may be any of the cluster; leave 'keep' out."
        )


def _results(work: FlopWork, flops: Sequence[WeightedFlop], workers: int, ray: str | None) -> Summaries:
    """Summaries as they come; with one worker the next flop is built while the present one is solved.

    A GPU is shared by processes: each waits for its own work there, and none waits for Python of another.
    """
    names = [name for name, _ in flops]
    if ray is not None:
        with RayWorkers(ray, workers) as cluster:
            yield from cluster.as_done(work, names)
        return
    if workers == 1:
        yield from map(work.finish, made_ahead(work.prepare, names))
        return
    team = ProcessWorkers(workers) if work.device == "cuda" else ThreadWorkers(workers)
    yield from team.as_done(work, names)


class _Run:
    """Keeps what comes, and tells how far it is."""

    def __init__(
        self, folder: ReportFolder, order: ReportOrder, solved: dict[str, FlopSummary], tell: Tell | None
    ) -> None:
        self.folder, self.order, self.solved, self.tell = folder, order, solved, tell
        self.before, self.began = len(solved), time.monotonic()
        self.waiting: list[FlopSummary] = []  # what could not be written yet
        self.failed = ""

    def collect(self, results: Summaries) -> None:
        self._say()
        with closing(results) as coming:
            for summary in coming:
                self.solved[summary.flop] = summary
                self.waiting.append(summary)
                self._write()
                self._say(summary)
        if self.waiting:
            raise CannotWriteError(self.failed)

    def _write(self) -> None:
        """Where the disk is full the work goes on, and writing is tried again with the next flop."""
        try:
            with HeldInterrupts():  # whoever asks to stop now waits for the line
                while self.waiting:
                    self.folder.add(self.waiting[0])
                    self.waiting.pop(0)
        except CannotWriteError as error:
            if str(error) != self.failed:
                self._say(warning=f"{error} The work goes on, and saving is tried again.")
            self.failed = str(error)

    def _say(self, last: FlopSummary | None = None, warning: str = "") -> None:
        if self.tell is None:
            return
        done, seconds = len(self.solved), time.monotonic() - self.began
        new = done - self.before
        left = seconds / new * (len(self.order.flops) - done) if new else None
        self.tell(ReportProgress(done, len(self.order.flops), seconds, left, last, warning))


def _meaning(spot: CompiledSpot, line: str) -> LineMeaning:
    forest, node = spot.forests[0], 0
    for token in (part for part in line.split(":") if part):
        node = forest.child(node, token)
    assert forest.kind[node] <= IP, "lines of an order end where somebody acts"
    pot = spot.spot.pot + float(forest.paid[node].sum())
    return LineMeaning(line, PLAYERS[int(forest.kind[node])], forest.labels(node), forest.names(node), pot)
