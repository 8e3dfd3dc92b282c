"""Fictitious self-play under tables of strategies: hands into memories that are sums ([Heinrich16], Algorithm 1)."""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.mccfr._kernels.mccfr import CHANCE
from equilibrist.solvers.mccfr._kernels.sampling import draw_action, draw_outcome, uniform

OVER = -1  # in place of an infoset: the hand was over


class Cells(NamedTuple):
    """Where a move is counted: cell = row x outputs + output."""

    of_slot: Any  # [S] int32
    infoset: Any  # [S] int32


class Ring(NamedTuple):
    """The newest C moves of k players and what came of them."""

    cell: Any  # [k, C] int32
    reward: Any  # [k, C] float32
    after: Any  # [k, C] int32, the infoset where the player moved next, or OVER
    offered: Any  # [k] int64, moves so far


class Sums(NamedTuple):
    """What is in the rings, added up, and all moves of best responses so far."""

    moves: Any  # [R A] int64
    reward: Any  # [R A] float64
    arrivals: (
        Any  # [I] int64: moves after which the player moved next at this infoset; perfect recall tells which moves
    )
    imitated: Any  # [R A] float64, weighed


@kernel
def play_hands(tree, cells, average, response, decisions, anticipation, weight, ring, sums, random, tally, best, last):
    """Whole hands until there are so many decisions in all; each player draws first whether it plays its best response.

    `average` and `response` [S]; `tally` [3]: nodes, decisions, hands; `best` [k] and `last` [k] are scratch.
    """
    nodes = tree.nodes
    while tally[1] < decisions:
        for p in range(last.shape[0]):
            best[p] = uniform(random) < anticipation
            last[p] = -1
        n = 0
        while True:
            tally[0] += 1
            kind, first, width, slot = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
            if kind >= 0:
                if last[kind] >= 0:
                    remember(ring, sums, kind, last[kind], 0.0, cells.infoset[slot])
                a = draw_action(response if best[kind] else average, slot, width, uniform(random))
                last[kind] = cells.of_slot[slot + a]
                if best[kind]:
                    sums.imitated[last[kind]] += weight
                tally[1] += 1
                n = first + a
            elif kind == CHANCE:
                n = tree.outcomes[draw_outcome(tree.cumulative, first, width, slot, uniform(random)), 0]
            else:
                for p in range(last.shape[0]):
                    if last[p] >= 0:
                        remember(ring, sums, p, last[p], tree.payoffs[first, p], OVER)
                tally[2] += 1
                break


@kernel
def remember(ring, sums, player, cell, reward, after):
    """A move and what came of it, in place of the oldest one."""
    capacity = ring.cell.shape[1]
    place = ring.offered[player] % capacity
    if ring.offered[player] >= capacity:
        count(sums, ring.cell[player, place], ring.reward[player, place], ring.after[player, place], -1)
    ring.cell[player, place], ring.after[player, place] = cell, after
    ring.reward[player, place] = reward
    ring.offered[player] += 1
    count(sums, cell, ring.reward[player, place], after, 1)


@kernel
def count(sums, cell, reward, after, times):
    sums.moves[cell] += times
    sums.reward[cell] += times * reward
    if after != OVER:
        sums.arrivals[after] += times
