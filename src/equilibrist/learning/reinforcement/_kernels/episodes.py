"""Episodes under a table of strategies, and how much better each decision turned out than was expected there."""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.mccfr._kernels.mccfr import CHANCE
from equilibrist.solvers.mccfr._kernels.sampling import draw_action, draw_outcome, uniform


class Decisions(NamedTuple):
    """What was played; room for N decisions."""

    row: Any  # [N] int32, of the encoding
    slot: Any  # [N] int32, of the action
    player: Any  # [N] int32
    advantage: Any  # [N] float64
    goal: Any  # [N] float64, what the value should have been


@kernel
def play_episodes(tree, slot_row, strategy, value, least, discount, trace, decisions, after, random, tally):
    """Whole episodes, until there are `least` decisions. Returns how many there are.

    `strategy` [S] and `value` [R] stay as they are; `after` [k, 2] is scratch; `tally` [2] counts nodes and episodes.
    """
    nodes, count = tree.nodes, 0
    while count < least:
        begin, n = count, 0
        tally[1] += 1
        while True:
            tally[0] += 1
            kind, first, width, slot = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3]
            if kind >= 0:
                a = draw_action(strategy, slot, width, uniform(random))
                decisions.row[count], decisions.slot[count] = slot_row[slot], slot + a
                decisions.player[count] = kind
                count += 1
                n = first + a
            elif kind == CHANCE:
                n = tree.outcomes[draw_outcome(tree.cumulative, first, width, slot, uniform(random)), 0]
            else:
                estimate_advantages(tree.payoffs[first], value, begin, count, discount, trace, decisions, after)
                break
    return count


@kernel
def estimate_advantages(payoff, value, begin, end, discount, trace, decisions, after):
    """Generalised advantages of one episode ([Schulman16], equation 16), each player's decisions following one another.

    Rewards are zero but after a player's last decision. `after` [k, 2]: value and advantage of the player's next decision.
    """
    for p in range(after.shape[0]):
        after[p, 0], after[p, 1] = payoff[p] / discount, 0.0
    for i in range(end - 1, begin - 1, -1):
        p, expected = decisions.player[i], value[decisions.row[i]]
        advantage = discount * after[p, 0] - expected + discount * trace * after[p, 1]
        decisions.advantage[i], decisions.goal[i] = advantage, advantage + expected
        after[p, 0], after[p, 1] = expected, advantage
