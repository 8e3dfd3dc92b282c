"""States in parts: nothing is lost, no file is large, and a part that is missing is named."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import FormatError
from equilibrist.learning.trainings import states
from equilibrist.learning.trainings.states import in_parts, load_state, save_state


def arrays(sizes):
    return {f"a{k}": np.arange(size, dtype=np.uint8) for k, size in enumerate(sizes)}


@pytest.mark.parametrize("sizes", [[], [5], [60, 50, 40, 30], [101, 1, 101], [100, 100], [1] * 250])
def test_parts_hold_everything_and_are_small(sizes):
    given = arrays(sizes)
    parts = in_parts(given, 100)
    assert [name for part in parts for name in part] == list(given)
    assert all(sum(each.nbytes for each in part.values()) <= 100 or len(part) == 1 for part in parts)
    assert all(parts) or not given


def test_a_state_comes_back_and_older_parts_go(tmp_path, monkeypatch):
    monkeypatch.setattr(states, "PART_BYTES", 100)
    monkeypatch.setattr(states.in_parts, "__defaults__", (100,))
    for iterations, sizes in ((3, [80, 70, 60]), (4, [80, 60])):
        save_state(tmp_path, {"iterations": iterations}, arrays(sizes))
        found = load_state(tmp_path)
        assert found.header["iterations"] == iterations
        assert found.arrays.keys() == arrays(sizes).keys()
        assert all(np.array_equal(found.arrays[key], value) for key, value in arrays(sizes).items())
    assert {path.name for path in tmp_path.iterdir()} == {"state.eqb", "state-4-1.eqb"}
    (tmp_path / "state-4-1.eqb").unlink()
    with pytest.raises(FormatError, match=r"lacks state-4-1\.eqb"):
        load_state(tmp_path)
