"""What a strategy of the first street can lose: it is kept, everything else is solved ([Brown20, Figure 5.12])."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.learning.rebel_boards.first_street import FirstStreet, Pair
from equilibrist.learning.rebel_boards.later_streets import LaterStreets
from equilibrist.solvers.cfr.schedules import Discounted, Schedule, discount_factors

DEFAULT = Discounted(1.5, 0.0, 3.0)


class JointPlay:
    """CFR on all streets, with one or both players bound to a strategy on the first; they are free behind it."""

    def __init__(
        self,
        street: FirstStreet,
        bound: tuple[Floats | None, Floats | None] = (None, None),
        schedule: Schedule = DEFAULT,
    ) -> None:
        self.street, self.bound, self.schedule, self.iteration = street, bound, schedule, 0
        self.later = LaterStreets(street)
        self.regret = [np.zeros_like(street.even(p)) for p in range(2)]
        self.sums = [np.zeros_like(own) for own in self.regret]

    def advance(self, iterations: int) -> None:
        for row in discount_factors(self.schedule, self.iteration, iterations).tolist():
            for me in range(2):
                self._learn(me, row[0], row[1], row[2])
        self.iteration += iterations

    def _learn(self, me: int, positive: float, negative: float, keep: float) -> None:
        street, them = self.street, 1 - me
        theirs = street.reach(them, self._playing(them))
        self.sums[them] = keep * self.sums[them] + street.sums_of(them, theirs)
        leaf = self.later.learn(me, theirs[street.leaves], (positive, negative, keep))
        if self.bound[me] is None:
            _, gain = street.gains(me, self._playing(me), street.ends(me, theirs, leaf))
            grown = self.regret[me] + gain
            self.regret[me] = np.where(grown > 0.0, positive, negative) * grown

    def _playing(self, player: int) -> Floats:
        bound = self.bound[player]
        return self.street.matched(player, self.regret[player]) if bound is None else bound

    def average(self, player: int) -> Floats:
        """[slot, H] on the first street."""
        bound = self.bound[player]
        return self.street.matched(player, self.sums[player]) if bound is None else bound

    def best(self, me: int) -> float:
        """Chips that a player gets at most against the other's averages, keeping to what it is bound to; net of half the pot."""
        street, them, bound = self.street, 1 - me, self.bound[me]
        theirs = street.reach(them, self.average(them))
        ends = street.ends(me, theirs, self.later.values(me, theirs[street.leaves], respond=True))
        value = street.answer(me, ends)[0] if bound is None else street.gains(me, bound, ends)[0]
        return street.average(me, value)


def loss_bracket(
    street: FirstStreet, profile: Pair, iterations: int, schedule: Schedule = DEFAULT
) -> tuple[float, float]:
    """Exploitability in chips of a profile [slot, H] of the first street if its owner plays optimally behind it, mean over players.

    Between what both sides of a solve prove: `iterations` for each player's strategy kept, everything else free.
    """
    low = high = 0.0
    for player in range(2):
        kept: list[Floats | None] = [None, None]
        kept[player] = profile[player]
        play = JointPlay(street, (kept[0], kept[1]), schedule)
        play.advance(iterations)
        high += play.best(1 - player) / 2.0
        low -= play.best(player) / 2.0
    return low, high
