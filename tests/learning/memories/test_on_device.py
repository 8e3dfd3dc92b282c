"""A reservoir in tensors keeps each sample with the same chance."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.learning.memories.on_device import DeviceReservoir, last_at  # noqa: E402


def filled(capacity, batches, seed=0):
    memory = DeviceReservoir(capacity, torch.device("cpu"), x=((), torch.int64), y=((2,), torch.float32))
    random, number = torch.Generator().manual_seed(seed), 0
    for size in batches:
        rows = torch.arange(number, number + size)
        memory.add(random, x=rows, y=torch.stack([rows, -rows], dim=1).float())
        number += size
    return memory, random


def test_each_row_is_kept_with_the_same_chance():
    counts = np.zeros(60)
    for seed in range(2000):
        memory, _ = filled(20, [7, 13, 25, 15], seed)
        assert len(memory) == 20
        counts[memory["x"].numpy()] += 1
    assert counts == pytest.approx(np.full(60, 2000 / 3), abs=5 * np.sqrt(2000 * 2 / 9))


@pytest.mark.parametrize("batches", [[3], [0, 5, 0], [20, 1], [50], [19, 30, 2]])
def test_rows_stay_together_and_none_is_kept_twice(batches):
    memory, _ = filled(20, batches)
    assert len(memory) == min(20, sum(batches))
    assert len(set(memory["x"].tolist())) == len(memory)
    assert (memory["y"][:, 0] == memory["x"]).all()
    assert (memory["y"][:, 1] == -memory["x"]).all()


def test_it_comes_back_and_one_of_another_shape_is_refused():
    memory, random = filled(20, [30])
    again = DeviceReservoir(20, torch.device("cpu"), x=((), torch.int64), y=((2,), torch.float32))
    again.restore(memory.arrays("m"), "m")
    other = torch.Generator().manual_seed(9)
    other.set_state(random.get_state())
    for one, draws in ((memory, random), (again, other)):
        one.add(draws, x=torch.arange(30, 60), y=torch.zeros(30, 2))
    assert (again["x"] == memory["x"]).all()
    with pytest.raises(ValueError, match="shape"):
        DeviceReservoir(20, torch.device("cpu"), x=((3,), torch.int64)).restore(memory.arrays("m"), "m")


def test_of_rows_for_one_place_the_last_one_is_written_once():
    target, source = last_at(torch.tensor([3, 1, 9, 3, 1, 3, 0]), 5)
    assert target.tolist() == [0, 1, 3]
    assert source.tolist() == [6, 4, 5]
