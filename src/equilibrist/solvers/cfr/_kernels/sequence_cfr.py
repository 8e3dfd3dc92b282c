"""CFR on the sequence form: one sparse product and one pass over the infosets per player and iteration.

Sequences of both players are numbered together; player p owns offset[p] .. offset[p+1]-1, its empty sequence first.
"""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.regret import mixed_value, update_infoset


@kernel
def gradient(begin, end, start, column, value, plan, q):
    """q[s] = sum over the row of s of value * plan, for sequences begin .. end-1."""
    for s in range(begin, end):
        total = 0.0
        for k in range(start[s], start[s + 1]):
            total += value[k] * plan[column[k]]
        q[s] = total


@kernel
def follow(first, last, first_sequence, actions, parent, strategy, bound, model, plan):
    """Realisation plan of the infosets first .. last-1; `bound[i]` of the behaviour is the model's."""
    for i in range(first, last):
        reach = plan[parent[i]]
        first = first_sequence[i]
        if actions[i] == 1:
            plan[first] = reach
        elif bound[i] > 0.0:
            for s in range(first, first + actions[i]):
                plan[s] = reach * (strategy[s] * (1.0 - bound[i]) + model[s] * bound[i])
        elif actions[i] == 2:
            plan[first] = reach * strategy[first]
            plan[first + 1] = reach * strategy[first + 1]
        else:
            for s in range(first, first + actions[i]):
                plan[s] = reach * strategy[s]


@kernel
def mix(begin, end, weight, model_plan, plan, seen):
    """What the opponent meets: with probability `weight` the model for the whole hand."""
    for s in range(begin, end):
        seen[s] = (1.0 - weight) * plan[s] + weight * model_plan[s]


@kernel
def run_cfr(
    first_t, positive, negative, keep, kind, nonpositive, rule, horizon, simultaneous, learns,
    offset, first_infoset, first_sequence, actions, parent, spread, start, column, value,
    hand_weight, model_plan, bound, model,
    strategy, plan, seen, regret, memory, average, q,
):  # fmt: skip
    """Iterations first_t, first_t + 1, … as many as the schedule arrays are long."""
    for step in range(positive.shape[0]):
        t = first_t + step
        if simultaneous:
            for p in range(2):
                gradient(offset[p], offset[p + 1], start, column, value, seen, q)
        for p in range(2):
            if not learns[p]:
                continue
            if not simultaneous:
                gradient(offset[p], offset[p + 1], start, column, value, seen, q)
            retain = keep[step]
            for s in range(offset[p], offset[p + 1]):
                average[s] = average[s] * retain + plan[s]
            for i in range(first_infoset[p + 1] - 1, first_infoset[p] - 1, -1):
                first = first_sequence[i]
                n = actions[i]
                if n == 1:  # nothing to choose, nothing to learn
                    q[parent[i]] += q[first]
                    continue
                v = mixed_value(q, first, n, strategy)
                q[parent[i]] += v
                if bound[i] > 0.0:  # the model's share of the behaviour earns its own value
                    q[parent[i]] += bound[i] * (mixed_value(q, first, n, model) - v)
                update_infoset(
                    kind, nonpositive, rule, horizon, t, positive[step], negative[step], spread[i], q, v, first, n,
                    strategy, regret, memory,
                )  # fmt: skip
            follow(
                first_infoset[p], first_infoset[p + 1], first_sequence, actions, parent, strategy, bound, model, plan
            )
            if not simultaneous:
                mix(offset[p], offset[p + 1], hand_weight[p], model_plan, plan, seen)
        if simultaneous:
            for p in range(2):
                mix(offset[p], offset[p + 1], hand_weight[p], model_plan, plan, seen)


@kernel
def best_value(p, offset, first_infoset, first_sequence, actions, parent, start, column, value, seen, bound, model, q):
    """Value of the best response of p to what it meets; at a bound infoset only the free share maximises."""
    gradient(offset[p], offset[p + 1], start, column, value, seen, q)
    for i in range(first_infoset[p + 1] - 1, first_infoset[p] - 1, -1):
        first = first_sequence[i]
        best = q[first]
        forced = 0.0
        for s in range(first, first + actions[i]):
            best = max(best, q[s])
            forced += model[s] * q[s]
        q[parent[i]] += (1.0 - bound[i]) * best + bound[i] * forced
    return q[offset[p]]


@kernel
def plan_value(p, offset, start, column, value, plan, seen, q):
    """Payoff of p's plan against what it meets."""
    gradient(offset[p], offset[p + 1], start, column, value, seen, q)
    total = 0.0
    for s in range(offset[p], offset[p + 1]):
        total += plan[s] * q[s]
    return total


@kernel
def average_strategy(first, last, first_sequence, actions, average, strategy):
    """Normalise cumulative plans at each infoset; uniform where nothing was ever played."""
    for i in range(first, last):
        total = 0.0
        for s in range(first_sequence[i], first_sequence[i] + actions[i]):
            total += average[s]
        for s in range(first_sequence[i], first_sequence[i] + actions[i]):
            strategy[s] = average[s] / total if total > 0.0 else 1.0 / actions[i]
