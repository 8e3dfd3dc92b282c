"""What regret methods do between two gradients: one sweep up over a player's infosets, one down; `trees` is a `Treeplex`."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.regret import mixed_value, update_infoset


@kernel
def learn_own(p, t, positive, negative, codes, trees, spread, bound, model, q, strategy, regret, memory):
    """Regrets and next strategies of player p from its gradient in q, which becomes its action values.

    `codes` is `MinimiserCodes`. `bound[i]` of the behaviour at infoset i is the model's and earns its own value.
    """
    _, first_infoset, first_sequence, actions, parent = trees
    for i in range(first_infoset[p + 1] - 1, first_infoset[p] - 1, -1):
        first, n = first_sequence[i], actions[i]
        if n == 1:  # nothing to choose, nothing to learn
            q[parent[i]] += q[first]
            continue
        v = mixed_value(q, first, n, strategy)
        q[parent[i]] += v
        if bound[i] > 0.0:
            q[parent[i]] += bound[i] * (mixed_value(q, first, n, model) - v)
        update_infoset(codes, t, positive, negative, spread[i], q, v, first, n, strategy, regret, memory)


@kernel
def respond_own(p, trees, bound, model, q, behaviour):
    """A pure best response to the gradient in q where p is free; ties go to the first action. Returns its value."""
    offset, first_infoset, first_sequence, actions, parent = trees
    for i in range(first_infoset[p + 1] - 1, first_infoset[p] - 1, -1):
        first = first_sequence[i]
        best, forced = first, 0.0
        for s in range(first, first + actions[i]):
            if q[s] > q[best]:
                best = s
            forced += model[s] * q[s]
        for s in range(first, first + actions[i]):
            behaviour[s] = (1.0 - bound[i]) * (1.0 if s == best else 0.0) + bound[i] * model[s]
        q[parent[i]] += (1.0 - bound[i]) * q[best] + bound[i] * forced
    return q[offset[p]]


@kernel
def mix_own(p, trees, bound, model, strategy, behaviour):
    """What p does: its strategy, and its model where it is bound."""
    _, first_infoset, first_sequence, actions, _ = trees
    for i in range(first_infoset[p], first_infoset[p + 1]):
        for s in range(first_sequence[i], first_sequence[i] + actions[i]):
            behaviour[s] = (1.0 - bound[i]) * strategy[s] + bound[i] * model[s]
