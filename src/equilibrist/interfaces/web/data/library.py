"""Library: the solutions of a server, opened as far as they are looked at, and the places in them."""

from __future__ import annotations

import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.errors import NotApplicableError, UnknownNameError
from equilibrist.core.writing import link_or_copy
from equilibrist.interfaces.web.data.store import SolutionRow, Store, new_id, now
from equilibrist.interfaces.web.models.spots import Both
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution, load_spot_solution

OPEN_SOLUTIONS = 8
KEPT_ANSWERS = 200  # encoded, of one solution


@dataclass
class OpenSolution:
    """A solution in memory (its tables stay in the file), with the answers that were given."""

    solution: SpotSolution
    stamp: int  # of the file, which a running solve replaces
    answers: OrderedDict[tuple[str, ...], bytes] = field(default_factory=OrderedDict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def at(self, line: str) -> SpotNode:
        """The place after a line; places on the way are kept too."""
        return self.solution.policy.find(line)

    def answer(self, key: tuple[str, ...], make: Callable[[], bytes]) -> bytes:
        """An encoded answer, made once."""
        with self.lock:
            if key not in self.answers:
                self.answers[key] = make()
                while len(self.answers) > KEPT_ANSWERS:
                    self.answers.popitem(last=False)
            self.answers.move_to_end(key)
            return self.answers[key]


class Library:
    """Files `solutions/ID.eqb` below the data folder, and their rows in the store."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder, self.store = folder / "solutions", store
        self._open: OrderedDict[str, OpenSolution] = OrderedDict()
        self._lock = threading.Lock()

    def path(self, number: str) -> Path:
        """The file of an id; ids are hex digits, so it lies in the folder."""
        assert number.isalnum(), "ids are checked where they come in"
        return self.folder / f"{number}.eqb"

    def open(self, number: str) -> OpenSolution:
        """A solution that can be looked at; opened again where its file was replaced."""
        path = self.path(number)
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            raise UnknownNameError(
                f"There is no solution '{number}' in the library; it may have been deleted."
            ) from None
        with self._lock:
            held = self._open.get(number)
            if held is None or held.stamp != stamp:
                held = OpenSolution(load_spot_solution(path), stamp)
                self._open[number] = held
            self._open.move_to_end(number)
            while len(self._open) > OPEN_SOLUTIONS:
                self._open.popitem(last=False)
            return held

    def keep(self, number: str, name: str, solution: SpotSolution, *, part_of: str = "") -> None:
        """Save a solution and enter it; an earlier file of the id is replaced. Parts of dials are saved without their regrets."""
        solution.save(self.path(number), with_state=not part_of)
        self.enter(number, name, solution, part_of=part_of)

    def enter(self, number: str, name: str, solution: SpotSolution, *, part_of: str = "") -> SolutionRow:
        """The row of a solution whose file is there; name, notes and date of an earlier row stay."""
        spot = solution.spot
        before = self.store.solution(number) if self.store.has_solution(number) else None
        row = SolutionRow(
            id=number,
            created=before.created if before else now(),
            name=before.name if before else name,
            notes=before.notes if before else "",
            board=spot.board_text,
            street=POSTFLOP_STREETS[spot.street],
            pot=spot.pot,
            stack=spot.stack,
            solver=solution.solver,
            iterations=solution.iterations,
            exploitability=solution.exploitability,
            percent_of_pot=solution.percent_of_pot,
            converged=solution.converged,
            ev=Both(oop=solution.ev.oop, ip=solution.ev.ip),
            locks=len(spot.locks),
            bytes=self.path(number).stat().st_size,
            part_of=part_of,
        )
        self.store.put_solution(row)
        return row

    def add_file(self, file: Path) -> SolutionRow:
        """Copy a saved solution into the library; refuses what is not one."""
        solution = load_spot_solution(file)
        number = new_id()
        link_or_copy(file, self.path(number))
        return self.enter(number, file.stem, solution)

    def delete(self, number: str) -> None:
        self.store.solution(number)  # refuses what is not there
        with self._lock:
            self._open.pop(number, None)
        self.path(number).unlink(missing_ok=True)
        self.store.delete_solution(number)

    def rename(self, number: str, name: str | None, notes: str | None) -> SolutionRow:
        row = self.store.solution(number)
        row.name, row.notes = name if name is not None else row.name, notes if notes is not None else row.notes
        self.store.put_solution(row)
        return row


def room_for(folder: Path, need: int) -> None:
    """Refuse a solve whose file would not fit on the disk."""
    free = shutil.disk_usage(folder).free
    if need * 1.1 > free:
        raise NotApplicableError(
            f"The solution would take {need / 1e9:.2f} GB, but the data folder has {free / 1e9:.2f} GB left; delete old solutions."
        )
