"""Jam/fold tournaments for two or three players: who holds how much, what a hand does to the stacks, and what elimination pays.

[Ganzfried15, §9.2]: every hand each player goes all-in or folds. Stacks are counted in units; a state is the stacks by seat, the button
(with two players the small blind) first. What the text leaves open: a player whose blind is the whole stack is all-in; uncalled chips
come back; where a pot splits unevenly a fair coin gives the odd unit; who loses all in the same hand ranks by the stack before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from math import inf

import numpy as np

from equilibrist.cards.allins.triples import OUTCOMES
from equilibrist.core.arrays import Bools, Floats
from equilibrist.core.errors import ParameterError
from equilibrist.games.stochastic import StageEnd
from equilibrist.games.tournaments.icm import icm

Stacks = tuple[int, ...]  # in units, by seat
MOST_STATES = 20_000

PAIR_RANKS = ((0, 1), (0, 0), (1, 0))  # the first of two wins, splits, loses


@dataclass(frozen=True)
class HandEnd:
    """One way in which a hand ends: what the seats did, and how those all-in rank."""

    line: str  # F or J by seat; the last seat of a line without a jam did nothing
    ranks: tuple[int, ...]  # by seat, 0 for the best, -1 for those who folded

    @property
    def jammed(self) -> tuple[int, ...]:
        return tuple(seat for seat, action in enumerate(self.line) if action == "J")


def _events(players: int) -> tuple[HandEnd, ...]:
    """Lines of folds first, then showdowns of two, then of three."""
    lines = ["F" * players]
    lines += ["".join("J" if seat == one else "F" for seat in range(players)) for one in reversed(range(players - 1))]
    events = [
        HandEnd(line, tuple(0 if seat == max(line.find("J"), 0) and "J" in line else -1 for seat in range(players)))
        for line in lines
    ]
    for one, other in reversed(list(combinations(range(players), 2))):
        line = "".join("J" if seat in (one, other) else "F" for seat in range(players))
        events += [
            HandEnd(line, tuple({one: a, other: b}.get(seat, -1) for seat in range(players))) for a, b in PAIR_RANKS
        ]
    if players == 3:
        events += [HandEnd("JJJ", tuple(map(int, ranks))) for ranks in OUTCOMES]
    return tuple(events)


EVENTS = {2: _events(2), 3: _events(3)}  # 5 and 25
SEATS = {2: ("small blind", "big blind"), 3: ("button", "small blind", "big blind")}


@dataclass(frozen=True)
class JamFold:
    """A tournament of two or three players; the default is that of [Ganzfried15, §9.2]."""

    chips: int = 13_500  # of all players
    unit: int = 300  # stacks are multiples of it
    blinds: tuple[int, int] = (300, 600)
    payouts: tuple[float, ...] = (50.0, 30.0, 20.0)  # one for each player

    def __post_init__(self) -> None:
        if self.players not in (2, 3):
            raise ParameterError(
                f"A jam/fold tournament has two or three players and as many prizes, but {self.payouts} was given."
            )
        if not all(a >= b >= 0.0 for a, b in pairwise((inf, *self.payouts))) or self.payouts[0] == inf:
            raise ParameterError(
                f"Prizes must not rise from one place to the next, nor be negative, but {self.payouts} was given."
            )
        if self.unit < 1 or any(chips % self.unit for chips in (self.chips, *self.blinds)):
            raise ParameterError(
                f"Chips and blinds are multiples of the unit, but {self.chips} chips, blinds {self.blinds} and the unit {self.unit} "
                "were given."
            )
        if not 0 < self.blinds[0] <= self.blinds[1] or self.units < self.players:
            raise ParameterError(
                f"Blinds are positive and everybody needs a unit, but {self.blinds} of {self.chips} chips were given."
            )
        if self.state_count > MOST_STATES:
            raise ParameterError(
                f"{self.state_count:,} states are too many (at most {MOST_STATES:,}); choose a larger unit."
            )

    @property
    def players(self) -> int:
        return len(self.payouts)

    @property
    def units(self) -> int:
        return self.chips // self.unit

    @property
    def state_count(self) -> int:
        return self.units - 1 if self.players == 2 else (self.units - 1) * (self.units - 2) // 2

    @cached_property
    def states(self) -> tuple[Stacks, ...]:
        """All stacks with which nobody is out, in order of the first seat's, then of the second's."""
        n = self.units
        if self.players == 2:
            return tuple((a, n - a) for a in range(1, n))
        return tuple((a, b, n - a - b) for a in range(1, n - 1) for b in range(1, n - a))

    def number(self, stacks: Stacks) -> int:
        """Place of stacks among the states ([Ganzfried15, §9.7.3])."""
        if self.players == 2:
            return stacks[0] - 1
        return (stacks[0] * (2 * self.units - 1) - stacks[0] ** 2) // 2 + stacks[1] - self.units

    def state_of(self, chips: tuple[int, ...]) -> int:
        """The state of stacks given in chips."""
        if len(chips) != self.players or sum(chips) != self.chips or any(c < 1 or c % self.unit for c in chips):
            raise ParameterError(
                f"Stacks are {self.players} positive multiples of {self.unit} that sum to {self.chips:,}, but {chips} was given."
            )
        return self.number(tuple(c // self.unit for c in chips))

    @property
    def events(self) -> tuple[HandEnd, ...]:
        return EVENTS[self.players]

    def posted(self, stacks: Stacks) -> Stacks:
        """Blinds by seat, as far as stacks reach."""
        small, big = (blind // self.unit for blind in self.blinds)
        blinds = (0, small, big) if self.players == 3 else (small, big)
        return tuple(min(blind, stack) for blind, stack in zip(blinds, stacks, strict=True))

    def forced(self, stacks: Stacks) -> tuple[bool, ...]:
        """Whose whole stack is the blind: all-in without a decision."""
        return tuple(posted == stack for posted, stack in zip(self.posted(stacks), stacks, strict=True))

    @cached_property
    def forced_seats(self) -> Bools:
        """[state, seat]."""
        return np.array([self.forced(stacks) for stacks in self.states])

    def after(self, stacks: Stacks, event: HandEnd) -> list[tuple[Stacks, float]]:
        """Stacks by seat once a hand is over, with probabilities: of a coin where a unit cannot be split."""
        posted, jammed = self.posted(stacks), event.jammed
        paid = [
            stack if seat in jammed else blind for seat, (stack, blind) in enumerate(zip(stacks, posted, strict=True))
        ]
        alive = jammed or (self.players - 1,)  # all folded to the big blind
        won = [Fraction(0)] * self.players
        below = 0
        for level in sorted(set(paid) - {0}):
            pot = sum(min(chips, level) - min(chips, below) for chips in paid)
            eligible = [seat for seat in alive if paid[seat] >= level]
            best = min((event.ranks[seat] for seat in eligible), default=0)
            winners = [seat for seat in eligible if len(eligible) == 1 or event.ranks[seat] == best]
            if not winners:  # more than anybody left has: back to the last of those who folded, whom nobody could call
                winners = [max(seat for seat in range(self.players) if paid[seat] >= level)]
            for seat in winners:
                won[seat] += Fraction(pot, len(winners))
            below = level
        kept = [stack - chips + share for stack, chips, share in zip(stacks, paid, won, strict=True)]
        return _split(kept)

    def end(self, state: int, event: HandEnd) -> StageEnd:
        """Prize money of a hand that eliminates somebody, by ICM for those who are left; otherwise the next state, seats moved on."""
        stacks = self.states[state]
        rewards, following = np.zeros(self.players), []
        for later, probability in self.after(stacks, event):
            if min(later) == 0:
                rewards += probability * self.prizes(later, stacks)
            else:
                following.append((self.number(tuple(later[seat] for seat in self.next_seats)), probability))
        return StageEnd(tuple(rewards.tolist()), tuple(following), self.roles)

    @property
    def next_seats(self) -> tuple[int, ...]:
        """Who sits in each seat of the next hand: the small blind has the button."""
        return (1, 2, 0) if self.players == 3 else (1, 0)

    @property
    def roles(self) -> tuple[int, ...]:
        """The next seat of each: the button posts the big blind, which posts the small one."""
        return (2, 0, 1) if self.players == 3 else (1, 0)

    def prizes(self, later: Stacks, before: Stacks) -> Floats:
        """By seat; of players who lose all in the same hand, those with more chips before it rank higher, equals share."""
        return _prizes(later, before if later.count(0) > 1 else None, self.payouts)

    def guess(self) -> Floats:
        """[state, seat] ICM of all states."""
        return np.array([icm(stacks, self.payouts) for stacks in self.states])


@lru_cache(maxsize=100_000)
def _prizes(later: Stacks, before: Stacks | None, payouts: tuple[float, ...]) -> Floats:
    return icm(later, payouts, before=before)


def _split(stacks: list[Fraction]) -> list[tuple[Stacks, float]]:
    """Whole units; two players who are owed half a unit more toss a coin for it."""
    halves = [seat for seat, stack in enumerate(stacks) if stack.denominator == 2]
    assert all(stack.denominator in (1, 2) for stack in stacks)
    if not halves:
        return [(tuple(map(int, stacks)), 1.0)]
    first, second = halves
    out = []
    for winner, loser in ((first, second), (second, first)):
        whole = list(stacks)
        whole[winner] += Fraction(1, 2)
        whole[loser] -= Fraction(1, 2)
        out.append((tuple(map(int, whole)), 0.5))
    return out
