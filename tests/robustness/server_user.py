"""Somebody who asks a server for solves and for a dial, and comes back as often as it is killed until all of them are done."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from web_server import API

BOARDS = ("Td9d6hQc2s", "AhKd2c2d9s", "8s7s3d3c2h")
SPOT = {
    "pot": 200,
    "stack": 700,
    "range": {"oop": "22+,A2s+,K9s+,QTs+,J9s+,T8s+,98s,87s,ATo+", "ip": "22+,A2s+,K8s+,Q9s+,J9s+,T8s+,97s+,86s+,AJo+"},
    "bets": {"bet": "33%, 75%, a", "raise": "50%, a"},
}
LOCK = [{"line": "", "strategy": {"x": 1.0}}]
OWN = "taken"  # what the server has said that it will do: ids, each written down at once


def waits_for_jobs(folder: Path, iterations: int) -> None:
    """Ask for what was not taken yet, then wait until everything is done."""
    import httpx

    with httpx.Client(base_url=_address(folder) + API, timeout=60.0) as client:
        taken = _taken(folder)
        for board in BOARDS:
            if board not in taken:
                asked = {"spot": SPOT | {"board": board, "lock": LOCK}, "until": None, "iterations": iterations}
                _take(folder, board, client.post("/jobs", json=asked))
        for board in BOARDS:
            _wait(client, _taken(folder)[board])
        if "dial" not in taken:
            asked = {"solution": _taken(folder)[BOARDS[0]], "steps": [0.0, 0.5, 1.0], "until": "1%"}
            _take(folder, "dial", client.post("/dials", json=asked))
        _wait(client, _taken(folder)["dial"])


def solved_so_far(folder: Path) -> int:
    """Iterations of all saves, each of which can be read; what was taken is still known, and nothing has failed."""
    import equilibrist as eq

    catalogue = folder / "data" / "catalogue.sqlite"
    if not catalogue.exists():
        return 0
    with sqlite3.connect(catalogue) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
        jobs = dict(db.execute("select id, status from job")) if _has_jobs(db) else {}
    assert set(_taken(folder).values()) <= set(jobs), "a job that was taken is forgotten"
    assert "failed" not in jobs.values()
    return sum(eq.load_solution(path).iterations for path in (folder / "data" / "solutions").glob("*.eqb"))


def served_solutions(folder: Path, out: str) -> Any:
    """What the jobs have come to; the state of a solve to its last bit."""
    import equilibrist as eq

    found = []
    for board in BOARDS:
        solution = eq.load_solution(folder / "data" / "solutions" / f"{_taken(folder)[board]}.eqb")
        state = {part: array.tobytes() for part, array in sorted((getattr(solution, "state", None) or {}).items())}
        found.append((solution.iterations, solution.exploitability, tuple(solution.value), state))
    with sqlite3.connect(folder / "data" / "catalogue.sqlite") as db:
        (body,) = db.execute("select body from dial").fetchone()
    points = json.loads(body)["points"]
    return found, [{key: value for key, value in point.items() if key != "solution"} for point in points]


def _has_jobs(db: sqlite3.Connection) -> bool:
    return bool(db.execute("select 1 from sqlite_master where name = 'job'").fetchone())


def _address(folder: Path) -> str:
    text = _until(lambda: text if "http://" in (text := (folder / "err").read_text()) and "\n" in text else "")
    return text[text.index("http://") :].split()[0].rstrip("/")


def _wait(client: Any, job: str) -> None:
    def ended() -> str:
        status = str(client.get(f"/jobs/{job}").json()["status"])
        return "" if status in ("queued", "running") else status

    assert _until(ended) == "done"


def _until(found: Callable[[], str], seconds: float = 300.0) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if said := found():
            return said
        time.sleep(0.02)
    raise AssertionError(f"nothing after {seconds:g} s")


def _take(folder: Path, name: str, answer: Any) -> None:
    assert answer.status_code == 201, answer.text
    with open(folder / OWN, "a", encoding="utf-8") as file:
        file.write(f"{name} {answer.json()['id']}\n")
        file.flush()
        os.fsync(file.fileno())


def _taken(folder: Path) -> dict[str, str]:
    if not (folder / OWN).exists():
        return {}
    lines = (folder / OWN).read_text(encoding="utf-8").splitlines()
    return dict(words for line in lines if len(words := line.split()) == 2)  # type: ignore[misc]
