"""When proofs run out: intervals are settled, best responses checked, memory freed and filled again ([Brown20, §3.3.3 and §3.5])."""

import math

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.pruned_cfr._kernels.pruned_learning import (
    FREE,
    add_regret,
    catch_up,
    refresh,
    worth_skipping,
)
from equilibrist.solvers.pruned_cfr._kernels.pruned_walk import (
    ACTIONS,
    ANSWER,
    BASE,
    BEHIND,
    BELOW,
    DUE,
    FIRST,
    INFOSET,
    LIVE,
    LIVE_PLANS,
    MASS,
    NOWHERE,
    NOWHERE_PLANS,
    ON_LIST,
    PARENT,
    REACHES,
    SEEN,
    TOP,
    TOP_PLANS,
    TOUCHED,
    VALUES,
    WISH,
    collect,
    push,
)


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
    """The interval is over: what was skipped is decided now, by a best response to all of it ([Brown20, §3.3.3])."""
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
        settle(layout, tables, rules, np.int64(tables.lists[DUE, d]), step, log_positive, log_negative)
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
    """Drop the average of a pruned action that is hardly ever played, and everything below it ([Brown20, §3.5.2])."""
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
