"""Walks over the histories of a two-player game that count what they touch and leave out what cannot matter.

Sequences are numbered so that everything below one of them lies side by side (depth-first in the owner's infosets). Tables that
memory can be taken from are reached through `place` (regrets, strategies, bounds) and `shelf` (cumulative plans): where
a sequence lives now, or the end of the pool, which holds NaN, where it has been freed.

Cumulative plans are pushed down lazily: what has come to the sequence before an infoset since the last time is shared out by
the strategy there, before that strategy changes or the plan is read ([Brown20, §3.3]). Only the owner's walks change
it.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel

CHANCE, TERMINAL = -1, -2
OWNER, FIRST, ACTIONS, PARENT, MEMBERS = 0, 1, 2, 3, 4  # columns of `info`
INFOSET, BELOW, BEHIND = 0, 1, 2  # columns of `sequence`
STAMP, TOUCHED, IDLE = 0, 1, 2  # columns of `marks`
SEEN, COUNTED, MASS, VALUES, REACHES = 0, 1, 2, 3, 4  # columns of `sums`
ANSWER, BASE, SLACK = 0, 1, 2  # columns of `proof`
DUE, WISH = 0, 1  # rows of `lists`
# entries of `tally`: work done; first free entry, living sequences and the place of freed ones in either pool; lengths of `lists`
NODES, WALKS, TOP, LIVE, NOWHERE, TOP_PLANS, LIVE_PLANS, NOWHERE_PLANS, ON_LIST = 0, 1, 2, 3, 4, 5, 6, 7, 8
TALLY = 10


class Layout(NamedTuple):
    """N histories, Z terminals, I infosets, S sequences (an empty one for each player)."""

    nodes: Any  # [N, 4] int32: kind, first child, children, infoset or terminal
    chance: Any  # [N] probability of the step into n
    reach: Any  # [N] product of chance probabilities
    last: Any  # [N, 2] int32 last sequence of each player
    high: Any  # [N] largest payoff below n to the player who acts just before it
    payoff: Any  # [2, Z] one player after the other, since a walk looks at one
    end: Any  # [2, Z] int32 last sequence of each player
    info: Any  # [I + 1, 5] int32: owner, first sequence, actions, own sequence before, first history in `member`
    member: Any  # [H] int32 histories, infoset by infoset
    spread: Any  # [I] L(I)
    sequence: Any  # [S, 3] int32: infoset (-1 for empty ones), first and last + 1 of the infosets below
    most: Any  # [S] U: largest payoff below to the owner
    empty: Any  # [2] int32


class Tables(NamedTuple):
    """What changes; P entries in the pool of regrets, Q in that of plans, the last ones of which nobody may read."""

    place: Any  # [S] int32 into the next six
    strategy: Any  # [P]
    regret: Any  # [P]
    memory: Any  # [P] or [1]: of the minimiser
    value: Any  # [P] counterfactual action values of this iteration
    ends: Any  # [P] the part of them from terminals directly behind; the same array where nobody asks
    bound: Any  # [P] or [1]: above the regret of a pruned action; infinite where nothing is pruned
    shelf: Any  # [S] int32 into the next two
    total: Any  # [Q] cumulative plan, weighted as regrets are
    average: Any  # [Q] cumulative plan, weighted as the average is; the same array where one serves both
    marks: Any  # [I, 3] int64: last walk that came by, iteration up to which regrets are discounted, whether unplayed
    sums: Any  # [I, 5]: plan shared out so far (two weightings), reach of the others in this walk, CV, CP
    stored: Any  # [S] or [1]: C, cumulative terminal values
    proof: Any  # [S, 3] or [1, 3]: value of a best response, CV when pruning began, bound of this iteration's value
    checked: Any  # [S] or [1] int64: iteration of the last failed check
    stack: Any  # [N + I] int32
    weight: Any  # [N]
    visited: Any  # [2, I] int32 infosets met in this walk, parents first
    lists: Any  # [2, S] or [2, 1] int32: pruned sequences whose proof has run out; sequences worth pruning
    tally: Any  # [TALLY] int64


@kernel
def share_out(before, column, k, p, x, n, strategy, plan, sums):
    """Hand on what `plan` has gained at `before` since it was last shared out at infoset k."""
    more = plan[before] - sums[k, column]
    if more != 0.0:
        for a in range(n):
            plan[x + a] += more * strategy[p + a]
        sums[k, column] = plan[before]


@kernel
def push(layout, tables, k, separate):
    """Bring the plans of infoset k up to date; those before it must be."""
    first, n, before = layout.info[k, FIRST], layout.info[k, ACTIONS], tables.shelf[layout.info[k, PARENT]]
    p, x = tables.place[first], tables.shelf[first]
    share_out(before, SEEN, k, p, x, n, tables.strategy, tables.total, tables.sums)
    if separate:
        share_out(before, COUNTED, k, p, x, n, tables.strategy, tables.average, tables.sums)


@kernel
def push_towards(layout, tables, s, number, separate):
    """Bring the plan of sequence s up to date, from the top; returns the infosets passed."""
    depth, far = 0, tables.stack.shape[0] - 1  # the far end of the stack, which no walk is using
    k = layout.sequence[s, INFOSET]
    while k >= 0 and tables.marks[k, STAMP] != number:
        tables.marks[k, STAMP] = number
        tables.stack[far - depth] = k
        depth += 1
        k = layout.sequence[layout.info[k, PARENT], INFOSET]
    for d in range(depth - 1, -1, -1):
        push(layout, tables, tables.stack[far - d], separate)
    return depth


@kernel
def walk(layout, tables, player, skip, pruning, tight, separate):
    """One traversal for `player`: values of terminals go to its last sequences; returns the infosets it met.

    `skip` leaves out what the opponent does not play, `pruning` the own actions that are pruned.
    """
    nodes, chance, end, payoff, info = (
        layout.nodes,
        layout.chance,
        layout.end[player],
        layout.payoff[player],
        layout.info,
    )
    place, strategy, ends, value, bound = tables.place, tables.strategy, tables.ends, tables.value, tables.bound
    shelf, total, average, marks, sums = tables.shelf, tables.total, tables.average, tables.marks, tables.sums
    stack, weight, visited, proof, high = tables.stack, tables.weight, tables.visited, tables.proof, layout.high
    tables.tally[WALKS] += 1
    number = tables.tally[WALKS]
    origin = place[layout.empty[player]]
    value[origin] = ends[origin] = 0.0
    stack[0], weight[0] = 0, 1.0
    top, found, seen = 1, 0, 1
    while top > 0:
        top -= 1
        n, w = stack[top], weight[top]
        kind, child, width, k = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
        if kind == player:
            first = info[k, FIRST]
            p = place[first]
            if marks[k, STAMP] != number:
                marks[k, STAMP] = number
                visited[player, found] = k
                found += 1
                sums[k, MASS] = 0.0
                before = shelf[info[k, PARENT]]
                share_out(before, SEEN, k, p, shelf[first], width, strategy, total, sums)
                if separate:
                    share_out(before, COUNTED, k, p, shelf[first], width, strategy, average, sums)
                for a in range(width):
                    value[p + a] = ends[p + a] = 0.0
                    if tight:
                        proof[first + a, SLACK] = 0.0
            sums[k, MASS] += w
            for a in range(width):
                c = child + a
                if pruning and bound[p + a] < 1e300:
                    if tight:
                        proof[first + a, SLACK] += w * high[c]
                    continue
                seen += 1
                if nodes[c, 0] == TERMINAL:
                    ends[p + a] += w * payoff[nodes[c, 3]]
                else:
                    stack[top], weight[top] = c, w
                    top += 1
        else:
            p = -1 if kind == CHANCE else place[info[k, FIRST]]
            for a in range(width):
                c = child + a
                share = w * chance[c] if kind == CHANCE else w * strategy[p + a]
                if skip and share == 0.0:
                    continue
                seen += 1
                if nodes[c, 0] == TERMINAL:
                    z = nodes[c, 3]
                    ends[place[end[z]]] += share * payoff[z]
                else:
                    stack[top], weight[top] = c, share
                    top += 1
    tables.tally[NODES] += seen
    return found


@kernel
def collect(layout, tables, s, separate):
    """Terminal values below sequence s against the opponent's cumulative plan, into `proof`; reach into `sums`."""
    nodes, info, last, end, payoff = layout.nodes, layout.info, layout.last, layout.end, layout.payoff
    shelf, total, proof, stack, sums = tables.shelf, tables.total, tables.proof, tables.stack, tables.sums
    k = layout.sequence[s, INFOSET]
    own = info[k, OWNER]
    other = 1 - own
    proof[s, ANSWER] = 0.0
    for i in range(layout.sequence[s, BELOW], layout.sequence[s, BEHIND]):
        sums[i, MASS] = 0.0
        for q in range(info[i, FIRST], info[i, FIRST] + info[i, ACTIONS]):
            proof[q, ANSWER] = 0.0
    tables.tally[WALKS] += 1
    number = tables.tally[WALKS]
    seen, nowhere = 0, tables.tally[NOWHERE_PLANS]
    for m in range(info[k, MEMBERS], info[k + 1, MEMBERS]):
        h = layout.member[m]
        if shelf[last[h, other]] == nowhere:
            continue  # dropped, since it is hardly ever played
        seen += push_towards(layout, tables, last[h, other], number, separate)
        if total[shelf[last[h, other]]] <= 0.0:
            continue
        stack[0] = nodes[h, 1] + s - info[k, FIRST]
        top = 1
        while top > 0:
            top -= 1
            n = stack[top]
            seen += 1
            kind, child, width, ref = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
            x = 0
            if kind == TERMINAL:
                proof[end[own, ref], ANSWER] += layout.reach[n] * total[shelf[end[other, ref]]] * payoff[own, ref]
            elif kind == own:
                sums[ref, MASS] += layout.reach[n] * total[shelf[last[n, other]]]
            elif kind == other:
                if tables.marks[ref, STAMP] != number:
                    tables.marks[ref, STAMP] = number
                    push(layout, tables, ref, separate)
                x = shelf[info[ref, FIRST]]
            for a in range(width):
                if kind != other or total[x + a] > 0.0:
                    stack[top] = child + a
                    top += 1
    tables.tally[NODES] += seen


@kernel
def complete(layout, tables, separate):
    """Push every plan down to the leaves; infosets whose strategies are freed have nothing waiting."""
    freed = tables.tally[NOWHERE]
    for k in range(layout.spread.shape[0]):
        if tables.place[layout.info[k, FIRST]] != freed:
            push(layout, tables, k, separate)
