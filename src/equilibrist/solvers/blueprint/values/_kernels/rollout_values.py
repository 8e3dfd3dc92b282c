"""Hands played to their end by a packed blueprint, every player by its own buckets."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.blueprint._kernels.blueprint import settle
from equilibrist.solvers.mccfr._kernels.sampling import uniform


@kernel
def play_out(node, me, tree, bucket, strength, packed, random, out):
    """Net chips out[d] of one player when deal d goes on from a node; bucket [deal, player, round], strength [deal, player]."""
    for d in range(bucket.shape[0]):
        n = node
        while tree.player[n] >= 0:
            width = tree.children[n]
            row = tree.first_slot[n] + bucket[d, tree.player[n], tree.round[n]] * width
            total = 0
            for a in range(width):
                total += packed[row + a]
            left = uniform(random) * total
            chosen = width - 1 if total == 0 else 0  # a row that was never trained: its last action, as good as any
            for a in range(width):
                if packed[row + a] > 0:
                    chosen = a
                    left -= packed[row + a]
                    if left < 0.0:
                        break
            n = tree.first_child[n] + chosen
        out[d] = settle(n, me, tree, strength, d)
