"""The exact earth mover's distance equals that of the Python Optimal Transport library."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.abstraction.clustering.emd import exact_emd

ot = pytest.importorskip(
    "ot",
    reason="Python Optimal Transport (the package POT of the extra 'dev') is not installed; HiGHS is the other oracle.",
)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_exact_distances_are_those_of_pot(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(rows)), rng.dirichlet(np.ones(columns))
    ground = np.round(rng.random((rows, columns)) * 5.0, int(rng.integers(0, 3)))  # ties, too
    assert exact_emd(p, q, ground) == pytest.approx(float(ot.emd2(p, q, ground)), abs=1e-7)
