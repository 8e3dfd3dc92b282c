"""Workers: results as they come, pieces asked for one by one, the next thing made ahead, a stop that is heard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from equilibrist.compute import workers
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.compute.workers import ProcessWorkers, RayWorkers, ThreadWorkers, made_ahead
from equilibrist.core.errors import LostWorkerError

PATIENCE = 10.0  # seconds after which a test fails instead of waiting on


def test_what_is_done_does_not_wait_for_something_slow() -> None:
    late = threading.Event()

    def work(piece: int) -> int:
        if piece == 0:
            assert late.wait(PATIENCE)
        return piece

    got = []
    for result in ThreadWorkers(2).as_done(work, range(5)):
        got.append(result)
        if len(got) == 4:
            late.set()
    assert got == [1, 2, 3, 4, 0]


@pytest.mark.parametrize("threads", [1, 3])
def test_results_decide_whether_there_is_another_piece(threads: int) -> None:
    got: list[int] = []

    def pieces() -> Iterator[int]:
        number = 0
        while len(got) < 10:
            yield number
            number += 1

    for result in ThreadWorkers(threads).as_done(lambda piece: piece, pieces()):
        got.append(result)
    assert len(got) == 9 + threads  # those that were begun before the tenth was taken


@pytest.mark.parametrize("way", ["map", "as_done"])
def test_long_pieces_hear_that_no_more_is_wanted(way: str) -> None:
    begun, heard = threading.Barrier(2), threading.Event()

    def work(piece: int) -> int:
        begun.wait(PATIENCE)
        if piece == 1:
            end = time.monotonic() + PATIENCE
            try:
                with HeldInterrupts() as held:
                    while time.monotonic() < end:
                        held.checkpoint()
            except KeyboardInterrupt:
                heard.set()
        return piece

    with closing(getattr(ThreadWorkers(2), way)(work, range(2))) as coming:
        assert next(coming) == 0
    assert heard.is_set()


def test_work_that_is_done_is_not_asked_to_stop() -> None:
    """One object may serve one piece of work inside another."""
    team = ThreadWorkers(2)

    def work(piece: int) -> int:
        inner = sum(team.map(lambda part: part, range(3)))
        with HeldInterrupts() as held:
            held.checkpoint()
        return inner + piece

    assert list(team.map(work, range(4))) == [3, 4, 5, 6]


def test_the_next_is_made_while_the_present_one_is_in_use() -> None:
    made = [threading.Event() for _ in range(4)]

    def make(piece: int) -> int:
        made[piece].set()
        return 10 * piece

    used = []
    for thing in made_ahead(make, range(4)):
        following = thing // 10 + 1
        assert following == 4 or made[following].wait(PATIENCE)
        assert following >= 3 or not made[following + 1].is_set()  # one ahead, not all: each takes memory
        used.append(thing)
    assert used == [0, 10, 20, 30]


def test_what_cannot_be_made_is_said_when_its_turn_comes() -> None:
    def make(piece: int) -> int:
        if piece == 1:
            raise ValueError("no flop")
        return piece

    things = made_ahead(make, range(3))
    assert next(things) == 0
    with pytest.raises(ValueError, match="no flop"):
        next(things)


def test_processes_give_what_threads_give() -> None:
    assert sorted(ProcessWorkers(2).as_done(abs, [-3, -1, -2])) == [1, 2, 3]


def _ends(piece: int) -> int:
    if piece:
        os._exit(3)
    return piece


def test_a_process_that_is_lost_is_said_in_a_sentence() -> None:
    with pytest.raises(LostWorkerError, match="ended without a word"):
        list(ProcessWorkers(1).as_done(_ends, [0, 1]))


WAITS = """
import os, sys, time
from equilibrist.compute.interrupts import StopSignals
from equilibrist.compute.workers import ProcessWorkers

def work(piece):
    print(os.getpid(), flush=True)
    time.sleep(piece)

if __name__ == "__main__":
    with StopSignals():
        try:
            list(ProcessWorkers(2).as_done(work, [float(each) for each in sys.argv[1:]]))
        except KeyboardInterrupt:
            print("stopped", flush=True)
