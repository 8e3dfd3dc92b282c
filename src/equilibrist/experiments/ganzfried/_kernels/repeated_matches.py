"""Whole matches of a small game under one rule: model, safe plan, hand, gift, again."""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.exploit.repeated_play._kernels.observed import forced_value
from equilibrist.exploit.responses._kernels.tableau import best_safe_point
from equilibrist.solvers.mccfr._kernels.sampling import uniform

RWYW, RWYWE, SPS, EQUILIBRIUM, BEFEWP, BEFFE, RESPONSE = 0, 1, 2, 3, 4, 5, 6
STATIC, NEMESIS = 0, 1
FRESH = 64  # hands after which the tableau is set up again


class Terms(NamedTuple):
    """What a match is about."""

    rule: int
    hands: int
    kind: int  # of opponent: STATIC, or NEMESIS after `calm` hands
    calm: int
    player: int  # our seat
    value: float  # of the game to us
    slack: float  # given up of a guarantee for the sake of rounding
    beta: float  # of SPS


class Deals(NamedTuple):
    """N histories of the game, as they are dealt and played."""

    player: Any  # [N] int8 who acts, -1 for chance
    first_child: Any  # [N] int32
    children: Any  # [N] int32
    chance: Any  # [N] float64 probability of the step into n
    terminal: Any  # [N] int32 number of the end, -1 elsewhere
    row: Any  # [N] int32 where a player acts: first of its sequences here, counted from its empty one
    number: Any  # [N] int32 where a player acts: its infoset, counted from its first
    returns: Any  # [Z, 2] float64


class Entries(NamedTuple):
    """Pairs of sequences that end the game, counted from each player's empty one."""

    rows: Any  # [E] int32 ours
    columns: Any  # [E] int32 the opponent's
    payoffs: Any  # [E] float64 chance times our payoff


@kernel
def best_pure(first, last, base, first_sequence, actions, parent, q, plan):
    """The pure plan that earns most of q [own sequences], which is used up."""
    plan[:] = 0.0
    for i in range(last - 1, first - 1, -1):
        begin = first_sequence[i] - base
        best = begin
        for s in range(begin + 1, begin + actions[i]):
            if q[s] > q[best]:
                best = s
        plan[best] = 1.0
        q[parent[i] - base] += q[best]
    plan[0] = 1.0
    for i in range(first, last):
        reach = plan[parent[i] - base]
        begin = first_sequence[i] - base
        for s in range(begin, begin + actions[i]):
            plan[s] *= reach


@kernel
def follow_counts(first, last, base, first_sequence, actions, parent, prior, counts, plan):
    """Plan of a Dirichlet posterior; `prior` is already weighted."""
    plan[0] = 1.0
    for i in range(first, last):
        begin = first_sequence[i] - base
        total = 0.0
        for s in range(begin, begin + actions[i]):
            total += prior[s] + counts[s]
        for s in range(begin, begin + actions[i]):
            plan[s] = plan[parent[i] - base] * (prior[s] + counts[s]) / total


@kernel
def play_hand(us, player, first_child, children, chance, terminal, row, number, mine, theirs, luck, forced):
    """One hand drawn with the numbers luck[depth]; marks the opponent's actions in `forced`; the terminal reached."""
    node, depth = 0, 0
    while terminal[node] < 0:
        u = luck[depth]
        depth += 1
        child, n = first_child[node], children[node]
        pick = n - 1
        if player[node] < 0:
            for a in range(n):
                u -= chance[child + a]
                if u < 0.0:
                    pick = a
                    break
        else:
            own = player[node] == us
            begin = row[node]
            total = 0.0
            for a in range(n):
                total += mine[begin + a] if own else theirs[begin + a]
            for a in range(n):
                share = mine[begin + a] if own else theirs[begin + a]
                u -= share / total if total > 0.0 else 1.0 / n
                if u < 0.0:
                    pick = a
                    break
            if not own:
                forced[number[node]] = pick
        node = child + pick
    return terminal[node]


