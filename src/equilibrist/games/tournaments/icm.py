"""The Independent Chip Model (ICM) of Malmuth and Harville: stacks to prize money ([Ganzfried15, §9.8.2]).

The first place goes to each player with probability stack / all chips, the second in the same way among the others, and so on. Small
fields are summed over sets of players, larger ones integrated over arrival times; both agree to 1e-12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.core.numbers import whole_number
from equilibrist.games.tournaments._kernels.icm import subset_equities
from equilibrist.games.tournaments.arrival_times import integrate, integrate_places
from equilibrist.games.tournaments.fields import (
    Floats,
    check_before,
    check_payouts,
    check_stacks,
    eliminated_prizes,
    make_field,
    prizes_for,
)

ROUTES = ("auto", "recursion", "quadrature")
FEW = 10  # players up to which sets are quicker than arrival times
MOST_BY_RECURSION = 20


def icm(stacks: ArrayLike, payouts: ArrayLike, *, before: ArrayLike | None = None, route: str = "auto") -> Floats:
    """Prize money that each stack is worth by the Independent Chip Model, for any number of players.

    `payouts` are from the first place down. Players without chips have the last places: by their stacks `before` the hand, otherwise
    they share them. `route` is `recursion` (at most 20 players), `quadrature`, or `auto`.
    """
    field = make_field(stacks, payouts, before)
    check_route(route, field.rates.size)
    if route == "recursion" or (route == "auto" and field.rates.size <= FEW):
        return field.whole(_by_recursion(field.rates[None], field.prizes)[0])
    return field.whole(integrate(field)[0])


def icm_many(stacks: ArrayLike, payouts: ArrayLike, *, before: ArrayLike | None = None) -> Floats:
    """Equities [field, player] of many fields of the same players, such as all outcomes of a hand; `before` holds for all of them."""
    given = np.asarray(stacks)
    if given.ndim != 2:
        raise ParameterError(f"'stacks' are [field, player], but an array of {given.ndim} dimensions was given.")
    if not given.shape[0]:
        return np.zeros(given.shape)
    fields = np.stack([check_stacks(row) for row in given])
    prizes = prizes_for(check_payouts(payouts), fields.shape[1])
    earlier = check_before(before, fields[0])
    if fields.shape[1] > FEW:
        return np.stack([icm(row, prizes, before=earlier) for row in fields])
    shares = fields / fields.max(axis=1, keepdims=True)
    out: Floats = _by_recursion(shares, prizes - prizes[-1]) + prizes[-1]
    patterns, which = np.unique(fields == 0.0, axis=0, return_inverse=True)
    for number, gone in enumerate(patterns):
        if gone.any():
            out[np.ix_(which.ravel() == number, gone)] = eliminated_prizes(np.where(gone, 0.0, 1.0), prizes, earlier)[
                gone
            ]
    return out


def placing_probabilities(stacks: ArrayLike, places: int | None = None) -> Floats:
    """Probabilities [player, place] of the first `places` (default: all); players without chips share the places left evenly."""
    field = make_field(stacks, [0.0])
    players, alive = field.fixed.size, field.rates.size
    wanted = whole_number("places", players if places is None else places, least=1, most=players)
    out = np.zeros((players, wanted))
    out[field.alive, :alive] = integrate_places(field, min(alive, wanted))
    if alive < wanted:
        gone = np.setdiff1d(np.arange(players), field.alive)
        out[np.ix_(gone, np.arange(alive, wanted))] = 1.0 / (players - alive)
    return out


def check_route(route: str, players: int) -> None:
    """Refuse a route that is not there, or too long for so many players."""
    if route not in ROUTES:
        raise ParameterError(f"'route' is one of {', '.join(ROUTES)}, but {route!r} was given.")
    if route == "recursion" and players > MOST_BY_RECURSION:
        raise TooLargeError(
            f"The recursion takes at most {MOST_BY_RECURSION} players with chips, but there are {players:,}; use the quadrature."
        )


def _by_recursion(stacks: Floats, prizes: Floats) -> Floats:
    out = np.empty(stacks.shape)
    subset_equities(np.ascontiguousarray(stacks), prizes, out)
    return out
