"""What walks teach: values, regrets, strategies and, for own actions that are pruned, bounds that prove them unplayed.

Sums that prove things (CV, CP, C, `total`, `bound`) weigh iteration t as a regret that stays negative does: by
w_t = 1 / (n_1 ... n_{t-1}), n the factor on negative regrets, whose product so far is `scale` ([Brown20, §3.3.2]).
"""

import math
from typing import NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.hedge import hedge_rate
from equilibrist.solvers.cfr._kernels.regret import HEDGE, SIGNED, MinimiserCodes, update_infoset
from equilibrist.solvers.pruned_cfr._kernels.pruned_walk import (
    ACTIONS,
    DUE,
    FIRST,
    IDLE,
    INFOSET,
    MASS,
    ON_LIST,
    PARENT,
    REACHES,
    SLACK,
    TOUCHED,
    VALUES,
    WISH,
)
from equilibrist.solvers.pruned_cfr._kernels.thresholds import cut_small, threshold

# what is left out, as pruning.METHODS lists it
NOTHING, PARTIAL, INTERVALS, RESPONSES = 0, 1, 2, 3
# where a best response is assumed below actions that are not played, as pruning.ZERO_REACH lists it
PLAY, SAFE, SCALED, ALWAYS = 0, 1, 2, 3
FREE = math.inf


class Rules(NamedTuple):
    """Settings as numbers."""

    codes: MinimiserCodes
    method: int
    skip: float  # fewest iterations worth skipping
    tight: bool  # bounds from histories
    cut: float  # d = C - 1 of dynamic thresholding; 0 is off
    zero_reach: int
    forget: float  # C: averages below C / sqrt(T) of pruned actions are dropped
    fast: bool  # below C / T instead
    separate: bool  # average and regrets are weighted differently, and both are needed


class Step(NamedTuple):
    """One iteration's weights."""

    t: int
    positive: float
    negative: float
    weight: float  # w_t
    scale: float  # n_1 ... n_t
    weights: float  # w_1 + ... + w_t


class Here(NamedTuple):
    """The infoset under way."""

    k: int  # number
    s: int  # first sequence
    p: int  # its place in the pool
    n: int  # actions
    v: float  # counterfactual value
    spread: float  # L(I)


@kernel(inline=True)
def finish(rules, t, p, n, strategy, bound):
    """Leave pruned actions and small probabilities out of the strategy that the minimiser proposes."""
    if rules.method >= INTERVALS:
        total, free = 0.0, 0
        for s in range(p, p + n):
            if bound[s] < FREE:
                strategy[s] = 0.0
            else:
                free += 1
                total += strategy[s]
        if free < n:
            for s in range(p, p + n):
                if bound[s] == FREE:
                    strategy[s] = strategy[s] / total if total > 0.0 else 1.0 / free
    if rules.cut > 0.0:
        cut_small(strategy, p, n, threshold(rules.codes.kind, rules.cut, n, t + 1))


@kernel(inline=True)
def learn(rules, t, positive, negative, spread, v, p, n, value, strategy, regret, memory, bound):
    """Regrets and the next strategy of one infoset."""
    update_infoset(rules.codes, t, positive, negative, spread, value, v, p, n, strategy, regret, memory)
    finish(rules, t, p, n, strategy, bound)


@kernel
def refresh(layout, tables, rules, k, t):
    """The strategy that follows from the present regrets."""
    n = layout.info[k, ACTIONS]
    p = tables.place[layout.info[k, FIRST]]
    for s in range(p, p + n):
        tables.value[s] = 0.0
    learn(
        rules, t, 1.0, 1.0, layout.spread[k], 0.0, p, n, tables.value, tables.strategy, tables.regret, tables.memory,
        tables.bound,
    )  # fmt: skip


@kernel(inline=True)
def catch_up(k, t, p, n, regret, marks, log_positive, log_negative):
    """Discounts of the iterations in which infoset k was not met: a regret that nobody touches keeps its sign."""
    since = marks[k, TOUCHED]
    marks[k, TOUCHED] = t
    if since >= t:
        return
    positive, negative = log_positive[t] - log_positive[since], log_negative[t] - log_negative[since]
    if positive == 0.0 and negative == 0.0:
        return
    positive, negative = math.exp(positive), math.exp(negative)
    for s in range(p, p + n):
        regret[s] *= positive if regret[s] > 0.0 else negative


@kernel
def add_regret(rules, old, more):
    """Signed RM+ treats a whole interval as one iteration."""
    if rules.codes.kind == SIGNED and more > 0.0 and old <= 0.0:
        return more
    return old + more


