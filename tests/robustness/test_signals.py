"""Ctrl-C, a polite kill and a closed terminal are one thing to every long command: kept, said, and told by the exit code."""

import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from robustness.killing import LONG_COMMANDS

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ENDLESS = 100_000  # times the work of the table
HOPEFUL = ("go on", "goes on", "--resume", "nothing was written", "where the search stood", "finished")


def stopped(name, number, folder):
    """A command that was sent a signal in the middle of its work."""
    command = LONG_COMMANDS[name]
    for words in command.before:
        subprocess.run(
            [sys.executable, "-m", "equilibrist", *shlex.split(words)], cwd=folder, check=True, capture_output=True
        )
    words = [sys.executable, "-m", "equilibrist", *shlex.split(command.words(folder, ENDLESS))]
    with open(folder / "out", "w") as out, open(folder / "err", "w") as err:
        process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=err)
    wait_for_work(process, folder / "err")
    process.send_signal(number)
    code = process.wait(timeout=120)
    text = (folder / "out").read_text() + (folder / "err").read_text()
    assert "Traceback" not in text, text
    assert code == 128 + number, text
    assert any(words in text for words in HOPEFUL), text
    return command.check(folder)


def wait_for_work(process, err):
    """Until it shows progress, which begins two seconds after the start, or has used some seconds of a core."""
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until:
        used = sum(map(int, Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) / 100
        if err.stat().st_size > 200 or used > 6:
            return
        time.sleep(0.05)
    assert process.poll() is None, err.read_text()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize(("name", "number"), [("train", signal.SIGTERM), ("match", signal.SIGHUP)])
def test_a_signal_keeps_the_work(name, number, tmp_path):
    assert stopped(name, number, tmp_path) > 0


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("name", [name for name, command in LONG_COMMANDS.items() if command.amount])
def test_every_long_command_answers_every_signal(name, number, tmp_path):
    kept = stopped(name, number, tmp_path)
    assert kept > 0 or not LONG_COMMANDS[name].go_on
