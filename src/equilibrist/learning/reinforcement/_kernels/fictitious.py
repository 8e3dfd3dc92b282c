"""Neural fictitious self-play: episodes into two memories, and steps of two networks for each player ([Heinrich16], Algorithm 1)."""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.learning.reinforcement._kernels.small_net import Inputs, Net, Work, backward, descend, forward
from equilibrist.solvers.mccfr._kernels.mccfr import CHANCE
from equilibrist.solvers.mccfr._kernels.sampling import draw_outcome, uniform


class Rows(NamedTuple):
    """What nets see of the infosets: R rows of F numbers, A outputs; slots of the packed tree in them."""

    inputs: Inputs
    legal: Any  # [R, A] bool
    slot_row: Any  # [S] int32
    output: Any  # [S] int32


class Moves(NamedTuple):
    """What was played by k players: a ring of C moves and what came of them, a reservoir of M moves of best responses."""

    row: Any  # [k, C] int32
    output: Any  # [k, C] int16
    reward: Any  # [k, C] float32
    next_row: Any  # [k, C] int32, where the player moved next, or -1 at the end
    best_row: Any  # [k, M] int32
    best_output: Any  # [k, M] int16
    offered: Any  # [k, 2] int64, to the ring and to the reservoir


class Agents(NamedTuple):
    """Nets of k players, each array with the player in front."""

    q: Net
    target: Net
    average: Net


class Pace(NamedTuple):
    """Settings of one round."""

    steps: int  # decisions a round
    updates: int  # of each net a round
    batch: int
    refit: int  # updates of Q between copies to its target
    anticipation: float  # share of episodes in which a player plays its best response
    exploration: float  # at the first round; falls with the root of the rounds
    rate_q: float
    rate_average: float
    decay: int  # rounds after which both rates fall with the root of the rounds; 0: never


class Scratch(NamedTuple):
    gradient: Net
    work: Work  # of a batch
    drawn: Any  # [batch] int32, places in a memory
    last: Any  # [k, 2] int32, row and output of each player's last move
    best: Any  # [k] bool, who plays a best response in this episode


@kernel
def of_player(nets, p):
    """The net of one player."""
    return Net(nets.first[p], nets.middle[p], nets.bias[p], nets.head[p], nets.head_bias[p])


@kernel
def learn_rounds(tree, rows, agents, moves, pace, rounds, progress, random, scratch):
    """`progress` [6]: rounds, decisions, episodes, nodes, updates of the Q nets, of the average nets; goes on where it stands."""
    players = moves.row.shape[0]
    for _ in range(rounds):
        progress[0] += 1
        exploration = pace.exploration / np.sqrt(progress[0])
        while progress[1] < progress[0] * pace.steps:
            play_episode(tree, rows, agents, moves, pace.anticipation, exploration, progress, random, scratch)
        cooled = np.sqrt(min(1.0, pace.decay / progress[0])) if pace.decay > 0 else 1.0
        for _ in range(pace.updates):
            updated = False
            for p in range(players):
                if moves.offered[p, 0] >= pace.batch:
                    learn_values(rows, agents, moves, pace.batch, np.float32(cooled * pace.rate_q), p, random, scratch)
                    updated = True
                if moves.offered[p, 1] >= pace.batch:
                    learn_average(
                        rows, agents, moves, pace.batch, np.float32(cooled * pace.rate_average), p, random, scratch
                    )
                    progress[5] += 1
            if updated:
                progress[4] += 1
                if progress[4] % pace.refit == 0:
                    copy_nets(agents.q, agents.target)


@kernel
def play_episode(tree, rows, agents, moves, anticipation, exploration, progress, random, scratch):
    """One episode; each player draws first whether it plays its best response or its average strategy."""
    nodes, last, best = tree.nodes, scratch.last, scratch.best
    for p in range(last.shape[0]):
        best[p] = uniform(random) < anticipation
        last[p, 0] = -1
    n = 0
    while True:
        progress[3] += 1
        kind, first, width, slot = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
        if kind >= 0:
            row = rows.slot_row[slot]
            if last[kind, 0] >= 0:
                remember(moves, kind, last, np.float32(0.0), row)
            if best[kind]:
                a = respond(rows, agents, kind, row, slot, width, exploration, random, scratch.work)
                keep_best(moves, kind, row, rows.output[slot + a], random)
            else:
                a = follow(rows, agents, kind, row, slot, width, random, scratch.work)
            last[kind, 0], last[kind, 1] = row, rows.output[slot + a]
            progress[1] += 1
            n = first + a
        elif kind == CHANCE:
            n = tree.outcomes[draw_outcome(tree.cumulative, first, width, slot, uniform(random)), 0]
        else:
            for p in range(last.shape[0]):
                if last[p, 0] >= 0:
                    remember(moves, p, last, np.float32(tree.payoffs[first, p]), -1)
            progress[2] += 1
            return


@kernel
def respond(rows, agents, player, row, slot, width, exploration, random, work):
    """The action of the largest value, ties drawn; any action in a share of the cases."""
    if uniform(random) < exploration:
        return int(uniform(random) * width)
    work.rows[0] = row
    forward(of_player(agents.q, player), rows.inputs, 1, work)
    chosen, ties, highest = 0, 0, -np.inf
    for a in range(width):
        value = work.out[0, rows.output[slot + a]]
        if value > highest:
            highest, chosen, ties = value, a, 1
        elif value == highest:
            ties += 1
            if uniform(random) * ties < 1.0:
                chosen = a
    return chosen


