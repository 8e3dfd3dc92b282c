"""Tables in 16 bits: floats and back, with one scale for each node of a block."""

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import largest, load, load_short, maximum, spread, store, store_short
from equilibrist.solvers.postflop._kernels.layout import ZERO

FINEST_SIGNED = np.float32(32767.0)  # largest 16-bit number
FINEST = np.float32(65534.0)  # without sign, with room for noise
NOISES = 4095  # places at which noise begins
SMALLEST = np.float32(1e-30)  # tables below this count as zero


@kernel
def unpack(table, scale, first, count, out):
    """16-bit entries first .. first+count-1 as floats."""
    step = spread(scale)
    for h in range(0, count, 16):
        store(out, h, load_short(table, first + h, step))


@kernel
def top_of(rows, count):
    """The largest magnitude of the first entries."""
    zero = spread(ZERO)
    most = zero
    for h in range(0, count, 16):
        x = load(rows, h)
        most = maximum(most, maximum(x, zero - x))
    return largest(most)


@kernel
def pack(rows, count, table, first, scales, entry):
    """Floats as 16-bit entries with sign, and the scale that turns them back."""
    top = top_of(rows, count)
    fine = FINEST_SIGNED / top if top > SMALLEST else ZERO
    step = spread(fine)
    for h in range(0, count, 16):
        store_short(table, first + h, load(rows, h) * step)
    scales[entry] = top / FINEST_SIGNED if top > SMALLEST else ZERO


@kernel
def pack_fairly(rows, count, table, first, scales, entry, noise):
    """Floats that are not negative as 16-bit entries without sign, rounded up or down by chance.

    What is added to an average late is often less than a step; rounded to the nearest it would always be lost, and the average would
    freeze. The chance is a table of noise, begun wherever the bits of the old scale say, so that results can be repeated.
    """
    top = top_of(rows, count)
    fine = FINEST / top if top > SMALLEST else ZERO
    step = spread(fine)
    at = (
        np.int64(scales.view(np.int32)[entry]) * 40503 + entry * 30011
    )  # any odd numbers: entries shall not start alike
    for h in range(0, count, 16):
        at = at + 40503
        store_short(table, first + h, load(rows, h) * step + load(noise, (at >> 4) & NOISES))
    scales[entry] = top / FINEST if top > SMALLEST else ZERO
