"""Every command in one table with lines that it takes; options are asked of the commands, so that a later one joins by one line."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from equilibrist.interfaces.cli.app import COMMANDS, app
from robustness.mutations import NUMBERS, mutate, mutate_text
from robustness.readers import LINES, LOCKS, MODELS, PHH, ROOT, SAVED, SITE, STANDINGS, STATISTICS, SUBGAMES

MEMORY = 300e6  # bytes that trees may take in the children
NUMBER = re.compile(r"(?<![A-Za-z])-?\d+(?:\.\d+)?")
PROTECTED = ("--ray", "--png", "--full", "--isolate", "--tables", "--help", "--csv", "--open", "--data")
FILES = (
    "spot.toml", "kuhn.efg", "tabular.eqb", "river.eqb", "blueprint.eqb", "leduc.eqb", "menu.toml", "locks.toml", "model.toml",
    "statistics.toml",
    "hands.phh", "hands.txt", "hands.jsonl", "subgames.jsonl", "poker.game", "tree.bml", "range.txt", "report.toml",
    "token.txt", "standings.toml", "table.toml", "table.eqb",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A valid command line; `tail` ends every mutation of it, so that what is asked for is never legitimately long."""

    words: str
    tail: str = ""
    cheap: bool = False  # starts in a moment, for the quick part
    waits: bool = False  # for others, without an end: it is stopped by Ctrl-C


LINES_TABLE: tuple[Line, ...] = (
    Line("solve kuhn --solver dcfr --until 0.01", "--iterations 20 --seconds 1", cheap=True),
    Line("solve leduc(ranks=3) --solver cfr+(average=linear)", "--iterations 5 --seconds 1", cheap=True),
    Line("solve kuhn --solver lp", "--seconds 1"),
    Line("solve nolimit-leduc(stack=4,sizes=fcpa) --solver es-mccfr --seed 3", "--iterations 5 --seconds 1"),
    Line("solve coin-toss(subgames=2) --solver fp", "--iterations 5 --seconds 1", cheap=True),
    Line("solve random-matrix(rows=3,columns=4,seed=1) --solver egt", "--iterations 5 --seconds 1"),
    Line("solve clairvoyance(stack=1,step=0.1)", "--iterations 5 --seconds 1", cheap=True),
    Line("solve repeated(stages=2)", "--iterations 5 --seconds 1", cheap=True),
    Line("solve kuhn.efg", "--iterations 5 --seconds 1", cheap=True),
    Line("solve spot.toml --until 1% --bits 32 --lock locks.toml", "--iterations 3 --seconds 1 --threads 1"),
    Line("solve spot.toml subgames.jsonl --until 1% --out many", "--iterations 3 --threads 1"),
    Line("solve table.toml --until 0.1% --solver dcfr", "--iterations 3 --seconds 1 --threads 1"),
    Line("chart table.eqb --csv x.csv --lines 2", cheap=True),
    Line("solve --resume tabular.eqb --out again.eqb", "--iterations 5 --seconds 1"),
    Line("show tabular.eqb --player 1 --line b", cheap=True),
    Line("show river.eqb --line x --hand AK --hands"),
    Line("report report.toml --flops Td9d6h --line x --by suits --sort ev_oop", "--iterations 2 --threads 1 --out out"),
    Line("verify tabular.eqb"),
    Line("verify river.eqb --json"),
    Line("search river.eqb --line x --technique unsafe --bets 33%,a", "--iterations 3 --seconds 1 --threads 1"),
    Line("equity AA,KK:0.5 QQ --board Td9d6h", "--samples 200", cheap=True),
    Line(
        "icm --stacks 5000,3000,2000 --payouts 50,30,20 --names Ann,Bob,Cem --move Bob,Ann,500",
        "--samples 200",
        cheap=True,
    ),
    Line("icm --stacks 5000,3000,2000 --payouts 50,30,20 --fgs 1 --blinds 300,600 --ante 50", cheap=True),
    Line("icm standings.toml --at-risk 100 --places 2 --seats Ann,Bob --route quadrature", "--samples 200", cheap=True),
    Line("icm --stacks 900x20,400 --payouts 100x5 --bounties 10x21 --progressive 0.5", "--samples 200", cheap=True),
    Line(
        "tournament --stacks 2000,2000 --payouts 2,1 --blinds 300,600 --unit 100 --line J", "--iterations 1 --samples 1"
    ),
    Line("convert kuhn out.efg", cheap=True),
    Line("convert limit-holdem out.game", cheap=True),
    Line("betting nolimit-holdem(stack=2000) --menu 50%,a --buckets 5,5,5,5", cheap=True),
    Line("betting leduc --bml out.bml", cheap=True),
    Line("betting tree.bml", cheap=True),
    Line("betting nolimit-holdem(stack=2000) --menu menu.toml", cheap=True),
    Line("postprocess tabular.eqb --rule purify"),
    Line("exploit kuhn --model call --player 1 --p 0.5", "--iterations 5"),
    Line("exploit kuhn --model model.toml --epsilon 0.1", "--iterations 5"),
    Line("exploit leduc --model hands.jsonl --name a --player 2", "--iterations 5"),
    Line("match always-call random --game leduc --seed 1", "--hands 4 --block 2", cheap=True),
    Line("match always-call rule-based --game nolimit-holdem(stack=1000)", "--hands 2 --block 1"),
    Line("match tabular.eqb always-fold --exact", "--hands 2"),
    Line("ladder always-call random always-fold --game leduc --seed 1", "--hands 4 --block 2", cheap=True),
    Line("ladder tabular.eqb random always-call --csv x.csv --until-interval 500", "--hands 4 --block 2 --out ladder"),
    Line("evaluate always-call --game kuhn --against random", "--hands 2 --lbr 1", cheap=True),
    Line("evaluate leduc.eqb --exact --flops 8 --seed 1", "--threads 1"),
    Line("diagnose leduc.eqb --boards 4 --seed 1", "--threads 1 --hands 20"),
    Line("play always-call --game kuhn", "--hands 2", cheap=True),
    Line("play table.eqb --seat BB --seed 1", "--hands 2", cheap=True),
    Line("match table.eqb BB=always-call --seed 1", "--hands 4 --block 2", cheap=True),
    Line("quiz table.eqb --player BB --line a --seed 3", "--questions 2", cheap=True),
    Line("join always-call 127.0.0.1 1 --game poker.game", cheap=True),
    Line("deal ann bob --ports 0,0 --seconds 2 --patience 3", "--hands 2", cheap=True, waits=True),
    Line("deal --game poker.game --host 127.0.0.1 --seed 3", "--hands 2", waits=True),
    Line("serve tabular.eqb --port 0 --request-seconds 5", "--data data --no-open", cheap=True, waits=True),
    Line("serve table.toml --port 0 --threads 1", "--data data --no-open", waits=True),
    Line(
        "serve river.eqb --host 127.0.0.1 --port 0 --memory 1 --token-file token.txt",
        "--data data --workers 1",
        waits=True,
    ),
    Line("bench --json", cheap=True),
    Line("bench nothing", cheap=True),
    Line("abstract leduc --method suits", "--threads 1"),
    Line("optimise leduc --vary bets --rate 0.5", "--iterations 1 --largest-step 0.1"),
    Line("cluster report blueprint.eqb", cheap=True),
    Line("train status folder", cheap=True),
    Line("train start new --preset leduc", "--seconds 0 --iterations 10"),
    Line("learn status learned", cheap=True),
    Line("learn methods --json", cheap=True),
    Line("learn start newer --game kuhn --method sd-cfr(steps=2,traversals=5)", "--seconds 0 --iterations 1"),
    Line("reproduce --list", cheap=True),
    Line("reproduce brown/nothing", cheap=True),
    Line("games leduc", cheap=True),
    Line("solvers --json", cheap=True),
    Line("agents --json", cheap=True),
)


