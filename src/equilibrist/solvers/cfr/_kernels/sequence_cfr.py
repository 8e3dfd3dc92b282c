"""CFR on the sequence form: one sparse product and one pass over the infosets per player and iteration.

`treeplex` and `payoff` are `Treeplex` and `PayoffRows` of `forms._kernels.treeplex`: I infosets, S sequences of both players.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.regret import mixed_value, update_infoset


class Models(NamedTuple):
    """Opponent models that players are bound to follow."""

    hand_weight: Any  # [2] float64 probability that a player follows its model for the whole hand
    model_plan: Any  # [S] float64 the plan it then follows
    bound: Any  # [I] float64 share of the behaviour at an infoset that is the model's
    model: Any  # [S] float64 what the model does there


class Plans(NamedTuple):
    """Plans of the present strategies; `q` is written anew in every pass."""

    plan: Any  # [S] float64 own
    seen: Any  # [S] float64 what the opponent meets, models included
    q: Any  # [S] float64 action values


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
def run_cfr(first_t, discounts, codes, simultaneous, learns, treeplex, payoff, spread, models, tables, plans):
    """Iterations first_t, first_t + 1, … as many as the discounts are long; `learns` [2], `spread` [I]."""
    positive, negative, keep = discounts
    offset, first_infoset, first_sequence, actions, parent = treeplex
    start, column, value = payoff
    hand_weight, model_plan, bound, model = models
    strategy, regret, memory, average = tables
    plan, seen, q = plans
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
                    codes, t, positive[step], negative[step], spread[i], q, v, first, n, strategy, regret, memory
                )
            follow(
                first_infoset[p], first_infoset[p + 1], first_sequence, actions, parent, strategy, bound, model, plan
            )
            if not simultaneous:
                mix(offset[p], offset[p + 1], hand_weight[p], model_plan, plan, seen)
        if simultaneous:
            for p in range(2):
                mix(offset[p], offset[p + 1], hand_weight[p], model_plan, plan, seen)


@kernel
def best_value(p, treeplex, payoff, seen, bound, model, q):
    """Value of the best response of p to what it meets; at a bound infoset only the free share maximises."""
    offset, first_infoset, first_sequence, actions, parent = treeplex
    start, column, value = payoff
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
def plan_value(p, treeplex, payoff, plan, seen, q):
    """Payoff of p's plan against what it meets."""
    begin, end = treeplex.offset[p], treeplex.offset[p + 1]
    gradient(begin, end, payoff.start, payoff.column, payoff.value, seen, q)
    total = 0.0
    for s in range(begin, end):
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
