"""Substitute values of a warm start on any form: a best response weakened at every infoset, within a bound ([Brown20, §3.2.4])."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.substitute import weakened


@kernel
def substitute_own(p, trees, spread, share, q, gain, order):
    """From the gradient in q upwards; `gain` [S] becomes value of action - value of infoset. Returns the value of the game to p.

    `share` is lambda / T: the potential allowed is share * range of payoffs there squared * actions. `order` [actions] is scratch.
    """
    offset, first_infoset, first_sequence, actions, parent = trees
    for i in range(first_infoset[p + 1] - 1, first_infoset[p] - 1, -1):
        first, n = first_sequence[i], actions[i]
        value = q[first] if n == 1 else weakened(q, first, n, share * spread[i] * spread[i] * n, order)
        for s in range(first, first + n):
            gain[s] = q[s] - value
        q[parent[i]] += value
    return q[offset[p]]
