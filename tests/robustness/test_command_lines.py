"""No command line ends in a traceback, a hang or more memory than its estimate allows."""

from __future__ import annotations

import collections
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from equilibrist.interfaces.cli.app import COMMANDS
from robustness.children import Verdict, run_cases
from robustness.command_lines import LINES_TABLE, MEMORY, Line, lay_out, mutated_line, options, run_line
from robustness.test_readers import say, told

QUICK = 150
LONG = int(os.environ.get("EQUILIBRIST_FUZZ_LINES", "5000"))
EXTRA = int(4 * MEMORY)  # twice the estimate, and as much again for what a command loads
STOP_AFTER = 0.6  # seconds, for commands that wait for others

# lines that once ended in a traceback, a hang or the whole memory
ONCE = (
    "solve leduc(cap=100000)",
    "solve coin-toss(subgames=2147483648)",
    "solve nolimit-leduc(ranks=2147483648)",
    "solve nolimit-leduc(ranks=1000,sizes=fcpa)",
    "solve continuous-leduc(ranks=2147483648)",
    "solve random-matrix(rows=2147483648)",
    "solve repeated(stages=12) --seconds 1",
    "solve nolimit-kuhn(stack=9223372036854775807)",
    "solve nolimit-leduc(stack=9223372036854775807)",
    "solve nolimit-leduc(stack=1000000000,sizes=[*0.001,a])",
    "solve clairvoyance(stack=2147483648,step=1e-300)",
    "solve leduc(suits=merged,players=10,ranks=100)",
    "match random random random random random random --game leduc(suits=merged,players=6,ranks=100) --hands 1",
    "solve matrix(rows=[[[[[[[[[[1]]]]]]]]]])",
    "solve kuhn --iterations 99999999999999999999 --seconds 1",
    "solve kuhn --seconds nan",
    "abstract leduc --method suits --until 1e-25 --solve",
    "join always-call \ufffd127.0.0.1 1 --game poker.game",
    "deal --host \ufffd",
    "deal --ports 70000,1",
    "deal ann",
    "deal --seconds nan",
    "deal --patience -1",
    "serve --port 0 --workers 2147483648 --data data",
    "serve --port 0 --memory 1e308 --data data",
    "serve --port 0 --request-seconds inf --data data",
    "serve --port 0 absent.eqb --data data",
    "serve --port 0 --host \ufffd --token-file token.txt --data data",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EQUILIBRIST_MEMORY", str(MEMORY))
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.setenv("EQUILIBRIST_DATA", str(tmp_path / "usual-data"))
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path)
    return tmp_path


def case_of(lines: list[Line], case: int, folder: Path) -> list[str]:
    rng = random.Random(7_919 * case + 11)
    return mutated_line(rng, lines[case % len(lines)], folder)


def check(words: list[str]) -> None:
    """Leaves with a known code; a refusal is a sentence, and never that memory ran out unforeseen. A refused server has opened nothing."""
    data = Path("data")
    shutil.rmtree(data, ignore_errors=True)
    code, errors = run_line(words, STOP_AFTER if words[:1] in (["serve"], ["deal"]) else None)
    assert code != 2 or not data.exists(), f"{words} is refused, but has made its folder"
    assert code in (0, 1, 2, 130), f"{words} ended with {code}"
    assert "Traceback" not in errors, f"{words}: {errors[-1500:]}"
    assert "not enough memory" not in errors, f"{words}: {errors}"
    if code == 2:
        assert errors.strip(), f"{words} is refused without a word"


def work_of(lines: list[Line], folder: Path, offset: int = 0) -> Callable[[int], None]:
    def work(case: int) -> None:
        words = case_of(lines, case + offset, folder)
        try:
            check(words)
        except BaseException as error:
            raise AssertionError(str([word[:200] for word in words])) from error

    return work


def run_all(count: int, work: Callable[[int], None], each: int) -> list[Verdict]:
    """Verdicts; a case that took too long is tried again by itself, since it may have compiled a kernel."""
    out = []
    for one in run_cases(count, work, each=each, extra=EXTRA):
        if one.kind == "cpu":
            (again,) = run_cases(1, lambda _, case=one.case: work(case), extra=EXTRA)  # type: ignore[misc]
            one = Verdict(one.case, again.kind, again.text, again.cpu)
        out.append(one)
    return out


def load(line: Line) -> tuple[int, str]:
    """What commands load is loaded before children are forked; servers, which leave threads behind, are only imported."""
    if not line.waits:
        return run_line([*line.words.split(), *line.tail.split()])
    run_line([line.words.split()[0], "--help"])
    import equilibrist.interfaces.web.server

    assert equilibrist
    return 0, ""


def test_every_command_has_a_line() -> None:
    named = {line.words.split()[0] for line in LINES_TABLE}
    assert named == set(COMMANDS), "a command has no line in tests/robustness/command_lines.py"
    assert ("--iterations", "int") in options(["solve"])
    assert ("--preset", "text") in options(["train", "start"])
    assert ("--keep-best", "") in options(["solve"])


def test_mutated_lines_are_run_or_refused(folder: Path) -> None:
    cheap = [line for line in LINES_TABLE if line.cheap]
    for line in cheap:
        load(line)
    wrong = [one for one in run_all(QUICK, work_of(cheap, folder), each=50) if one.kind != "fine"]
    assert not wrong, told("command lines", wrong)


def test_lines_as_they_are_run_until_they_are_stopped(folder: Path) -> None:
    """Mutations of something that is refused anyway would say little."""
    waiting = [line for line in LINES_TABLE if line.waits]
    load(waiting[0])

    def work(case: int) -> None:
        code, errors = run_line([*waiting[case].words.split(), *waiting[case].tail.split()], 3 * STOP_AFTER)
        assert code == 130, errors

    wrong = [one for one in run_all(len(waiting), work, each=1) if one.kind != "fine"]
    assert not wrong, told("command lines", wrong)


def test_lines_that_once_broke(folder: Path) -> None:
    run_line(["solve", "kuhn", "--iterations", "2"])
    wrong = [one for one in run_all(len(ONCE), lambda case: check(ONCE[case].split()), each=1) if one.kind != "fine"]
    assert not wrong, "\n".join(f"{ONCE[one.case]}: {one.kind} {one.text}" for one in wrong)


@pytest.mark.slow
def test_five_thousand_lines(folder: Path) -> None:
    lines = list(LINES_TABLE)
    for line in lines:
        code, errors = load(line)
        assert code == 0 or line.words.startswith(("join", "cluster", "reproduce brown", "bench n")), (
            f"{line.words}: {errors}"
        )
    found = run_all(LONG, work_of(lines, folder, offset=QUICK), each=25)
    wrong = [one for one in found if one.kind != "fine"]
    counts = collections.Counter(one.kind for one in found)
    say(f"{len(found):,} command lines: {dict(counts)}, slowest {max(one.cpu for one in found):.1f} CPU seconds")
    assert not wrong, told("command lines", wrong)
