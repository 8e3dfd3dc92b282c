"""Fields of players: stacks and payouts, checked; who is still in, and what is left to play for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.core.errors import ParameterError, TooLargeError

MOST_PLAYERS = 20_000
LEAST_RATIO = 1e-100  # of a stack to the largest: below it products of probabilities vanish
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TournamentField:
    """Players who still have chips, and the prizes they play for above the least of them."""

    rates: Floats  # [alive] shares of the chips, positive
    alive: NDArray[np.int64]  # [alive] which players these are
    prizes: Floats  # [alive] by place, less `floor`
    floor: float  # prize of the last place among those alive, which is certain
    fixed: Floats  # [player] prizes of players without chips, zero for the others
    chips: float  # of all

    @property
    def paid(self) -> Floats:
        """[place] prizes above the floor."""
        return self.prizes[: int(np.count_nonzero(self.prizes))]

    def whole(self, part: Floats) -> Floats:
        """[player] equities from those of players alive, above the floor."""
        out = self.fixed.copy()
        out[self.alive] = part + self.floor
        return out


def make_field(stacks: ArrayLike, payouts: ArrayLike, before: ArrayLike | None = None) -> TournamentField:
    """One field; players without chips take the last places, by what they had `before` the hand, or share them."""
    chips = check_stacks(stacks)
    return _field(chips, prizes_for(check_payouts(payouts), len(chips)), check_before(before, chips))


def _field(chips: Floats, prizes: Floats, earlier: Floats) -> TournamentField:
    alive = np.flatnonzero(chips)
    floor = float(prizes[alive.size - 1])
    total = float(chips.sum())
    return TournamentField(
        rates=chips[alive] / total,
        alive=alive,
        prizes=prizes[: alive.size] - floor,
        floor=floor,
        fixed=eliminated_prizes(chips, prizes, earlier),
        chips=total,
    )


def eliminated_prizes(chips: Floats, prizes: Floats, earlier: Floats) -> Floats:
    """[player] prizes of those without chips: places by what they had before the hand, equal ones share."""
    out = np.zeros(chips.size)
    gone = np.flatnonzero(chips == 0.0)
    place = chips.size - gone.size
    for had in np.unique(earlier[gone])[::-1]:
        tied = gone[earlier[gone] == had]
        out[tied] = prizes[place : place + tied.size].mean()
        place += tied.size
    return out


def prizes_for(payouts: Floats, players: int) -> Floats:
    """[place] a prize for every player; more prizes than players are not played for, places without a prize pay nothing."""
    return np.concatenate([payouts[:players], np.zeros(max(0, players - payouts.size))])


def check_stacks(stacks: ArrayLike) -> Floats:
    """[player] finite stacks, none negative, one of them positive."""
    found = _numbers("stacks", stacks)
    if found.size > MOST_PLAYERS:
        raise TooLargeError(f"{found.size:,} stacks were given; at most {MOST_PLAYERS:,} players can be counted.")
    if (found < 0.0).any():
        raise ParameterError(f"Stacks are zero or more, but {found[found < 0.0][0]:g} was given.")
    if not found.any():
        raise ParameterError("All stacks are zero, so that nobody is left to win; give one player chips.")
    smallest, largest = found[found > 0.0].min(), found.max()
    if smallest / largest < LEAST_RATIO:
        raise ParameterError(
            f"The smallest stack, {smallest:g}, is less than {LEAST_RATIO:g} of the largest, {largest:g}; give it zero."
        )
    return found


def check_payouts(payouts: ArrayLike) -> Floats:
    """[place] finite prizes from the first place down, none negative, none larger than the one before."""
    found = _numbers("payouts", payouts)
    if found.size > MOST_PLAYERS:
        raise TooLargeError(f"{found.size:,} payouts were given; at most {MOST_PLAYERS:,} places can be counted.")
    if (found < 0.0).any():
        raise ParameterError(f"Payouts are zero or more, but {found[found < 0.0][0]:g} was given.")
    rises = np.flatnonzero(np.diff(found) > 0.0)
    if rises.size:
        place = int(rises[0]) + 1
        raise ParameterError(
            f"Payouts must not increase down the places, but place {place} pays {found[place - 1]:g} and place {place + 1} "
            f"pays {found[place]:g}; give the first prize first."
        )
    return found


def check_before(before: ArrayLike | None, chips: Floats) -> Floats:
    """[player] stacks at the beginning of the hand; zeros where nothing is said."""
    if before is None:
        return np.zeros(chips.size)
    found = _numbers("before", before)
    if found.size != chips.size or (found < 0.0).any():
        raise ParameterError(f"'before' is one stack of zero or more for each of the {chips.size} players.")
    return found


def check_bounties(bounties: ArrayLike, chips: Floats) -> Floats:
    """[player] bounties of zero or more; those of players without chips have been taken."""
    found = _numbers("bounties", bounties)
    if found.size != chips.size or (found < 0.0).any():
        raise ParameterError(f"'bounties' are one number of zero or more for each of the {chips.size} players.")
    if found[chips == 0.0].any():
        raise ParameterError("A player without chips has a bounty; it has been taken, give it to who took it.")
    return found


def seat_numbers(seats: Sequence[int] | None, players: int) -> NDArray[np.int64]:
    """Some players by number, from zero; all of them where nothing is said."""
    if seats is None:
        return np.arange(players)
    found = np.asarray(seats)
    if found.ndim != 1 or found.dtype.kind not in "iu" or len(set(found.tolist())) != found.size:
        raise ParameterError(
            f"'seats' are different numbers of players from 0 to {players - 1}, but {seats} was given."
        )
    if found.size < 2 or found.min() < 0 or found.max() >= players:
        raise ParameterError(f"'seats' are two or more players from 0 to {players - 1}, but {seats} was given.")
    return found.astype(np.int64)


def _numbers(what: str, given: ArrayLike) -> Floats:
    """A list of finite numbers with something in it."""
    try:
        found = np.asarray(given)
    except ValueError:
        found = np.empty((0, 0))
    if isinstance(given, str | bytes | Real) or found.ndim != 1 or found.dtype.kind not in "iuf" or not found.size:
        raise ParameterError(f"'{what}' is a list of numbers with at least one in it, such as [50, 30, 20].")
    found = found.astype(np.float64)
    if not np.isfinite(found).all():
        raise ParameterError(f"'{what}' are finite numbers, but {found[~np.isfinite(found)][0]} was given.")
    with np.errstate(over="ignore"):
        if not np.isfinite(found.sum()):
            raise ParameterError(f"'{what}' are too large to be added up; give smaller numbers.")
    return found
