"""JointHands: how likely each pair of hands is, and who wins with it; where endgame solvers start ([Lu16, §4.2.1]; [Ganzfried15, §10.3]).

A strategy is looked up once for each hand of a player, not once for each pair: given the board and the betting, a pair is as likely as
chance deals it times both players' own reach. That is exact, not an approximation, because each player's actions depend on own cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from equilibrist.cards.evaluator import board_strengths
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range, parse_cards
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError

SHARE_OF_ALL = 1e-3  # of every hand, in a range that would otherwise hold none ([Lu16, §4.2.1] has none)


@dataclass(frozen=True)
class JointHands:
    """Hands of both players at the start of an endgame; all tables are [hand of player 1, hand of player 2]."""

    ranges: tuple[Floats, Floats]  # own reach of every hand, as given
    deals: Floats  # chance of the pair, up to a factor; 0 where the hands share a card
    sign: Floats  # 1: player 1 has the better hand, -1: player 2, 0: equal
    replaced: bool = False  # no pair of the ranges could be dealt, so that every hand has been let in

    def __post_init__(self) -> None:
        shape = len(self.ranges[0]), len(self.ranges[1])
        if self.deals.shape != shape or self.sign.shape != shape:
            raise ParameterError(
                f"Ranges of {shape[0]} and {shape[1]} hands need tables of that shape, but the deals are {self.deals.shape} and the "
                f"signs {self.sign.shape}."
            )
        for player, given in enumerate(self.ranges):
            if (given < 0).any() or not np.isfinite(given).all():
                raise ParameterError(
                    f"The range of player {player + 1} has weights below zero, or that are no numbers."
                )

    @cached_property
    def probability(self) -> Floats:
        """Of each pair; sums to 1."""
        mass = self.ranges[0][:, None] * self.deals * self.ranges[1]
        return np.asarray(mass / mass.sum())

    def equities(self, player: int, *, outside: bool = False) -> Floats:
        """Share of the pot of each hand against the other range; -1 where a hand cannot be held.

        With `outside`, hands that the own range leaves out count as well: they are compared with all they could meet.
        """
        deals, sign = (self.deals, self.sign) if player == 0 else (self.deals.T, -self.sign.T)
        met = deals * self.ranges[1 - player]
        total = met.sum(axis=1)
        share = (met * (1.0 + sign)).sum(axis=1) / 2.0
        held = total > 0 if outside else (total > 0) & (self.ranges[player] > 0)
        equity: Floats = np.divide(share, total, out=np.full(len(total), -1.0), where=held)
        return equity


def joint_hands(ranges: Sequence[ArrayLike], deals: ArrayLike, sign: ArrayLike) -> JointHands:
    """Joint hands of two ranges; where no pair can be dealt, a little of every hand is let in."""
    if len(ranges) != 2:
        raise ParameterError(f"Joint hands are those of two players, but {len(ranges)} ranges were given.")
    first, second = (np.asarray(given, np.float64) for given in ranges)
    found = JointHands((first, second), np.asarray(deals, np.float64), np.asarray(sign, np.float64))
    if float(first @ found.deals @ second) > 0.0:
        return found
    wider = tuple((1.0 - SHARE_OF_ALL) * given + SHARE_OF_ALL for given in found.ranges)
    if not found.deals.any():
        raise NotApplicableError("No two hands can be dealt together here, so there is no endgame to solve.")
    return replace(found, ranges=(wider[0], wider[1]), replaced=True)


def river_hands(board: str, first: Range | ArrayLike, second: Range | ArrayLike) -> tuple[JointHands, Longs]:
    """Joint hands of two hold'em ranges [1326] on a river, and the number in pair order of each of the 1081 hands."""
    cards = parse_cards(board)
    if len(cards) != 5:
        raise ParameterError(f"A river has five cards, but '{board}' has {len(cards)}.")
    pairs, dead = hands_of(STANDARD), np.zeros(STANDARD.size, np.bool_)
    dead[list(cards)] = True
    live = np.flatnonzero(~(dead[pairs.low] | dead[pairs.high]))
    strength = board_strengths(cards)[live].astype(np.int64)
    low, high = pairs.low[live], pairs.high[live]
    shared = (low[:, None] == low) | (low[:, None] == high) | (high[:, None] == low) | (high[:, None] == high)
    ranges = [np.asarray(given.weights if isinstance(given, Range) else given, np.float64) for given in (first, second)]
    if any(given.shape != (pairs.count,) for given in ranges):
        raise ParameterError(f"A range has {pairs.count} weights in pair order.")
    sign = np.sign(strength[:, None] - strength)
    return joint_hands([given[live] for given in ranges], ~shared, sign), live
