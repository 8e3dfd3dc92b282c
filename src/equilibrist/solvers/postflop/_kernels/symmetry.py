"""Hands that a relabelling of suits takes to one another get the very same numbers."""

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import load, store


@kernel
def lowest_image(b, hands, h):
    """The first place that a relabelling of suits takes a place to: the same for all hands that are alike on a board."""
    low = h
    for g in range(hands.first_image[b], hands.first_image[b + 1]):
        low = min(low, hands.images[g * hands.places + h])
    return low


@kernel
def symmetrise(b, hands, rows, width, value, spare):
    """Sum values [row, place] of one board over the relabellings of suits that leave it as it is.

    Hands that are alike get the very same number: a last digit would let them play differently where actions are nearly equal, and
    then kept boards would no longer stand for their copies.
    """
    first, last = hands.first_image[b], hands.first_image[b + 1]
    if first == last:
        return
    for i in range(rows):
        at = i * width
        for h in range(hands.places):
            spare[h] = value[at + h]
        for h in range(hands.places):
            low = lowest_image(b, hands, h)
            if low < h:
                value[at + h] = value[at + low]
                continue
            for g in range(first, last):
                value[at + h] += spare[hands.images[g * hands.places + h]]


@kernel
def level_terminals(b, hands, width, out):
    """The same for terminal values [hand, lane] of a board, whose sums were added up in another order for each hand."""
    if hands.first_image[b] == hands.first_image[b + 1]:
        return
    for h in range(hands.count[b]):
        low = lowest_image(b, hands, h)
        if low < h:
            for t in range(0, width, 16):
                store(out, h * width + t, load(out, low * width + t))