@kernel
def follow(rows, agents, player, row, slot, width, random, work):
    """An action drawn from the average strategy."""
    work.rows[0] = row
    forward(of_player(agents.average, player), rows.inputs, 1, work)
    soften(rows.legal, 1, work)
    u, chosen = uniform(random), 0
    for a in range(width):
        p = work.out[0, rows.output[slot + a]]
        if p > 0.0:
            chosen = a
            u -= p
            if u < 0.0:
                break
    return chosen


@kernel
def soften(legal, count, work):
    """Softmax over legal outputs; the others get zero."""
    rows, out = work.rows, work.out
    for b in range(count):
        highest, total = np.float32(-np.inf), np.float32(0.0)
        for a in range(out.shape[1]):
            if legal[rows[b], a]:
                highest = max(highest, out[b, a])
        for a in range(out.shape[1]):
            out[b, a] = np.exp(out[b, a] - highest) if legal[rows[b], a] else np.float32(0.0)
            total += out[b, a]
        for a in range(out.shape[1]):
            out[b, a] /= total


@kernel
def remember(moves, player, last, reward, next_row):
    """A move and what came of it, in place of the oldest one."""
    place = moves.offered[player, 0] % moves.row.shape[1]
    moves.offered[player, 0] += 1
    moves.row[player, place], moves.output[player, place] = last[player, 0], last[player, 1]
    moves.reward[player, place], moves.next_row[player, place] = reward, next_row


@kernel
def keep_best(moves, player, row, output, random):
    """A move of a best response; of all so far each is kept with the same chance."""
    place, capacity = moves.offered[player, 1], moves.best_row.shape[1]
    moves.offered[player, 1] += 1
    if place >= capacity:
        place = int(uniform(random) * (place + 1))
        if place >= capacity:
            return
    moves.best_row[player, place], moves.best_output[player, place] = row, output


@kernel
def learn_values(rows, agents, moves, batch, rate, player, random, scratch):
    """One step of Q towards reward + the largest legal value at the next move, by the target net (mean squared error)."""
    net, work, drawn = of_player(agents.q, player), scratch.work, scratch.drawn
    kept = min(moves.offered[player, 0], moves.row.shape[1])
    for b in range(batch):
        drawn[b] = int(uniform(random) * kept)
        work.rows[b] = max(moves.next_row[player, drawn[b]], 0)
    forward(of_player(agents.target, player), rows.inputs, batch, work)
    for b in range(batch):
        m = drawn[b]
        work.error[b, 0] = moves.reward[player, m]
        if moves.next_row[player, m] >= 0:
            work.error[b, 0] += highest_legal(rows.legal[work.rows[b]], work.out[b])
        work.rows[b] = moves.row[player, m]
    forward(net, rows.inputs, batch, work)
    for b in range(batch):
        chosen, goal = moves.output[player, drawn[b]], work.error[b, 0]
        work.error[b, 0] = 0.0
        work.error[b, chosen] = 2.0 * (work.out[b, chosen] - goal) / batch
        for a in range(work.error.shape[1]):
            if a != chosen:
                work.error[b, a] = 0.0
    backward(net, scratch.gradient, rows.inputs, batch, work)
    descend(net, scratch.gradient, rate)


@kernel(merge=True)
def highest_legal(legal, values):
    highest = np.float32(-np.inf)
    for a in range(values.shape[0]):
        if legal[a]:
            highest = max(highest, values[a])
    return highest


@kernel
def learn_average(rows, agents, moves, batch, rate, player, random, scratch):
    """One step of the average strategy towards moves of best responses (cross-entropy over legal outputs)."""
    net, work, drawn = of_player(agents.average, player), scratch.work, scratch.drawn
    kept = min(moves.offered[player, 1], moves.best_row.shape[1])
    for b in range(batch):
        drawn[b] = int(uniform(random) * kept)
        work.rows[b] = moves.best_row[player, drawn[b]]
    forward(net, rows.inputs, batch, work)
    soften(rows.legal, batch, work)
    for b in range(batch):
        work.out[b, moves.best_output[player, drawn[b]]] -= 1.0
        for a in range(work.out.shape[1]):
            work.error[b, a] = work.out[b, a] / batch
    backward(net, scratch.gradient, rows.inputs, batch, work)
    descend(net, scratch.gradient, rate)


@kernel
def copy_nets(source, target):
    """All nets of all players."""
    target.first[:] = source.first
    target.middle[:] = source.middle
    target.bias[:] = source.bias
    target.head[:] = source.head
    target.head_bias[:] = source.head_bias


@kernel
def tabulate(rows, nets, whose, work, table):
    """Strategies [R, A] of the average nets, each row by the player who acts there."""
    for row in range(table.shape[0]):
        work.rows[0] = row
        forward(of_player(nets, whose[row]), rows.inputs, 1, work)
        soften(rows.legal, 1, work)
        table[row] = work.out[0]
