"""Whether one own action is at least as good as another, whatever the opponent does."""

from equilibrist.compute.kernel import kernel


@kernel
def least_difference(better, worse, start, column, value, first_sequence, actions, parent, owner, gone, work, touched):
    """The least that the sequences `better` together earn above `worse`, over all plans of the opponent.

    Rows of the own payoff matrix are start, column, value. The opponent's infosets and sequences count from 0; `owner` is the
    infoset of each sequence, `gone` marks sequences that it never plays. `work` [sequences] and `touched` [infosets] are room and
    hold zeros before and after.
    """
    last = -1
    for n in range(better.shape[0] + 1):
        row = worse if n == better.shape[0] else better[n]
        sign = -1.0 if n == better.shape[0] else 1.0
        for k in range(start[row], start[row + 1]):
            work[column[k]] += sign * value[k]
            i = owner[column[k]]
            if i >= 0:
                touched[i] = 1
                last = max(last, i)
    for i in range(last, -1, -1):
        if touched[i] == 0:
            continue
        touched[i] = 0
        least = 0.0
        found = False
        for s in range(first_sequence[i], first_sequence[i] + actions[i]):
            if not gone[s] and (not found or work[s] < least):
                least = work[s]
                found = True
            work[s] = 0.0
        work[parent[i]] += least
        if owner[parent[i]] >= 0:
            touched[owner[parent[i]]] = 1
    least = work[0]
    work[0] = 0.0
    return least
