"""Counting a two-player betting tree in which every whole bet may be made, by chips instead of line by line."""

from equilibrist.compute.kernel import kernel


@kernel
def count_round(stack, minimum, weight, end_weight, after, facing, sums, opened):
    """Weights of all nodes of one round and what follows it.

    `after[c]` is the weight of what follows when both have paid c. Written are opened[c], a round begun at c, and facing[c, y], a
    player who faces a raise by y to c: fold, call, or raise by at least y, or by all that is left.
    """
    for c in range(stack, -1, -1):
        left, total = stack - c, 0.0
        for z in range(left, 0, -1):
            total += facing[c + z, z]
            sums[z] = total
        bets = sums[min(minimum, left)] if left > 0 else 0.0
        opened[c] = 2.0 * weight + after[c] + 2.0 * bets  # two checks, or a bet of either player
        for y in range(1, c + 1):
            raises = sums[min(max(y, minimum), left)] if left > 0 else 0.0
            facing[c, y] = weight + end_weight + after[c] + raises
