"""All hands of a deck in the order of their numbers, one after the other."""

import numpy as np

from equilibrist.cards._kernels.evaluator import FLUSH, HALF, HALF_BITS, SUIT_COUNTS, ZERO, _flush_ranks
from equilibrist.compute.kernel import kernel


@kernel
def rank_all(size, top, first, keys, places, offset, number, plain, flush, out):
    """Strengths of all hands whose highest card is `top`, from `out[first]` on; `size` cards a hand, the highest grows slowest."""
    chosen = np.arange(size)
    chosen[size - 1] = top
    key, held = np.empty(size + 1, np.uint64), np.empty(size + 1, np.uint64)  # sums over the cards from a place on
    key[size], held[size] = SUIT_COUNTS, ZERO
    for place in range(size - 1, 0, -1):
        key[place] = key[place + 1] + keys[chosen[place]]
        held[place] = held[place + 1] + places[chosen[place]]
    at = first
    while True:
        for card in range(chosen[1]):
            total = key[1] + keys[card]
            if total & FLUSH:
                out[at] = flush[_flush_ranks(total, held[1] + places[card])]
            else:
                out[at] = plain[offset[total & HALF] + number[(total >> HALF_BITS) & HALF]]
            at += 1
        place = 1
        while place < size - 1 and chosen[place] + 1 == chosen[place + 1]:
            place += 1
        if place == size - 1:
            return at
        chosen[place] += 1
        for below in range(1, place):
            chosen[below] = below
        for changed in range(place, 0, -1):
            key[changed] = key[changed + 1] + keys[chosen[changed]]
            held[changed] = held[changed + 1] + places[chosen[changed]]
