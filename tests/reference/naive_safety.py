"""Safe play the slow, obvious way: guarantees by trying every pure strategy, worst matches by trying every reply."""

from __future__ import annotations

import itertools

import numpy as np

from equilibrist.exploit.responses.responses import best_equilibrium_answer
from equilibrist.exploit.seat import side


def pure_plans(side, player):
    """All pure plans of a player, by choosing one action at every infoset."""
    form, base = side.form, int(side.form.offset[player])
    part = side.infosets_of(player)
    infosets = range(part.start, part.stop)
    for choice in itertools.product(*(range(int(form.actions[i])) for i in infosets)):
        plan = np.zeros(form.sequences[player])
        plan[0] = 1.0
        for i, a in zip(infosets, choice, strict=True):
            plan[int(form.first_sequence[i]) - base + a] = plan[int(form.parent[i]) - base]
        yield dict(zip(infosets, choice, strict=True)), plan


def guarantee(side, plan):
    """The least payoff against any pure strategy of the opponent."""
    return min(side.payoff(plan, reply) for _, reply in pure_plans(side, side.opponent))


def observed_payoff(side, plan, seen):
    """The least payoff against pure strategies that do what was seen."""
    replies = pure_plans(side, side.opponent)
    return min(side.payoff(plan, y) for choice, y in replies if all(choice[i] == a for i, a in seen.items()))


def worst_total(make, hands, play, depth):
    """The least expected total of `depth` hands against any adaptive opponent, by trying all it can do.

    `make()` starts a match, `play(match)` gives its plan and a list of (reply, outcomes), where an outcome is
    (probability, payoff, what the match observes).
    """
    if depth == 0:
        return 0.0
    worst = np.inf
    for replies in play(make()):
        total = 0.0
        for probability, payoff, following in replies:
            total += probability * (payoff + worst_total(following, hands, play, depth - 1))
        worst = min(worst, total)
    return worst


def gift_exists(game: str, player: int) -> bool:
    """Whether some opponent strategy is no best response to some equilibrium strategy of `player` ([Ganzfried15, Proposition 22])."""
    seat = side(game, player)
    answer = best_equilibrium_answer(seat, seat.form.infosets.uniform())
    return answer.payoff > answer.value + 1e-8 * float(np.abs(seat.matrix.data).max())
