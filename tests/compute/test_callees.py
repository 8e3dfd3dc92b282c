"""Kernels that other kernels call."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from equilibrist.compute.kernel import JIT_ENABLED, kernel

pytestmark = pytest.mark.skipif(not JIT_ENABLED, reason="nothing is compiled")


@kernel
def squared(x):
    return x * x


@kernel
def fill_squares(numbers, out):
    for i in range(len(numbers)):
        out[i] = squared(numbers[i])


@kernel
def factorial(n):
    return n * factorial(n - 1) if n > 1 else 1


@kernel
def of_factorial(n):
    return factorial(n) + 1


@kernel
def wrong(numbers):
    return numbers.no_such_field


@kernel
def calls_wrong(numbers):
    return wrong(numbers)


for each in (squared, fill_squares, factorial, of_factorial, wrong, calls_wrong):
    if JIT_ENABLED:
        each._cache.disable()  # what an earlier run left there would hide what is compiled


def test_a_callee_is_compiled_for_its_callers_alone_until_python_calls_it() -> None:
    numbers = np.arange(5.0)
    out = np.zeros(5)
    fill_squares(numbers, out)
    assert out.tolist() == [0.0, 1.0, 4.0, 9.0, 16.0]
    assert not squared.overloads
    assert squared(3.0) == 9.0
    assert len(squared.overloads) == 1


def test_what_python_called_before_is_used_by_callers() -> None:
    assert squared(3) == 9
    known = len(squared.overloads)
    out = np.zeros(2, dtype=np.int64)
    fill_squares(np.array([4, 5]), out)
    assert out.tolist() == [16, 25]
    assert len(squared.overloads) == known


def test_kernels_may_call_themselves() -> None:
    assert of_factorial(5) == 121
    assert factorial(6) == 720


def test_mistakes_are_told_and_the_collector_goes_on() -> None:
    from numba.core.errors import TypingError

    for _ in range(2):
        with pytest.raises(TypingError, match="no_such_field"):
            calls_wrong(np.zeros(2))
        assert gc.isenabled()
