"""External sampling on a betting tree and buckets, lock-free: many threads may walk over the same tables at once.

A deal is drawn before its walks: `bucket` [deal, player, round] and `strength` [deal, player]. Slots of a node lie at
`first_slot[node] + bucket * children[node] + action`; regrets and averages are flat arrays over slots.
"""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.atomics import claim, fetch
from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.matching import match_row
from equilibrist.solvers.mccfr._kernels.sampling import draw_action, uniform

TERMINAL = -2
FOLD = 1
# kinds of pruning
NOTHING, THRESHOLD, FADING = 0, 1, 2
# parts of a walk: all of it, or the first round alone: to see where it leaves that round, and again when those values are known
WHOLE, COLLECT, FINISH = 0, 1, 2
MOST_ACTIONS = 32
EVENLY = 0.5  # share of even play with which the others' actions are drawn for an average


class Tree(NamedTuple):
    """A betting tree of N nodes for k players, with its place in the tables."""

    player: Any  # [N] int8 who acts, TERMINAL at the end
    kind: Any  # [N] int8: FOLD where all but one have folded
    round: Any  # [N] int8
    first_child: Any  # [N] int32
    children: Any  # [N] int32
    folded: Any  # [N] int32 players as bits
    paid: Any  # [N, k] chips of each player
    first_slot: Any  # [N] int64 where the rows of a node begin
    rounds: int


class Pruning(NamedTuple):
    """What walks skip: actions with regrets below `below`, of a kind."""

    kind: int
    below: float
    often: float  # THRESHOLD: share of the walks that prune
    fade: float  # FADING: an action is skipped with the chance 1 - fade / (fade + below - R)
    floor: float  # regrets stay between this
    ceiling: float  # and that
    whole: bool  # regrets are whole numbers


class Entries(NamedTuple):
    """Where walks leave the first round, one after the other; room for E of them."""

    deal: Any  # [E]
    node: Any  # [E]
    value: Any  # [E] float64
    weight: Any  # [E] float64: of a walk for the average, 0: of one for regrets
    count: Any  # [1] of them


class Frames(NamedTuple):
    """Memory of one walk of D steps at most, and a row for the others' strategies."""

    place: Any  # [D, 4] int64: action under way, node, first slot, actions to explore as bits
    value: Any  # [D, MOST_ACTIONS] float64
    chance: Any  # [D + 1, MOST_ACTIONS] float32 strategies


@kernel
def shuffle(random, deck, deals):
    """Fill rows [N, cards] with different cards of a deck of so many cards: the beginning of a shuffled deck."""
    size = deals.shape[1]
    pack = np.empty(deck, np.int8)
    for c in range(deck):
        pack[c] = c
    for n in range(deals.shape[0]):
        for c in range(size):
            other = c + int(uniform(random) * (deck - c))
            pack[c], pack[other] = pack[other], pack[c]
            deals[n, c] = pack[c]


@kernel
def pay_out(n, me, kind, folded, paid, strength, d):
    """Net chips of one player at the end of a hand; side pots are shared out, ties share evenly. Arrays as in `Tree`."""
    out, own = folded[n], paid[n, me]
    if (out >> me) & 1:
        return -own
    players = paid.shape[1]
    if players == 2:
        other = 1 - me
        stake = min(own, paid[n, other])
        if kind[n] == FOLD:
            return stake
        mine, theirs = strength[d, me], strength[d, other]
        return stake if mine > theirs else -stake if mine < theirs else 0.0
    won, level = 0.0, 0.0
    while level < own:
        following = own
        for p in range(players):  # the next amount that a player still in has put in
            if not (out >> p) & 1 and level < paid[n, p] < following:
                following = paid[n, p]
        pot, best, winners = 0.0, -1, 0
        for p in range(players):
            pot += max(min(paid[n, p], following) - level, 0.0)
            if not (out >> p) & 1 and paid[n, p] >= following:
                if strength[d, p] > best:
                    best, winners = strength[d, p], 1
                elif strength[d, p] == best:
                    winners += 1
        if strength[d, me] == best:
            won += pot / winners
        level = following
    return won - own


