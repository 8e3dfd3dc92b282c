"""Best-response plans on the sequence form: for fictitious play and CFR against a best responder."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.regret import mixed_value, update_infoset
from equilibrist.solvers.cfr._kernels.sequence_cfr import gradient


@kernel(merge=True)
def best_plan(
    p, offset, first_infoset, first_sequence, actions, parent, start, column, value, opponent, q, plan
):  # plan [S]: p's part becomes a pure best response to the opponent's part of `opponent`
    """Value of the response; ties go to the first action."""
    gradient(offset[p], offset[p + 1], start, column, value, opponent, q)
    for i in range(first_infoset[p + 1] - 1, first_infoset[p] - 1, -1):
        first = first_sequence[i]
        best = first
        for s in range(first + 1, first + actions[i]):
            if q[s] > q[best]:
                best = s
        for s in range(first, first + actions[i]):
            plan[s] = 1.0 if s == best else 0.0
        q[parent[i]] += q[best]
    for i in range(first_infoset[p], first_infoset[p + 1]):
        reach = plan[parent[i]]
        for s in range(first_sequence[i], first_sequence[i] + actions[i]):
            plan[s] *= reach
    return q[offset[p]]


@kernel
def run_fictitious_play(
    rate, optimism, treeplex, payoff, average, latest, seen, q
):  # rate, optimism [T]; average, latest, seen, q [S]
    """Players answer in turn; iteration t mixes the answer into the average with weight rate[t].

    What is answered gives the opponent's latest answer the extra weight optimism[t].
    """
    offset, first_infoset, first_sequence, actions, parent = treeplex
    start, column, value = payoff
    for step in range(rate.shape[0]):
        for p in range(2):
            o = 1 - p
            extra = optimism[step]
            for s in range(offset[o], offset[o + 1]):
                seen[s] = (1.0 - extra) * average[s] + extra * latest[s]
            best_plan(p, offset, first_infoset, first_sequence, actions, parent, start, column, value, seen, q, latest)
            weight = rate[step]
            for s in range(offset[p], offset[p + 1]):
                average[s] = (1.0 - weight) * average[s] + weight * latest[s]


@kernel
def run_cfr_br(
    first_t, discounts, codes, treeplex, payoff, spread, tables, plan, answer, q
):  # spread [I]; plan, answer, q [S]
    """Each player learns by CFR against an opponent that answers its current plan with a best response."""
    offset, first_infoset, first_sequence, actions, parent = treeplex
    start, column, value = payoff
    positive, negative, keep = discounts
    strategy, regret, memory, average = tables
    for step in range(positive.shape[0]):
        for p in range(2):
            best_plan(
                1 - p, offset, first_infoset, first_sequence, actions, parent, start, column, value, plan, q, answer
            )
            gradient(offset[p], offset[p + 1], start, column, value, answer, q)
            for s in range(offset[p], offset[p + 1]):
                average[s] = average[s] * keep[step] + plan[s]
            for i in range(first_infoset[p + 1] - 1, first_infoset[p] - 1, -1):
                first, n = first_sequence[i], actions[i]
                v = mixed_value(q, first, n, strategy)
                q[parent[i]] += v
                t = first_t + step
                update_infoset(
                    codes, t, positive[step], negative[step], spread[i], q, v, first, n, strategy, regret, memory
                )
            for i in range(first_infoset[p], first_infoset[p + 1]):
                reach = plan[parent[i]]
                for s in range(first_sequence[i], first_sequence[i] + actions[i]):
                    plan[s] = reach * strategy[s]
