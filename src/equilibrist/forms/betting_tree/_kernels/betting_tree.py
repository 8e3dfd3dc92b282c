"""The betting tree, grown in flat arrays; the same moves as games/poker/betting.py, for any number of players."""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel

POT, CHIPS, TIMES, ALL_IN_SIZE, EVERY = 0, 1, 2, 3, 4  # kinds of sizes
TERMINAL = -2
DECISION, FOLD, SHOWDOWN, RUNOUT = 0, 1, 2, 3  # kinds of nodes
FOLDED, CALLED, RAISED = 0, 1, 2  # kinds of steps
TOTAL, INCREMENT, REMAINING = 0, 1, 2  # rules of commitment
TINY = 1e-9


class BettingRules(NamedTuple):
    """k players, R rounds."""

    stacks: Any  # [k] float64
    caps: Any  # [R] float64 most bets of a round
    first_actor: Any  # [R] int64
    minimum_bet: float
    at_least_last: bool  # a raise is at least as large as the last one
    half_street: bool  # a check ends the round
    blind_is_bet: bool  # the blinds count as a bet in the choice of a menu
    unit: float  # bets are multiples of it; 0: real numbers


class Menus(NamedTuple):
    """Menus by player, round and bets so far, the last of B entries serving all later raises; V sizes in all."""

    first: Any  # [k, R, B] into the sizes
    last: Any  # [k, R, B] into the sizes, behind the last one
    lift: Any  # [k, R, B] bool: sizes below the minimum are lifted to it
    kinds: Any  # [V] of sizes
    values: Any  # [V] float64
    shares: Any  # [R] float64 of the stack up to which bets other than all-in are made
    commit_rule: Any  # [R] what that share is of


class Grown(NamedTuple):
    """Room for N nodes."""

    player: Any  # [N] int8 who acts, TERMINAL at the end
    kind: Any  # [N] int8 of node
    round: Any  # [N] int8
    parent: Any  # [N] int32
    first_child: Any  # [N] int32
    children: Any  # [N] int32
    step: Any  # [N] int8 kind of the step into n
    amount: Any  # [N] float64 chips put in by it
    paid: Any  # [N, k] float64 chips of each player so far
    folded: Any  # [N] int32 players as bits
    state: Any  # [N, 3] int32: players to act, bets of this round, who has acted in it (as bits)
    last: Any  # [N] float64 last raise


@kernel(inline=True)
def rounded(x):
    """Nine decimals, as the rules keep them."""
    return np.round(x * 1e9) / 1e9


@kernel(inline=True)
def in_units(x, unit):
    """The nearest multiple of a unit, halves upwards."""
    return np.floor(rounded(x / unit) + 0.5) * unit if unit > 0.0 else x


@kernel
def add_size(amount, remaining, minimum, lift, facing, paid, stack, share, commit_rule, amounts, count):
    """Puts one raise amount where it belongs among the first `count`; returns how many there are then."""
    if amount >= remaining - TINY:
        amount = remaining
    elif amount < minimum - TINY:
        if not lift or facing > TINY:
            return count
        amount = min(minimum, remaining)
    if amount <= TINY:
        return count
    if amount < remaining - TINY and share < np.inf:
        chips = facing + amount
        if commit_rule == TOTAL:
            over = paid + chips > share * stack + TINY
        elif commit_rule == INCREMENT:
            over = chips > share * stack + TINY
        else:
            over = chips > share * (stack - paid) + TINY
        if over:
            return count
    amount = rounded(amount)
    at = count
    while at > 0 and amounts[at - 1] > amount:
        at -= 1
    if at > 0 and amounts[at - 1] == amount:
        return count
    for k in range(count, at, -1):
        amounts[k] = amounts[k - 1]
    amounts[at] = amount
    return count + 1


@kernel
def raise_amounts(
    first, last, kinds, values, pot, facing, remaining, minimum, lift, paid, stack, share, commit_rule, unit, amounts
):
    """Raise amounts of one menu (sizes first .. last - 1), sorted and without duplicates; returns how many."""
    count = 0
    limits = (remaining, minimum, lift, facing, paid, stack, share, commit_rule)
    for s in range(first, last):
        kind, value = kinds[s], values[s]
        if kind == POT:
            count = add_size(in_units(value * pot, unit), *limits, amounts, count)
        elif kind == CHIPS:
            count = add_size(in_units(value, unit), *limits, amounts, count)
        elif kind == TIMES:
            if facing > 0.0:
                count = add_size(in_units((value - 1.0) * facing, unit), *limits, amounts, count)
        elif kind == ALL_IN_SIZE:
            if remaining < np.inf:
                count = add_size(remaining, *limits, amounts, count)
        else:
            for k in range(1, int(remaining / value + TINY) + 1):
                count = add_size(in_units(value * k, unit), *limits, amounts, count)
            count = add_size(remaining, *limits, amounts, count)
    return count


@kernel(inline=True)
def is_able(paid, folded, stacks, p):
    """Whether a player still decides."""
    return not (folded >> p) & 1 and stacks[p] - paid[p] > TINY


@kernel
def begin_round(number, paid, folded, stacks, caps, first_actor):
    """Round, player and number of players to act where betting goes on; player TERMINAL when it does not."""
    players = stacks.shape[0]
    highest = 0.0
    for p in range(players):
        highest = max(highest, paid[p])
    while number < caps.shape[0]:
        able, unmatched = 0, 0
        for p in range(players):
            if is_able(paid, folded, stacks, p):
                able += 1
                if highest - paid[p] > TINY:
                    unmatched = 1
        if caps[number] > 0 and able + unmatched >= 2:
            for k in range(players):
                p = (first_actor[number] + k) % players
                if is_able(paid, folded, stacks, p):
                    return number, p, able
        number += 1
    return number, TERMINAL, 0


