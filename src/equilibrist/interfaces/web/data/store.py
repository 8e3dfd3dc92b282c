"""Store: jobs, solutions and tables of a server in one SQLite file; rows leave as plain structs."""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any, Literal

import msgspec
from pydantic import field_validator

from equilibrist.core.errors import EquilibristError, FormatError, UnknownNameError
from equilibrist.interfaces.web.models.solutions import SolutionItem

JobStatus = Literal["queued", "running", "done", "stopped", "interrupted", "failed"]
JobKind = Literal["solve", "dial"]

_TABLES = """
create table if not exists job (id text primary key, created real not null, status text not null, body blob not null);
create table if not exists solution (
  id text primary key, created real not null, text text not null, body blob not null, part_of text not null default '');
create table if not exists dial (id text primary key, created real not null, solution text not null, body blob not null);
create table if not exists sitting (id text primary key, created real not null, body blob not null);
create table if not exists batch (id text primary key, created real not null, body blob not null);
create index if not exists job_created on job (created);
create index if not exists solution_created on solution (created);
"""


class StoreError(EquilibristError):
    """The catalogue cannot be read or written just now, most often because the disk is full."""


def new_id() -> str:
    """Twelve hex digits; also the name of a file, which therefore nobody can choose."""
    return secrets.token_hex(6)


class JobRow(msgspec.Struct, kw_only=True):
    """A solve that was asked for, and how far it has come."""

    id: str
    created: float
    name: str
    spot: str  # TOML
    board: str
    solver: str
    until: str | None
    iterations: int | None
    seconds: float | None
    bits: int
    need_bytes: int
    kind: JobKind = "solve"
    status: JobStatus = "queued"
    message: str = ""
    iteration: int = 0
    elapsed: float = 0.0
    exploitability: float | None = None  # chips
    pot: float = 1.0
    fraction: float | None = None
    seconds_left: float | None = None
    saved: bool = False  # there is a file to look at and to go on from
    curve: list[tuple[int, float, float]] = msgspec.field(default_factory=list)  # iteration, seconds, chips


class SolutionRow(SolutionItem):
    """A solution of the library as it is told, and whose part it is; the file has the same id."""

    part_of: str = ""  # the dial whose response it is; such solutions are not listed

    @field_validator("ev", mode="before")
    @classmethod
    def _by_player(cls, ev: Any) -> Any:
        """Earlier versions kept a pair."""
        return {"oop": ev[0], "ip": ev[1]} if isinstance(ev, list) else ev


class PointRow(msgspec.Struct, kw_only=True):
    """A response that was found for one p; the solution is kept under an id of its own."""

    p: float
    payoff: float
    guarantee: float
    exploitability: float
    iterations: int
    solution: str


class DialRow(msgspec.Struct, kw_only=True):
    """Responses to the locks of a solution for several p; the job that works on them has the same id."""

    id: str
    created: float
    name: str
    solution: str  # whose locks they are
    spot: str  # TOML, with its locks settled
    player: Literal["oop", "ip"]  # who responds
    until: str
    steps: list[float]  # wanted
    points: list[PointRow] = msgspec.field(default_factory=list)  # found


class BatchRecord(msgspec.Struct, kw_only=True):
    """One spot on many boards: its jobs, and how much each board counts."""

    id: str
    created: float
    name: str
    jobs: list[str]
    weights: list[float]


class SittingRow(msgspec.Struct, kw_only=True):
    """A table: seeds and what both did are all that a hand needs to be played again."""

    id: str
    created: float
    agent: str
    game: str
    seed: int
    hands: list[list[str]] = msgspec.field(default_factory=list)  # own actions of each hand
    replies: list[list[str]] = msgspec.field(
        default_factory=list
    )  # the opponent's; a search would not repeat itself exactly
    results: list[float] = msgspec.field(default_factory=list)  # chips, of the hands that are over


