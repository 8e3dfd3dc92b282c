"""A report in a folder: what was ordered (`report.json`), one line for every flop solved (`flops.jsonl`), kept solutions (`solutions/`).

A line is written and synced when its flop is done. A killed writer may leave part of a line at the end, which is cut off before the next
one is written; whatever is whole stays.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.artifact import open_artifact
from equilibrist.core.errors import CannotWriteError, EquilibristError, FormatError, NotApplicableError
from equilibrist.core.reading import parse_json, read_bytes
from equilibrist.core.writing import make_folder, plain, reason, write_text
from equilibrist.evaluation.flop_reports.order import ReportOrder, order_from_json
from equilibrist.evaluation.flop_reports.summary import FlopSummary
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.version import __version__

ORDER, FLOPS, SOLUTIONS = "report.json", "flops.jsonl", "solutions"
FORMAT = 1
MOST_BYTES = 256 << 20  # of all lines: 1,755 flops with some hundred places each
_EXPECTED = "a report was expected"


class _Saved(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    hash: str
    order: dict[str, Any]
    version: str = ""


class ReportFolder:
    """The files of one report."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def exists(self) -> bool:
        return (self.path / ORDER).is_file()

    def begin(self, order: ReportOrder) -> None:
        """Make the folder for an order, or refuse one that was made for another."""
        if self.exists:
            refuse_other(self.order(), order, self.path)
            return
        if self.path.is_dir() and any(not each.name.startswith(".") for each in self.path.iterdir()):
            raise NotApplicableError(f"'{self.path}' holds other files and no report; choose a new folder with --out.")
        make_folder(self.path)
        told = {"format": FORMAT, "version": __version__, "hash": order.hash, "order": plain(order.to_json())}
        write_text(self.path / ORDER, json.dumps(told, indent=1, ensure_ascii=False))

    def order(self) -> ReportOrder:
        """What was ordered."""
        path = self.path / ORDER
        if not path.is_file():
            raise FormatError(
                f"'{self.path}' is no report: it has no {ORDER}; make one with 'equilibrist report FLOPS.toml'."
            )
        try:
            read = parse_json(read_bytes(path, "The report"), "it", _EXPECTED, _Saved)
            if read.format != FORMAT:
                raise FormatError(f"it has format {read.format}, but this version reads {FORMAT}")
            order = order_from_json(read.order)
            if order.hash != read.hash:
                raise FormatError("its content does not match its hash")
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, EquilibristError) as error:
            raise FormatError(f"'{path}' is damaged ({error}); make the report again in a new folder.") from None
        return order

    def summaries(self, order: ReportOrder) -> dict[str, FlopSummary]:
        """What is done, by flop."""
        path = self.path / FLOPS
        if not path.is_file():
            return {}
        known = {name for name, _ in order.flops}
        out: dict[str, FlopSummary] = {}
        for number, line in enumerate(_whole_lines(read_bytes(path, "The report", most=MOST_BYTES)), start=1):
            found = parse_json(line, f"Line {number} of '{path}'", "make the report again in a new folder", FlopSummary)
            if found.flop not in known or tuple(each.line for each in found.lines) != order.lines or found.pairs <= 0.0:
                raise FormatError(
                    f"Line {number} of '{path}' is none of this report; make the report again in a new folder."
                )
            out[found.flop] = found
        return out

    def add(self, summary: FlopSummary) -> None:
        """Write one flop's line."""
        path = self.path / FLOPS
        try:
            with path.open("r+b" if path.is_file() else "x+b") as file:
                kept = _end_of_lines(file)
                file.truncate(kept)
                file.seek(kept)
                file.write(msgspec.json.encode(summary) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise CannotWriteError(f"Cannot write '{path}': {reason(error)}; what is there stays.") from None

    def solution(self, flop: str) -> Path:
        """Where a flop's solution is kept."""
        return self.path / SOLUTIONS / f"{flop}.eqb"

    def kept_streets(self, flop: str) -> int:
        """How many streets of a flop's solution are kept; none where its file cannot be read."""
        try:
            header = open_artifact(self.solution(flop), SpotSolution.kind).header
        except FormatError:
            return 0
        return len(POSTFLOP_STREETS) - len(header.get("missing", ()))


def refuse_other(saved: ReportOrder, given: ReportOrder, path: Path) -> None:
    """A folder goes on with the order that it was made for."""
    if saved.hash == given.hash:
        return
    before, now = saved.to_json(), given.to_json()
    flat_before, flat_now = before | before["spot"], now | now["spot"]
    keys = [key for key in {**flat_before, **flat_now} if key != "spot" and flat_before.get(key) != flat_now.get(key)]
    raise NotApplicableError(
        f"'{path}' holds a report that differs in {' and '.join(keys)}; give the same input to go on, or another folder with --out."
    )


def _end_of_lines(file: BinaryIO) -> int:
    """Where the last whole line ends."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(end - 1, 0))
    if file.read(1) in (b"", b"\n"):
        return end
    file.seek(0)
    return file.read().rfind(b"\n") + 1


def _whole_lines(content: bytes) -> list[bytes]:
    """Lines that end; what a killed writer left of one does not."""
    return content.split(b"\n")[:-1]
