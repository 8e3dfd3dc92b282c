"""Next strategies of all hands or buckets from the regrets of an iteration, by any minimiser."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.regret import update_infoset


@kernel
def minimise_rows(codes, t, positive, negative, stake, first, actions, gain, strategy, regret, memory):
    """Tables [hand or bucket, slot]; node i has the slots from first[i] on, and stake [hand or bucket] is the range of values.

    Gains stand for action values whose mean is zero, so that the value of the strategy is 0.
    """
    for k in range(gain.shape[0]):
        for i in range(first.shape[0]):
            update_infoset(
                codes,
                t,
                positive,
                negative,
                stake[k],
                gain[k],
                0.0,
                first[i],
                actions[i],
                strategy[k],
                regret[k],
                memory[k],
            )
