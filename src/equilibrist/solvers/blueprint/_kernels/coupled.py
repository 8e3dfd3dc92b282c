"""Sampling with players who read the hand in trees of their own: a learner against one of them, and two of them against each other.

`Reader` holds a coupled tree and the reader's strategy in bytes that sum to 255; deals as in `blueprint.py`.
"""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.blueprint._kernels.blueprint import TERMINAL, match, settle
from equilibrist.solvers.mccfr._kernels.sampling import uniform

WHOLE = 255.0


class Reader(NamedTuple):
    """A coupled tree of M pairs of real node and own node with E edges, and the reader's strategy on its own tree of N nodes."""

    real: Any  # [M] node of the real tree
    model: Any  # [M] node of the reader's own tree, -1 where it has none
    first_edge: Any  # [M]
    width: Any  # [M] edges
    child: Any  # [E] pair behind an edge
    action: Any  # [E] real action of an edge
    chance: Any  # [E] of reading an action by this edge rather than the next
    slots: Any  # [N] where the rows of a node begin
    packed: Any  # [slots] uint8 strategy, 255 in all at each infoset


@kernel
def draw_own(reader, m, bucket, random):
    """The reader's edge at a pair where it acts."""
    width, first = reader.width[m], reader.first_edge[m]
    if reader.model[m] < 0:
        return first
    row = reader.slots[reader.model[m]] + np.int64(bucket) * width
    left, chosen = uniform(random) * WHOLE, 0
    for j in range(width):
        share = reader.packed[row + j]
        if share > 0:
            chosen = j
            left -= share
            if left < 0.0:
                break
    return first + chosen


@kernel
def draw_reading(reader, m, action, random):
    """The edge by which the reader reads a real action of the other player."""
    edge = reader.first_edge[m] + 2 * action
    return edge if uniform(random) < reader.chance[edge] else edge + 1


@kernel
def walk_against(d, me, tree, bucket, strength, regret, average, reader, random, place, value, chance):
    """One walk of the learner `me` in the real tree: all of its actions, one of the reader's, one reading of each action.

    place int64 [depth, 4]; value float64 and chance float32 [depth, actions]. Averages count every visit alike: the reader is fixed.
    """
    m, depth, found = np.int64(0), -1, 0.0
    while True:
        while True:
            n = reader.real[m]
            p = tree.player[n]
            if p == TERMINAL:
                found = settle(n, me, tree, strength, d)
                break
            if p != me:
                m = np.int64(reader.child[draw_own(reader, m, bucket[d, p, tree.round[n]], random)])
                continue
            depth += 1
            width = tree.children[n]
            row = tree.first_slot[n] + np.int64(bucket[d, p, tree.round[n]]) * width
            match(regret, row, width, chance, depth)
            place[depth, 0], place[depth, 1], place[depth, 2] = 0, m, row
            m = np.int64(reader.child[draw_reading(reader, m, 0, random)])
        while depth >= 0:
            action, m, row = place[depth, 0], place[depth, 1], place[depth, 2]
            width = tree.children[reader.real[m]]
            value[depth, action] = found
            action += 1
            if action < width:
                place[depth, 0] = action
                m = np.int64(reader.child[draw_reading(reader, m, action, random)])
                break
            found = 0.0
            for a in range(width):
                found += chance[depth, a] * value[depth, a]
            for a in range(width):
                regret[row + a] += value[depth, a] - found
                average[row + a] += chance[depth, a]
            depth -= 1
        if depth < 0:
            return found


@kernel
def train_against(me, tree, bucket, strength, regret, average, reader, random, place, value, chance):
    for d in range(bucket.shape[0]):
        walk_against(d, me, tree, bucket, strength, regret, average, reader, random, place, value, chance)


@kernel
def play_against(me, greedy, tree, bucket, strength, regret, average, reader, random, sums):
    """Hands of a learned strategy against the reader; adds the learner's chips and their squares to `sums` [2].

    Where nothing was averaged the action of the largest regret is played.
    """
    for d in range(bucket.shape[0]):
        m = np.int64(0)
        while tree.player[reader.real[m]] != TERMINAL:
            n = reader.real[m]
            p = tree.player[n]
            if p != me:
                m = np.int64(reader.child[draw_own(reader, m, bucket[d, p, tree.round[n]], random)])
                continue
            width = tree.children[n]
            row = tree.first_slot[n] + np.int64(bucket[d, p, tree.round[n]]) * width
            total, best = 0.0, 0
            for a in range(width):
                total += average[row + a]
                if average[row + a] > average[row + best]:
                    best = a
            if total <= 0.0:
                for a in range(width):
                    if regret[row + a] > regret[row + best]:
                        best = a
            elif not greedy:
                left = uniform(random) * total
                for a in range(width):
                    left -= average[row + a]
                    if left < 0.0:
                        best = a
                        break
            m = np.int64(reader.child[draw_reading(reader, m, best, random)])
        won = settle(reader.real[m], me, tree, strength, d)
        sums[0] += won
        sums[1] += won * won


@kernel
def play_readers(first, second, tree, bucket, strength, random, won):
    """Hands of two readers in seats 0 and 1; won float64 [deal] gets the chips of seat 0."""
    for d in range(bucket.shape[0]):
        a, b = np.int64(0), np.int64(0)
        while tree.player[first.real[a]] != TERMINAL:
            n = first.real[a]
            r = tree.round[n]
            if tree.player[n] == 0:
                edge = draw_own(first, a, bucket[d, 0, r], random)
                b = np.int64(second.child[draw_reading(second, b, first.action[edge], random)])
                a = np.int64(first.child[edge])
            else:
                edge = draw_own(second, b, bucket[d, 1, r], random)
                a = np.int64(first.child[draw_reading(first, a, second.action[edge], random)])
                b = np.int64(second.child[edge])
        won[d] = settle(first.real[a], 0, tree, strength, d)
