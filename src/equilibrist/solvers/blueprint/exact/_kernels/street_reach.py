"""How a player's own actions thin out its hands on one street of one board, all lines side by side."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.postflop._kernels.layout import DEAL


@kernel
def street_reach(player, kind, first_child, children, slot, next_root, play, bucket, reach, below):
    """`reach` [N, H] has its roots filled in and gets the rest; `below` [roots of the next street, H] what the deals lead to.

    `play` [slot, bucket] are the player's rows and `bucket` [H] those of its hands.
    """
    hands = bucket.shape[0]
    for i in range(kind.shape[0]):
        for a in range(children[i]):
            child = first_child[i] + a
            if kind[i] == player:
                row = slot[i] + a
                for h in range(hands):
                    reach[child, h] = reach[i, h] * play[row, bucket[h]]
            else:
                for h in range(hands):
                    reach[child, h] = reach[i, h]
        if kind[i] == DEAL:
            for h in range(hands):
                below[next_root[i], h] = reach[i, h]