@kernel
def enter(n, actor, stacks, caps, first_actor, player, kind, round, paid, folded, state, last):
    """Fills in who acts at node n, where the state after `actor` is written already, or how the hand has ended."""
    players, number = stacks.shape[0], round[n]
    player[n] = TERMINAL
    live = 0
    for p in range(players):
        live += 1 - ((folded[n] >> p) & 1)
    if live == 1:
        kind[n] = FOLD
        return
    if state[n, 0] <= 0:
        after, who, able = begin_round(number + 1, paid[n], folded[n], stacks, caps, first_actor)
        if who == TERMINAL:
            kind[n] = SHOWDOWN if number + 1 == caps.shape[0] else RUNOUT
            return
        round[n], player[n], kind[n] = after, who, DECISION
        state[n, 0], state[n, 1], state[n, 2], last[n] = able, 0, 0, 0.0
        return
    who = (actor + 1) % players
    while not is_able(paid[n], folded[n], stacks, who):
        who = (who + 1) % players
    player[n], kind[n] = who, DECISION


@kernel
def grow(rules, menus, tree, waiting_nodes, amounts):
    """Grows everything below node 0, which is written already; returns the number of nodes, or -1 if there was no room.

    `waiting_nodes` [N] and `amounts` [widest menu] are scratch.
    """
    stacks, caps, first_actor, minimum_bet, at_least_last, half_street, blind_is_bet, unit = rules
    menu_first, menu_last, menu_lift, kinds, values, shares, commit_rule = menus
    player, kind, round, parent, first_child, children, step, amount, paid, folded, state, last = tree
    waiting_nodes[0] = 0
    top, count = 1, 1
    room, players, levels = player.shape[0], stacks.shape[0], menu_first.shape[2]
    while top > 0:
        n = waiting_nodes[top - 1]
        me, number = player[n], round[n]
        highest, pot = 0.0, 0.0
        for p in range(players):
            highest = max(highest, paid[n, p])
            pot += paid[n, p]
        answer = False
        for p in range(players):
            if p != me and not (folded[n] >> p) & 1:
                answer = answer or stacks[p] - highest > TINY
        facing = min(highest - paid[n, me], stacks[me] - paid[n, me])
        remaining = stacks[me] - highest
        raises = 0
        minimum = max(minimum_bet, last[n]) if at_least_last else minimum_bet
        closed = (
            state[n, 2] >> me
        ) & 1 and facing < minimum - TINY  # an all-in for less does not open the betting again
        if state[n, 1] < caps[number] and answer and remaining > TINY and not closed:
            level = state[n, 1] + (1 if blind_is_bet and number == 0 else 0)
            level = min(level, levels - 1)
            raises = raise_amounts(
                menu_first[me, number, level], menu_last[me, number, level], kinds, values, pot + facing, facing, remaining,
                minimum, menu_lift[me, number, level], paid[n, me], stacks[me], shares[number], commit_rule[number], unit,
                amounts,
            )  # fmt: skip
        faces = facing > TINY
        width = raises + (2 if faces else 1)
        if count + width > room:
            return -1
        top -= 1
        first_child[n], children[n] = count, width
        for a in range(width):
            c = count + a
            parent[c], first_child[c], children[c] = n, -1, 0
            for p in range(players):
                paid[c, p] = paid[n, p]
            folded[c] = folded[n]
            waiting, bets, previous = state[n, 0] - 1, state[n, 1], last[n]
            amount[c] = 0.0
            if faces and a == 0:
                step[c] = FOLDED
                folded[c] |= 1 << me
            elif a == width - raises - 1:
                step[c] = CALLED
                amount[c] = facing if faces else 0.0
                if half_street and not faces:
                    waiting = 0
            else:
                step[c] = RAISED
                extra = amounts[a - (width - raises)]
                amount[c] = rounded(facing + extra)
                bets, previous = bets + 1, max(previous, extra)
            paid[c, me] = rounded(paid[n, me] + amount[c])
            if step[c] == RAISED:
                waiting = 0
                for p in range(players):
                    if p != me and is_able(paid[c], folded[c], stacks, p):
                        waiting += 1
            round[c], state[c, 0], state[c, 1], state[c, 2] = number, waiting, bets, state[n, 2] | (1 << me)
            last[c] = previous
            enter(c, me, stacks, caps, first_actor, player, kind, round, paid, folded, state, last)
        for a in range(width - 1, -1, -1):
            if kind[count + a] == DECISION:
                waiting_nodes[top] = count + a
                top += 1
        count += width
    return count


@kernel
def settle_pots(paid, folded, strength, net):  # [players], mask, [players], [players]
    """Net chips of each player: the pot and all side pots to the strongest hands, ties in equal parts, uncalled chips back."""
    players = paid.shape[0]
    for p in range(players):
        net[p] = -paid[p]
    level = 0.0
    while True:
        cut = np.inf
        for p in range(players):
            if paid[p] > level + TINY:
                cut = min(cut, paid[p])
        if cut == np.inf:
            return
        layer, best, winners, live = 0.0, np.int64(-1), 0, 0
        for p in range(players):
            layer += min(paid[p], cut) - min(paid[p], level)
            if not (folded >> p) & 1 and paid[p] >= cut - TINY:
                live += 1
        for p in range(players):
            # folded chips above the last live player belong to the live ones
            if not (folded >> p) & 1 and (live == 0 or paid[p] >= cut - TINY):
                if winners == 0 or strength[p] > best:
                    best, winners = np.int64(strength[p]), 1
                elif strength[p] == best:
                    winners += 1
        for p in range(players):
            if not (folded >> p) & 1 and (live == 0 or paid[p] >= cut - TINY) and strength[p] == best:
                net[p] += layer / winners
        level = cut
