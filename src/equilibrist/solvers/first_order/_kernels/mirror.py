"""Mirror prox, optimistic and magnetic mirror descent on two treeplexes: parts between products, and whole runs.

trees, prox and matrix are as in `excessive_gap`; [S] arrays hold both players. Where both players have moved, their values sum to
at most 0 if the step was short enough: regret is then paid for by divergence, and the average is certified ([Nemirovski04]).

state   (coordinate, behaviour, plan, worth, average)
work    (q, ahead, next coordinate, next behaviour)
control (step, factor by which the step grows, weight of the average, products)
"""

from equilibrist.compute.kernel import kernel
from equilibrist.forms._kernels.plans import follow_own
from equilibrist.solvers.cfr._kernels.sequence_cfr import gradient
from equilibrist.solvers.first_order._kernels.prox import prox_own

SMALLEST_STEP = 1e-12  # relative to the first step; below it, rounding decides
LONGEST_STEP = 1e4  # in the same unit; where players need not answer each other any step is valid, and logarithms would lose their digits
STEADY_GROWTH = 1.02  # after the first step that was too long


@kernel
def both_products(trees, matrix, plan, out):
    """Both players' gradients."""
    offset = trees[0]
    start, column, value = matrix
    gradient(offset[0], offset[2], start, column, value, plan, out)


@kernel
def stand(trees, state):
    """The plans of the present behaviours."""
    _, behaviour, plan, _, _ = state
    for p in range(2):
        follow_own(p, trees, behaviour, plan)


@kernel
def reach_out(step, trees, prox, state, work):
    """Trial plans: a step from here along the gradients `ahead`."""
    coordinate, _, plan, _, _ = state
    q, ahead, next_coordinate, next_behaviour = work
    for s in range(q.shape[0]):
        q[s] = ahead[s]
    for p in range(2):
        prox_own(p, 1.0 / step, trees, prox, coordinate, q, next_coordinate, next_behaviour)
        follow_own(p, trees, next_behaviour, plan)


@kernel
def move(step, trees, prox, state, work):
    """A step from here along the gradients `worth` of the trial plans; returns the sum of values, at most 0 if it is valid."""
    coordinate, _, _, worth, _ = state
    q, _, next_coordinate, next_behaviour = work
    for s in range(q.shape[0]):
        q[s] = worth[s]
    total = 0.0
    for p in range(2):
        total += prox_own(p, 1.0 / step, trees, prox, coordinate, q, next_coordinate, next_behaviour)
    return total


@kernel
def arrive(weight, longest, state, work, control):
    """The step is taken, and its trial plans join the average."""
    coordinate, behaviour, plan, _, average = state
    _, _, next_coordinate, next_behaviour = work
    control[2] += weight
    share = weight / control[2]
    for s in range(plan.shape[0]):
        coordinate[s] = next_coordinate[s]
        behaviour[s] = next_behaviour[s]
        average[s] += share * (plan[s] - average[s])
    control[0] = min(control[0] * control[1], longest)


@kernel
def shorten(control):
    """The step was too long."""
    control[0] *= 0.5
    control[1] = STEADY_GROWTH


@kernel
def look_around(trees, matrix, state, ahead, control):
    """The gradients from here."""
    stand(trees, state)
    both_products(trees, matrix, state[2], ahead)
    control[3] += 1.0


@kernel
def run_extragradient(first, steps, optimistic, power, tolerance, smallest, control, trees, prox, matrix, state, work):
    """Iterations first, first + 1, …; an optimistic one looks ahead with the gradients of the last trial.

    Where those mislead, no step is short enough, so that a trial that fails is repeated with gradients from here.
    """
    _, _, plan, worth, _ = state
    _, ahead, _, _ = work
    for t in range(first, first + steps):
        guessed = optimistic
        if guessed:
            for s in range(plan.shape[0]):
                ahead[s] = worth[s]
        else:
            look_around(trees, matrix, state, ahead, control)
        while True:
            reach_out(control[0], trees, prox, state, work)
            both_products(trees, matrix, plan, worth)
            control[3] += 1.0
            if move(control[0], trees, prox, state, work) <= tolerance or control[0] < smallest:
                break
            shorten(control)
            if guessed:
                look_around(trees, matrix, state, ahead, control)
                guessed = False
        arrive(control[0] * (t + 1.0) ** power, smallest / SMALLEST_STEP * LONGEST_STEP, state, work, control)


@kernel
def pull(player, step, temperature, trees, prox, state, work):
    """One player's step along `worth`, drawn towards the centre of the prox function ([Sokota23])."""
    coordinate, behaviour, plan, worth, _ = state
    q, mixed, _, _ = work
    offset, magnet = trees[0], prox[2]
    scale = temperature + 1.0 / step
    for s in range(offset[player], offset[player + 1]):
        q[s] = worth[s]
        mixed[s] = (temperature * magnet[s] + coordinate[s] / step) / scale
    prox_own(player, scale, trees, prox, mixed, q, coordinate, behaviour)
    follow_own(player, trees, behaviour, plan)


@kernel
def remember(weight, state, control):
    """The present plans join the average."""
    _, _, plan, _, average = state
    control[2] += weight
    share = weight / control[2]
    for s in range(plan.shape[0]):
        average[s] += share * (plan[s] - average[s])


@kernel
def run_magnetic(first, steps, heat, decay, power, control, trees, prox, matrix, state, work):
    """Players in turn; the temperature of iteration t is heat / t^decay."""
    offset = trees[0]
    start, column, value = matrix
    _, _, plan, worth, _ = state
    for t in range(first, first + steps):
        for p in range(2):
            gradient(offset[p], offset[p + 1], start, column, value, plan, worth)
            pull(p, control[0], heat / (t + 1.0) ** decay, trees, prox, state, work)
        control[3] += 1.0
        remember((t + 1.0) ** power, state, control)
