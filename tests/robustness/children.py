"""Cases run in forked children with limits on processor time and memory, many to a child; what goes wrong is told by case."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

resource: Any = pytest.importorskip("resource")  # forks and limits are not on Windows

CPU_SECONDS = 10.0  # of one case
TRACED = 4.0  # times as long where lines are counted
EXTRA_BYTES = 600 << 20  # address space beyond what the child starts with
FREEZE = 300.0  # seconds without a word after which a child is given up


@dataclass(frozen=True)
class Verdict:
    """How one case ended: fine, traceback, cpu, memory or crash."""

    case: int
    kind: str
    text: str = ""
    cpu: float = 0.0


def run_cases(
    count: int, work: Callable[[int], None], *, each: int = 200, extra: int = EXTRA_BYTES, cpu: float = CPU_SECONDS
) -> Iterator[Verdict]:
    """Work on cases 0 .. count - 1; a case that ends its child is told, and the next child goes on after it."""
    first = 0
    while first < count:
        last = min(first + each, count)
        for verdict in _child(range(first, last), work, extra, cpu):
            yield verdict
            first = verdict.case + 1


def _child(cases: Sequence[int], work: Callable[[int], None], extra: int, cpu: float) -> list[Verdict]:
    receive, send = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(receive)
        _run(cases, work, extra, cpu, send)
    os.close(send)
    found: list[Verdict] = []
    with os.fdopen(receive, "rb") as lines:
        for line in _lines(lines):
            found.append(Verdict(**json.loads(line)))
    with contextlib.suppress(ProcessLookupError):
        if len(found) < len(cases):
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if len(found) < len(cases):  # it died at the case that it did not tell of
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        kind = "cpu" if number in (signal.SIGPROF, signal.SIGXCPU) else "hang" if number == signal.SIGKILL else "crash"
        found.append(Verdict(cases[len(found)], kind, f"ended by status {status}", cpu))
    return found


def _lines(file: Any) -> Iterator[bytes]:
    rest = b""
    while select.select([file], [], [], FREEZE)[0]:
        part = os.read(file.fileno(), 65_536)
        if not part:
            return
        *whole, rest = (rest + part).split(b"\n")
        yield from whole


def _run(cases: Sequence[int], work: Callable[[int], None], extra: int, cpu: float, send: int) -> None:
    """In the child; never returns."""
    try:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        now = _address_space()
        resource.setrlimit(resource.RLIMIT_AS, (now + extra, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for case in cases:
            before = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, cpu * (TRACED if sys.gettrace() is not None else 1.0))
            kind, text = "fine", ""
            try:
                work(case)
            except MemoryError:
                kind, text = "memory", traceback.format_exc()[-1500:]
            except BaseException:
                kind, text = "traceback", traceback.format_exc()[-1500:]
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            told = {"case": case, "kind": kind, "text": text, "cpu": round(time.process_time() - before, 3)}
            os.write(send, json.dumps(told).encode() + b"\n")
    finally:
        os._exit(0)


def _address_space() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # another system: no limit that would mean anything
        return 1 << 40
