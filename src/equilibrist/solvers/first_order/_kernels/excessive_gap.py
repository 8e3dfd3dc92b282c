"""The excessive gap technique ([Gilpin09, §8.3]): what happens between products and, for sparse matrices, whole runs of steps.

Both players maximise their own payoff, so that one set of loops serves both. Arrays come in groups:

trees   (offset, first_infoset, first_sequence, actions, parent)
prox    (kind, weight [I], centre [S])
matrix  (start, column, value)
point   (plan, product, coordinate, behaviour), each [2, S]: row `now` is the point, the other row the trial. `product` is each
        player's gradient, `coordinate` and `behaviour` its smoothed best response
work    (ahead, worth, answer, q, coordinate, behaviour), each [S]
control (tau, now, shrinks done)
"""

from equilibrist.compute.kernel import kernel
from equilibrist.forms._kernels.plans import follow_own
from equilibrist.solvers.cfr._kernels.sequence_cfr import gradient
from equilibrist.solvers.first_order._kernels.prox import prox_own

SCHEDULED = 0  # tau = 2 / (k + 3), players in turn
HALVED = 1  # heuristic 1: tau stays until the condition fails, then it is halved
RECOVERING = 2  # the same for the player with more smoothing; tau grows again after each success
SMALLEST_STEP = 1e-9  # below it, rounding decides
RECOVERY = 1.1
LARGEST_STEP = 0.5


@kernel
def reply(player, tau, mu, trees, prox, product, work):
    """The smoothed answer to the opponent moved by tau towards its own answer, whose product is `ahead`."""
    ahead, _, answer, q, coordinate, behaviour = work
    offset = trees[0]
    for s in range(offset[player], offset[player + 1]):
        q[s] = (1.0 - tau) * product[s] + tau * ahead[s]
    prox_own(player, mu[player], trees, prox, prox[2], q, coordinate, behaviour)
    follow_own(player, trees, behaviour, answer)


@kernel
def retreat(player, tau, mu, trees, prox, response, work):
    """The step from the player's own response along the opponent's reply, whose product is `worth`."""
    _, worth, answer, q, coordinate, behaviour = work
    offset = trees[0]
    for s in range(offset[player], offset[player + 1]):
        q[s] = worth[s]
    prox_own(player, mu[player] * (1.0 - tau) / tau, trees, prox, response, q, coordinate, behaviour)
    follow_own(player, trees, behaviour, answer)


@kernel
def excess_at(row, mu, trees, prox, point, q):
    """How far the excessive gap condition holds at a row of the point; its responses are written anew."""
    _, product, coordinate, behaviour = point
    for s in range(product.shape[1]):
        q[s] = product[row, s]
    excess = 0.0
    for p in range(2):
        excess -= prox_own(p, mu[p], trees, prox, prox[2], q, coordinate[row], behaviour[row])
    return excess


@kernel
def settle(player, now, tau, mu, trees, prox, point, work):
    """Write the trial point, its products and responses; returns its excess at the smaller smoothing of `player`."""
    plan, product, _, _ = point
    _, worth, answer, q, _, _ = work
    for s in range(plan.shape[1]):
        plan[1 - now, s] = (1.0 - tau) * plan[now, s] + tau * answer[s]
        product[1 - now, s] = (1.0 - tau) * product[now, s] + tau * worth[s]
    before = mu[player]
    mu[player] = (1.0 - tau) * before
    excess = excess_at(1 - now, mu, trees, prox, point, q)
    mu[player] = before
    return excess


@kernel
def shrink(player, now, tau, fresh, mu, trees, prox, matrix, point, work):
    """A trial that reduces the player's smoothing by tau; not `fresh` if only tau has changed. Returns its excess."""
    _, product, coordinate, behaviour = point
    ahead, worth, answer, _, _, _ = work
    start, column, value = matrix
    offset, other = trees[0], 1 - player
    if fresh:
        follow_own(player, trees, behaviour[now], answer)
        gradient(offset[other], offset[other + 1], start, column, value, answer, ahead)
    reply(other, tau, mu, trees, prox, product[now], work)
    gradient(offset[player], offset[player + 1], start, column, value, answer, worth)
    retreat(player, tau, mu, trees, prox, coordinate[now], work)
    gradient(offset[other], offset[other + 1], start, column, value, answer, worth)
    return settle(player, now, tau, mu, trees, prox, point, work)


@kernel
def mover(rule, k, mu):
    """Whose smoothing step k reduces."""
    if rule == RECOVERING:
        return 1 if mu[1] >= mu[0] else 0
    return 1 - k % 2


@kernel
def first_tau(rule, k, control):
    """The step to try first."""
    return 2.0 / (k + 3.0) if rule == SCHEDULED else control[0]


@kernel
def accept(rule, player, tau, control, mu):
    """The trial becomes the point."""
    mu[player] *= 1.0 - tau
    control[1] = 1.0 - control[1]
    if rule == HALVED:
        control[0] = tau
    elif rule == RECOVERING:
        control[0] = min(tau * RECOVERY, LARGEST_STEP)


@kernel
def run_shrinks(first, steps, rule, tolerance, control, mu, trees, prox, matrix, point, work):
    """Steps first, first + 1, …; returns how many were done before rounding stopped one."""
    for k in range(first, first + steps):
        player, tau = mover(rule, k, mu), first_tau(rule, k, control)
        fresh = True
        while True:
            control[2] += 1.0
            if shrink(player, int(control[1]), tau, fresh, mu, trees, prox, matrix, point, work) >= -tolerance:
                break
            tau *= 0.5
            fresh = False
            if tau < SMALLEST_STEP:
                return k - first
        accept(rule, player, tau, control, mu)
    return steps
