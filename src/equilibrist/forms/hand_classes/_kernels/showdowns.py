"""All pairs of hands on one board: who wins how often, by hand and by pairs of classes."""

from equilibrist.compute.kernel import kernel


@kernel(inline=True)
def collide(holes, a, b):
    """Whether two private hands [H, cards] share a card."""
    for i in range(holes.shape[1]):
        for j in range(holes.shape[1]):
            if holes[a, i] == holes[b, j]:
                return True
    return False


@kernel
def count_outcomes(holes, strength, out):  # [N, H, cards], [N, H], [N, H, 3]
    """Wins, ties and losses of every hand against all others that its board leaves."""
    for n in range(strength.shape[0]):
        for a in range(strength.shape[1]):
            for b in range(strength.shape[1]):
                if collide(holes[n], a, b):
                    continue
                mine, theirs = strength[n, a], strength[n, b]
                if mine > theirs:
                    out[n, a, 0] += 1
                elif mine == theirs:
                    out[n, a, 1] += 1
                else:
                    out[n, a, 2] += 1


@kernel
def number_locally(classes, place, members):
    """Members get the classes that occur, `place` their numbers; returns how many there are. `place` starts at -1."""
    count = 0
    for a in range(classes.shape[0]):
        if place[classes[a]] < 0:
            place[classes[a]] = count
            members[count] = classes[a]
            count += 1
    return count


@kernel
def pair_classes(
    holes, strength, weight, first, second, place_first, place_second, mine, theirs, near_deals, near_balance,
    row, column, deals, balance,
):  # fmt: skip
    """Deals and wins minus losses of the first player by pair of classes, board by board; returns the entries written.

    `first` and `second` [N, H] are the classes of both players' hands; each board counts `weight` times. The entries of one board
    are summed up among the classes that occur on it (`mine`, `theirs`, `near_…` are room for that) before they are written.
    """
    boards, hands = strength.shape
    written = 0
    for n in range(boards):
        rows = number_locally(first[n], place_first, mine)
        columns = number_locally(second[n], place_second, theirs)
        near_deals[: rows * columns] = 0
        near_balance[: rows * columns] = 0
        for a in range(hands):
            at = place_first[first[n, a]] * columns
            for b in range(hands):
                if collide(holes[n], a, b):
                    continue
                k = at + place_second[second[n, b]]
                near_deals[k] += weight[n]
                if strength[n, a] > strength[n, b]:
                    near_balance[k] += weight[n]
                elif strength[n, a] < strength[n, b]:
                    near_balance[k] -= weight[n]
        for k in range(rows * columns):
            if near_deals[k] > 0:
                row[written] = mine[k // columns]
                column[written] = theirs[k % columns]
                deals[written] = near_deals[k]
                balance[written] = near_balance[k]
                written += 1
        for i in range(rows):
            place_first[mine[i]] = -1
        for j in range(columns):
            place_second[theirs[j]] = -1
    return written
