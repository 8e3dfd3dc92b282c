"""What chips at risk cost between two players: derivatives of ICM, bubble factors and risk premiums.

While two players wager, all others stay as they are. Two numbers for each time say all about the others: the expected prize of one
arrival more, and of a second one (`arrival_times.integrate_pairs`). Equities after any transfer follow from these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.games.tournaments.arrival_times import integrate, integrate_pairs
from equilibrist.games.tournaments.fields import Floats, TournamentField, make_field, seat_numbers

MOST_SEATS = 64


@dataclass(frozen=True)
class BubbleFactors:
    """What every two players risk and stand to win against each other, in prize money; NaN on the diagonal."""

    seats: NDArray[np.int64]  # [seat] which players these are
    at_risk: Floats  # [seat, other] chips
    equity: Floats  # [seat] now
    equity_won: Floats  # [seat, other] after winning them
    equity_lost: Floats  # [seat, other] after losing them

    @cached_property
    def factor(self) -> Floats:
        """[seat, other] prize money lost over prize money won; infinite where nothing can be won, NaN where nothing is at stake."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.equity[:, None] - self.equity_lost) / (self.equity_won - self.equity[:, None])

    @cached_property
    def required_equity(self) -> Floats:
        """[seat, other] chance to win at which an even wager breaks even."""
        lost = self.equity[:, None] - self.equity_lost
        with np.errstate(divide="ignore", invalid="ignore"):
            return lost / (self.equity_won - self.equity_lost)

    @cached_property
    def risk_premium(self) -> Floats:
        """[seat, other] what must be won beyond one half."""
        return self.required_equity - 0.5


def bubble_factors(
    stacks: ArrayLike, payouts: ArrayLike, *, seats: Sequence[int] | None = None, at_risk: ArrayLike | None = None
) -> BubbleFactors:
    """Bubble factors and risk premiums between all pairs of some players (default: all with chips), the rest of the field as it is.

    `at_risk` are the chips wagered, one number or [seat, other] (default: the smaller of the two stacks).
    """
    field, chosen, places = _seated(stacks, payouts, seats)
    chips = np.asarray(stacks, np.float64)[chosen]
    amounts = _amounts(at_risk, chips)
    richer, poorer = (chips[:, None] + amounts) / field.chips, (chips[:, None] - amounts) / field.chips
    times, weights, prizes = integrate_pairs(field, places)
    won, lost = np.full((2, chosen.size, chosen.size), np.nan)
    for a, b in permutations(range(chosen.size), 2):
        pair, other = prizes[:, a, b], (chips[b] - amounts[a, b]) / field.chips
        won[a, b] = field.floor + _pair_equity(richer[a, b], other, times, weights, pair)
        other = (chips[b] + amounts[a, b]) / field.chips
        lost[a, b] = field.floor + _pair_equity(poorer[a, b], other, times, weights, pair)
    np.fill_diagonal(amounts, np.nan)
    return BubbleFactors(chosen, amounts, field.whole(integrate(field)[0])[chosen], won, lost)


def icm_derivatives(stacks: ArrayLike, payouts: ArrayLike, *, seats: Sequence[int] | None = None) -> Floats:
    """Derivatives [player, other] of equities by stacks, in prize money a chip, between some players (default: all with chips)."""
    field, chosen, places = _seated(stacks, payouts, seats)
    rates = field.rates[places]
    times, weights, prizes = integrate_pairs(field, places)
    out = np.empty((chosen.size, chosen.size))
    for a in range(chosen.size):
        first = weights * rates[a] * np.exp(-rates[a] * times)
        for b in range(chosen.size):
            then = times * np.exp(-rates[b] * times) * (prizes[:, a, b, 1] - prizes[:, a, b, 0])
            out[a, b] = (first * then).sum()
    np.fill_diagonal(out, integrate(field)[1][places])
    return out / field.chips


def _pair_equity(own: float, other: float, times: Floats, weights: Floats, prizes: Floats) -> float:
    """Equity above the floor of a player with one rate beside another; prizes [node, 2] of the first and the second to arrive."""
    before = -np.expm1(-other * times)
    return float((weights * own * np.exp(-own * times) * (prizes[:, 0] * (1.0 - before) + prizes[:, 1] * before)).sum())


def _seated(
    stacks: ArrayLike, payouts: ArrayLike, seats: Sequence[int] | None
) -> tuple[TournamentField, NDArray[np.int64], NDArray[np.int64]]:
    """The field, the chosen players in order, and their places among those who have chips."""
    field = make_field(stacks, payouts)
    chosen = field.alive if seats is None else np.sort(seat_numbers(seats, field.fixed.size))
    if chosen.size > MOST_SEATS:
        raise TooLargeError(f"{chosen.size:,} players are too many to be paired; name at most {MOST_SEATS} as 'seats'.")
    without = np.setdiff1d(chosen, field.alive)
    if without.size:
        raise ParameterError(f"Player {without[0]} has no chips to wager; name players with chips as 'seats'.")
    return field, chosen, np.searchsorted(field.alive, chosen)


def _amounts(at_risk: ArrayLike | None, chips: Floats) -> Floats:
    """[seat, other] chips at risk, positive and no more than the smaller stack."""
    most = np.minimum.outer(chips, chips)
    if at_risk is None:
        return most
    try:
        given = np.broadcast_to(np.asarray(at_risk, np.float64), most.shape).copy()
    except (TypeError, ValueError):
        raise ParameterError(
            f"'at_risk' is one number of chips or [seat, other] of them, {most.shape}, but {at_risk!r} was given."
        ) from None
    others = ~np.eye(chips.size, dtype=bool)
    wrong = others & ~((given > 0.0) & (given <= most))
    if wrong.any():
        a, b = np.argwhere(wrong)[0]
        raise ParameterError(
            f"{given[a, b]:g} chips cannot be at risk between stacks of {chips[a]:g} and {chips[b]:g}; "
            "give more than zero, and no more than the smaller stack."
        )
    return given
