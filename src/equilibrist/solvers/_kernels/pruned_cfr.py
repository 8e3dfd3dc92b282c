"""CFR on walks with pruning: partial, regret-based over intervals, and best-response pruning that frees memory.

Sums that prove things (CV, CP, C, `total`, `bound`) weigh iteration t as a regret that stays negative does: by
w_t = 1 / (n_1 ... n_{t-1}), n the factor on negative regrets, whose product so far is `scale` (brown-cfr 2.11).
"""

import math
from typing import NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers._kernels.pruned_walk import (
    ACTIONS,
    ANSWER,
    BASE,
    BEHIND,
    BELOW,
    DUE,
    FIRST,
    IDLE,
    INFOSET,
    LIVE,
    LIVE_PLANS,
    MASS,
    NODES,
    NOWHERE,
    NOWHERE_PLANS,
    ON_LIST,
    PARENT,
    REACHES,
    SEEN,
    SLACK,
    TOP,
    TOP_PLANS,
    TOUCHED,
    VALUES,
    WISH,
    collect,
    push,
    walk,
)
from equilibrist.solvers._kernels.regret import HEDGE, SIGNED, hedge_rate, update_infoset
from equilibrist.solvers._kernels.thresholds import cut_small, threshold

# what is left out, as pruning.METHODS lists it
NOTHING, PARTIAL, INTERVALS, RESPONSES = 0, 1, 2, 3
# where a best response is assumed below actions that are not played, as pruning.ZERO_REACH lists it
PLAY, SAFE, SCALED, ALWAYS = 0, 1, 2, 3
FREE = math.inf


class Rules(NamedTuple):
    """Settings as numbers."""

    kind: int  # minimiser
    nonpositive: int
    rate: int
    horizon: float
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
        cut_small(strategy, p, n, threshold(rules.kind, rules.cut, n, t + 1))


@kernel(inline=True)
def learn(rules, t, positive, negative, spread, v, p, n, value, strategy, regret, memory, bound):
    """Regrets and the next strategy of one infoset."""
    update_infoset(
        rules.kind, rules.nonpositive, rules.rate, rules.horizon, t, positive, negative, spread, value, v, p, n,
        strategy, regret, memory,
    )  # fmt: skip
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
    if rules.kind == SIGNED and more > 0.0 and old <= 0.0:
        return more
    return old + more


@kernel
def mark_idle(layout, tables, rules, player, found):
    """Which of the infosets met lie below an own action that is not played (brown-cfr 2.10)."""
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
    if rules.kind != HEDGE:
        return 0.0
    least = threshold(rules.kind, rules.cut, n, t + 1)
    rate = hedge_rate(rules.rate, n, spread, t, rules.horizon, memory[p])
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
def consider(
    rules, step, k, s, p, n, v, spread, most, strategy, regret, memory, bound, sums, proof, checked, lists, tally
):
    """Move the bounds of pruned actions at infoset k and note what is due; note what is worth pruning."""
    top = ceiling(rules, step.t, spread, p, n, strategy, regret, memory, bound) / step.scale
    good = 0
    for a in range(n):
        if strategy[p + a] > 0.0 and (rules.kind == HEDGE or regret[p + a] > 0.0):
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
            consider(
                rules, step, k, s, p, n, v, spread[k], most, strategy, regret, memory, bound, sums, proof, checked, lists,
                tally,
            )  # fmt: skip


@kernel
def best_of(layout, tables, k):
    """Value of infoset k to a best responder."""
    first = layout.info[k, FIRST]
    best = tables.proof[first, ANSWER]
    for q in range(first + 1, first + layout.info[k, ACTIONS]):
        best = max(best, tables.proof[q, ANSWER])
    return best


@kernel
def best_upwards(layout, tables, s):
    """From values of terminals to those of a counterfactual best response below sequence s."""
    for k in range(layout.sequence[s, BEHIND] - 1, layout.sequence[s, BELOW] - 1, -1):
        tables.proof[layout.info[k, PARENT], ANSWER] += best_of(layout, tables, k)


@kernel
def since_stored(stored, proof, q):
    """The part of a cumulative terminal value that came in the interval."""
    gained = proof[q, ANSWER] - stored[q]
    stored[q] = proof[q, ANSWER]
    proof[q, ANSWER] = gained


