"""Pairs of buckets on sampled boards."""

from equilibrist.compute.kernel import kernel


@kernel
def count_wins(begin, end, weight, pair, low, high, strength, bucket, wins, ties):
    """Adds, over boards begin .. end-1 and pairs of hands that share no card, to wins[bucket of the winner, of the loser] or to ties.

    weight int64 [B]; pair int16 [B, H] hands of each board; low, high int64 [P] their cards; strength uint16 [B, P];
    bucket int16 [B, H]. Each unordered pair counts once; ties go to the bucket of either hand first.
    """
    hands = pair.shape[1]
    for n in range(begin, end):
        times, power = weight[n], strength[n]
        for a in range(1, hands):
            p, mine = pair[n, a], bucket[n, a]
            one, other, own = low[p], high[p], power[pair[n, a]]
            for b in range(a):
                q = pair[n, b]
                if low[q] == one or low[q] == other or high[q] == one or high[q] == other:
                    continue
                theirs, met = bucket[n, b], power[q]
                if own > met:
                    wins[mine, theirs] += times
                elif own < met:
                    wins[theirs, mine] += times
                else:
                    ties[mine, theirs] += times
