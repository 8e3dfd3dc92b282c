"""No reader answers anything with a traceback, a hang or all of the memory: inputs made from valid ones, the same every time."""

from __future__ import annotations

import collections
import os
import random
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from equilibrist.core.errors import EquilibristError
from robustness.children import Verdict, run_cases
from robustness.mutations import mutate
from robustness.readers import READERS, Reader

LONG = int(os.environ.get("EQUILIBRIST_FUZZ", "50000"))  # of all readers together
FOUND = Path(__file__).parent / "found"  # inputs that once broke a reader, in a folder of its name


def case_of(name: str, case: int, seeds: list[bytes]) -> bytes:
    """The input of a number, whatever was made before it."""
    return mutate(random.Random(zlib.crc32(name.encode()) * 1_000_003 + case), seeds)


def read(reader: Reader, data: bytes, folder: Path) -> None:
    """Read it, or be refused in one sentence."""
    given: object = data.decode("utf-8", "replace")
    if reader.suffix:
        given = folder / f"case{reader.suffix}"
        Path(str(given)).write_bytes(data)
    try:
        reader.read(given)
    except EquilibristError as error:
        sentence = str(error)
        assert sentence.strip(), "an empty refusal"
        assert "Traceback" not in sentence


def work_of(name: str, folder: Path, offset: int = 0) -> Callable[[int], None]:
    reader = READERS[name]
    seeds = list(reader.seeds())
    for seed in seeds:
        read(reader, seed, folder)  # also loads what reading needs, before children are forked
    return lambda case: read(reader, case_of(name, case + offset, seeds), folder)


def say(line: str) -> None:
    """The counts; pytest -s shows them."""
    os.write(2, f"\n{line}\n".encode())


def told(name: str, wrong: list[Verdict]) -> str:
    """One of each kind: they differ in their last lines."""
    kinds = {(one.kind, one.text.strip().rpartition("\n")[2]): one for one in reversed(wrong)}
    return "\n\n".join(f"{name}, case {one.case}: {one.kind} ({one.cpu} s)\n{one.text}" for one in kinds.values())


@pytest.mark.sampled(17)
@pytest.mark.parametrize("name", READERS)
def test_seeds_are_read(name: str, tmp_path: Path) -> None:
    """Mutations of something that is refused anyway would say little."""
    reader = READERS[name]
    taken = 0
    for seed in reader.seeds():
        given: object = seed.decode("utf-8", "replace")
        if reader.suffix:
            given = tmp_path / f"case{reader.suffix}"
            Path(str(given)).write_bytes(seed)
        try:
            reader.read(given)
            taken += 1
        except EquilibristError as error:
            refusal = str(error)
    assert taken, refusal


@pytest.mark.parametrize("name", READERS)
@pytest.mark.sampled(8)
def test_mutated_inputs_are_read_or_refused(name: str, tmp_path: Path) -> None:
    wrong = [one for one in run_cases(READERS[name].quick, work_of(name, tmp_path)) if one.kind != "fine"]
    assert not wrong, told(name, wrong)


@pytest.mark.parametrize("path", sorted(FOUND.glob("*/*")), ids=lambda path: f"{path.parent.name}: {path.name}")
def test_what_once_broke_a_reader(path: Path, tmp_path: Path) -> None:
    reader = READERS[path.parent.name]
    wrong = [one for one in run_cases(1, lambda _: read(reader, path.read_bytes(), tmp_path)) if one.kind != "fine"]
    assert not wrong, told(path.parent.name, wrong)


@pytest.mark.slow
def test_fifty_thousand_inputs() -> None:
    counts: collections.Counter[str] = collections.Counter()
    wrong: dict[str, list[Verdict]] = {}
    each = -(-LONG // len(READERS))
    with tempfile.TemporaryDirectory() as folder:
        for name in READERS:
            for one in run_cases(each, work_of(name, Path(folder), offset=READERS[name].quick)):
                counts[one.kind] += 1
                if one.kind != "fine":
                    wrong.setdefault(name, []).append(one)
    say(f"{sum(counts.values()):,} inputs for {len(READERS)} readers: {dict(counts)}")
    assert not wrong, "\n\n".join(told(name, found) for name, found in wrong.items())