@kernel
def settle(layout, tables, rules, s, step, log_positive, log_negative):
    """The interval is over: what was skipped is decided now, by a best response to all of it (brown-cfr 2.11)."""
    collect(layout, tables, s, rules.separate)
    k = layout.sequence[s, INFOSET]
    below, behind = layout.sequence[s, BELOW], layout.sequence[s, BEHIND]
    for i in range(below, behind):
        push(layout, tables, i, rules.separate)  # before the strategy changes
        for q in range(layout.info[i, FIRST], layout.info[i, FIRST] + layout.info[i, ACTIONS]):
            since_stored(tables.stored, tables.proof, q)
    since_stored(tables.stored, tables.proof, s)
    best_upwards(layout, tables, s)
    for i in range(below, behind):
        first, n = layout.info[i, FIRST], layout.info[i, ACTIONS]
        p = tables.place[first]
        catch_up(i, step.t, p, n, tables.regret, tables.marks, log_positive, log_negative)
        best = best_of(layout, tables, i)
        for a in range(n):
            more = step.scale * (tables.proof[first + a, ANSWER] - best)
            tables.regret[p + a] = add_regret(rules, tables.regret[p + a], more)
            tables.bound[p + a] = FREE
        tables.sums[i, VALUES] += best
        tables.sums[i, REACHES] = tables.sums[i, MASS]
        refresh(layout, tables, rules, i, step.t)
    first, n = layout.info[k, FIRST], layout.info[k, ACTIONS]
    catch_up(k, step.t, tables.place[first], n, tables.regret, tables.marks, log_positive, log_negative)
    p = tables.place[s]
    more = step.scale * (tables.proof[s, ANSWER] - (tables.sums[k, VALUES] - tables.proof[s, BASE]))
    tables.regret[p] = add_regret(rules, tables.regret[p], more)
    tables.bound[p] = FREE
    refresh(layout, tables, rules, k, step.t)


@kernel
def hidden(layout, tables, k):
    """Whether infoset k lies below an action that has been pruned meanwhile."""
    s = layout.info[k, PARENT]
    while layout.sequence[s, INFOSET] >= 0:
        place = tables.place[s]
        if place == tables.tally[NOWHERE] or tables.bound[place] < FREE:
            return True
        s = layout.info[layout.sequence[s, INFOSET], PARENT]
    return False


@kernel
def decide_intervals(layout, tables, rules, step, log_positive, log_negative):
    """Settle what is due, then begin what is worth it, outermost first."""
    for d in range(tables.tally[ON_LIST + DUE]):
        settle(layout, tables, rules, tables.lists[DUE, d], step, log_positive, log_negative)
    for d in range(tables.tally[ON_LIST + WISH] - 1, -1, -1):
        s = tables.lists[WISH, d]
        k = layout.sequence[s, INFOSET]
        if hidden(layout, tables, k):
            continue
        for i in range(layout.sequence[s, BELOW], layout.sequence[s, BEHIND]):
            for q in range(layout.info[i, FIRST], layout.info[i, FIRST] + layout.info[i, ACTIONS]):
                if tables.bound[tables.place[q]] < FREE:
                    settle(layout, tables, rules, q, step, log_positive, log_negative)
        tables.bound[tables.place[s]] = tables.regret[tables.place[s]] / step.scale
        tables.proof[s, BASE] = tables.sums[k, VALUES]
        refresh(layout, tables, rules, k, step.t)


@kernel
def forget(layout, tables, rules, s, step):
    """Drop the average of a pruned action that is hardly ever played, and everything below it (brown-cfr 2.14)."""
    share = rules.forget / (step.t if rules.fast else math.sqrt(step.t))
    if tables.total[tables.shelf[s]] > share * step.weights:
        return
    tables.total[tables.shelf[s]] = 0.0
    nowhere = tables.tally[NOWHERE_PLANS]
    for i in range(layout.sequence[s, BELOW], layout.sequence[s, BEHIND]):
        for q in range(layout.info[i, FIRST], layout.info[i, FIRST] + layout.info[i, ACTIONS]):
            if tables.shelf[q] != nowhere:
                tables.total[tables.shelf[q]] = math.nan
                tables.shelf[q] = nowhere
                tables.tally[LIVE_PLANS] -= 1


@kernel
def free_below(layout, tables, rules, s):
    """Give back everything that can be computed again from the opponent's average alone."""
    nowhere = tables.tally[NOWHERE]
    for i in range(layout.sequence[s, BELOW], layout.sequence[s, BEHIND]):
        if tables.place[layout.info[i, FIRST]] != nowhere:
            push(layout, tables, i, rules.separate)
    for i in range(layout.sequence[s, BELOW], layout.sequence[s, BEHIND]):
        for q in range(layout.info[i, FIRST], layout.info[i, FIRST] + layout.info[i, ACTIONS]):
            p = tables.place[q]
            if p != nowhere:
                tables.regret[p] = tables.strategy[p] = tables.bound[p] = tables.value[p] = math.nan
                tables.place[q] = nowhere
                tables.tally[LIVE] -= 1


@kernel
def bring_back(layout, tables, q, regret):
    """Give a freed sequence a place, and its plan one where that is gone too."""
    p = tables.tally[TOP]
    tables.tally[TOP] += 1
    tables.tally[LIVE] += 1
    tables.place[q] = p
    tables.regret[p] = regret
    tables.bound[p] = FREE
    tables.strategy[p] = 1.0  # what a single action plays
    if tables.shelf[q] == tables.tally[NOWHERE_PLANS]:
        tables.shelf[q] = tables.tally[TOP_PLANS]
        tables.total[tables.shelf[q]] = 0.0
        tables.tally[TOP_PLANS] += 1
        tables.tally[LIVE_PLANS] += 1


