"""Translation, purification and asymmetric menus, as published."""

import pytest

from equilibrist.experiments.findings import Request
from equilibrist.experiments.ganzfried.purification import random_matrices
from equilibrist.experiments.lu.asymmetric_leduc import SLOTS, leduc, size_audit


def test_random_matrices():
    found = random_matrices(40_000, Request(), seed=3)
    assert found["improved"] == pytest.approx(0.1744, abs=0.008)
    assert found["worse"] == pytest.approx(0.1148, abs=0.008)


def test_sizes():
    assert [entry["slots"] for entry in size_audit().values()] == list(SLOTS)
    assert leduc(8, 8).first.labels == ("x", "b1", "b1.5", "b2", "b3", "b4", "b5", "b6", "b9")
