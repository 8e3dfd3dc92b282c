"""Loops over pairs of public boards."""

import numpy as np

from equilibrist.compute.kernel import kernel


@kernel(fast=True)
def overlap(a, b):
    total = np.int32(0)
    for i in range(a.shape[0]):
        total += min(a[i], b[i])
    return total


@kernel
def shared_holdings(transitions, out):
    """Sum over buckets of the lesser count, for all pairs of rows of int32 [M, B]; out int64 [M, M]."""
    for i in range(transitions.shape[0]):
        for j in range(i + 1):
            shared = overlap(transitions[i], transitions[j])
            out[i, j] = shared
            out[j, i] = shared
