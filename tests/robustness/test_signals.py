"""Ctrl-C, a polite kill and a closed terminal are one thing to every command: kept, said, and told by the exit code."""

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import equilibrist
from robustness.long_commands import LONG_COMMANDS, WRITE_NOTHING

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ENDLESS = 100_000  # times the work of the table
HOPEFUL = (
    "go on",
    "goes on",
    "--resume",
    "nothing was written",
    "where the search stood",
    "had found by then",
    "finished",
)


COMMAND = [sys.executable, "-m", "equilibrist"]
SAME_CODE = os.environ | {"PYTHONPATH": str(Path(equilibrist.__file__).parents[1])}  # wherever the command is run


def run(words, folder):
    subprocess.run([*COMMAND, *shlex.split(words)], cwd=folder, env=SAME_CODE, check=True, capture_output=True)


def stopped(words, number, folder, command=None):
    """What a command has said that was sent a signal in the middle of its work."""
    (folder / "in").write_text(f"{command.typed}\n" * 1_000_000 if command is not None and command.typed else "")
    words = [*COMMAND, *shlex.split(words)]
    with open(folder / "in") as typed, open(folder / "out", "w") as out, open(folder / "err", "w") as err:
        process = subprocess.Popen(words, cwd=folder, env=SAME_CODE, stdin=typed, stdout=out, stderr=err)
    if command is not None and command.user is not None:
        threading.Thread(target=used, args=(command, folder), daemon=True).start()
    try:
        wait_for_work(process, folder / "err")
        process.send_signal(number)
        code = process.wait(timeout=300)  # a peer that is measured hears nothing until its call returns
    finally:
        process.kill()
    text = (folder / "out").read_text()[-10_000:] + (folder / "err").read_text()
    assert "Traceback" not in text, text
    assert code == 128 + number, text
    return text


def used(command, folder):
    """Until the server is gone."""
    with contextlib.suppress(Exception):
        command.user(folder, 1_000_000)


def wait_for_work(process, err):
    """Until it shows progress, which begins two seconds after the start, has used some seconds of a core, or waits for others."""
    until = time.monotonic() + 120
    seen, since = 0.0, time.monotonic()
    while process.poll() is None and time.monotonic() < until:
        used = sum(map(int, Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) / 100
        if used > seen:
            seen, since = used, time.monotonic()
        if err.stat().st_size > 200 or used > 6 or (used > 0.3 and time.monotonic() - since > 3):
            return
        time.sleep(0.05)
    assert process.poll() is None, err.read_text()


def stopped_and_kept(name, number, folder):
    command = LONG_COMMANDS[name]
    for words in command.before:
        run(words, folder)
    text = stopped(command.endless or command.words(folder, ENDLESS), number, folder, command)
    assert any(words in text for words in HOPEFUL), text
    kept = command.check(folder)
    assert kept > 0 or not command.kept
    if kept or any((folder / file).exists() for file in command.written):
        assert "nothing was written" not in text


def stopped_without_a_trace(name, number, folder):
    command = WRITE_NOTHING[name]
    for words in command.before:
        run(words, folder)
    there = set(folder.iterdir())
    with socket.create_server(("127.0.0.1", 0)) as silent:  # to which `join` may connect
        stopped(command.endless.format(port=silent.getsockname()[1]), number, folder)
    assert {path.name for path in set(folder.iterdir()) - there} <= {"in", "out", "err"}


PROC = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


@PROC
@pytest.mark.parametrize(("name", "number"), [("train", signal.SIGTERM), ("match", signal.SIGHUP)])
@pytest.mark.sampled(1)
def test_a_signal_keeps_the_work(name, number, tmp_path):
    stopped_and_kept(name, number, tmp_path)


@PROC
@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("name", [name for name, command in LONG_COMMANDS.items() if command.amount or command.endless])
def test_every_long_command_answers_every_signal(name, number, tmp_path):
    stopped_and_kept(name, number, tmp_path)


@PROC
@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("name", [name for name, command in WRITE_NOTHING.items() if command.endless])
def test_commands_that_write_nothing_answer_every_signal(name, number, tmp_path):
    stopped_without_a_trace(name, number, tmp_path)
