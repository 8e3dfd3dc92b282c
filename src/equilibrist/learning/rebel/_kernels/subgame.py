"""CFR on one search: M nodes in order of depth, S slots, N hands; own reach goes down, counterfactual values come up."""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel

CHANCE = -1
LEAF = -3


class SearchShape(NamedTuple):
    """Nodes with children side by side; E ends are terminal nodes and leaves, L of them leaves."""

    player: Any  # [M] int32, or CHANCE, TERMINAL, LEAF
    parent: Any  # [M] int32
    first_child: Any  # [M] int32
    width: Any  # [M] int32 children
    first_slot: Any  # [M] int32
    end: Any  # [M] int32 in [0, E) or -1
    leaf: Any  # [M] int32 in [0, L) or -1
    matrix: Any  # [2, E, opponent's N, own N] payoff of a player times chance; at leaves chance alone
    chance: Any  # [M, N, N] chance weight of pairs of hands


class SearchTables(NamedTuple):
    """What B searches of one shape learn and hold."""

    start: Any  # [B, 2, N] own reach at the root
    regret: Any  # [B, S, N]
    average: Any  # [B, S, N] reach times strategy, summed
    strategy: Any  # [B, S, N]
    reach: Any  # [B, M, 2, N] under `strategy`
    value: Any  # [B, M, N] counterfactual, of the player last updated
    leaf: Any  # [B, L, N] counterfactual values at leaves of that player
    root: Any  # [B, 2, N] root values, summed


@kernel
def match_regrets(player, shape, regret, strategy):
    """Strategies of one search in proportion to positive regret, even where there is none."""
    hands = regret.shape[1]
    for m in range(shape.player.shape[0]):
        if shape.player[m] == player:
            first, width = shape.first_slot[m], shape.width[m]
            for n in range(hands):
                total = 0.0
                for s in range(first, first + width):
                    total += max(regret[s, n], 0.0)
                for s in range(first, first + width):
                    strategy[s, n] = max(regret[s, n], 0.0) / total if total > 0.0 else 1.0 / width


@kernel
def reach_down(player, shape, strategy, start, reach):
    """Own reach of one player at all nodes of one search."""
    hands = start.shape[1]
    for n in range(hands):
        reach[0, player, n] = start[player, n]
    for m in range(1, shape.player.shape[0]):
        above = shape.parent[m]
        if shape.player[above] == player:
            s = shape.first_slot[above] + m - shape.first_child[above]
            for n in range(hands):
                reach[m, player, n] = reach[above, player, n] * strategy[s, n]
        else:
            for n in range(hands):
                reach[m, player, n] = reach[above, player, n]


@kernel(merge=True)
def end_weights(matrix, reach, out):
    """An end's matrix times the opponent's reach [N]: counterfactual payoffs of hands [N]; at a leaf what they count."""
    for n in range(out.shape[0]):
        out[n] = 0.0
    for k in range(out.shape[0]):
        held = reach[k]
        if held != 0.0:
            for n in range(out.shape[0]):
                out[n] += matrix[k, n] * held


@kernel
def end_values(player, shape, reach, leaf, value):
    """Counterfactual values of all ends of one search: their payoffs, or what was asked at leaves."""
    matrix = shape.matrix[player]
    for m in range(shape.player.shape[0]):
        at = shape.leaf[m]
        if at >= 0:
            for n in range(value.shape[1]):
                value[m, n] = leaf[at, n]
        elif shape.end[m] >= 0:
            end_weights(matrix[shape.end[m]], reach[m, 1 - player], value[m])


@kernel
def weigh_leaves(player, leaves, shape, reach, value, leaf):
    """Expected values [B, L, N] into counterfactual ones: times what chance and the opponent [B, M, 2, N] make of each hand."""
    for b in range(leaf.shape[0]):
        weights = value[b, 0]  # scratch
        for at in range(leaves.shape[0]):
            m = leaves[at]
            end_weights(shape.matrix[player, shape.end[m]], reach[b, m, 1 - player], weights)
            for n in range(leaf.shape[2]):
                leaf[b, at, n] *= weights[n]


@kernel
def values_up(player, weight, shape, strategy, reach, leaf, regret, average, value):
    """Values of one player up to the root of one search; regrets and the average grow with `weight`."""
    hands = value.shape[1]
    end_values(player, shape, reach, leaf, value)
    for m in range(shape.player.shape[0] - 1, -1, -1):
        mover = shape.player[m]
        if mover < CHANCE:
            continue
        child, width = shape.first_child[m], shape.width[m]
        for n in range(hands):
            value[m, n] = 0.0
        if mover != player:
            for below in range(child, child + width):
                for n in range(hands):
                    value[m, n] += value[below, n]
            continue
        s = shape.first_slot[m] - child
        for below in range(child, child + width):
            for n in range(hands):
                value[m, n] += strategy[s + below, n] * value[below, n]
        for below in range(child, child + width):
            for n in range(hands):
                regret[s + below, n] += weight * (value[below, n] - value[m, n])
                average[s + below, n] += weight * reach[m, player, n] * strategy[s + below, n]


