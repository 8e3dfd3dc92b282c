"""What happens at one infoset after its action values are known; shared by the CFR kernels of all representations."""

import math

from equilibrist.compute.kernel import kernel

# regret minimisers
MATCHING, PREDICTIVE, SIGNED, HEDGE = 0, 1, 2, 3
# what to play when no regret is positive
UNIFORM, ARGMAX = 0, 1
# learning rates of Hedge
THEORY, HORIZON, VARIANCE = 0, 1, 2


@kernel(inline=True)
def hedge_rate(rule, actions, spread, t, horizon, variance):
    """Learning rate of Hedge (brown-cfr 2.1); falls back to theory until a variance has been seen."""
    span = max(spread, 1e-12)
    if rule == HORIZON:
        return math.sqrt(2.0 * math.log(actions)) / (span * math.sqrt(horizon))
    mean = variance / t
    if rule == VARIANCE and mean > 1e-12 * span * span:
        return math.sqrt(math.log(actions)) / (3.0 * math.sqrt(mean) * math.sqrt(t))
    return math.sqrt(8.0 * math.log(actions)) / (span * math.sqrt(t))


@kernel
def match_regrets(nonpositive, positive, negative, q, v, first, n, strategy, regret):
    """Regret matching with discounts; unrolled for two and three actions, which most infosets have."""
    if n == 2:
        x = regret[first] + (q[first] - v)
        y = regret[first + 1] + (q[first + 1] - v)
        x *= positive if x > 0.0 else negative
        y *= positive if y > 0.0 else negative
        regret[first] = x
        regret[first + 1] = y
        x = max(x, 0.0)
        y = max(y, 0.0)
        total = x + y
        if total > 0.0:
            scale = 1.0 / total
            strategy[first] = x * scale
            strategy[first + 1] = y * scale
            return
    elif n == 3:
        x = regret[first] + (q[first] - v)
        y = regret[first + 1] + (q[first + 1] - v)
        z = regret[first + 2] + (q[first + 2] - v)
        x *= positive if x > 0.0 else negative
        y *= positive if y > 0.0 else negative
        z *= positive if z > 0.0 else negative
        regret[first] = x
        regret[first + 1] = y
        regret[first + 2] = z
        x = max(x, 0.0)
        y = max(y, 0.0)
        z = max(z, 0.0)
        total = x + y + z
        if total > 0.0:
            scale = 1.0 / total
            strategy[first] = x * scale
            strategy[first + 1] = y * scale
            strategy[first + 2] = z * scale
            return
    else:
        total = 0.0
        for s in range(first, first + n):
            x = regret[s] + (q[s] - v)
            x *= positive if x > 0.0 else negative
            regret[s] = x
            x = max(x, 0.0)
            strategy[s] = x
            total += x
        if total > 0.0:
            scale = 1.0 / total
            for s in range(first, first + n):
                strategy[s] *= scale
            return
    play_without_regret(nonpositive, first, n, regret, strategy)


@kernel
def play_without_regret(nonpositive, first, n, regret, strategy):
    """No action has positive regret: all of them equally, or the least regretted."""
    best = first
    for s in range(first, first + n):
        strategy[s] = 1.0 / n
        if regret[s] > regret[best]:
            best = s
    if nonpositive == ARGMAX:
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
    else:
        play_without_regret(nonpositive, first, n, regret, strategy)


@kernel
def exponential_weights(rule, horizon, t, spread, q, v, first, n, strategy, regret, memory):
    """Hedge; `memory[first]` sums the variances within each iteration."""
    if n < 2:
        return
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


@kernel
def update_infoset(
    kind, nonpositive, rule, horizon, t, positive, negative, spread, q, v, first, n, strategy, regret, memory
):
    """Regrets += q - v, then the next strategy, in place at [first : first + n]; v is the value of the strategy."""
    if kind == MATCHING:
        match_regrets(nonpositive, positive, negative, q, v, first, n, strategy, regret)
    elif kind == HEDGE:
        exponential_weights(rule, horizon, t, spread, q, v, first, n, strategy, regret, memory)
    else:
        follow_leader(kind, nonpositive, positive, q, v, first, n, strategy, regret, memory)


@kernel
def mixed_value(q, first, n, strategy):
    """Value of the strategy at one infoset."""
    if n == 2:
        return strategy[first] * q[first] + strategy[first + 1] * q[first + 1]
    total = 0.0
    for s in range(first, first + n):
        total += strategy[s] * q[s]
    return total
