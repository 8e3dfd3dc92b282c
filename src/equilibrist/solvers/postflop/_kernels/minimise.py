"""One sweep over a player's tables on boards: regrets of an iteration in, next strategies out, by any minimiser."""

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.compute.lanes import choose, load, maximum, minimum, spread, store
from equilibrist.solvers.cfr._kernels.matching import match_row
from equilibrist.solvers.cfr._kernels.regret import MATCHING, PREDICTIVE, SIGNED, UNIFORM, update_infoset

ZERO = np.float32(0.0)


@kernel
def match_rows(kind, first, count, positive, negative, tables):
    """Regret matching, predictive and signed RM+ for sixteen hands at a time; what is not positive is dealt with where it is played."""
    zero, up, down = spread(ZERO), spread(positive), spread(negative)
    for s in range(first, first + count, 16):
        gain, before = load(tables.gain, s), load(tables.regret, s)
        if kind == SIGNED:  # a positive regret makes up for all negative ones
            fresh = choose(maximum(before, zero), before + gain, choose(maximum(gain, zero), gain, before + gain))
            store(tables.regret, s, fresh)
            store(tables.basis, s, fresh)
        elif kind == PREDICTIVE:
            x = maximum(before + gain, zero) * up
            store(tables.regret, s, x)
            store(tables.basis, s, x + gain)
        else:
            x = before + gain
            x = maximum(x, zero) * up + minimum(x, zero) * down
            store(tables.regret, s, x)
            store(tables.basis, s, x)


@kernel
def minimise_boards(player, first, last, t, positive, negative, codes, stake, forest, hands, tables, rows):
    """Boards first .. last-1. `codes` is `MinimiserCodes`.

    Gains stand for action values whose mean is zero, so that the value of the strategy is 0. `rows` [4, actions] is scratch memory in
    double precision: gains, strategy, regrets and memory of one hand.
    """
    kind, nonpositive = codes.kind, codes.nonpositive
    size = hands.size
    gain, strategy, regret, memory = rows[0], rows[1], rows[2], rows[3]
    for b in range(first, last):
        for k in range(hands.blocks):
            start = (b * hands.blocks + k) * tables.slots
            for i in range(forest.kind.shape[0]):
                if forest.kind[i] != player:
                    continue
                n, at = forest.children[i], (start + forest.slot[i]) * size
                if (kind == MATCHING or kind == PREDICTIVE or kind == SIGNED) and nonpositive == UNIFORM:
                    match_rows(kind, at, n * size, np.float32(positive), np.float32(negative), tables)
                    continue
                for h in range(size):
                    for a in range(n):
                        s = at + a * size + h
                        gain[a], strategy[a] = tables.gain[s], tables.basis[s]
                        regret[a], memory[a] = tables.regret[s], tables.memory[s]
                    match_row(strategy, 0, n, strategy, 0)
                    update_infoset(codes, t, positive, negative, stake, gain, 0.0, 0, n, strategy, regret, memory)
                    for a in range(n):
                        s = at + a * size + h
                        tables.basis[s], tables.regret[s], tables.memory[s] = strategy[a], regret[a], memory[a]