@kernel
def settle(n, me, tree, strength, d):
    """The same with the tree as one."""
    return pay_out(n, me, tree.kind, tree.folded, tree.paid, strength, d)


@kernel
def settle_all(n, me, tree, strength, out):
    """Net chips of one player at an end of the hand, for all deals: out [N]."""
    for d in range(strength.shape[0]):
        out[d] = settle(n, me, tree, strength, d)


@kernel(merge=True)
def match(regret, row, width, chance, at):
    """Regret matching of one row into chance[at, :width]."""
    match_row(regret, row, width, chance[at], 0)


@kernel
def wanted(n, row, width, tree, regret, pruning, prunes, random):
    """Actions that a walk explores, as bits; actions that end the hand and the last round are always explored."""
    every = (1 << width) - 1
    if not prunes or tree.round[n] == tree.rounds - 1:
        return every
    bits = 0
    for a in range(width):
        r = regret[row + a]
        explored = r >= pruning.below or tree.player[tree.first_child[n] + a] == TERMINAL
        if not explored and pruning.kind == FADING:
            explored = uniform(random) * (pruning.fade + pruning.below - r) < pruning.fade
        if explored:
            bits |= 1 << a
    return bits if bits else every


@kernel
def learn(row, width, bits, at, values, chance, regret, pruning):
    """The value of a node whose explored actions have values; their regrets change."""
    value, weight = 0.0, 0.0
    for a in range(width):
        if (bits >> a) & 1:
            value += chance[at, a] * values[at, a]
            weight += chance[at, a]
    if weight > 0.0:
        value /= weight
    else:  # all that is explored has no chance: as if it were played evenly
        count = 0
        for a in range(width):
            if (bits >> a) & 1:
                value += values[at, a]
                count += 1
        value /= count
    for a in range(width):
        if (bits >> a) & 1:
            r = regret[row + a] + (values[at, a] - value)
            r = min(max(r, pruning.floor), pruning.ceiling)
            regret[row + a] = np.floor(r + 0.5) if pruning.whole else r
    return value


@kernel(merge=True)
def fetch_children(n, d, me, averaged, player, rounds, first_child, children, first_slot, bucket, regret, average):
    """Ask for the rows that a walk will come to after a node: other threads have written them, so they lie in other cores' caches."""
    first = first_child[n]
    for c in range(first, first + children[n]):
        p = player[c]
        if p != TERMINAL:
            row = first_slot[c] + np.int64(bucket[d, p, rounds[c]]) * children[c]
            if p == me:
                claim(regret, row)
            else:
                fetch(regret, row)
                if p == averaged:
                    claim(average, row)


