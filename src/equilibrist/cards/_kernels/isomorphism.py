"""Ranking and unranking of hands up to suits ([Ganzfried15, §6.1.2]; suit configurations, colex within suits).

Words used here: the *configuration* of a suit says how many of its cards came on each street (mixed radix, first street most
significant), its *value* which ranks they were; a hand's *shape* is the four configurations in falling order.
"""

import numpy as np

from equilibrist.compute.kernel import kernel

VALUE_BITS = 40  # a suit's key is configuration << VALUE_BITS | value
VALUE_MASK = (1 << VALUE_BITS) - 1
LANE = 16
LANE_MASK = (1 << LANE) - 1


@kernel
def multichoose(x, i):
    """C(x + i - 1, i): how many multisets of `i` lie below one whose largest element is `x`; `i` is 1 to 4."""
    if i == 1:
        return x
    total = x * (x + 1) // 2
    if i >= 3:
        total = total * (x + 2) // 3
    if i == 4:
        total = total * (x + 3) // 4
    return total


@kernel
def index_hands(cards, dealt, strides, suits, choose, ones, values, pair, shape, offset, weight, place, out):
    """Index of every row of `cards` [N, cards]; returns the first row with a repeated or foreign card, or -1.

    Four suits share one integer, 16 bits each: their ranks so far (`seen`), on this street (`now`), and configurations.
    """
    size = suits * (choose.shape[0] - 1)
    value = np.zeros(4, np.int64)
    shift_of = np.empty(size, np.int64)
    bit_of = np.empty(size, np.int64)
    for card in range(size):
        shift_of[card] = LANE * (card % suits)
        bit_of[card] = 1 << (card // suits)
    for n in range(cards.shape[0]):
        seen = np.int64(0)
        configuration = np.int64(0)
        value[:] = 0
        start = 0
        for r in range(dealt.shape[0]):
            stop = start + dealt[r]
            now = np.int64(0)
            counts = np.int64(0)
            for column in range(start, stop):
                card = np.int64(cards[n, column])
                if card < 0 or card >= size:
                    return n
                bit = bit_of[card] << shift_of[card]
                if (seen | now) & bit:
                    return n
                now |= bit
                counts += np.int64(1) << shift_of[card]
            for column in range(start, stop):
                card = np.int64(cards[n, column])
                shift = shift_of[card]
                below = bit_of[card] - 1
                free = ones[~seen >> shift & below]  # rank of the card among those its suit still had
                value[shift // LANE] += (
                    values[configuration >> shift & LANE_MASK] * choose[free, ones[now >> shift & below] + 1]
                )
            seen |= now
            configuration += counts * strides[r]
            start = stop
        a = (configuration & LANE_MASK) << VALUE_BITS | value[0]
        b = (configuration >> LANE & LANE_MASK) << VALUE_BITS | value[1]
        c = (configuration >> 2 * LANE & LANE_MASK) << VALUE_BITS | value[2]
        d = (configuration >> 3 * LANE & LANE_MASK) << VALUE_BITS | value[3]
        a, b = max(a, b), min(a, b)  # five exchanges sort four keys
        c, d = max(c, d), min(c, d)
        a, c = max(a, c), min(a, c)
        b, d = max(b, d), min(b, d)
        b, c = max(b, c), min(b, c)
        h = shape[pair[a >> VALUE_BITS, b >> VALUE_BITS], c >> VALUE_BITS]
        total = offset[h] + weight[h, 0] * multichoose(a & VALUE_MASK, place[h, 0])
        total += weight[h, 1] * multichoose(b & VALUE_MASK, place[h, 1])
        total += weight[h, 2] * multichoose(c & VALUE_MASK, place[h, 2])
        out[n] = total + weight[h, 3] * (d & VALUE_MASK)
    return -1


@kernel
def find_shape(index, offset):
    """The shape whose block of indices holds `index`."""
    low = 0
    high = offset.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if offset[middle] <= index:
            low = middle
        else:
            high = middle
    return low


@kernel
def largest_below(total, i, bound):
    """The largest x < bound with multichoose(x, i) <= total."""
    low = 0
    high = bound
    while high - low > 1:
        middle = (low + high) // 2
        if multichoose(middle, i) <= total:
            low = middle
        else:
            high = middle
    return low


@kernel
def suit_values(rest, configuration, values, place, value):
    """Split the index within a shape into the values of its four suits; suits of one configuration fall weakly."""
    total = rest
    for s in range(4):
        if s == 0 or place[s - 1] == 1:  # first suit of a configuration
            count = multichoose(values[configuration[s]], place[s])
            total = rest % count
            rest //= count
        if place[s] == 1:
            value[s] = total
        else:
            value[s] = largest_below(total, place[s], values[configuration[s]])
            total -= multichoose(value[s], place[s])


@kernel
def insert_card(card, start, stop, row):
    """Put a card into the rising `row[start:stop]`, which grows by one."""
    while stop > start and row[stop - 1] > card:
        row[stop] = row[stop - 1]
        stop -= 1
    row[stop] = card


@kernel
def deal_suit(configuration, value, suit, suits, start, strides, choose, filled, row):
    """Write the cards of one suit into the columns of their streets and advance `filled` [streets]."""
    ranks = choose.shape[0] - 1
    seen = 0
    free = ranks
    for r in range(strides.shape[0]):
        wanted = configuration // strides[r]
        if wanted == 0:
            continue
        configuration -= wanted * strides[r]
        ways = choose[free, wanted]
        rest = value % ways
        value //= ways
        below = free  # how many ranks not seen before lie under the one looked at
        free -= wanted
        for rank in range(ranks - 1, -1, -1):
            if seen >> rank & 1:
                continue
            below -= 1
            if choose[below, wanted] <= rest:
                rest -= choose[below, wanted]
                seen |= 1 << rank  # ranks under it are looked at next, so this street is not disturbed
                insert_card(suits * rank + suit, start[r], filled[r], row)
                filled[r] += 1
                wanted -= 1
                if wanted == 0:
                    break


@kernel
def unindex_hands(indices, dealt, strides, suits, choose, values, configurations, offset, place, out):
    """A hand for every index, suits in falling order of configuration and value; `out` [N, cards] rises within streets."""
    value = np.zeros(4, np.int64)
    start = np.zeros(dealt.shape[0], np.int64)
    filled = np.zeros(dealt.shape[0], np.int64)
    for r in range(1, dealt.shape[0]):
        start[r] = start[r - 1] + dealt[r - 1]
    for n in range(indices.shape[0]):
        h = find_shape(indices[n], offset)
        suit_values(indices[n] - offset[h], configurations[h], values, place[h], value)
        filled[:] = start
        for s in range(suits):
            deal_suit(configurations[h, s], value[s], s, suits, start, strides, choose, filled, out[n])


@kernel
def count_deals(indices, suits, values, configurations, offset, place, out):
    """How many hands share each index: suits! divided by the orders of suits that hold the same cards."""
    value = np.zeros(4, np.int64)
    for n in range(indices.shape[0]):
        h = find_shape(indices[n], offset)
        suit_values(indices[n] - offset[h], configurations[h], values, place[h], value)
        deals = 1
        alike = 1
        for s in range(suits):
            alike = alike + 1 if s > 0 and place[h, s - 1] > 1 and value[s] == value[s - 1] else 1
            deals = deals * (s + 1) // alike
        out[n] = deals