"""


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Processes of a group of their own whose helpers wait for so many seconds."""
    file, begun = tmp_path / "waits.py", list[subprocess.Popen[str]]()
    file.write_text(WAITS)

    def start(*seconds: float) -> subprocess.Popen[str]:
        typed = [sys.executable, str(file), *map(str, seconds)]
        pipe = subprocess.PIPE
        begun.append(subprocess.Popen(typed, stdout=pipe, stderr=pipe, text=True, start_new_session=True))
        return begun[-1]

    yield start
    for each in begun:
        with suppress(ProcessLookupError):
            os.killpg(each.pid, signal.SIGKILL)
        each.communicate()


def _helpers(parent: subprocess.Popen[str], number: int) -> list[int]:
    assert parent.stdout is not None
    return [int(parent.stdout.readline()) for _ in range(number)]


def test_helpers_end_with_whoever_they_work_for(waiting: Callable[..., subprocess.Popen[str]]) -> None:
    """Killed at once, so that it can tell them nothing: a device would be held by them."""
    parent = waiting(600, 600)
    helpers = _helpers(parent, 2)
    parent.kill()
    deadline = time.monotonic() + PATIENCE
    while any(_runs(each) for each in helpers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_runs(each) for each in helpers)


@pytest.mark.parametrize("stop", ["parent", "group"])
@pytest.mark.parametrize("seconds", [(600, 600), (0, 600)], ids=["both at work", "one without work"])
def test_whoever_is_asked_to_stop_waits_for_no_helper(
    waiting: Callable[..., subprocess.Popen[str]], stop: str, seconds: tuple[float, float]
) -> None:
    """A polite kill reaches the parent alone, Ctrl-C all; nobody answers with a traceback."""
    parent = waiting(*seconds)
    _helpers(parent, 2)
    if stop == "parent":
        parent.terminate()
    else:
        os.killpg(parent.pid, signal.SIGINT)
    out, told = parent.communicate(timeout=PATIENCE)
    assert out == "stopped\n"
    assert told == ""


def test_ctrl_c_while_helpers_begin_is_heard_by_the_parent_alone(waiting: Callable[..., subprocess.Popen[str]]) -> None:
    for wait in (0.9, 1.1, 1.3):
        parent = waiting(600, 600)
        time.sleep(wait)
        os.killpg(parent.pid, signal.SIGINT)
        _, told = parent.communicate(timeout=PATIENCE)
        assert "SpawnProcess" not in told
        assert "spawn_main" not in told


def test_a_script_without_a_guard_is_told_of_it(tmp_path: Path) -> None:
    file = tmp_path / "plain.py"
    file.write_text(
        "from equilibrist.compute.workers import ProcessWorkers\nlist(ProcessWorkers(1).as_done(abs, [1]))\n"
    )
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    assert "LostWorkerError" in done.stderr
    assert "if __name__ == '__main__':" in done.stderr.rpartition("LostWorkerError")[2]


def test_what_was_found_comes_before_what_was_lost() -> None:
    class Done:
        def submit(self, work: Any, piece: int) -> Future[int]:
            made: Future[int] = Future()
            made.set_exception(ValueError("lost")) if piece % 2 else made.set_result(piece)
            return made

    for _ in range(5):
        found = workers._as_done(Done(), abs, range(4), 4)  # type: ignore[arg-type]
        assert sorted([next(found), next(found)]) == [0, 2]


def _runs(process: int) -> bool:
    """Whether it is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def fake_ray(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ray as far as workers call it; tasks run when they are waited for, the last one begun first. How many were begun before each wait."""
    begun: list[int] = []

    class Remote:
        def __init__(self, work: Any) -> None:
            self.work = work

        def remote(self, *given: Any) -> Any:
            return lambda: self.work(*given)

    def wait(running: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        begun.append(len(running))
        return running[-num_returns:], running[:-num_returns]

    fake = types.SimpleNamespace(
        put=lambda thing: thing, remote=Remote, wait=wait, get=lambda task: task(), init=lambda **_: None, shutdown=lambda: None,
        cluster_resources=lambda: {"CPU": 3.0}, exceptions=types.SimpleNamespace(RayTaskError=ZeroDivisionError),
    )  # fmt: skip
    fake.__spec__ = types.SimpleNamespace()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ray", fake)  # type: ignore[arg-type]
    monkeypatch.setattr("equilibrist.compute.workers.require_ray", lambda: None)
    return begun


def test_a_cluster_works_on_as_many_pieces_as_it_has_cores(fake_ray: list[int]) -> None:
    with RayWorkers("local", 3) as cluster:
        assert list(cluster.as_done(lambda piece: piece * piece, range(5))) == [4, 9, 16, 1, 0]
    assert fake_ray == [3, 3, 3, 2, 1]
