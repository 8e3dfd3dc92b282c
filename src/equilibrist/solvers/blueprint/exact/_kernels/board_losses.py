"""Where on one board a best response wins more than rows of buckets: decision by decision, action by action.

What it wins at the first decision is the sum over all decisions, reached by the rows' own play, of what the best action is worth above
the mean of the rows, if the best response is played from there on.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.blueprint.exact._kernels.bucket_boards import block_up
from equilibrist.solvers.postflop._kernels.layout import DEAL, FOLD
from equilibrist.solvers.postflop._kernels.terminals import spread_terminals, terminals


class Own(NamedTuple):
    """With which hands my rows get to the street, and memory for every node."""

    start: Any  # [R * width] float32 reach at the roots
    width: int
    reach: Any  # [N * size] float32


class Losses(NamedTuple):
    """Chips, counterfactual and summed over hands; S slots, D roots of the next street."""

    here: Any  # [S] float64 what is lost by not playing this action, where it is the best
    best: Any  # [D] float64 what my best response is worth below
    value: Any  # [D] float64 what my rows are worth below; of the first player


@kernel
def block_losses(b, k, player, forest, hands, rows, value, own, below, losses):
    """One block of hands; `value` has what my best response is worth at every node."""
    play, buckets, bucket = rows
    size, base, reach = hands.size, k * hands.size, own.reach
    at, share = b * hands.places + base, hands.share[b]
    for i in range(forest.roots):
        for h in range(size):
            reach[i * size + h] = own.start[i * own.width + hands.order[at + h]] * share
    for i in range(forest.kind.shape[0]):
        kind, row, n = forest.kind[i], i * size, forest.children[i]
        first, slot = forest.first_child[i] * size, forest.slot[i]
        for h in range(size):
            held = reach[row + h]
            if kind == player:
                chosen, mean = 0, 0.0
                for a in range(n):
                    chance = play[(slot + a) * buckets + bucket[at + h]]
                    reach[first + a * size + h] = held * chance
                    mean += chance * value[first + a * size + h]
                    if value[first + a * size + h] > value[first + chosen * size + h]:
                        chosen = a
                losses.here[slot + chosen] += held * (value[first + chosen * size + h] - mean)
            elif kind < FOLD:
                for a in range(n):
                    reach[first + a * size + h] = held
            elif kind == DEAL:
                root = forest.next_root[i]
                there = root * below.value_width + base + h
                losses.best[root] += held * below.best[there]
                losses.value[root] += held * below.value[there]


@kernel
def board_losses(b, me, mode, forest, group_start, groups, mine, theirs, scratch, own, above, below, losses):
    """One board, against the opponent's reach, which has come down; `mode` is RESPOND, as a variable."""
    hands, rows, payoff = mine
    terminals(b, me, forest, group_start, groups, hands, theirs.hands, payoff, scratch)
    ends = forest.ends1 if me == 0 else forest.ends0
    for k in range(hands.blocks):
        spread_terminals(k * hands.size, hands.size, ends, scratch, scratch.value)
        block_up(
            mode, b, k, me, forest, hands, rows, scratch.value, below.best, below.value_width, above.best, above.value_width
        )  # fmt: skip
        block_losses(b, k, me, forest, hands, rows, scratch.value, own, below, losses)
