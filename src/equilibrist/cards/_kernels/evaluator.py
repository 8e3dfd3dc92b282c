"""Loops of the hand evaluator: hands by three table reads.

A card adds one 64-bit key: the key of its rank among the lower ranks (bits 0 to 19) or among the upper ones (20 to 39), one
to the count of its suit (a nibble from bit 40 on, begun at 3 so that five cards set its top bit) and, if there is no such
card, `FOREIGN`. Its place, bit `16 * suit + rank`, is added up beside it: as many bits as cards means that no card came
twice, and 16 of them are the ranks of a suit.
"""

import numpy as np

from equilibrist.compute.kernel import kernel

HALF_BITS = np.uint64(20)
SUIT_BIT = 40
HALF = np.uint64((1 << 20) - 1)
SUIT_COUNTS = np.uint64(0x3333 << SUIT_BIT)  # what every sum of keys begins with
FLUSH = np.uint64(0x8888 << SUIT_BIT)
FOREIGN = np.uint64(1 << 60)
SUIT_RANKS = np.uint64(0xFFFF)
ZERO, ONE, FOUR, SIXTEEN = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(16)


@kernel
def _bits(held):
    """Bits set; the compiler knows this loop and emits one instruction for it."""
    count = 0
    while held:
        held &= held - ONE
        count += 1
    return count


@kernel(inline=True)
def _flush_ranks(key, places):
    """Ranks held in the suit that has five cards."""
    for _ in range(3):
        if key & np.uint64(8 << SUIT_BIT):
            break
        key = key >> FOUR
        places = places >> SIXTEEN
    return places & SUIT_RANKS


@kernel
def rank_hands(cards, keys, places, offset, number, plain, flush, out):  # cards [N, k] uint8, keys and places [256]
    """Strength of every row; returns the first row that is no hand (foreign or repeated cards), or -1."""
    k = cards.shape[1]
    for i in range(cards.shape[0]):
        key = SUIT_COUNTS
        held = ZERO
        for j in range(5):  # the compiler unrolls what it can count
            key += keys[cards[i, j]]
            held += places[cards[i, j]]
        if k > 5:
            key += keys[cards[i, 5]]
            held += places[cards[i, 5]]
        if k > 6:
            key += keys[cards[i, 6]]
            held += places[cards[i, 6]]
        if key >= FOREIGN or _bits(held) != k:
            return i
        if key & FLUSH:
            out[i] = flush[_flush_ranks(key, held)]
        else:
            out[i] = plain[offset[key & HALF] + number[(key >> HALF_BITS) & HALF]]
    return -1


@kernel
def rank_boards(boards, ranks, suits, keys, places, offset, number, plain, flush, spare, out):
    """`out[B, pair]` for `boards[B, 3 to 5]`: strength of every two cards with each board, 0 where they collide.

    Only ranks matter outside flushes, so one lookup serves all suits of two ranks. Returns the first bad row, or -1. Scratch space
    `spare`, all zeros: strengths [rank of the second card, first card], whose last row stays 0; the row of a second card [64]; all bits
    for a first card that is free [64]; strengths [pairs + 64], since each copy in whole vectors overwrites the excess of the one before.
    """
    size = ranks * suits
    rows, row_of, keep, flat = spare
    for card in range(size):
        row_of[card] = card // suits
        keep[card] = 0xFFFF
    for b in range(boards.shape[0]):
        key = SUIT_COUNTS
        held = ZERO
        for j in range(boards.shape[1]):
            key += keys[boards[b, j]]
            held += places[boards[b, j]]
        if key >= FOREIGN or _bits(held) != boards.shape[1]:
            return b
        for j in range(boards.shape[1]):
            row_of[boards[b, j]] = ranks
            keep[boards[b, j]] = 0
        _rank_rows(key, ranks, suits, keys, offset, number, plain, rows)
        pair = 0
        for second in range(size):
            row = row_of[second]
            for first in range((second + 31) // 32 * 32):
                flat[pair + first] = rows[row, first] & keep[first]
            pair += second
        for suit in range(suits):
            count = np.int64((key >> np.uint64(SUIT_BIT + 4 * suit)) & np.uint64(15)) - 3
            if count >= 3:
                _add_flushes(count, suit, held, size, suits, places, flush, flat)
        for p in range(out.shape[1]):
            out[b, p] = flat[p]
        for j in range(boards.shape[1]):
            row_of[boards[b, j]] = boards[b, j] // suits
            keep[boards[b, j]] = 0xFFFF
    return -1


@kernel
def _rank_rows(key, ranks, suits, keys, offset, number, plain, rows):
    """Strengths without flushes of all pairs of ranks; impossible ones (five of a kind) read padding or nonsense."""
    for high in range(ranks):
        with_high = key + keys[high * suits]
        for low in range(high + 1):
            both = with_high + keys[low * suits]
            strength = plain[offset[both & HALF] + number[(both >> HALF_BITS) & HALF]]
            first = low * suits
            rows[high, first] = strength
            if suits > 1:
                rows[high, first + 1] = strength
            if suits > 2:
                rows[high, first + 2] = strength
            if suits > 3:
                rows[high, first + 3] = strength


@kernel
def _add_flushes(count, suit, held, size, suits, places, flush, out):
    """Overwrite the pairs that make five or more cards of `suit`, of which `count` lie on the board."""
    shift = np.uint64(16 * suit)
    second = suit if count == 3 else 0
    while second < size:  # not `range`: a step that the compiler does not know costs a division
        suited = (places[second] >> shift) & SUIT_RANKS != ZERO
        needs_first = count + suited == 4
        first = suit if needs_first else 0
        pair = second * (second - 1) // 2
        while first < second:
            two = places[second] | places[first]
            out[pair + first] = flush[((held | two) >> shift) & SUIT_RANKS] if held & two == ZERO else 0
            first += suits if needs_first else 1
        second += suits if count == 3 else 1