class Store:
    """One connection behind one lock: requests are short and few."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.execute("pragma journal_mode=wal")
            self._db.execute("pragma synchronous=normal")  # a row may be lost with the power, never the file
            self._db.execute("pragma busy_timeout=5000")
            self._db.executescript(_TABLES)
            if "part_of" not in {row[1] for row in self._db.execute("pragma table_info(solution)")}:  # an older file
                self._db.execute("alter table solution add column part_of text not null default ''")
        except sqlite3.Error as error:
            raise FormatError(
                f"The catalogue '{path}' cannot be opened ({error}); choose another folder with --data."
            ) from None

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(
                f"The catalogue of the data folder cannot be used ({error}); make room on its disk or free the file, then try again."
            ) from None

    def put_job(self, job: JobRow) -> None:
        body = msgspec.json.encode(job)
        self._rows("insert or replace into job values (?, ?, ?, ?)", job.id, job.created, job.status, body)

    def jobs(self, limit: int = 1000) -> list[JobRow]:
        """Newest first."""
        found = self._rows("select body from job order by created desc limit ?", limit)
        return [msgspec.json.decode(body, type=JobRow) for (body,) in found]

    def delete_job(self, number: str) -> None:
        self._rows("delete from job where id = ?", number)

    def put_solution(self, row: SolutionRow) -> None:
        text = f"{row.name} {row.board} {row.street} {row.notes}".lower()
        body = row.model_dump_json().encode()
        sql = "insert or replace into solution (id, created, text, body, part_of) values (?, ?, ?, ?, ?)"
        self._rows(sql, row.id, row.created, text, body, row.part_of)

    def solutions(self, query: str = "", limit: int = 100, offset: int = 0) -> tuple[int, list[SolutionRow]]:
        """How many match every word of a query, and one page of them, newest first; parts of dials are left out."""
        words = query.lower().split()[:10]
        where = " and ".join(["part_of = ''", *["instr(text, ?) > 0"] * len(words)])
        ((count,),) = self._rows(f"select count(*) from solution where {where}", *words)
        sql = f"select body from solution where {where} order by created desc, id limit ? offset ?"
        found = self._rows(sql, *words, limit, offset)
        return count, [SolutionRow.model_validate_json(body) for (body,) in found]

    def solution(self, number: str) -> SolutionRow:
        found = self._rows("select body from solution where id = ?", number)
        if not found:
            raise UnknownNameError(f"There is no solution '{number}' in the library; it may have been deleted.")
        return SolutionRow.model_validate_json(found[0][0])

    def has_solution(self, number: str) -> bool:
        return bool(self._rows("select 1 from solution where id = ?", number))

    def delete_solution(self, number: str) -> None:
        self._rows("delete from solution where id = ?", number)

    def put_dial(self, row: DialRow) -> None:
        body = msgspec.json.encode(row)
        self._rows("insert or replace into dial values (?, ?, ?, ?)", row.id, row.created, row.solution, body)

    def dial(self, number: str) -> DialRow:
        found = self._rows("select body from dial where id = ?", number)
        if not found:
            raise UnknownNameError(f"There is no dial '{number}'; it may have been deleted.")
        return msgspec.json.decode(found[0][0], type=DialRow)

    def dials(self, solution: str | None = None, limit: int = 200) -> list[DialRow]:
        """Newest first; of one solution, or all."""
        sql = "select body from dial where ? is null or solution = ? order by created desc limit ?"
        return [msgspec.json.decode(body, type=DialRow) for (body,) in self._rows(sql, solution, solution, limit)]

    def delete_dial(self, number: str) -> None:
        self._rows("delete from dial where id = ?", number)

    def put_batch(self, row: BatchRecord) -> None:
        self._rows("insert or replace into batch values (?, ?, ?)", row.id, row.created, msgspec.json.encode(row))

    def batch(self, number: str) -> BatchRecord:
        found = self._rows("select body from batch where id = ?", number)
        if not found:
            raise UnknownNameError(f"There is no batch '{number}'.")
        return msgspec.json.decode(found[0][0], type=BatchRecord)

    def delete_batch(self, number: str) -> None:
        self._rows("delete from batch where id = ?", number)

    def batches(self, limit: int = 100) -> list[BatchRecord]:
        """Newest first."""
        found = self._rows("select body from batch order by created desc limit ?", limit)
        return [msgspec.json.decode(body, type=BatchRecord) for (body,) in found]

    def put_sitting(self, row: SittingRow) -> None:
        self._rows("insert or replace into sitting values (?, ?, ?)", row.id, row.created, msgspec.json.encode(row))

    def sitting(self, number: str) -> SittingRow:
        found = self._rows("select body from sitting where id = ?", number)
        if not found:
            raise UnknownNameError(f"There is no table '{number}'; sit down at a new one.")
        return msgspec.json.decode(found[0][0], type=SittingRow)

    def trim_sittings(self, most: int) -> None:
        """Forget the oldest tables."""
        self._rows("delete from sitting where id not in (select id from sitting order by created desc limit ?)", most)


def now() -> float:
    return time.time()
