"""Files that somebody has changed: every change is refused when the file is opened, found by `verify`, or touches nothing that `verify`
prints as checked. Each change is made twice: as it is, so that the checksum tells, and with the checksum made anew.

`python tests/robustness/test_tampering.py` prints the table.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equilibrist.core.artifact import Artifact, artifact_kind, check_artifact, load_artifact, save_artifact
from equilibrist.core.errors import EquilibristError, FormatError
from equilibrist.evaluation.verification.verify import verify
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.blueprint.folder import BLUEPRINT, TrainingOrder, start_training
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.postflop.solve_spot import solve_spot
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.solvers.solve import solve

REFUSED, CAUGHT, STATED = "refused on opening", "caught by verify", "not a checked claim"
Header, Tables = dict[str, Any], dict[str, Any]
Change = Callable[[Header, Tables], None]


def made(kind: str, folder: Path) -> Path:
    """A true file of each kind."""
    path = folder / f"{kind}.eqb"
    if kind == "game":
        solve("leduc", until=0.5, seed=1).save(path)
    elif kind == "spot":
        bets = {"bet": "50%, a", "raise": "a"}
        ranges = {"oop": "AA,KQs,T9s,54s", "ip": "KK,QJs,87s,A5s"}
        solve_spot(Spot(board="Td9d6hQc2s", pot=100, stack=200, range=ranges, bets=bets), until="1%").save(path)
    elif kind == "boards":
        solve("leduc", on="boards", until=0.5).save(path)
    elif kind == "buckets":
        solve("bucket-holdem(buckets=2,boards=0,rounds=2,ranks=5)", on="buckets", until=1.0).save(path)
    else:
        start_training(folder / "run", TrainingOrder(BlueprintPlan("leduc", cards="exact"), Training(), BLOCK))
        (folder / "run" / BLUEPRINT).rename(path)
    return path


def say(**told: Any) -> Change:
    """The header says something else."""

    def change(header: Header, tables: Tables) -> None:
        for name, value in told.items():
            header[name] = value(header[name]) if callable(value) else value

    return change


def write(name: str, make: Callable[[Any], Any]) -> Change:
    """A table, or all whose names begin so, holds something else."""

    def change(header: Header, tables: Tables) -> None:
        found = [each for each in tables if each.startswith(name)]
        assert found, f"{name} is not among {', '.join(tables)}"
        for each in found:
            tables[each] = np.ascontiguousarray(make(tables[each].copy())).astype(tables[each].dtype)

    return change


def replace_in(name: str, old: str, new: str) -> Change:
    def change(header: Header, tables: Tables) -> None:
        assert old in header[name]
        header[name] = header[name].replace(old, new)

    return change


def at(index: int, value: float) -> Callable[[Any], Any]:
    def make(table: Any) -> Any:
        table[index] = value
        return table

    return make


def shift(by: float) -> Callable[[Any], Any]:
    """Move probability from one action of the first infoset to the next."""

    def make(table: Any) -> Any:
        table[0], table[1] = abs(table[0] - by), table[0] + table[1] - abs(table[0] - by)
        return table

    return make


def swap(one: str, other: str) -> Change:
    def change(header: Header, tables: Tables) -> None:
        tables[one], tables[other] = tables[other], tables[one]

    return change


def converge(goal: float) -> Change:
    return say(converged=True, settings=lambda told: told | {"until": goal})


def plus(by: float) -> Callable[[Any], Any]:
    return lambda pair: [pair[0] + by, pair[1] - by]


GAME: dict[str, tuple[str, Change]] = {
    "a probability by 0.3": (CAUGHT, write("policy", shift(0.3))),
    "a probability by 0.001": (CAUGHT, write("policy", shift(0.001))),
    "a row that does not sum to one": (REFUSED, write("policy", at(0, 0.9))),
    "a negative probability": (REFUSED, write("policy", lambda t: at(1, 1.1)(at(0, -0.1)(t)))),
    "a probability of NaN": (REFUSED, write("policy", at(0, np.nan))),
    "the value": (CAUGHT, say(value=plus(1e-4))),
    "a best response": (CAUGHT, say(best_response_value=plus(1e-4))),
    "both, so that the exploitability is the same": (CAUGHT, say(value=plus(1.0), best_response_value=plus(1.0))),
    "best responses left out": (CAUGHT, say(best_response_value=None)),
    "another game": (CAUGHT, say(game="leduc(ranks=4)")),
    "infosets swapped": (CAUGHT, write("keys", lambda t: t[::-1])),
    "players swapped": (CAUGHT, write("player", lambda t: 1 - t)),
    "actions renamed": (CAUGHT, write("actions", lambda t: np.where(t == ord("r"), ord("z"), t))),
    "converged to 1e-12": (CAUGHT, converge(1e-12)),
    "converged to nothing that is named": (STATED, say(converged=True, settings=lambda s: s | {"until": None})),
    "converged and interrupted": (CAUGHT, say(interrupted=True)),
    "iterations": (CAUGHT, say(iterations=123_456)),
    "iterations beyond all reason": (REFUSED, say(iterations=2**62)),
    "the solver": (STATED, say(solver="cfr+")),
    "seconds": (STATED, say(seconds=0.001)),
    "seconds below zero": (REFUSED, say(seconds=-1.0)),
    "the last iterate": (STATED, write("last", shift(0.25))),
    "a last iterate of NaN": (REFUSED, write("last", at(0, np.nan))),
    "regrets of the state": (STATED, write("state.regret", lambda t: -t)),
    "regrets of NaN": (REFUSED, write("state.regret", lambda t: t * np.nan)),
    "averages of the state": (STATED, write("state.average", lambda t: t[::-1])),
    "the iteration of the state": (CAUGHT, write("state.iteration", lambda t: t * 0 + 2**40)),
}

SPOT: dict[str, tuple[str, Change]] = {
    "a strategy": (CAUGHT, write("average.0.0", lambda t: t[::-1])),
    "a strategy by a thousandth": (CAUGHT, write("average.0.0", lambda t: t + 0.003 * t.max())),
    "the strategy of ip": (CAUGHT, write("average.0.1", lambda t: t * 0.0)),
    "a negative strategy": (REFUSED, write("average.0.0", at(0, -1.0))),
    "a strategy of NaN": (REFUSED, write("average.0.0", at(0, np.nan))),
    "EV": (CAUGHT, say(ev=plus(0.05))),
    "a best response": (CAUGHT, say(best_response_ev=lambda pair: [pair[0] - 0.05, pair[1]])),
    "EV and best responses by the same": (CAUGHT, say(ev=plus(5.0), best_response_ev=plus(5.0))),
    "EV, with an error that covers it": (
        CAUGHT,
        say(ev=plus(0.05), provenance=lambda told: told | {"error": 1e9}),
    ),
    "equity 90 to 10": (CAUGHT, say(equity=[0.9, 0.1])),
    "equity by 1e-4": (CAUGHT, say(equity=plus(1e-4))),
    "converged to 1e-9": (CAUGHT, converge(1e-9)),
    "converged to a word": (CAUGHT, say(converged=True, settings=lambda told: told | {"until": "all"})),
    "iterations": (REFUSED, say(iterations=99_999)),
    "the solver": (STATED, say(solver="cfr+")),
    "seconds": (STATED, say(seconds=0.001)),
    "the board": (REFUSED, replace_in("spot", "2s", "As")),
    "the pot": (CAUGHT, replace_in("spot", "pot = 100", "pot = 101")),
    "the stack": (CAUGHT, replace_in("spot", "stack = 200", "stack = 210")),
    "rake": (CAUGHT, say(spot=lambda text: text + "\n[rake]\nrate = 0.01\n")),
    "a range": (REFUSED, replace_in("spot", "54s", "54s,33")),
    "a weight": (CAUGHT, replace_in("spot", "54s", "54s:0.9")),
    "a lock": (CAUGHT, say(spot=lambda text: text + '\n[[lock]]\nline = ""\nstrategy = { x = 0.5, b50 = 0.5 }\n')),
    "players swapped": (REFUSED, swap("average.0.0", "average.0.1")),
    "regrets": (STATED, write("regret", lambda t: -t)),
    "regrets of NaN": (REFUSED, write("regret", lambda t: t * np.nan)),
    "bits": (REFUSED, say(bits=16)),
}

BOARDS: dict[str, tuple[str, Change]] = {
    "a strategy": (CAUGHT, write("average.0.0", lambda t: t[::-1])),
    "a strategy of NaN": (REFUSED, write("average.1.0", at(0, np.nan))),
    "the value": (CAUGHT, say(value=plus(0.01))),
    "a best response": (CAUGHT, say(best_response_value=plus(0.01))),
    "best responses left out": (REFUSED, say(best_response_value=None)),
    "another game": (REFUSED, say(game="leduc(ranks=4)")),
    "converged to 1e-9": (CAUGHT, converge(1e-9)),
    "iterations": (REFUSED, say(iterations=99_999)),
    "seconds": (STATED, say(seconds=0.001)),
    "regrets": (STATED, write("regret", lambda t: -t)),
}

BUCKETS: dict[str, tuple[str, Change]] = {
    "a strategy": (CAUGHT, write("average", lambda t: t[::-1])),
    "tables of NaN": (REFUSED, write("average", lambda t: t * np.nan)),
    "the value": (CAUGHT, say(value=plus(0.01))),
    "a best response": (CAUGHT, say(best_response_value=plus(0.01))),
    "the deals": (REFUSED, say(deals="0" * 16)),
    "converged to 1e-9": (CAUGHT, converge(1e-9)),
    "seconds": (STATED, say(seconds=0.001)),
}

BLUEPRINT_CHANGES: dict[str, tuple[str, Change]] = {
    "all zero": (REFUSED, write("packed", lambda t: t * 0)),
    "one strategy that is none": (REFUSED, write("packed", at(0, 7))),
    "strategies turned round": (REFUSED, write("packed", lambda t: t[::-1])),
    "cut short": (REFUSED, write("packed", lambda t: t[:-1])),
    "other buckets": (REFUSED, say(cards="0" * 16)),
    "another game": (REFUSED, say(plan=lambda plan: json.loads(json.dumps(plan).replace("leduc", "kuhn")))),
    "iterations": (STATED, say(iterations=10**9)),
}

CHANGES = {"game": GAME, "spot": SPOT, "boards": BOARDS, "buckets": BUCKETS, "blueprint": BLUEPRINT_CHANGES}
CASES = [(kind, name) for kind, changes in CHANGES.items() for name in changes]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("true")
    return cache(lambda kind: made(kind, folder))


def tampered(path: Path, change: Change, out: Path) -> Path:
    """The file with a change, and a checksum of what it is now."""
    kind = artifact_kind(path)
    assert kind is not None
    found = load_artifact(path, kind)
    header, tables = json.loads(json.dumps(found.header)), dict(found.arrays)
    change(header, tables)
    save_artifact(out, Artifact(kind, header, tables))
    return out


def outcome(path: Path, true: Path) -> str:
    try:
        solution = load_solution(path)
        found = verify(solution)
    except EquilibristError:
        return REFUSED
    if not found.agrees:
        return CAUGHT
    usual = verify(load_solution(true))
    assert found.rows == usual.rows, "agrees with other numbers"
    assert set(found.claims.right) <= set(usual.claims.right), "takes another claim for right"
    return STATED


@pytest.mark.sampled(39)
@pytest.mark.parametrize(("kind", "name"), CASES, ids=[f"{kind}: {name}" for kind, name in CASES])
def test_what_was_changed_is_found_or_not_claimed(
    files: Callable[[str], Path], tmp_path: Path, kind: str, name: str
) -> None:
    expected, change = CHANGES[kind][name]
    assert outcome(tampered(files(kind), change, tmp_path / "changed.eqb"), files(kind)) == expected


@pytest.mark.parametrize("kind", CHANGES)
def test_true_files_agree_and_have_a_checksum(files: Callable[[str], Path], kind: str) -> None:
    assert check_artifact(files(kind))
    assert verify(load_solution(files(kind))).agrees


@pytest.mark.parametrize("kind", CHANGES)
def test_a_flipped_bit_anywhere_is_noticed_on_opening(files: Callable[[str], Path], tmp_path: Path, kind: str) -> None:
    whole, rng = files(kind).read_bytes(), np.random.default_rng(1)
    (length,) = struct.unpack("<Q", whole[:8])
    places = [*range(8, 120), *rng.integers(8, 8 + length, 40), *rng.integers(8 + length, len(whole), 60)]
    for place in places:
        broken = bytearray(whole)
        broken[place] ^= 1 << int(rng.integers(8))
        (tmp_path / "flipped.eqb").write_bytes(broken)
        with pytest.raises(FormatError):
            load_solution(tmp_path / "flipped.eqb")


def without_checksum(path: Path, out: Path) -> Path:
    """The file as the version before wrote it."""
    whole = path.read_bytes()
    (length,) = struct.unpack("<Q", whole[:8])
    text = whole[8 : 8 + length].rstrip()
    begin = text.index(b'"checksum"')
    text = text[:begin] + text[text.index(b",", begin) + 1 :]
    text += b" " * (-len(text) % 8)
    out.write_bytes(struct.pack("<Q", len(text)) + text + whole[8 + length :])
    return out


@pytest.mark.parametrize("kind", CHANGES)
def test_files_of_the_version_before_have_no_checksum_and_open(
    files: Callable[[str], Path], tmp_path: Path, kind: str
) -> None:
    old = without_checksum(files(kind), tmp_path / "old.eqb")
    assert not check_artifact(old)
    assert verify(load_solution(old)).agrees


def rows(folder: Path) -> Iterator[tuple[str, str, str]]:
    for kind, changes in CHANGES.items():
        true = made(kind, folder)
        for name, (_, change) in changes.items():
            yield kind, name, outcome(tampered(true, change, folder / "changed.eqb"), true)


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        sys.stdout.write("| file | changed | outcome |\n|---|---|---|\n")
        for row in rows(Path(folder)):
            sys.stdout.write("| " + " | ".join(row) + " |\n")