def lay_out(folder: Path) -> None:
    """The files that the lines name."""
    from equilibrist.games.catalogue import load_game
    from equilibrist.games.tables.table import Table
    from equilibrist.interfaces.protocols.acpc import write_game
    from equilibrist.solvers.tables.solve_table import solve_table
    from random_blueprint import LEDUC, random_blueprint
    from robustness.readers import READERS

    random_blueprint(LEDUC).save(folder / "leduc.eqb")
    solve_table(Table.from_toml(ROOT / "examples/tables/hu-10bb.toml"), iterations=5).save(folder / "table.eqb")
    for name in ("tabular.eqb", "river.eqb", "blueprint.eqb"):
        shutil.copy(SAVED / name, folder / name)
    shutil.copy(ROOT / "examples/spots/xriver.toml", folder / "spot.toml")
    shutil.copy(ROOT / "examples/tables/hu-10bb.toml", folder / "table.toml")
    shutil.copy(ROOT / "tests/data/kuhn.efg", folder / "kuhn.efg")
    shutil.copy(ROOT / "tests/data/report.toml", folder / "report.toml")
    shutil.copy(ROOT / "examples/menus/tartanian.toml", folder / "menu.toml")
    written = {
        "locks.toml": LOCKS[0], "model.toml": MODELS[0], "statistics.toml": f"[statistics]\n{STATISTICS.splitlines()[0]}\n",
        "hands.phh": PHH, "hands.txt": SITE, "hands.jsonl": LINES[0], "poker.game": write_game(load_game("nolimit-holdem")),  # type: ignore[arg-type]
        "subgames.jsonl": "\n".join(SUBGAMES), "range.txt": " ".join(["0.5"] * 1326), "token.txt": "a-token-of-many-letters",
        "standings.toml": STANDINGS,
    }  # fmt: skip
    for name, text in written.items():
        (folder / name).write_text(text)
    (folder / "token.txt").chmod(0o600)
    (folder / "tree.bml").write_bytes(READERS["betting tree"].seeds()[0])
    for name, plan in (("folder", "training plan"), ("learned", "learning plan")):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "plan.json").write_bytes(READERS[plan].seeds()[0])


