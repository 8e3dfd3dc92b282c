"""Arrays for vector instructions."""

import numpy as np
import pytest

from equilibrist.compute.lanes import aligned


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.float64])
@pytest.mark.parametrize("size", [1, 15, 16, 1000])
def test_aligned_arrays_begin_on_cache_lines(size, dtype):
    array = aligned(size, dtype)
    assert (array.shape, array.dtype, array.ctypes.data % 64) == ((size,), np.dtype(dtype), 0)
    assert not array.any()


def test_staggered_arrays_begin_at_their_line_of_a_page():
    assert [aligned(40, stagger=k).ctypes.data % 4096 for k in (1, 9, 63)] == [64, 576, 4032]