@kernel
def update(player, weight, shape, tables):
    """One player of all searches looks up: leaves have been asked."""
    for b in range(tables.start.shape[0]):
        value = tables.value[b]
        values_up(
            player, weight, shape, tables.strategy[b], tables.reach[b], tables.leaf[b], tables.regret[b],
            tables.average[b], value,
        )  # fmt: skip
        for n in range(value.shape[1]):
            tables.root[b, player, n] += weight * value[0, n]


@kernel
def play_on(player, shape, tables):
    """New strategies of one player in all searches, and where they lead."""
    for b in range(tables.start.shape[0]):
        match_regrets(player, shape, tables.regret[b], tables.strategy[b])
        reach_down(player, shape, tables.strategy[b], tables.start[b], tables.reach[b])


@kernel
def best_up(player, shape, reach, leaf, answer, value):
    """Values of a best response of one player of one search, and the response [S, N] itself."""
    hands = value.shape[1]
    end_values(player, shape, reach, leaf, value)
    for m in range(shape.player.shape[0] - 1, -1, -1):
        mover = shape.player[m]
        if mover < CHANCE:
            continue
        child, width = shape.first_child[m], shape.width[m]
        for n in range(hands):
            if mover != player:
                total = 0.0
                for a in range(width):
                    total += value[child + a, n]
            else:
                best = 0
                for a in range(1, width):
                    if value[child + a, n] > value[child + best, n]:
                        best = a
                for a in range(width):
                    answer[shape.first_slot[m] + a, n] = 1.0 if a == best else 0.0
                total = value[child + best, n]
            value[m, n] = total


@kernel
def add_plan(player, weight, shape, start, strategy, own, average):
    """A player's reach times a strategy into the average of one search; `own` [M, N] is scratch."""
    hands = start.shape[1]
    for m in range(shape.player.shape[0]):
        above = shape.parent[m]
        for n in range(hands):
            if m == 0:
                own[m, n] = start[player, n]
            elif shape.player[above] == player:
                own[m, n] = own[above, n] * strategy[shape.first_slot[above] + m - shape.first_child[above], n]
            else:
                own[m, n] = own[above, n]
        if shape.player[m] == player:
            for s in range(shape.first_slot[m], shape.first_slot[m] + shape.width[m]):
                for n in range(hands):
                    average[s, n] += weight * own[m, n] * strategy[s, n]


@kernel
def answer_averages(player, weight, counted, shape, tables):
    """Fictitious play: one player of all searches answers the other, and the answer enters its average, `counted` so often."""
    for b in range(tables.start.shape[0]):
        value, answer = tables.value[b], tables.regret[b]
        best_up(player, shape, tables.reach[b], tables.leaf[b], answer, value)
        for n in range(value.shape[1]):
            tables.root[b, player, n] += weight * value[0, n]
        add_plan(player, counted, shape, tables.start[b], answer, value, tables.average[b])


@kernel
def play_averages(player, shape, tables):
    """The average of one player in all searches, and where it leads."""
    for b in range(tables.start.shape[0]):
        match_regrets(player, shape, tables.average[b], tables.strategy[b])
        reach_down(player, shape, tables.strategy[b], tables.start[b], tables.reach[b])


@kernel
def play_optimistic(player, extra, shape, tables, scratch):
    """The average of one player in which its last answer counts `extra` more, in all searches; `scratch` [B, S, N]."""
    for b in range(tables.start.shape[0]):
        sums = scratch[b]
        sums[:] = tables.average[b]
        add_plan(player, extra, shape, tables.start[b], tables.regret[b], tables.value[b], sums)
        match_regrets(player, shape, sums, tables.strategy[b])
        reach_down(player, shape, tables.strategy[b], tables.start[b], tables.reach[b])


@kernel
def begin_averages(weight, shape, tables):
    """Averages begin with what is played, and so does what was answered last."""
    for b in range(tables.start.shape[0]):
        tables.regret[b] = tables.strategy[b]
        for player in range(2):
            add_plan(player, weight, shape, tables.start[b], tables.strategy[b], tables.value[b], tables.average[b])


@kernel
def keep(iteration, wanted, strategy, kept):
    """Strategies [B, S, N] of the iterations [B, K] that are wanted, into kept [B, K, S, N]."""
    for b in range(wanted.shape[0]):
        for k in range(wanted.shape[1]):
            if wanted[b, k] == iteration:
                kept[b, k] = strategy[b]


@kernel
def keep_averages(iteration, wanted, shape, tables, kept):
    """Averages up to the iterations [B, K] that are wanted, into kept [B, K, S, N]."""
    for b in range(wanted.shape[0]):
        for k in range(wanted.shape[1]):
            if wanted[b, k] == iteration:
                for player in range(2):
                    match_regrets(player, shape, tables.average[b], kept[b, k])


