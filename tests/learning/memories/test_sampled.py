"""Memories keep what they should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.learning.memories.sampled import SampleMemory


def filled(capacity, batches, ring, seed=0):
    memory, random, number = (
        SampleMemory(capacity, ring, x=((), np.int64), y=((2,), np.float32)),
        np.random.default_rng(seed),
        0,
    )
    for size in batches:
        rows = np.arange(number, number + size)
        memory.add(random, x=rows, y=np.stack([rows, -rows], axis=1).astype(np.float32))
        number += size
    return memory


@given(st.integers(1, 20), st.lists(st.integers(0, 15), min_size=1, max_size=6), st.booleans())
def test_rows_stay_together_and_none_is_kept_twice(capacity, batches, ring):
    memory = filled(capacity, batches, ring)
    assert len(memory) == min(capacity, sum(batches))
    assert len(set(memory["x"].tolist())) == len(memory)
    assert (memory["y"][:, 0] == memory["x"]).all()
    assert (memory["y"][:, 1] == -memory["x"]).all()
    if ring:
        assert set(memory["x"].tolist()) == set(range(sum(batches))[-capacity:])


def test_a_reservoir_keeps_each_row_with_the_same_chance():
    counts = np.zeros(60)
    for seed in range(2000):
        counts[filled(20, [7, 13, 25, 15], False, seed)["x"]] += 1
    assert counts == pytest.approx(np.full(60, 2000 / 3), abs=5 * np.sqrt(2000 * 2 / 9))


def test_a_memory_comes_back_and_one_of_another_shape_is_refused():
    memory = filled(20, [30], False)
    again = SampleMemory(20, x=((), np.int64), y=((2,), np.float32))
    again.restore(memory.arrays("m"), "m")
    assert (again["x"] == memory["x"]).all()
    assert again.offered == 30
    for one in (memory, again):
        one.add(np.random.default_rng(4), x=np.arange(30, 60), y=np.zeros((30, 2), np.float32))
    assert (again["x"] == memory["x"]).all()
    with pytest.raises(ValueError, match="shape"):
        SampleMemory(20, x=((3,), np.int64)).restore(memory.arrays("m"), "m")
    assert memory.nbytes == 20 * (8 + 8)
