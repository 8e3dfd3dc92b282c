"""SeatEnds: where a seat's payoff no longer depends on betting, and what it gets there from side pots and the main pot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.forms.three_way.seat_forest import OVER, SeatForest
from equilibrist.games.poker.game import pots
from equilibrist.games.spots.spot_values import Rake
from equilibrist.games.spots.three_way_spot import SEATS

BELOW, INNER, LEAF = (
    0,
    1,
    2,
)  # of a node for a seat: after its fold, where it goes on, or where its value comes from elsewhere


@dataclass(frozen=True)
class SeatEnds:
    """Ends [E] of one seat: payoff = base + side · (share against `first`) + main · (share against both).

    Payoffs are chips won less chips put in since the spot began. An end is a node where the hand is over or where the seat has just
    folded: what the others do then changes neither its payoff nor, summed over all that they may do, how likely their hands are.
    """

    node: Ints
    first: Ints  # opponents; `first` is the one who shares a side pot, or the only one who has not folded
    second: Ints
    base: Floats
    side: Floats
    main: Floats
    place: Ints  # [N] BELOW, INNER or LEAF, of every node of the forest

    @cached_property
    def showdowns(self) -> int:
        """Ends at which cards are compared."""
        return int(((self.side != 0.0) | (self.main != 0.0)).sum())


def seat_ends(forest: SeatForest, seat: int, pot: float, rake: Rake) -> SeatEnds:
    """The ends of a seat on one street."""
    place = np.full(len(forest), INNER, dtype=np.int32)
    found = []
    opponents = [other for other in range(SEATS) if other != seat]
    for node in range(len(forest)):
        above = int(forest.parent[node])
        if forest.folded[node, seat]:
            before = above >= 0 and place[above] == INNER
            place[node] = LEAF if before else BELOW
            if before:
                found.append((node, *opponents, -float(forest.paid[node, seat]), 0.0, 0.0))
        elif forest.kind[node] == OVER:
            place[node] = LEAF
            found.append((node, *_payoff(forest, node, seat, opponents, pot, rake)))
        elif forest.first_child[node] < 0:
            place[node] = LEAF  # a card comes
    columns = list(zip(*found, strict=True)) or [()] * 6
    whole = [np.array(column, dtype=np.int32) for column in columns[:3]]
    base, side, main = (np.array(column, dtype=np.float64) for column in columns[3:])
    return SeatEnds(whole[0], whole[1], whole[2], base, side, main, place)


def _payoff(
    forest: SeatForest, node: int, seat: int, opponents: list[int], pot: float, rake: Rake
) -> tuple[int, int, float, float, float]:
    """First and second opponent, base, side and main of a seat that has not folded."""
    paid, folded = forest.paid[node].tolist(), forest.folded[node].tolist()
    first, second = opponents
    base, side, main = -paid[seat], 0.0, 0.0
    for amount, eligible in shared_pots(paid, folded, pot, rake):
        if seat not in eligible:
            continue
        if len(eligible) == 1:
            base += amount
        elif len(eligible) == SEATS:
            main += amount
        else:
            side += amount
            first = next(other for other in eligible if other != seat)
            second = next(other for other in opponents if other != first)
    return first, second, base, side, main


def shared_pots(paid: list[float], folded: list[bool], pot: float, rake: Rake) -> list[tuple[float, list[int]]]:
    """Main pot and side pots after rake, and who can win them; what nobody has matched goes back first, as a pot of one.

    The house takes its share of all that is not given back, from every pot alike.
    """
    matched = sorted(paid)[-2]
    live = [seat for seat in range(SEATS) if not folded[seat]]
    out = pots([min(amount, matched) for amount in paid], folded) or [(0.0, live)]
    out[0] = (out[0][0] + pot, out[0][1])  # the pot at the start is part of the main pot
    total = sum(amount for amount, _ in out)
    kept = 1.0 - float(rake.of(np.array(total))) / total
    back = [(amount - matched, [seat]) for seat, amount in enumerate(paid) if amount > matched]
    return [(amount * kept, eligible) for amount, eligible in out] + back
