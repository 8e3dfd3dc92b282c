"""Plans of both players on their infoset trees; `trees` is a `Treeplex`."""

from equilibrist.compute.kernel import kernel


@kernel
def behave(trees, plan, behaviour):
    """The behaviour of both players' plans; uniform where a plan never comes."""
    offset, first_infoset, first_sequence, actions, _ = trees
    for p in range(2):
        behaviour[offset[p]] = 1.0
    for i in range(first_infoset[2]):
        begin, n = first_sequence[i], actions[i]
        total = 0.0
        for s in range(begin, begin + n):
            total += plan[s]
        for s in range(begin, begin + n):
            behaviour[s] = plan[s] / total if total > 0.0 else 1.0 / n


@kernel
def follow_own(player, trees, behaviour, plan):
    """Top-down: the plan of one player's behaviour."""
    offset, first_infoset, first_sequence, actions, parent = trees
    plan[offset[player]] = 1.0
    for i in range(first_infoset[player], first_infoset[player + 1]):
        reach = plan[parent[i]]
        begin = first_sequence[i]
        for s in range(begin, begin + actions[i]):
            plan[s] = reach * behaviour[s]


@kernel
def best_own(player, trees, q):
    """The value of the best plan for the gradient in q, which is used up."""
    offset, first_infoset, first_sequence, actions, parent = trees
    for i in range(first_infoset[player + 1] - 1, first_infoset[player] - 1, -1):
        begin = first_sequence[i]
        best = q[begin]
        for s in range(begin + 1, begin + actions[i]):
            best = max(best, q[s])
        q[parent[i]] += best
    return q[offset[player]]
