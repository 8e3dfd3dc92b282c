"""Every command that writes anything, in one table with what must survive a kill; the others by name, with what they could be stopped in.

A command added later joins by one entry; `test_kills.py` holds that each is in one of the two tables.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robustness.server_user import served_solutions, solved_so_far, waits_for_jobs

SPOT = Path(__file__).parents[2] / "examples" / "spots" / "river.toml"
TABLE = Path(__file__).parents[2] / "examples" / "tables" / "hu-20bb.toml"
TURN = Path(__file__).parents[2] / "examples" / "spots" / "xturn.toml"
FLOP = Path(__file__).parents[1] / "data" / "small_flop.toml"
REPORT = Path(__file__).parents[1] / "data" / "report.toml"


@dataclass(frozen=True)
class LongCommand:
    """What is typed, how to go on, what must hold after a kill, and what must come out in the end."""

    start: str  # {n}: how much work
    amount: int  # of work that takes a few seconds; 0: it has one size
    result: Callable[[Path, str], Any]  # folder and standard output -> what is compared with an uninterrupted run
    go_on: str = ""  # instead of `start` once `left` exists; otherwise the same command goes on
    left: str = ""  # what a killed run leaves to go on from
    check: Callable[[Path], int] = lambda folder: 0  # refuses what is damaged; how far it has come
    written: tuple[
        str, ...
    ] = ()  # files that are absent or the same, byte for byte, as an uninterrupted run leaves them
    before: tuple[str, ...] = ()  # commands that prepare the folder
    typed: str = ""  # a line typed over and over
    user: Callable[[Path, int], None] | None = None  # somebody who uses it meanwhile, and ends it when content
    endless: str = ""  # a run to be stopped by a signal, where `amount` makes none
    kept: bool = False  # a run that is stopped by a signal leaves what `check` counts

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
    """A file is whole or absent, and so is the picture beside it."""

    def check(folder: Path) -> int:
        import equilibrist as eq

        picture = folder / "x.png"
        assert not picture.exists() or picture.read_bytes().endswith(b"IEND\xaeB`\x82")
        return eq.load_solution(folder / name).iterations if (folder / name).exists() else 0

    return check


def solutions(*names: str) -> Callable[[Path, str], Any]:
    """Several of them."""
    return lambda folder, out: [solution(name)(folder, out) for name in names]


def saved_all(*names: str) -> Callable[[Path], int]:
    """Each is whole or absent; iterations of all together."""
    return lambda folder: sum(saved(name)(folder) for name in names)


def jammed(folder: Path) -> int:
    """A tournament whole or absent; one more than its iterations, since sweeps of the first are kept, too."""
    from equilibrist.solvers.stochastic_games.tournaments import load_tournament

    return load_tournament(folder / "x.eqb").iterations + 1 if (folder / "x.eqb").exists() else 0


def learned(folder: Path) -> int:
    from equilibrist.learning import learning_facts
    from equilibrist.solvers.saved_solutions import load_solution

    run = folder / "run"
    if not (run / "plan.json").exists():
        return 0
    if (run / "policy.eqb").exists():
        load_solution(run / "policy.eqb")
    return int(learning_facts(run)["iterations"])


def learned_curve(folder: Path, out: str) -> Any:
    """The strategy, and the curve without its times."""
    from equilibrist.learning import learning_facts
    from equilibrist.solvers.saved_solutions import load_solution

    facts = learning_facts(folder / "run")
    last = {key: value for key, value in facts["curve"][-1].items() if key != "seconds"}
    return facts["iterations"], last, load_solution(folder / "run" / "policy.eqb").tabular().probabilities.tobytes()


def learned_values(folder: Path) -> int:
    from equilibrist.learning.hand_values.value_file import load_values
    from equilibrist.learning.hand_values.value_folder import value_facts

    run = folder / "run"
    if not (run / "plan.json").exists():
        return 0
    if (run / "values.eqb").exists():
        load_values(run / "values.eqb")
    return int(value_facts(run)["iterations"])


def value_curve(folder: Path, out: str) -> Any:
    """The network, and its errors without their times."""
    from equilibrist.core.artifact import load_artifact
    from equilibrist.learning.hand_values.value_folder import KIND, STATE, value_facts

    last = {key: value for key, value in value_facts(folder / "run")["curve"][-1].items() if key != "seconds"}
    arrays = load_artifact(folder / "run" / STATE, KIND).arrays
    return last, [(name, arrays[name].tobytes()) for name in sorted(arrays)]


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


def ledger(name: str) -> Callable[[Path], int]:
    """Blocks of hands in a ledger of matches."""

    def check(folder: Path) -> int:
        from equilibrist.agents.matches.ledger import Ledger

        if not (folder / name).exists():
            return 0
        with Ledger(folder / name) as found:
            return sum(len(found.blocks(match["id"])) for match in found.matches())

    return check


def reported(folder: Path) -> int:
    """Flops that are done."""
    from equilibrist.evaluation.flop_reports.run import open_report

    return len(open_report(folder / "run").solved) if (folder / "run" / "report.json").exists() else 0


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


def files(*names: str) -> Callable[[Path, str], Any]:
    """Files, byte for byte."""
    return lambda folder, out: [(folder / name).read_bytes() for name in names]


def told_and(name: str, *without: str) -> Callable[[Path, str], Any]:
    """What was printed, less what tells the time, and a file."""
    return lambda folder, out: (printed(*without)(folder, out), (folder / name).read_bytes())


def reproduced(folder: Path) -> int:
    """The outcome that the list shows is whole."""
    found = list(folder.glob("cache/experiments/outcomes/*.json"))
    return sum(json.loads(path.read_text())["status"] == "reproduced" for path in found)


def hands(folder: Path) -> int:
    """Whether the file of hands, if it is there, can be read to its end."""
    from equilibrist.interfaces.protocols.phh import read_phh_file

    path = folder / "x.phhs"
    return int(path.exists() and not read_phh_file(path).left_out)


SOLVED = "solve leduc --iterations 50 --out base.eqb"
SOLVED_TABLE = f"solve {TABLE} --iterations 20 --threads 1 --out base.eqb"
SOLVED_SPOT = f"solve {SPOT} --iterations 20 --threads 1 --out base.eqb"

LONG_COMMANDS = {
    "solve a game": LongCommand(
        "solve leduc --iterations {n} --png x.png --out x.eqb", 25_000, solution("x.eqb"),
        "solve --resume x.eqb --iterations {n} --png x.png --out x.eqb", "x.eqb", saved("x.eqb"), kept=True,
    ),
    "solve by sampling": LongCommand(
        "solve leduc --solver es-mccfr --iterations {n} --out x.eqb", 1_500_000, solution("x.eqb"),
        "solve --resume x.eqb --iterations {n} --out x.eqb", "x.eqb", saved("x.eqb"), kept=True,
    ),
    "solve a spot": LongCommand(
        f"solve {SPOT} --iterations {{n}} --threads 1 --out x.eqb", 400, solution("x.eqb"),
        "solve --resume x.eqb --iterations {n} --threads 1 --out x.eqb", "x.eqb", saved("x.eqb"), kept=True,
    ),
    "solve many spots": LongCommand(
        f"solve {SPOT} {TURN} --iterations {{n}} --threads 1 --out run", 60, solutions("run/river.eqb", "run/xturn.eqb"),
        check=saved_all("run/river.eqb", "run/xturn.eqb"), kept=True,
    ),
    "train": LongCommand(
        "train start run --preset leduc --iterations {n}", 800_000,
        lambda folder, out: (folder / "run" / "state.eqb").read_bytes(), "train resume run", "run/plan.json", trained, kept=True,
    ),
    "learn": LongCommand(
        "learn start run --game kuhn --method sd-cfr(traversals=50,steps=10,width=16,depth=2) --iterations {n}", 150, learned_curve,
        "learn resume run", "run/plan.json", learned, kept=True,
    ),
    "learn values": LongCommand(
        "learn start run --preset values-river(states={n},shard=8,steps=3,batch=4,width=4,wide=8,held_out=8)", 200, value_curve,
        "learn resume run", "run/plan.json", learned_values, kept=True,
    ),
    "match": LongCommand(
        "match rule-based random --hands {n} --json --block 20 --out l.db --histories h.phhs", 300, told_and("h.phhs"),
        check=ledger("l.db"), kept=True,
    ),
    "ladder": LongCommand(
        "ladder rule-based random always-call --hands {n} --json --block 20 --out run --csv x.csv", 100, told_and("x.csv"),
        check=ledger("run/ledger.db"), written=("x.csv",), kept=True,
    ),
    "cluster": LongCommand(
        "cluster --method kmeans-emd --sizes 20/20/20/20 --deck 6x2 --out c.eqb", 0, buckets, check=whole_buckets,
        endless="cluster small --out c.eqb",
    ),
    "cluster report": LongCommand(
        "cluster report c.eqb --png x.png", 0, files("x.png"), written=("x.png",),
        before=("cluster --method kmeans-emd --sizes 20/20/20/20 --deck 6x2 --out c.eqb",),
    ),
    "optimise": LongCommand(
        "optimise 'kuhn(bet=1.5)' --vary bet --player 2 --iterations {n} --out x.eqb", 60_000, solution("x.eqb"), check=saved("x.eqb")
    ),
    "exploit by training": LongCommand(
        "exploit leduc --against fbr-100 --iterations {n} --out x.eqb", 300, solution("x.eqb"), check=saved("x.eqb")
    ),
    "report": LongCommand(
        f"report {REPORT} --flops 25 --iterations {{n}} --threads 1 --json --csv x.csv --png x.png --out run", 20, told_and("x.csv"),
        check=reported, written=("x.csv", "x.png"), kept=True,
    ),
    "search everywhere": LongCommand(
        "search base.eqb --everywhere --iterations {n} --out x.eqb", 500, solution("x.eqb"), check=saved("x.eqb"),
        before=(SOLVED,),
    ),
    "search a line": LongCommand(
        "search base.eqb --line x --bets '33%, a' --iterations {n} --threads 1 --out x.eqb", 600, solution("x.eqb"), check=saved("x.eqb"),
        before=(SOLVED_SPOT,),
    ),
    "exploit a model": LongCommand(
        "exploit leduc --model call --frontier --png x.png --out x.eqb", 0, solution("x.eqb"), check=saved("x.eqb"), written=("x.png",),
        endless="exploit 'leduc(ranks=8)' --model call --frontier --png x.png --out x.eqb",
    ),
    "exploit a spot": LongCommand(
        "exploit base.eqb --player 1 --frontier --png x.png --json", 0, told_and("x.png", "seconds"), written=("x.png",),
        before=(SOLVED_SPOT,),
    ),
    "evaluate exactly": LongCommand(
        "evaluate run/blueprint.eqb --exact --threads 1 --json", 0, printed("seconds"), check=flops,
        before=("train start run --game limit-holdem(ranks=3,suits=3) --cards ehs-equal(sizes=4/3/3/3,sample=1000) --iterations 4096",),
    ),
    "evaluate": LongCommand(
        "evaluate leduc --responses 'best fbr-100' --runs {n} --png x.png --json", 20, told_and("x.png", "seconds"), written=("x.png",)
    ),
    "reproduce": LongCommand(
        "reproduce davis/leduc-constants --png x.png --json", 0, told_and("x.png", "seconds"), check=reproduced, written=("x.png",),
        endless="reproduce brown/dcfr-leduc --png x.png",
    ),
    "play": LongCommand(
        "play always-call --seed 1 --hands {n} --out x.phhs", 200, files("x.phhs"), check=hands, typed="c", kept=True
    ),
    "serve": LongCommand(
        "serve --port 0 --data data --threads 1 --resume", 500, served_solutions, check=solved_so_far, user=waits_for_jobs, kept=True
    ),
    "icm": LongCommand(
        "icm --stacks 9000x40,500x20 --payouts 50,30,20 --csv x.csv", 0, files("x.csv"), written=("x.csv",),
        endless="icm --stacks 9,5,1 --payouts 5,3 --route sampled --samples 2000000000 --csv x.csv",
    ),
    "tournament": LongCommand(
        "tournament --stacks 4000,4000 --unit 50 --until 1e-5 --out x.eqb", 0, files("x.eqb"), check=jammed, written=("x.eqb",),
        endless="tournament --stacks 4000,4000 --unit 10 --until 1e-15 --iterations 1000000 --out x.eqb",
    ),
    "convert": LongCommand("convert leduc x.efg", 0, files("x.efg"), written=("x.efg",)),
    "betting": LongCommand(
        "betting nolimit-holdem(stack=2000) --menu 50%,a --bml x.bml", 0, files("x.bml"), written=("x.bml",)
    ),
    "postprocess": LongCommand(
        "postprocess base.eqb --out x.eqb", 0, solution("x.eqb"), check=saved("x.eqb"), before=(SOLVED,)
    ),
    "show": LongCommand(
        "show base.eqb --csv x.csv --png x.png", 0, files("x.csv", "x.png"), written=("x.csv", "x.png"), before=(SOLVED_SPOT,)
    ),
    "show a flop": LongCommand(
        "show base.eqb --line r2:c --spot x.toml --board Td9d6h", 0, files("x.toml"), written=("x.toml",), before=(SOLVED_TABLE,)
    ),
    "chart": LongCommand(
        "chart base.eqb --lines 1 --pdf x.pdf --png y.png --csv x.csv", 0, files("x.pdf", "y-SB.png", "y-BB.png", "x.csv"),
        written=("x.pdf", "y-SB.png", "y-BB.png", "x.csv"), before=(SOLVED_TABLE,),
    ),
    "train pack": LongCommand(
        "train pack run/blueprint.eqb --from preflop --out x.eqb", 0, files("x.eqb"), written=("x.eqb",),
        before=("train start run --preset leduc --iterations 20000",),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class PrintingCommand:
    """A command that leaves nothing behind: why, and a run of it that takes long."""

    why: str
    endless: str = ""  # nothing: it answers at once
    before: tuple[str, ...] = ()


WRITE_NOTHING = {
    "games": PrintingCommand("prints a list"),
    "solvers": PrintingCommand("prints a list"),
    "agents": PrintingCommand("prints a list"),
    "equity": PrintingCommand("prints its answer", "equity random random random --samples 2000000000"),
    "verify": PrintingCommand("prints what it finds", "verify base.eqb --full", (f"solve {FLOP} --iterations 2 --out base.eqb",)),
    "abstract": PrintingCommand("prints a report", "abstract rhode-island(ranks=6,suits=3) --solve --until 1e-6"),
    "diagnose": PrintingCommand(
        "prints what it finds", "diagnose run/blueprint.eqb --threads 1 --hands 2000000000",
        ("train start run --game limit-holdem(ranks=3,suits=3) --cards ehs-equal(sizes=4/3/3/3,sample=1000) --iterations 4096",),
    ),
    "deal": PrintingCommand("prints the score, when interrupted that of the hands so far", "deal"),
    "join": PrintingCommand("prints what was won; the dealer keeps the score", "join always-call 127.0.0.1 {port}"),
    "quiz": PrintingCommand("prints the score at the end of the answers"),
    "bench": PrintingCommand("prints times", "bench tabular"),
}  # fmt: skip