@kernel
def walk(
    part, start, d, me, averaged, prunes, tree, bucket, strength, regret, average, pruning, random, frames, entries
):
    """A walk for player `me` through deal d from a node on; gives the nodes touched and the value."""
    n, depth, value, seen = start, -1, 0.0, 0
    # taken out once: every look into a struct counts references
    player, kind, rounds, first_child, children = tree.player, tree.kind, tree.round, tree.first_child, tree.children
    folded, paid, first_slot, place, values = tree.folded, tree.paid, tree.first_slot, frames.place, frames.value
    stride, chance = frames.chance.shape[1], frames.chance.reshape(-1)
    last = (frames.chance.shape[0] - 1) * stride  # a row for the others' strategies
    while True:
        while True:
            seen += 1
            p = player[n]
            if p == TERMINAL:
                value = pay_out(n, me, kind, folded, paid, strength, d)
                break
            if (folded[n] >> me) & 1:
                value = -paid[n, me]
                break
            if part != WHOLE and rounds[n] > 0:
                e = entries.count[0]
                if part == COLLECT:
                    entries.deal[e], entries.node[e], entries.weight[e] = d, n, 0.0
                value = entries.value[e]
                entries.count[0] = e + 1
                break
            width = children[n]
            row = first_slot[n] + np.int64(bucket[d, p, rounds[n]]) * width
            if p == me:
                depth += 1
                fetch_children(
                    n, d, me, averaged, player, rounds, first_child, children, first_slot, bucket, regret, average
                )
                match_row(regret, row, width, chance, depth * stride)
                bits = wanted(n, row, width, tree, regret, pruning, prunes, random) if prunes else (1 << width) - 1
                action = 0
                while not (bits >> action) & 1:
                    action += 1
                place[depth, 0], place[depth, 1] = action, n
                place[depth, 2], place[depth, 3] = row, bits
                n = first_child[n] + action
            else:
                match_row(regret, row, width, chance, last)
                if p == averaged and part != COLLECT:
                    for a in range(width):
                        average[row + a] += chance[last + a]
                n = first_child[n] + draw_action(chance, last, width, uniform(random))
        while depth >= 0:
            action, n = place[depth, 0], place[depth, 1]
            row, bits = place[depth, 2], place[depth, 3]
            width = children[n]
            values[depth, action] = value
            action += 1
            while action < width and not (bits >> action) & 1:
                action += 1
            if action < width:
                place[depth, 0] = action
                n = first_child[n] + action
                break
            if part != COLLECT:
                value = learn(row, width, bits, depth, values, frames.chance, regret, pruning)
            depth -= 1
        if depth < 0:
            return seen, value


@kernel
def average_own(part, start, weight, d, me, tree, bucket, regret, average, random, chance, entries):
    """A walk for the average of `me` among three or more, on through deal d from a node; gives the nodes touched.

    Own actions are drawn by the strategy, the others' from a mixture with even play, whose probability is divided out: the mean
    addition is own reach x chance x strategy, whatever the others do. [Brown20, §6.6] walks all of the others' actions instead.
    """
    n, seen, last = start, 0, chance.shape[0] - 1
    while True:
        seen += 1
        p = tree.player[n]
        if p == TERMINAL or (tree.folded[n] >> me) & 1:
            return seen
        if part != WHOLE and tree.round[n] > 0:
            e = entries.count[0]
            entries.deal[e], entries.node[e], entries.weight[e] = d, n, weight
            entries.count[0] = e + 1
            return seen
        width = tree.children[n]
        row = tree.first_slot[n] + np.int64(bucket[d, p, tree.round[n]]) * width
        match(regret, row, width, chance, last)
        if p == me:
            if part != COLLECT:
                for a in range(width):
                    average[row + a] += weight * chance[last, a]
        else:
            for a in range(width):
                chance[last, a] = EVENLY / width + (1.0 - EVENLY) * chance[last, a]
        action = draw_action(chance[last], 0, width, uniform(random))
        if p != me:
            weight /= chance[last, action]
        n = tree.first_child[n] + action


@kernel
def train(first, last, tree, bucket, strength, regret, average, pruning, random, frames, entries):
    """Walks of all players through deals first .. last-1; gives the nodes touched."""
    players, seen = tree.paid.shape[1], 0
    for d in range(first, last):
        for me in range(players):
            averaged = 1 - me if players == 2 else me
            if players > 2:
                seen += average_own(WHOLE, 0, 1.0, d, me, tree, bucket, regret, average, random, frames.chance, entries)
            prunes = pruning.kind != NOTHING and uniform(random) < pruning.often
            touched, _ = walk(
                WHOLE, 0, d, me, averaged, prunes, tree, bucket, strength, regret, average, pruning, random, frames, entries
            )  # fmt: skip
            seen += touched
    return seen


