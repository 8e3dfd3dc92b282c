"""What happens at one infoset after its action values are known; shared by the CFR kernels of all representations."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.hedge import exponential_weights

# regret minimisers
MATCHING, PREDICTIVE, SIGNED, HEDGE = 0, 1, 2, 3
# what to play when no regret is positive
UNIFORM, ARGMAX = 0, 1


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
    if total > 0.0:
        scale = 1.0 / total
        for s in range(first, first + n):
            strategy[s] *= scale
    elif nonpositive == UNIFORM:
        for s in range(first, first + n):
            strategy[s] = 1.0 / n
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
    if total > 0.0:
        scale = 1.0 / total
        for s in range(first, first + n):
            strategy[s] *= scale
    elif nonpositive == UNIFORM:
        for s in range(first, first + n):
            strategy[s] = 1.0 / n
    else:
        play_least_regretted(first, n, regret, strategy)


@kernel(inline=True)  # a call with this many arrays costs more than the work
def update_infoset(
    kind, nonpositive, rule, horizon, t, positive, negative, spread, q, v, first, n, strategy, regret, memory
):
    """Regrets += q - v, then the next strategy, in place at [first : first + n]; v is the value of the strategy."""
    if n == 1:
        pass  # nothing to choose
    elif kind == MATCHING:
        match_regrets(nonpositive, positive, negative, q, v, first, n, strategy, regret)
    elif kind == HEDGE:
        exponential_weights(rule, horizon, t, spread, q, v, first, n, strategy, regret, memory)
    else:
        follow_leader(kind, nonpositive, positive, q, v, first, n, strategy, regret, memory)


@kernel(inline=True)  # a call with this many arrays costs more than the work
def mixed_value(q, first, n, strategy):
    """Value of the strategy at one infoset."""
    total = 0.0
    for s in range(first, first + n):
        total += strategy[s] * q[s]
    return total