@kernel
def rebuild_below(layout, tables, rules, s, step):
    """Regrets below a returning action, from the best response in `proof` (3.30)."""
    for i in range(layout.sequence[s, BELOW], layout.sequence[s, BEHIND]):
        best = best_of(layout, tables, i)
        for q in range(layout.info[i, FIRST], layout.info[i, FIRST] + layout.info[i, ACTIONS]):
            bring_back(layout, tables, q, step.scale * (tables.proof[q, ANSWER] - best))
            tables.checked[q] = step.t
        tables.sums[i, VALUES] = best
        tables.sums[i, REACHES] = tables.sums[i, MASS]
        tables.sums[i, SEEN] = tables.total[tables.shelf[layout.info[i, PARENT]]]
        tables.marks[i, TOUCHED] = step.t
        refresh(layout, tables, rules, i, step.t)


@kernel
def respond(layout, tables, rules, s):
    """Psi of sequence s and of everything below it: best responses to the opponent's cumulative plan."""
    collect(layout, tables, s, rules.separate)
    best_upwards(layout, tables, s)
    return tables.proof[s, ANSWER]


@kernel
def decide_responses(layout, tables, rules, step):
    """Check the proofs that have run out, bring back what they no longer cover, prune what a new check allows."""
    for d in range(tables.tally[ON_LIST + DUE]):
        s = tables.lists[DUE, d]
        k = layout.sequence[s, INFOSET]
        lead = tables.sums[k, VALUES] - respond(layout, tables, rules, s)
        if lead >= 0.0:
            tables.bound[tables.place[s]] = -lead
            forget(layout, tables, rules, s, step)
        else:
            tables.regret[tables.place[s]] = -step.scale * lead
            tables.bound[tables.place[s]] = FREE
            tables.checked[s] = step.t
            rebuild_below(layout, tables, rules, s, step)
            refresh(layout, tables, rules, k, step.t)
    for d in range(tables.tally[ON_LIST + WISH] - 1, -1, -1):
        s = tables.lists[WISH, d]
        k = layout.sequence[s, INFOSET]
        if hidden(layout, tables, k):
            continue
        lead = tables.sums[k, VALUES] - respond(layout, tables, rules, s)
        if lead >= 0.0 and worth_skipping(tables.sums, layout.most[s], k, step, lead) >= rules.skip:
            free_below(layout, tables, rules, s)
            tables.bound[tables.place[s]] = -lead
            forget(layout, tables, rules, s, step)
            refresh(layout, tables, rules, k, step.t)
        else:
            tables.checked[s] = step.t


@kernel
def room_needed(layout, tables):
    """Sequences that may have to come back."""
    need = 0
    for d in range(tables.tally[ON_LIST + DUE]):
        s = tables.lists[DUE, d]
        below, last = layout.sequence[s, BELOW], layout.sequence[s, BEHIND] - 1
        if last >= below:
            need += layout.info[last, FIRST] + layout.info[last, ACTIONS] - layout.info[below, FIRST]
    return need


@kernel
def meet(layout, tables, rules, player, weight, share):
    """The player walks against the strategy that the opponent plays now, which counts once more in its averages."""
    other = tables.shelf[layout.empty[1 - player]]
    tables.total[other] += weight if rules.method >= INTERVALS else share
    if rules.separate:
        tables.average[other] += share


@kernel
def run_pruned_cfr(
    first_t, positive, negative, weight, scale, weights, share, log_positive, log_negative, simultaneous, limit,
    layout, tables, rules, progress,
):  # fmt: skip
    """Iterations first_t, first_t + 1, ...; stops early after `limit` nodes, or where memory has to grow first.

    `progress` int64 [4]: iterations done, stage of the one under way, infosets met by each player. Returns whether more room is
    needed: for the sequences that `room_needed` counts.
    """
    skip, pruning = rules.method >= PARTIAL, rules.method >= INTERVALS
    while progress[0] < positive.shape[0]:
        i = progress[0]
        step = Step(first_t + i, positive[i], negative[i], weight[i], scale[i], weights[i])
        while progress[1] < 4:
            player = progress[1] // 2
            if progress[1] % 2 == 0:
                if not simultaneous or player == 0:
                    last = 1 if simultaneous else player
                    for p in range(player, last + 1):
                        meet(layout, tables, rules, p, weight[i], share[i])
                    for p in range(player, last + 1):
                        progress[2 + p] = walk(layout, tables, p, skip, pruning, rules.tight, rules.separate)
                tables.tally[ON_LIST + DUE] = tables.tally[ON_LIST + WISH] = 0
                if rules.zero_reach != PLAY:
                    mark_idle(layout, tables, rules, player, progress[2 + player])
                update(layout, tables, rules, player, progress[2 + player], step, log_positive, log_negative)
            elif rules.method == INTERVALS:
                decide_intervals(layout, tables, rules, step, log_positive, log_negative)
            elif rules.method == RESPONSES:
                need = room_needed(layout, tables)
                short = tables.tally[TOP] + need > tables.tally[NOWHERE]
                if need > 0 and (short or tables.tally[TOP_PLANS] + need > tables.tally[NOWHERE_PLANS]):
                    return True
                decide_responses(layout, tables, rules, step)
            progress[1] += 1
        progress[0] += 1
        progress[1] = 0
        if tables.tally[NODES] >= limit:
            break
    return False