@kernel
def worth(player, shape, strategy, start, reach, value, out):
    """Counterfactual root values [B, N] of one player where both play [B, S, N] from [B, 2, N]: searches without leaves."""
    leaf = value[:0]
    for b in range(start.shape[0]):
        reach_down(1 - player, shape, strategy[b], start[b], reach)
        end_values(player, shape, reach, leaf, value)
        for m in range(shape.player.shape[0] - 1, -1, -1):
            mover = shape.player[m]
            if mover < CHANCE:
                continue
            child = shape.first_child[m]
            for n in range(value.shape[1]):
                total = 0.0
                for a in range(shape.width[m]):
                    share = strategy[b, shape.first_slot[m] + a, n] if mover == player else 1.0
                    total += share * value[child + a, n]
                value[m, n] = total
        out[b] = value[0]


@kernel
def backward_induction(shape, tables, value):
    """Searches where everything is seen: `value` [B, M] of player 1, known at leaves, and whoever acts takes the best, ties evenly."""
    for b in range(value.shape[0]):
        strategy = tables.strategy[b]
        for m in range(shape.player.shape[0] - 1, -1, -1):
            mover = shape.player[m]
            if mover < CHANCE:
                if shape.leaf[m] < 0:
                    value[b, m] = shape.matrix[0, shape.end[m], 0, 0]
                continue
            child, width = shape.first_child[m], shape.width[m]
            if mover == CHANCE:
                value[b, m] = 0.0
                for a in range(width):
                    value[b, m] += value[b, child + a]
                continue
            sign = 1.0 if mover == 0 else -1.0
            best, ties = sign * value[b, child], 0.0
            for a in range(width):
                best = max(best, sign * value[b, child + a])
            for a in range(width):
                ties += 1.0 if sign * value[b, child + a] == best else 0.0
            for a in range(width):
                strategy[shape.first_slot[m] + a, 0] = 1.0 / ties if sign * value[b, child + a] == best else 0.0
            value[b, m] = sign * best


@kernel
def run_without_leaves(iterations, alternating, shape, tables, wanted, kept):
    """Searches that end where play ends, one after the other."""
    for b in range(tables.start.shape[0]):
        regret, average, strategy = tables.regret[b], tables.average[b], tables.strategy[b]
        reach, value, leaf, start = tables.reach[b], tables.value[b], tables.leaf[b], tables.start[b]
        for t in range(1, iterations + 1):
            for k in range(wanted.shape[1]):
                if wanted[b, k] == t:
                    kept[b, k] = strategy
            for player in range(2):
                values_up(player, float(t), shape, strategy, reach, leaf, regret, average, value)
                for n in range(value.shape[1]):
                    tables.root[b, player, n] += t * value[0, n]
                if alternating:
                    match_regrets(player, shape, regret, strategy)
                    reach_down(player, shape, strategy, start, reach)
            if not alternating:
                for player in range(2):
                    match_regrets(player, shape, regret, strategy)
                    reach_down(player, shape, strategy, start, reach)


@kernel
def reach_of(shape, strategy, start, reach):
    """Own reach of both players in J searches: strategy [J, S, N], start [J, 2, N], reach [J, M, 2, N]."""
    for j in range(start.shape[0]):
        for player in range(2):
            reach_down(player, shape, strategy[j], start[j], reach[j])


@kernel
def walk(shape, start, strategy, explorer, exploration, dice, out):
    """Play J hands to an end: strategy [J, S, N], dice [J, 1 + 2 M] even numbers in [0, 1); `out` [J] is the node where it ended.

    One explorer [J] plays evenly with probability `exploration` at each of its decisions.
    """
    weight = shape.chance[0]
    hands = weight.shape[0]
    for j in range(start.shape[0]):
        total = 0.0
        for a in range(hands):
            for b in range(hands):
                total += weight[a, b] * start[j, 0, a] * start[j, 1, b]
        left, one, two = dice[j, 0] * total, -1, -1
        for a in range(hands):
            for b in range(hands):
                mass = weight[a, b] * start[j, 0, a] * start[j, 1, b]
                if mass > 0.0 and left >= 0.0:
                    one, two = a, b
                    left -= mass
        m, roll = 0, 1
        while shape.player[m] >= CHANCE:
            m = step(shape, m, one, two, strategy[j], explorer[j], exploration, dice[j, roll], dice[j, roll + 1])
            roll += 2
        out[j] = m


@kernel
def step(shape, m, one, two, strategy, explorer, exploration, whether, which):
    """The child of a node that a hand of play goes to."""
    mover, child, width = shape.player[m], shape.first_child[m], shape.width[m]
    if mover == explorer and whether < exploration:
        return child + min(int(which * width), width - 1)
    left, found = which, -1
    if mover == CHANCE:
        total = 0.0
        for a in range(width):
            total += shape.chance[child + a, one, two]
        left *= total
    for a in range(width):
        if mover == CHANCE:
            share = shape.chance[child + a, one, two]
        else:
            share = strategy[shape.first_slot[m] + a, one if mover == 0 else two]
        if share > 0.0 and left >= 0.0:
            found = child + a
            left -= share
    return found