def options(words: Sequence[str]) -> list[tuple[str, str]]:
    """Those options of a command that may be given any value."""
    return [pair for pair in all_options(words) if pair[0] not in PROTECTED and pair != ("--sizes", "")]


def all_options(words: Sequence[str]) -> list[tuple[str, str]]:
    """The options of a command and what they take: int, float, path, text or, for flags, nothing."""
    named = _command(words).params
    return [(one.opts[0], _takes(one)) for one in named if one.opts[0].startswith("--")]


def every_command() -> list[list[str]]:
    """The words of all commands, and of those inside them."""
    return [[name, *inner] for name in COMMANDS for inner in _inside(_command([name]))]


def _inside(command: Any) -> list[list[str]]:
    return [[name] for name in command.commands] if hasattr(command, "commands") else [[]]


def _command(words: Sequence[str]) -> Any:
    command: Any = get_command(app)
    context = typer.Context(command)
    for word in words:
        if not hasattr(command, "get_command"):
            break
        found = command.get_command(context, word)
        if found is None:
            break
        command = found
    return command


def _takes(option: Any) -> str:
    if getattr(option, "is_flag", False):
        return ""
    described = getattr(option, "type_descriptor", None)  # newer Typers
    name = str(option.type if described is None else described.annotation).lower()
    return next((kind for kind in ("int", "float", "path") if kind in name), "text")


WHOLE = (
    "0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "100",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "99999999999999999999",
)
REAL = (*WHOLE, "0.5", "-0.0", "1e-300", "1e308", "inf", "-inf", "nan", "1e-9", "0.999")
VALUES = (
    *(number.decode() for number in NUMBERS), "", " ", "kuhn", "leduc", "call", "random", "x:b", "b:c", "Td9d6h", "AA,KK", "AKs", "50%, a",
    "oop", "1", "2", "tree", "boards", "suits", "5mbb", "0.3%", "river", ".", "/", "/dev/null", "folder", "absent/file.eqb",
    "x" * 5000, "[" * 300, "a.b" * 100, *FILES,
)  # fmt: skip


def mutated_line(rng: random.Random, line: Line, folder: Path) -> list[str]:
    """A line with some words changed, dropped, doubled, replaced by broken files, or options added."""
    words = line.words.split(" ")
    known = options(words)
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        place = rng.randrange(1, len(words)) if len(words) > 1 else 0
        kind = rng.random()
        if kind < 0.35 and known:
            option, takes = rng.choice(known)
            fitting = {"int": WHOLE, "float": REAL}.get(takes, VALUES)
            words += [option, rng.choice(fitting if rng.random() < 0.9 else VALUES)] if takes else [option]
        elif kind < 0.42 and place:
            words[place] = rng.choice(VALUES)
        elif kind < 0.62 and place:
            words[place] = NUMBER.sub(lambda _: rng.choice(REAL), words[place], count=1)
        elif kind < 0.75 and place:
            words[place] = mutate_text(rng, [words[place]])
        elif kind < 0.8 and place:
            del words[place]
        elif kind < 0.85 and place:
            words.insert(place, words[place])
        else:
            words = [_broken(rng, word, folder) if word in FILES else word for word in words]
    return [*words, *line.tail.split()]


def _broken(rng: random.Random, name: str, folder: Path) -> str:
    (folder / f"broken-{name}").write_bytes(mutate(rng, [(folder / name).read_bytes()]))
    return f"broken-{name}"


def run_line(words: Sequence[str], stop_after: float | None = None) -> tuple[int, str]:
    """Exit code and standard error of a command in this process; what it prints goes nowhere. It may be stopped by Ctrl-C."""
    errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace", write_through=True)
    nowhere = open(os.devnull, "w+", encoding="utf-8")  # noqa: SIM115 (the child ends with it)
    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = ["equilibrist", *words], nowhere
    try:
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(errors), _ctrl_c_after(stop_after):
            try:
                app(list(words), prog_name="equilibrist")
                code = 0
            except SystemExit as leaving:
                code = leaving.code if isinstance(leaving.code, int) else 1
    finally:
        sys.argv, sys.stdin = before
        nowhere.close()
    errors.flush()
    return code, errors.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]


@contextlib.contextmanager
def _ctrl_c_after(seconds: float | None) -> Iterator[None]:
    """Ctrl-C while this is open, and never after it."""
    if seconds is None:
        yield
        return
    at_work = [True]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGALRM, lambda *_: at_work[0] and os.kill(os.getpid(), signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        at_work[0] = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