@kernel
def play_match(
    terms, treeplex, entries, deals, tableau, bonus, prior, behaviour, random, earned, given
):  # bonus [own sequences]; prior, behaviour [opponent's sequences]; earned, given [hands]
    """One match; earned[t] is the expected payoff of hand t, given[t] the k before it. False if the numbers failed."""
    rule, hands, kind, calm, player, value, slack, beta = terms
    offset, first_infoset, first_sequence, actions, parent = treeplex
    rows, columns, payoffs = entries
    tree_player, first_child, children, chance, terminal, row, number, returns = deals
    start, start_basic, start_nonbasic, first_free, last_free, floor, floor_held = tableau
    other = 1 - player
    own, base = offset[player], offset[other]
    n, m = offset[player + 1] - own, offset[other + 1] - base
    table, basic, nonbasic = start.copy(), start_basic.copy(), start_nonbasic.copy()
    held, answers = np.array([floor_held]), 0
    cost = np.zeros(basic.shape[0] + nonbasic.shape[0])
    counts, model, theirs = np.zeros(m), np.zeros(m), np.zeros(m)
    goal, scratch, q = np.zeros(n), np.zeros(n), np.zeros(m)
    mine, greedy = np.zeros(n), np.zeros(n)
    last = first_infoset[other + 1]
    forced = np.full(last - first_infoset[other], -1)
    luck = np.empty(16)
    k = beta if rule == SPS else 0.0
    for t in range(hands):
        given[t] = k
        follow_counts(first_infoset[other], last, base, first_sequence, actions, parent, prior, counts, model)
        goal[:] = bonus
        for e in range(rows.shape[0]):
            goal[rows[e]] += payoffs[e] * model[columns[e]]
        budget = max(k, 0.0)
        greedily = rule == RESPONSE
        if rule == BEFEWP or rule == BEFFE or rule == RESPONSE:
            scratch[:] = goal
            best_pure(
                first_infoset[player], first_infoset[player + 1], own, first_sequence, actions, parent, scratch, greedy
            )
            q[:] = 0.0
            for e in range(rows.shape[0]):
                q[columns[e]] += payoffs[e] * greedy[rows[e]]
            forced[:] = -1
            risk = value - forced_value(first_infoset[other], last, base, first_sequence, actions, parent, forced, q)
            times = hands - t if rule == BEFFE else 1
            greedily = greedily or times * risk <= budget + 1e-9
        if greedily:
            mine[:] = greedy
        else:
            if answers >= FRESH:
                table[:], basic[:], nonbasic[:] = start, start_basic, start_nonbasic
                held[0], answers = floor_held, 0
                cost[:] = 0.0
            answers += 1
            cost[:n] = goal
            target = value - slack
            if rule == RWYW or rule == RWYWE or rule == SPS:
                target -= budget
            done = best_safe_point(table, basic, nonbasic, first_free, last_free, floor, held, target, cost, mine)
            if done < 0:
                return False
        q[:] = 0.0
        for e in range(rows.shape[0]):
            q[columns[e]] += payoffs[e] * mine[rows[e]]
        if kind == NEMESIS and t >= calm:
            for s in range(m):
                model[s] = -q[s]
            best_pure(first_infoset[other], last, base, first_sequence, actions, parent, model, theirs)
        else:
            theirs[0] = 1.0
            for i in range(first_infoset[other], last):
                begin = first_sequence[i] - base
                for s in range(begin, begin + actions[i]):
                    theirs[s] = theirs[parent[i] - base] * behaviour[s]
        earned[t] = 0.0
        for s in range(m):
            earned[t] += q[s] * theirs[s]
        for d in range(luck.shape[0]):  # always as many, so that equal seeds give equal deals
            luck[d] = uniform(random)
        forced[:] = -1
        end = play_hand(
            player, tree_player, first_child, children, chance, terminal, row, number, mine, theirs, luck, forced
        )
        for i in range(forced.shape[0]):
            if forced[i] >= 0:
                counts[first_sequence[first_infoset[other] + i] - base + forced[i]] += 1.0
        if rule == RWYW:
            k += returns[end, player] - value
        else:
            k += forced_value(first_infoset[other], last, base, first_sequence, actions, parent, forced, q) - value
        if rule == SPS:
            k += beta / (t + 2)
    return True
