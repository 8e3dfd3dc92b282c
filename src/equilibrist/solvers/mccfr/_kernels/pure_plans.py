"""Pure plans drawn from a strategy; `trees` is a `Treeplex`."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.mccfr._kernels.sampling import draw_action, uniform


@kernel
def draw_pure(player, trees, strategy, random, plan):  # strategy, plan [S]; random uint64 [4]
    """One action at every infoset of a player; `plan` becomes the pure plan that takes them."""
    offset, first_infoset, first_sequence, actions, parent = trees
    plan[offset[player]] = 1.0
    for i in range(first_infoset[player], first_infoset[player + 1]):
        first, n = first_sequence[i], actions[i]
        chosen = first + draw_action(strategy, first, n, uniform(random))
        for s in range(first, first + n):
            plan[s] = 0.0
        plan[chosen] = plan[parent[i]]