@kernel
def train_top(part, me, tree, bucket, strength, regret, average, pruning, random, frames, entries):
    """The first round of walks by one player through all deals: COLLECT where they leave it, or FINISH with the values from there."""
    players, seen = tree.paid.shape[1], 0
    entries.count[0] = 0
    averaged = 1 - me if players == 2 else me
    for d in range(bucket.shape[0]):
        if players > 2:
            seen += average_own(part, 0, 1.0, d, me, tree, bucket, regret, average, random, frames.chance, entries)
        touched, _ = walk(
            part, 0, d, me, averaged, False, tree, bucket, strength, regret, average, pruning, random, frames, entries
        )  # fmt: skip
        seen += touched
    return seen


@kernel
def train_below(me, tree, bucket, strength, regret, average, pruning, random, frames, entries):
    """Walks by one player from all entries on, each with a deal of its own; their values are left in the entries."""
    players, seen = tree.paid.shape[1], 0
    averaged = 1 - me if players == 2 else me
    for e in range(entries.node.shape[0]):
        if entries.weight[e] > 0.0:
            seen += average_own(
                WHOLE, entries.node[e], entries.weight[e], e, me, tree, bucket, regret, average, random, frames.chance, entries
            )  # fmt: skip
            continue
        prunes = pruning.kind != NOTHING and uniform(random) < pruning.often
        touched, value = walk(
            WHOLE, entries.node[e], e, me, averaged, prunes, tree, bucket, strength, regret, average, pruning, random, frames, entries
        )  # fmt: skip
        seen += touched
        entries.value[e] = value
    return seen


@kernel
def deepest(parent):
    """Most actions in a row; parents come before children."""
    depth, most = np.zeros(parent.shape[0], np.int32), 0
    for n in range(1, parent.shape[0]):
        depth[n] = depth[parent[n]] + 1
        most = max(most, depth[n])
    return most


@kernel
def scale(table, factor):
    """Multiply a whole table."""
    for s in range(table.shape[0]):
        table[s] = table[s] * factor


@kernel
def tally(tree, nodes, widths, regret):
    """Infosets ever learned at, and the sum of their largest positive regrets; nodes [D] with buckets widths [D]."""
    touched, total = 0, 0.0
    for k in range(nodes.shape[0]):
        n = nodes[k]
        width = tree.children[n]
        for b in range(widths[k]):
            row = tree.first_slot[n] + np.int64(b) * width
            known, most = False, 0.0
            for a in range(width):
                r = regret[row + a]
                known = known or r != 0
                most = max(most, np.float64(r))
            if known:
                touched += 1
                total += most
    return touched, total


@kernel
def average_row(average, regret, row, width, chance):
    """The average strategy of one row into chance[0, :width]; never played: as the regrets say."""
    total = 0.0
    for a in range(width):
        total += average[row + a]
    if total > 0.0:
        for a in range(width):
            chance[0, a] = average[row + a] / total
    else:
        match(regret, row, width, chance, 0)


@kernel
def lay_out(first, average, regret, out):
    """Average strategies of the decision whose rows begin at `first`, by action: out [width, buckets]."""
    width = out.shape[0]
    chance = np.empty((1, MOST_ACTIONS), np.float32)
    for b in range(out.shape[1]):
        average_row(average, regret, first + np.int64(b) * width, width, chance)
        for a in range(width):
            out[a, b] = chance[0, a]


@kernel
def pack(tree, nodes, widths, average, regret, out):
    """Average strategies as bytes that sum to 255 in every row; never played: as the regrets say."""
    chance = np.empty((1, MOST_ACTIONS), np.float32)
    for k in range(nodes.shape[0]):
        n = nodes[k]
        width = tree.children[n]
        for b in range(widths[k]):
            row = tree.first_slot[n] + np.int64(b) * width
            average_row(average, regret, row, width, chance)
            left, best = 255, 0
            for a in range(width):
                share = int(chance[0, a] * 255.0 + 0.5)
                out[row + a] = share
                left -= share
                if chance[0, a] > chance[0, best]:
                    best = a
            out[row + best] += left
