"""Kills of long commands at random moments: what they leave must be valid, and going on must lead to what an uninterrupted run gives.

`python tests/robustness/killing.py NAME KILLS SEED` runs it for one command and prints a line of JSON. A command added later joins by one
entry of `LONG_COMMANDS`. Children are forked from a process that has imported the package, so that kills fall into the work; autosaves
and checkpoints are made every tenth of a second instead of every minute or two. Nothing else is altered.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OFTEN = 0.1  # seconds between saves
SPOT = Path(__file__).parents[2] / "examples" / "spots" / "river.toml"


@dataclass(frozen=True)
class LongCommand:
    """What is typed, how to go on, what must hold after a kill, and what must come out in the end."""

    start: str  # {n}: how much work
    amount: int  # of work that takes a few seconds; 0: it has one size
    result: Callable[[Path, str], Any]  # folder and standard output -> what is compared with an uninterrupted run
    go_on: str = ""  # instead of `start` once `left` exists; otherwise the same command goes on
    left: str = ""  # what a killed run leaves to go on from
    check: Callable[[Path], int] = lambda folder: 0  # refuses what is damaged; how far it has come
    before: tuple[str, ...] = ()  # commands that prepare the folder

    def words(self, folder: Path, times: int = 1) -> str:
        """What is typed now: at the start, or to go on with what a killed run has left."""
        going_on = bool(self.left) and (folder / self.left).exists()
        return (self.go_on if going_on else self.start).format(n=self.amount * times)


def solution(name: str) -> Callable[[Path, str], Any]:
    """Everything in a saved solution that does not tell the time."""

    def read(folder: Path, out: str) -> Any:
        import equilibrist as eq

        found = eq.load_solution(folder / name)
        state = getattr(found, "state", None) or {}
        arrays = {part: array.tobytes() for part, array in sorted(state.items())}
        return found.iterations, found.exploitability, tuple(found.value), arrays

    return read


def saved(name: str) -> Callable[[Path], int]:
    """A file is whole or absent."""

    def check(folder: Path) -> int:
        import equilibrist as eq

        return eq.load_solution(folder / name).iterations if (folder / name).exists() else 0

    return check


def trained(folder: Path) -> int:
    from equilibrist.core.artifact import load_artifact
    from equilibrist.solvers.blueprint.folder import BLUEPRINT, KIND, STATE, read_order
    from equilibrist.solvers.blueprint.strategy import load_blueprint

    run = folder / "run"
    if not (run / "plan.json").exists():
        return 0
    read_order(run)
    if (run / BLUEPRINT).exists():
        load_blueprint(run / BLUEPRINT)
    return int(load_artifact(run / STATE, KIND).header["iterations"]) if (run / STATE).exists() else 0


def ledger(folder: Path) -> int:
    from equilibrist.agents.matches.ledger import Ledger

    if not (folder / "l.db").exists():
        return 0
    with Ledger(folder / "l.db") as found:
        return sum(len(found.blocks(match["id"])) for match in found.matches())


def buckets(folder: Path, out: str) -> Any:
    from equilibrist.abstraction.cards.card_abstraction import load_card_abstraction

    made = load_card_abstraction(folder / "c.eqb").check()
    return made.hash, made.fingerprint


def whole_buckets(folder: Path) -> int:
    return int(bool((folder / "c.eqb").exists() and buckets(folder, "")))


def flops(folder: Path) -> int:
    """Values of flops that are whole."""
    from equilibrist.core.artifact import load_artifact

    return sum(bool(load_artifact(path, "checkpoint")) for path in (folder / "run").glob("*.flops/*.eqc"))


def printed(*without: str) -> Callable[[Path, str], Any]:
    """What was printed, less what tells the time."""

    def read(folder: Path, out: str) -> Any:
        return {key: value for key, value in json.loads(out).items() if key not in without}

    return read


LONG_COMMANDS = {
    "solve a game": LongCommand(
        "solve leduc --iterations {n} --out x.eqb", 25_000, solution("x.eqb"),
        "solve --resume x.eqb --iterations {n} --out x.eqb", "x.eqb", saved("x.eqb"),
    ),
    "solve by sampling": LongCommand(
        "solve leduc --solver es-mccfr --iterations {n} --out x.eqb", 1_500_000, solution("x.eqb"),
        "solve --resume x.eqb --iterations {n} --out x.eqb", "x.eqb", saved("x.eqb"),
    ),
    "solve a spot": LongCommand(
        f"solve {SPOT} --iterations {{n}} --threads 1 --out x.eqb", 400, solution("x.eqb"),
        "solve --resume x.eqb --iterations {n} --threads 1 --out x.eqb", "x.eqb", saved("x.eqb"),
    ),
    "train": LongCommand(
        "train start run --preset leduc --iterations {n}", 800_000,
        lambda folder, out: (folder / "run" / "state.eqb").read_bytes(), "train resume run", "run/plan.json", trained,
    ),
    "match": LongCommand(
        "match rule-based random --hands {n} --json --block 20 --out l.db", 300, printed(), check=ledger,
    ),
    "cluster": LongCommand(
        "cluster --method kmeans-emd --sizes 20/20/20/20 --deck 6x2 --out c.eqb", 0, buckets, check=whole_buckets
    ),
    "optimise": LongCommand(
        "optimise 'kuhn(bet=1.5)' --vary bet --player 2 --iterations {n} --out x.eqb", 60_000, solution("x.eqb"), check=saved("x.eqb")
    ),
    "exploit by training": LongCommand(
        "exploit leduc --against fbr-100 --iterations {n} --out x.eqb", 300, solution("x.eqb"), check=saved("x.eqb")
    ),
    "evaluate exactly": LongCommand(
        "evaluate run/blueprint.eqb --exact --threads 1 --json", 0, printed("seconds"), check=flops,
        before=("train start run --game limit-holdem(ranks=3,suits=3) --cards ehs-equal(sizes=4/3/3/3,sample=1000) --iterations 4096",),
    ),
    "search everywhere": LongCommand(
        "search base.eqb --everywhere --iterations {n} --out x.eqb", 500, solution("x.eqb"), check=saved("x.eqb"),
        before=("solve leduc --iterations 50 --out base.eqb",),
    ),
}  # fmt: skip


def main(name: str, kills: int, seed: int) -> None:
    command, rng = LONG_COMMANDS[name], random.Random(f"{name}/{seed}")
    import_all()
    counts = {"kills": 0, "finished": 0, "left over": 0, "before the first save": 0}
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place, "whole")
        prepared(command, whole)
        begun = time.monotonic()
        wait(child(command.words(whole), whole))
        duration = time.monotonic() - begun
        expected = command.result(whole, (whole / "out").read_text())
        job = 0
        while counts["kills"] < kills:
            job += 1
            folder = Path(place, f"job-{job}")
            prepared(command, folder)
            reached = 0
            while True:
                pid = child(command.words(folder), folder)
                ended = kill_after(pid, rng.uniform(0.02, 0.8) * duration if counts["kills"] < kills else None)
                if ended:
                    break
                counts["kills"] += 1
                here = command.check(folder)
                assert here >= reached, f"{name}: {here} after {reached}"
                counts["before the first save"] += not here
                reached = here
            found = command.result(folder, (folder / "out").read_text())
            assert found == expected, f"{name}: job {job} came to another result"
            counts["finished"] += 1
            counts["left over"] += sum(1 for _ in folder.rglob(".*.part"))
    sys.stdout.write(json.dumps({"command": name, "seconds": round(duration, 2)} | counts) + "\n")


def prepared(command: LongCommand, folder: Path) -> None:
    folder.mkdir()
    for words in command.before:
        wait(child(words, folder))


def child(words: str, folder: Path) -> int:
    """A process that runs a command in a folder; its streams go to files there."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        os.chdir(folder)
        for stream, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.argv = ["equilibrist", *shlex.split(words)]
        from equilibrist.interfaces.cli import main

        main()
        code = 0
    except SystemExit as leave:
        code = int(leave.code or 0)
    finally:
        sys.stdout.flush()
        os._exit(code)


def kill_after(pid: int, seconds: float | None) -> bool:
    """Kill -9 after so many seconds (None: never); whether it had ended by itself, and well."""
    until = time.monotonic() + (3600.0 if seconds is None else seconds)
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0, Path("err").absolute()
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
    from equilibrist.solvers.blueprint import folder

    assert equilibrist
    progress.AUTOSAVE_SECONDS = OFTEN
    for function in (folder._train, Checkpoints.__init__):
        defaults = function.__kwdefaults__ or {}
        assert defaults
        for name in defaults:
            if "seconds" in name and defaults[name]:
                defaults[name] = OFTEN


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
