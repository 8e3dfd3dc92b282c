"""Bundles against the named tuples that they are made of."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from equilibrist.compute.bundles import bundle, bundle_rows
from equilibrist.compute.kernel import JIT_ENABLED, kernel


class Inner(NamedTuple):
    wide: Any  # [3]
    table: Any  # [2, 5]
    number: int
    flag: bool
    share: Any  # [] float32


class Outer(NamedTuple):
    first: Inner
    second: Inner
    rows: Any  # [rows] Inner
    words: Any  # [4, 3, 2]


def inner(k: int) -> Inner:
    return Inner(
        wide=np.arange(3, dtype=np.float32) + k,
        table=np.arange(10, dtype=np.int32).reshape(2, 5) * k,
        number=-k,
        flag=k % 2 == 0,
        share=np.float32(0.1) * np.float32(k),
    )


def outer() -> Outer:
    words = np.arange(24, dtype=np.int64).reshape(4, 3, 2)
    return Outer(inner(1), inner(2), bundle_rows([inner(k) for k in range(3, 7)]), words)


@kernel
def told(part, out):
    """Everything that a bundle says of itself."""
    out[0] = part.wide.sum() if part.flag else -part.wide[2]
    out[1] = part.table[1, 3] + part.table.shape[0] * part.table.shape[1]
    out[2] = part.number
    out[3] = part.share


@kernel
def told_of(both, player, row, out):
    told(both.first if player == 0 else both.second, out[0])
    told(both.rows[row], out[1])
    out[2, 0] = both.words[3, 1, 1] + both.words.shape[1]
    out[2, 1] = both.words[3, :, 1][2]
    both.first.wide[0] += 1.0


def expected(part: Inner) -> list[float]:
    whole = float(part.wide.sum()) if part.flag else -float(part.wide[2])
    return [whole, int(part.table[1, 3]) + 10, part.number, float(part.share)]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("row", range(4))
def test_kernels_read_what_was_put_in(player: int, row: int) -> None:
    given, out = outer(), np.zeros((3, 4))
    told_of(bundle(given), player, row, out)
    np.testing.assert_allclose(out[0], expected(inner(player + 1)), rtol=1e-7)
    np.testing.assert_allclose(out[1], expected(inner(row + 3)), rtol=1e-7)
    assert out[2, :2].tolist() == [21 + 3, 23]
    assert given.first.wide[0] == 2.0  # written through


def test_python_reads_them_as_the_tuple() -> None:
    given = inner(2)
    packed = bundle(given)
    assert packed.wide is given.wide
    assert packed.number == -2
    with pytest.raises(AttributeError):
        _ = packed.missing
    both, out = bundle(outer()), np.zeros(4)
    told(both.second, out)
    np.testing.assert_allclose(out, expected(given), rtol=1e-7)


@pytest.mark.skipif(not JIT_ENABLED, reason="nothing is compiled")
def test_one_kind_is_compiled_once() -> None:
    kinds = [bundle(inner(k)).kind for k in (1, 2)]
    assert kinds[0] is kinds[1]
    frozen = inner(1)
    frozen.wide.flags.writeable = False
    assert bundle(frozen).kind is kinds[0]
    assert bundle(inner(1)._replace(wide=np.zeros(3))).kind is not kinds[0]


@pytest.mark.skipif(not JIT_ENABLED, reason="tuples say nothing of their arrays")
def test_what_notes_cannot_tell_is_refused() -> None:
    with pytest.raises(AssertionError, match="no gaps"):
        bundle(inner(1)._replace(wide=np.zeros(6, dtype=np.float32)[::2]))
    with pytest.raises(AssertionError, match="no field of a bundle: str"):
        bundle(inner(1)._replace(number="three"))
    with pytest.raises(AssertionError, match="one type"):
        bundle_rows([inner(1), inner(1)._replace(wide=np.zeros(3))])


AGAIN = """
import numpy as np
from compute.test_bundles import bundle, outer, told, told_of
out = np.zeros((3, 4))
told_of(bundle(outer()), 0, 1, out)
assert out[2, 0] == 24, out
print(sum(getattr(told_of, "_cache_hits", {}).values()))
"""


@pytest.mark.parametrize(("jit", "hits"), [("1", ["0", "1"]), ("0", ["0"])])
def test_they_are_found_in_the_cache_and_done_without(tmp_path: Path, jit: str, hits: list[str]) -> None:
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"EQUILIBRIST_CACHE": str(tmp_path), "EQUILIBRIST_JIT": jit, "PYTHONPATH": path}
    for wanted in hits:
        run = subprocess.run(
            [sys.executable, "-c", AGAIN], env=environment, capture_output=True, text=True, check=False
        )
        assert run.stdout.split() == [wanted], run.stderr


@pytest.mark.skipif(not JIT_ENABLED, reason="without the compiler tuples serve")
def test_copies_note_where_their_own_arrays_lie() -> None:
    """As in another process, where the old addresses mean nothing."""
    first, out = bundle(outer()), np.zeros((2, 3, 4))
    for k, each in enumerate((first, copy.deepcopy(first))):
        told_of(each, 0, 2, out[k])
    assert (out[0] == out[1]).all()
    again = copy.deepcopy(first)
    told_of(again, 0, 2, out[0])
    assert again.first.wide[0] == first.first.wide[0] + 1.0  # written to its own
