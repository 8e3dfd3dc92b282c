"""What happens at one infoset after its action values are known; shared by the CFR kernels of all representations."""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.hedge import exponential_weights
from equilibrist.solvers.cfr._kernels.matching import share_out

# regret minimisers
MATCHING, PREDICTIVE, SIGNED, HEDGE = 0, 1, 2, 3
# what to play when no regret is positive
UNIFORM, ARGMAX = 0, 1


class MinimiserCodes(NamedTuple):
    """Which regret minimiser, as numbers."""

    kind: int  # MATCHING, PREDICTIVE, SIGNED or HEDGE
    nonpositive: int  # UNIFORM or ARGMAX
    rule: int  # learning rate of Hedge
    horizon: float  # iterations that rate is set for


class Discounts(NamedTuple):
    """Factors of a schedule in T iterations."""

    positive: Any  # [T] float64 on positive regrets, afterwards
    negative: Any  # [T] float64 on negative ones
    keep: Any  # [T] float64 on what was averaged before


class RegretTables(NamedTuple):
    """What CFR learns: S actions of all infosets."""

    strategy: Any  # [S] float64
    regret: Any  # [S] float64
    memory: Any  # [S] float64 of the minimiser
    average: Any  # [S] float64 sum of strategies, weighted by reach


@kernel(inline=True)  # a call with this many arrays costs more than the work
def match_regrets(nonpositive, positive, negative, q, v, first, n, strategy, regret):
    """Regret matching with discounts; the signs are handled without branches, which would be mispredicted."""
    total = 0.0
    for s in range(first, first + n):
        x = regret[s] + (q[s] - v)
        above = 0.5 * (x + abs(x))
        regret[s] = above * positive + (x - above) * negative
        above *= positive
        strategy[s] = above
        total += above
    if total > 0.0 or nonpositive == UNIFORM:
        share_out(strategy, first, n, total)
    else:
        play_least_regretted(first, n, regret, strategy)


@kernel
def play_least_regretted(first, n, regret, strategy):
    """No action has positive regret: take the one closest to it."""
    best = first
    for s in range(first + 1, first + n):
        if regret[s] > regret[best]:
            best = s
    for s in range(first, first + n):
        strategy[s] = 1.0 if s == best else 0.0


@kernel
def follow_leader(kind, nonpositive, positive, q, v, first, n, strategy, regret, memory):
    """Predictive RM+ (the last regret is expected again) and signed RM+ (negative regrets are remembered)."""
    total = 0.0
    for s in range(first, first + n):
        r = q[s] - v
        if kind == PREDICTIVE:
            x = max(regret[s] + r, 0.0) * positive
            regret[s] = x
            memory[s] = r
            x += r
        else:
            x = r if r > 0.0 and regret[s] <= 0.0 else regret[s] + r
            regret[s] = x
        strategy[s] = max(x, 0.0)
        total += strategy[s]
    if total > 0.0 or nonpositive == UNIFORM:
        share_out(strategy, first, n, total)
    else:
        play_least_regretted(first, n, regret, strategy)


@kernel(inline=True)  # a call with this many arrays costs more than the work
def update_infoset(codes, t, positive, negative, spread, q, v, first, n, strategy, regret, memory):
    """Regrets += q - v, then the next strategy, in place at [first : first + n]; v is the value of the strategy."""
    if n == 1:
        pass  # nothing to choose
    elif codes.kind == MATCHING:
        match_regrets(codes.nonpositive, positive, negative, q, v, first, n, strategy, regret)
    elif codes.kind == HEDGE:
        exponential_weights(codes.rule, codes.horizon, t, spread, q, v, first, n, strategy, regret, memory)
    else:
        follow_leader(codes.kind, codes.nonpositive, positive, q, v, first, n, strategy, regret, memory)


@kernel(inline=True)  # a call with this many arrays costs more than the work
def mixed_value(q, first, n, strategy):
    """Value of the strategy at one infoset."""
    total = 0.0
    for s in range(first, first + n):
        total += strategy[s] * q[s]
    return total
