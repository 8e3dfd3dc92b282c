"""Hedge at one infoset: exponential weights and their learning rates ([Brown20, §3.4.3])."""

import math

from equilibrist.compute.kernel import kernel

# learning rates
THEORY, HORIZON, VARIANCE = 0, 1, 2


@kernel(inline=True)
def hedge_rate(rule, actions, spread, t, horizon, variance):
    """Learning rate of Hedge ([Brown20, §3.4.3]); falls back to theory until a variance has been seen."""
    span = max(spread, 1e-12)
    if rule == HORIZON:
        return math.sqrt(2.0 * math.log(actions)) / (span * math.sqrt(horizon))
    mean = variance / t
    if rule == VARIANCE and mean > 1e-12 * span * span:
        return math.sqrt(math.log(actions)) / (3.0 * math.sqrt(mean) * math.sqrt(t))
    return math.sqrt(8.0 * math.log(actions)) / (span * math.sqrt(t))


@kernel
def exponential_weights(rule, horizon, t, spread, q, v, first, n, strategy, regret, memory):
    """Hedge; `memory[first]` sums the variances within each iteration."""
    square = 0.0
    for s in range(first, first + n):
        square += strategy[s] * q[s] * q[s]
        regret[s] += q[s] - v
    memory[first] += max(square - v * v, 0.0)
    rate = hedge_rate(rule, n, spread, t, horizon, memory[first])
    top = regret[first]
    for s in range(first + 1, first + n):
        top = max(top, regret[s])
    total = 0.0
    for s in range(first, first + n):
        strategy[s] = math.exp(rate * (regret[s] - top))
        total += strategy[s]
    for s in range(first, first + n):
        strategy[s] /= total
