"""Numbering infosets depth-first, so that what lies below an own action is one stretch of numbers."""

from equilibrist.compute.kernel import kernel


@kernel
def depth_first(first_slot, infoset_player, parent_slot, first_child, next_sibling, stack, order):
    """`order[new] = old`: players one after the other, parents first, children of an action side by side.

    `first_child` [slots + players] and `next_sibling` [I] list the infosets below each slot; roots hang on slots + player.
    """
    slots = first_slot[first_slot.shape[0] - 1]
    for s in range(first_child.shape[0]):
        first_child[s] = -1
    for i in range(parent_slot.shape[0] - 1, -1, -1):
        s = parent_slot[i] if parent_slot[i] >= 0 else slots + infoset_player[i]
        next_sibling[i] = first_child[s]
        first_child[s] = i
    count = 0
    for root in range(slots, first_child.shape[0]):
        top = 0
        i = first_child[root]
        if i >= 0:
            stack[0] = i
            top = 1
        while top > 0:
            top -= 1
            i = stack[top]
            order[count] = i
            count += 1
            if next_sibling[i] >= 0:
                stack[top] = next_sibling[i]
                top += 1
            for s in range(first_slot[i + 1] - 1, first_slot[i] - 1, -1):  # the first action's infosets come first
                if first_child[s] >= 0:
                    stack[top] = first_child[s]
                    top += 1


@kernel
def spans(first, actions, parent, below):
    """`below` [S, 2]: infosets under each sequence, from parents numbered before children."""
    for s in range(below.shape[0]):
        below[s, 0] = 0
        below[s, 1] = 0
    for k in range(first.shape[0] - 1, -1, -1):
        end = k + 1
        for s in range(first[k], first[k] + actions[k]):
            end = max(end, below[s, 1])
        s = parent[k]
        below[s, 0] = k
        below[s, 1] = max(below[s, 1], end)


@kernel
def payoffs_below(player, parent, terminal, returns, infoset_sequence, first_child, high, most):
    """Largest payoff below every history to the player who acts before it, and below every sequence to its owner."""
    players = returns.shape[1]
    best = high  # [N, k] on entry, reused
    for n in range(player.shape[0]):
        for p in range(players):
            best[n, p] = returns[terminal[n], p] if terminal[n] >= 0 else -1e300
    for n in range(player.shape[0] - 1, 0, -1):
        for p in range(players):
            best[parent[n], p] = max(best[parent[n], p], best[n, p])
    for s in range(most.shape[0]):
        most[s] = -1e300
    for n in range(1, player.shape[0]):
        above = parent[n]
        if player[above] >= 0:
            s = infoset_sequence[above] + n - first_child[above]
            most[s] = max(most[s], best[n, player[above]])
