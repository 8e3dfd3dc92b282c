"""CFR on walks with pruning: partial, regret-based over intervals, and best-response pruning that frees memory."""

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.pruned_cfr._kernels.pruned_learning import (
    INTERVALS,
    PARTIAL,
    PLAY,
    RESPONSES,
    Step,
    mark_idle,
    update,
)
from equilibrist.solvers.pruned_cfr._kernels.pruned_proofs import (
    decide_intervals,
    decide_responses,
    room_needed,
)
from equilibrist.solvers.pruned_cfr._kernels.pruned_walk import (
    DUE,
    NODES,
    NOWHERE,
    NOWHERE_PLANS,
    ON_LIST,
    TOP,
    TOP_PLANS,
    WISH,
    walk,
)


@kernel
def meet(layout, tables, rules, player, weight, share):
    """The player walks against the strategy that the opponent plays now, which counts once more in its averages."""
    other = tables.shelf[layout.empty[1 - player]]
    tables.total[other] += weight if rules.method >= INTERVALS else share
    if rules.separate:
        tables.average[other] += share


@kernel
def run_pruned_cfr(
    first_t, positive, negative, weight, scale, weights, share, log_positive, log_negative, simultaneous, limit,
    layout, tables, rules, progress,
):  # fmt: skip
    """Iterations first_t, first_t + 1, ...; stops early after `limit` nodes, or where memory has to grow first.

    `progress` int64 [4]: iterations done, stage of the one under way, infosets met by each player. Returns whether more room is
    needed: for the sequences that `room_needed` counts.
    """
    skip, pruning = rules.method >= PARTIAL, rules.method >= INTERVALS
    while progress[0] < positive.shape[0]:
        i = progress[0]
        step = Step(first_t + i, positive[i], negative[i], weight[i], scale[i], weights[i])
        while progress[1] < 4:
            player = progress[1] // 2
            if progress[1] % 2 == 0:
                if not simultaneous or player == 0:
                    last = 1 if simultaneous else player
                    for p in range(player, last + 1):
                        meet(layout, tables, rules, p, weight[i], share[i])
                    for p in range(player, last + 1):
                        progress[2 + p] = walk(layout, tables, p, skip, pruning, rules.tight, rules.separate)
                tables.tally[ON_LIST + DUE] = tables.tally[ON_LIST + WISH] = 0
                if rules.zero_reach != PLAY:
                    mark_idle(layout, tables, rules, player, progress[2 + player])
                update(layout, tables, rules, player, progress[2 + player], step, log_positive, log_negative)
            elif rules.method == INTERVALS:
                decide_intervals(layout, tables, rules, step, log_positive, log_negative)
            elif rules.method == RESPONSES:
                need = room_needed(layout, tables)
                short = tables.tally[TOP] + need > tables.tally[NOWHERE]
                if need > 0 and (short or tables.tally[TOP_PLANS] + need > tables.tally[NOWHERE_PLANS]):
                    return True
                decide_responses(layout, tables, rules, step)
            progress[1] += 1
        progress[0] += 1
        progress[1] = 0
        if tables.tally[NODES] >= limit:
            break
    return False
