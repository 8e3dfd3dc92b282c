"""Kills of long commands at random moments: what they leave must be valid, and going on must lead to what an uninterrupted run gives.

`python tests/robustness/killing.py NAME KILLS SEED` runs it for one command and prints a line of JSON. Children are forked from a process
that has imported the package, so that kills fall into the work; autosaves and checkpoints are made every tenth of a second instead of every
minute or two, and the cache (less its kernels) is a new one. Nothing else is altered.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from robustness.long_commands import LONG_COMMANDS, LongCommand, files

OFTEN = 0.1  # seconds between saves
TYPED = 50_000  # lines


def main(name: str, kills: int, seed: int) -> None:
    command, rng = LONG_COMMANDS[name], random.Random(f"{name}/{seed}")
    import_all()
    counts = {"kills": 0, "finished": 0, "left over": 0, "before the first save": 0}
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place, "whole")
        prepared(command, whole)
        begun = time.monotonic()
        wait(child(command, whole))
        duration = time.monotonic() - begun
        expected = command.result(whole, (whole / "out").read_text())
        job = 0
        while counts["kills"] < kills:
            job += 1
            folder = Path(place, f"job-{job}")
            prepared(command, folder)
            reached = 0
            while True:
                pid = child(command, folder)
                ended = kill_after(pid, rng.uniform(0.02, 0.8) * duration if counts["kills"] < kills else None, folder)
                if ended:
                    break
                counts["kills"] += 1
                here = command.check(folder)
                assert here >= reached, f"{name}: {here} after {reached}"
                for file in command.written:
                    there = folder / file
                    assert not there.exists() or there.read_bytes() == (whole / file).read_bytes(), f"{name}: {file}"
                counts["before the first save"] += not here
                reached = here
            found = command.result(folder, (folder / "out").read_text())
            assert found == expected, f"{name}: job {job} came to another result"
            counts["finished"] += 1
            counts["left over"] += sum(1 for _ in folder.rglob(".*.part"))
    sys.stdout.write(json.dumps({"command": name, "seconds": round(duration, 2)} | counts) + "\n")


def prepared(command: LongCommand, folder: Path) -> None:
    from equilibrist.compute.kernel import cache_folder

    (folder / "cache").mkdir(parents=True, mode=0o700)
    (folder / "cache" / "kernels").symlink_to(cache_folder() / "kernels")
    (folder / "in").write_text(TYPED * f"{command.typed}\n" if command.typed else "")
    for words in command.before:
        wait(child(LongCommand(words, 0, files()), folder))


def child(command: LongCommand, folder: Path) -> int:
    """A process that runs a command in a folder; its streams are files there."""
    words = command.words(folder)
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        os.chdir(folder)
        os.environ["EQUILIBRIST_CACHE"] = str(folder / "cache")
        os.dup2(os.open("in", os.O_RDONLY), 0)
        for stream, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.argv = ["equilibrist", *shlex.split(words)]
        if command.user is not None:
            threading.Thread(target=use, args=(command, folder), daemon=True).start()
        from equilibrist.interfaces.cli import main

        main()
        code = 0
    except SystemExit as leave:
        code = int(leave.code or 0)
        if command.user is not None and code == 128 + signal.SIGTERM:
            code = 0
    finally:
        sys.stdout.flush()
        os._exit(code)


def use(command: LongCommand, folder: Path) -> None:
    """Whoever uses a command ends it in the end; what goes wrong meanwhile ends it, too, and is told."""
    assert command.user is not None
    try:
        command.user(folder, command.amount)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os.kill(os.getpid(), signal.SIGTERM)


def kill_after(pid: int, seconds: float | None, folder: Path) -> bool:
    """Kill -9 after so many seconds (None: never); whether it had ended by itself, and well."""
    until = time.monotonic() + (3600.0 if seconds is None else seconds)
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0, (folder / "err").read_text()[-2000:]
            return True
        time.sleep(0.005)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False


def wait(pid: int) -> None:
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def import_all() -> None:
    """Import what commands use, start no thread, and have everything saved often."""
    import equilibrist.interfaces.cli.app
    import equilibrist.interfaces.cli.progress as progress
    import equilibrist.solvers.saved_solutions
    from equilibrist.compute.checkpoints import Checkpoints
    from equilibrist.interfaces.web.server import ServerSettings
    from equilibrist.learning.hand_values import value_folder
    from equilibrist.learning.trainings import folder as learning_folder
    from equilibrist.solvers.blueprint import folder

    assert equilibrist
    usual = ServerSettings.__init__.__defaults__ or ()
    ServerSettings.__init__.__defaults__ = tuple(
        OFTEN if each == ServerSettings.save_seconds else each for each in usual
    )
    assert ServerSettings(Path()).save_seconds == OFTEN
    progress.AUTOSAVE_SECONDS = OFTEN
    for function in (folder._train, learning_folder._learn, value_folder._run, Checkpoints.__init__):
        defaults = function.__kwdefaults__ or {}
        assert defaults
        for name in defaults:
            if "seconds" in name and defaults[name]:
                defaults[name] = OFTEN


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