@kernel
def mark_idle(layout, tables, rules, player, found):
    """Which of the infosets met lie below an own action that is not played ([Brown20, §3.3.1])."""
    for j in range(found):
        k = tables.visited[player, j]
        s = layout.info[k, PARENT]
        above = layout.sequence[s, INFOSET]
        idle = False
        if above >= 0:
            idle = tables.marks[above, IDLE] == 1
            if not idle and tables.strategy[tables.place[s]] == 0.0:
                limit = 0.0
                if rules.zero_reach == SAFE:
                    limit = -layout.spread[above]
                elif rules.zero_reach == SCALED:
                    limit = -layout.spread[above] * tables.sums[above, MASS]
                idle = tables.regret[tables.place[s]] <= limit
        tables.marks[k, IDLE] = 1 if idle else 0


@kernel
def ceiling(rules, t, spread, p, n, strategy, regret, memory, bound):
    """The highest regret that still proves probability zero."""
    if rules.codes.kind != HEDGE:
        return 0.0
    least = threshold(rules.codes.kind, rules.cut, n, t + 1)
    rate = hedge_rate(rules.codes.rule, n, spread, t, rules.codes.horizon, memory[p])
    top = -math.inf
    for s in range(p, p + n):
        if bound[s] == FREE:
            top = max(top, regret[s])
    total = 0.0
    for s in range(p, p + n):
        if bound[s] == FREE and strategy[s] > 0.0:  # the weight of others would only help
            total += math.exp(rate * (regret[s] - top))
    return top + (math.log(total) + math.log(least / (1.0 - least))) / rate


@kernel
def worth_skipping(sums, most, k, step, distance):
    """Iterations until a regret `distance` below its ceiling could reach it, going by the past (3.20)."""
    growth = sums[k, REACHES] * most - sums[k, VALUES]
    if growth <= 0.0:
        return math.inf
    return distance * step.weights / (step.weight * growth)


@kernel
def note(lists, tally, row, s):
    """Remember a sequence until the update is over."""
    lists[row, tally[ON_LIST + row]] = s
    tally[ON_LIST + row] += 1


@kernel  # single arrays: handing over all tables at every infoset costs more than the work
def consider(rules, step, here, most, strategy, regret, memory, bound, sums, proof, checked, lists, tally):
    """Move the bounds of pruned actions at an infoset and note what is due; note what is worth pruning."""
    k, s, p, n, v, spread = here
    top = ceiling(rules, step.t, spread, p, n, strategy, regret, memory, bound) / step.scale
    good = 0
    for a in range(n):
        if strategy[p + a] > 0.0 and (rules.codes.kind == HEDGE or regret[p + a] > 0.0):
            good += 1
    for a in range(n):
        if bound[p + a] < FREE:
            largest = proof[s + a, SLACK] if rules.tight else sums[k, MASS] * most[s + a]
            bound[p + a] += step.weight * (largest - v)
            if bound[p + a] > top:
                note(lists, tally, DUE, s + a)
        elif good > 0 and strategy[p + a] == 0.0 and regret[p + a] < top * step.scale:
            if rules.method == RESPONSES and step.t - checked[s + a] < max(rules.skip, 0.1 * step.t):
                continue
            distance = top - regret[p + a] / step.scale
            if worth_skipping(sums, most[s + a], k, step, distance) >= rules.skip:
                note(lists, tally, WISH, s + a)


@kernel
def update(layout, tables, rules, player, found, step, log_positive, log_negative):
    """From the deepest infoset met upwards: values, regrets, strategies."""
    value, ends, strategy, regret, memory = tables.value, tables.ends, tables.strategy, tables.regret, tables.memory
    bound, place, sums, marks, proof = tables.bound, tables.place, tables.sums, tables.marks, tables.proof
    info, spread, most, visited = layout.info, layout.spread, layout.most, tables.visited
    stored, checked, lists, tally = tables.stored, tables.checked, tables.lists, tables.tally
    for j in range(found - 1, -1, -1):
        k = visited[player, j]
        s, n = info[k, FIRST], info[k, ACTIONS]
        p = place[s]
        if rules.method == INTERVALS:
            for a in range(n):
                if ends[p + a] != 0.0:
                    value[p + a] += ends[p + a]
                    stored[s + a] += step.weight * ends[p + a]
        v = 0.0
        if rules.zero_reach != PLAY and marks[k, IDLE] == 1:
            v = value[p]
            for a in range(1, n):
                v = max(v, value[p + a])
        else:
            for a in range(n):
                v += strategy[p + a] * value[p + a]
        value[place[info[k, PARENT]]] += v
        if rules.method >= INTERVALS:
            sums[k, VALUES] += step.weight * v
            sums[k, REACHES] += step.weight * sums[k, MASS]
            for a in range(n):
                if bound[p + a] < FREE:
                    value[p + a] = v  # no regret until it is settled
        if n == 1:
            continue
        catch_up(k, step.t - 1, p, n, regret, marks, log_positive, log_negative)
        marks[k, TOUCHED] = step.t
        learn(rules, step.t, step.positive, step.negative, spread[k], v, p, n, value, strategy, regret, memory, bound)
        if rules.method >= INTERVALS:
            here = Here(k, s, p, n, v, spread[k])
            consider(rules, step, here, most, strategy, regret, memory, bound, sums, proof, checked, lists, tally)
