"""Loops over triples of hand classes: deals without a card twice, and showdowns on random boards."""

import numpy as np

from equilibrist.cards._kernels.evaluator import FLUSH, HALF, HALF_BITS, SUIT_COUNTS, ZERO, _flush_ranks
from equilibrist.compute.kernel import kernel

ONE, SIX, CARD = np.uint64(1), np.uint64(6), np.uint64(63)
DECK, DRAWS = np.uint64(52), 10  # cards, and six-bit draws in a random number of 64 bits


@kernel
def _mixed(x):
    """A random number from a counter (SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def list_deals(a, b, c, held, sizes, masks, out):  # held [class, 12] hands, sizes [class], masks [hand] bits of cards
    """All deals of three classes that use no card twice: `out[:W]` holds the three hands; returns W."""
    found = 0
    for i in range(sizes[a]):
        first = masks[held[a, i]]
        for j in range(sizes[b]):
            if first & masks[held[b, j]] != ZERO:
                continue
            both = first | masks[held[b, j]]
            for k in range(sizes[c]):
                if both & masks[held[c, k]] == ZERO:
                    out[found, 0] = held[a, i]
                    out[found, 1] = held[b, j]
                    out[found, 2] = held[c, k]
                    found += 1
    return found


@kernel
def count_deals(triples, held, sizes, masks, deals):  # triples [n, 3], deals [n]
    """How many deals each triple of classes has."""
    scratch = np.empty((1728, 3), np.int64)
    for n in range(triples.shape[0]):
        deals[n] = list_deals(triples[n, 0], triples[n, 1], triples[n, 2], held, sizes, masks, scratch)


@kernel
def _strength(key, places, offset, number, plain, flush):
    if key & FLUSH:
        return flush[_flush_ranks(key, places)]
    return plain[offset[key & HALF] + number[(key >> HALF_BITS) & HALF]]


@kernel(inline=True)
def _compared(first, second, third):
    """Three comparisons as one number from 0 to 26."""
    code = 9 * (1 + (first > second) - (first < second)) + 3 * (1 + (first > third) - (first < third))
    return code + 1 + (second > third) - (second < third)


@kernel
def sample_showdowns(triples, seeds, samples, held, sizes, masks, hand_keys, hand_places, codes, tables, counts):
    """`counts[n, outcome]` of so many random deals and boards of each triple, each from its own seed.

    `tables` are those of the evaluator for seven cards, `codes[27]` numbers outcomes by three comparisons. Deals are taken in turn, from
    a random one on, so that all have about the same share.
    """
    keys, places, offset, number, plain, flush = tables
    deals = np.empty((1728, 3), np.int64)
    for n in range(triples.shape[0]):
        found = list_deals(triples[n, 0], triples[n, 1], triples[n, 2], held, sizes, masks, deals)
        if found == 0:
            continue
        state = seeds[n]
        state += np.uint64(0x9E3779B97F4A7C15)
        start = np.int64(_mixed(state) >> np.uint64(16)) % (found * samples)
        for sample in range(samples):
            deal = ((sample * found + start) // samples) % found
            one, two, three = deals[deal, 0], deals[deal, 1], deals[deal, 2]
            taken = masks[one] | masks[two] | masks[three]
            key, held_places = SUIT_COUNTS, ZERO
            drawn = 0
            left = 0
            bits = ZERO
            while drawn < 5:
                if left == 0:
                    state += np.uint64(0x9E3779B97F4A7C15)
                    bits = _mixed(state)
                    left = DRAWS
                card = bits & CARD
                bits = bits >> SIX
                left -= 1
                if card < DECK and (taken >> card) & ONE == ZERO:
                    taken |= ONE << card
                    key += keys[card]
                    held_places += places[card]
                    drawn += 1
            first = _strength(key + hand_keys[one], held_places + hand_places[one], offset, number, plain, flush)
            second = _strength(key + hand_keys[two], held_places + hand_places[two], offset, number, plain, flush)
            third = _strength(key + hand_keys[three], held_places + hand_places[three], offset, number, plain, flush)
            counts[n, codes[_compared(first, second, third)]] += 1


@kernel
def count_showdowns(deals, masks, hand_keys, hand_places, codes, tables, counts):
    """`counts[deal, outcome]` over all boards that the six cards of each deal leave."""
    keys, places, offset, number, plain, flush = tables
    free = np.empty(46, np.int64)
    for n in range(deals.shape[0]):
        one, two, three = deals[n, 0], deals[n, 1], deals[n, 2]
        taken = masks[one] | masks[two] | masks[three]
        first_key, second_key, third_key = hand_keys[one], hand_keys[two], hand_keys[three]
        first_places, second_places, third_places = hand_places[one], hand_places[two], hand_places[three]
        size = 0
        for card in range(52):
            if (taken >> np.uint64(card)) & ONE == ZERO:
                free[size] = card
                size += 1
        for a in range(4, size):
            for b in range(3, a):
                for c in range(2, b):
                    upper = SUIT_COUNTS + keys[free[a]] + keys[free[b]] + keys[free[c]]
                    lying = places[free[a]] + places[free[b]] + places[free[c]]
                    for d in range(1, c):
                        for e in range(d):
                            key = upper + keys[free[d]] + keys[free[e]]
                            held = lying + places[free[d]] + places[free[e]]
                            first = _strength(key + first_key, held + first_places, offset, number, plain, flush)
                            second = _strength(key + second_key, held + second_places, offset, number, plain, flush)
                            third = _strength(key + third_key, held + third_places, offset, number, plain, flush)
                            counts[n, codes[_compared(first, second, third)]] += 1
