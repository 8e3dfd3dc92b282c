"""What bets that a player's tree has not add to the gain of a best response on the last street, hand by hand beside its own bets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.core.player import Player
from equilibrist.evaluation.play.last_street_response import LastStreetResponder
from equilibrist.evaluation.play.statistics import Estimate, estimate
from equilibrist.games.poker.game import Poker

LEAST = 2  # hands that an interval takes


@dataclass(frozen=True)
class OffTreeLeak:
    """Chips a hand, both seats on average; the same hands are answered with and without the bets."""

    on_tree: Estimate
    off_tree: Estimate  # what the bets add
    hands: int
    asked: int


def off_tree_leak(
    game: Poker,
    make: Callable[[], Player],
    sizes: Sequence[float | str],
    hands: int,
    *,
    seed: int = 0,
    readings: int = 1,
    report: Callable[[int, int], None] = lambda done, of: None,
) -> OffTreeLeak:
    """`sizes` are shares of the pot, or `a` for all-in; a player that draws how it reads bets is taken `readings` times.

    An interrupt leaves it at the hands that are done.
    """
    own, more = LastStreetResponder(game, make, (), readings), LastStreetResponder(game, make, sizes, readings)
    found: list[tuple[float, float]] = []
    try:
        for number in range(hands):
            gains = [np.mean(each.hand(f"{seed}/{number}").gain) for each in (own, more)]
            found.append((float(gains[0]), float(gains[1] - gains[0])))
            report(len(found), hands)
    except KeyboardInterrupt:
        if len(found) < LEAST:
            raise
    both = np.array(found)
    return OffTreeLeak(estimate(both[:, 0]), estimate(both[:, 1]), len(found), hands)
