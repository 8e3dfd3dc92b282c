"""CFR on the public tree where players are bound to models; laid out as in `public_cfr.py`."""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.cfr._kernels.public_cfr import collect, count, minimise, private_reach


class PublicModels(NamedTuple):
    """Opponent models that players are bound to follow: K infostates, R rows, S slots."""

    hand_weight: Any  # [players] float64 probability that a player follows its model for the whole hand
    model_reach: Any  # [K] float64 own reach when it does
    bound: Any  # [R] float64 share of the behaviour at a row that is the model's
    model: Any  # [S] float64 what the model does there


class Followed(NamedTuple):
    """What follows from the present strategies."""

    played: Any  # [S] float64 behaviour, the bound share included
    own: Any  # [K] float64 reach by it; the opponents meet `scratch.reach`, models of whole hands included


@kernel
def follow_bound(player, infostates, start, models, strategy, followed, seen):
    """Behaviour, reach by it, and what the others meet of one player."""
    base, first_slot, row_player = infostates.base, infostates.first_slot, infostates.row_player
    hand_weight, model_reach, bound, model = models
    played, own = followed
    for r in range(row_player.shape[0]):
        if row_player[r] == player:
            for s in range(first_slot[r], first_slot[r + 1]):
                played[s] = strategy[s] * (1.0 - bound[r]) + model[s] * bound[r]
    private_reach(player, infostates, played, start, own)
    weight = hand_weight[player]
    for k in range(base[player], base[player + 1]):
        seen[k] = (1.0 - weight) * own[k] + weight * model_reach[k]


@kernel
def run_bound_public_cfr(
    first_t, discounts, codes, simultaneous, infostates, stakes, models, tables, followed, scratch
):
    """Iterations first_t, first_t + 1, …; the free share of each player learns, the average holds what it plays."""
    positive, negative, keep = discounts
    strategy, average, seen = tables.strategy, tables.average, scratch.reach
    players = infostates.base.shape[0] - 1
    for p in range(players):
        follow_bound(p, infostates, stakes.start, models, strategy, followed, seen)
    for step in range(positive.shape[0]):
        t = first_t + step
        for s in range(average.shape[0]):
            average[s] *= keep[step]
        if simultaneous:
            collect(0, players, infostates, stakes, followed.played, scratch)
        for i in range(players):
            if not simultaneous:
                collect(i, i + 1, infostates, stakes, followed.played, scratch)
            count(i, infostates, followed.played, followed.own, average)
            minimise(i, t, positive[step], negative[step], codes, infostates, stakes.spread, tables, scratch.q)
            if not simultaneous:
                follow_bound(i, infostates, stakes.start, models, strategy, followed, seen)
        if simultaneous:
            for p in range(players):
                follow_bound(p, infostates, stakes.start, models, strategy, followed, seen)
