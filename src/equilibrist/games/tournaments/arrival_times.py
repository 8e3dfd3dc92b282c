"""Malmuth–Harville by one integral: the finish order is that in which independent exponentials with rates = stacks arrive.

Player i arrives at time t with density r e^(-r t); its place is one more than the number of others who came before. A tanh-sinh rule in
e^(-t) turns the integral into a sum that converges exponentially, whatever the ratio of the stacks ([TM74]). All terms are positive.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from equilibrist.core.errors import TooLargeError
from equilibrist.games.tournaments._kernels.icm import arrival_places, arrival_values, pair_values
from equilibrist.games.tournaments.fields import Floats, TournamentField

NEGLIGIBLE = 45.0  # e^-45 of a prize is left out at either end
WIDEST_STEP = 0.125  # for few players, where integrands are as wide as one arrival
STEP_IN_DEVIATIONS = 0.7  # of the number of arrivals, for many: a bell sampled so is summed to 1e-16
MOST_ROOM = 25_000_000  # numbers of [player, place]
WORK_AT_A_TIME = 30_000_000  # sums between two looks at Ctrl-C


def nodes(rates: Floats, places: int, apart: int = 1) -> tuple[Floats, Floats]:
    """Times and weights; `apart` is how many players are left out of the sums. Nobody plays for the last place."""
    last = _last_time(rates, places, apart)
    # the number of arrivals changes no faster than its deviation allows: var >= (its slope in log t)^2 / min(0.648 n, arrivals)
    bend = min(0.648 * rates.size, places + 8.0 * math.sqrt(places) + 1.0)
    step = min(WIDEST_STEP, STEP_IN_DEVIATIONS / math.sqrt(bend))
    left = -math.asinh(NEGLIGIBLE / math.pi)
    right = math.asinh(last / math.pi)
    x = left + step * np.arange(math.ceil((right - left) / step) + 1)
    inner = math.pi * np.sinh(x)
    times = np.logaddexp(0.0, inner)  # e^-t = (1 - tanh(inner / 2)) / 2
    return times, step * math.pi * np.cosh(x) * np.exp(-np.logaddexp(0.0, -inner))


def _last_time(rates: Floats, places: int, apart: int) -> float:
    """When all that is paid has been decided, up to what is negligible: by the slowest that matter, or by Chernoff's bound if earlier."""
    slowest = np.sort(rates)[::-1][min(places + apart, rates.size) - 1]
    late = (NEGLIGIBLE + math.log(rates.size)) / float(slowest)
    early = 1.0

    def decided(time: float) -> bool:
        arrived = float(-np.expm1(-rates * time).sum()) - apart
        return arrived > places and (arrived - places) ** 2 >= 2.0 * NEGLIGIBLE * arrived

    while early < late and not decided(early):
        early *= 1.1
    return min(early, late)


def integrate(field: TournamentField) -> tuple[Floats, Floats]:
    """Equities above the floor and their derivatives by the player's own rate, [alive] each."""
    players, prizes = field.rates.size, field.paid
    equity, slope = np.zeros(players), np.zeros(players)
    if prizes.size:
        later = _room(players, prizes.size)
        for times, weights in _portions(*nodes(field.rates, prizes.size), players * prizes.size):
            arrival_values(field.rates, prizes, times, weights, later, equity, slope)
    return equity, slope


def integrate_pairs(field: TournamentField, seats: np.ndarray) -> tuple[Floats, Floats, Floats]:
    """Times, weights, and [node, seat, seat, 2] expected prizes above the floor of a first and second arrival beside all others."""
    players, prizes = field.rates.size, field.paid
    times, weights = nodes(field.rates, max(1, prizes.size), apart=2)
    out = np.zeros((times.size, seats.size, seats.size, 2))
    if prizes.size:
        later, begin = _room(players, prizes.size), 0
        for part, _ in _portions(times, weights, players * prizes.size * seats.size):
            pair_values(field.rates, prizes, part, seats, later, out[begin : begin + part.size])
            begin += part.size
    return times, weights, out


def integrate_places(field: TournamentField, places: int) -> Floats:
    """[alive, place] probabilities of the first places."""
    players = field.rates.size
    if players * places > MOST_ROOM:
        raise TooLargeError(_too_many(players, places))
    out = np.zeros((players, places))
    work = np.zeros((players.bit_length() + 2, places))
    for times, weights in _portions(*nodes(field.rates, places), players * places * players.bit_length()):
        arrival_places(field.rates, times, weights, work, out)
    return out


def _portions(times: Floats, weights: Floats, work: int) -> Iterator[tuple[Floats, Floats]]:
    """Nodes in portions, since nobody hears Ctrl-C inside a kernel."""
    at_a_time = max(1, WORK_AT_A_TIME // work)
    for begin in range(0, times.size, at_a_time):
        yield times[begin : begin + at_a_time], weights[begin : begin + at_a_time]


def _room(players: int, places: int) -> Floats:
    if (players + 1) * (places + 1) > MOST_ROOM:
        raise TooLargeError(_too_many(players, places))
    return np.empty((players + 1, places + 1))


def _too_many(players: int, places: int) -> str:
    return (
        f"{players:,} players and {places:,} paid places are more than can be integrated ({MOST_ROOM:,} in their product); "
        "give fewer, or let the finish orders be sampled."
    )
