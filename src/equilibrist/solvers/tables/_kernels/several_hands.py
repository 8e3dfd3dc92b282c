"""What ends pay at which several hands show: chances by the odds of each pair, pot after pot ([Luce59]; [Harville73] for orders).

Seen by a hand that has a share e of the pot against each other's range alone, the other is (1 - e) / e times as likely to win as the
hand itself, whoever else is there. So a pot goes to one of those who can win it in proportion to these odds, and chances add up to one.
A split counts as half a win.
"""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel

LEAST = 1e-9  # odds are between this and its reciprocal


class SeveralHands(NamedTuple):
    """Ends whose outcomes are told apart by who wins which pot."""

    number: Any  # [end] its shape: who can win which pots; -1 where hands are compared otherwise
    first: Any  # [shape + 1] where the outcomes of a shape begin
    winners: Any  # [outcome, step] place that wins the first pot that is left, -1 after the last
    row: Any  # [outcome] what it pays, counted from the end's first
    tops: Any  # [shape, place] the last pot that each hand can win


@kernel
def pay_several(seat, end, ends, reaches, combinations, value):
    """Multiply value [class] with the expected payoff, given that the hands which show are met."""
    staying, pays, several = ends.staying[end], ends.pays, ends.several
    begin, number = ends.first_pay[end], several.number[end]
    hands, own = 0, -1
    while hands < len(staying) and staying[hands] >= 0:
        own = hands if staying[hands] == seat else own
        hands += 1
    first, stop = several.first[number], several.first[number + 1]
    outcome = first
    while outcome < stop and pays[begin + several.row[outcome], seat] == pays[begin + several.row[first], seat]:
        outcome += 1
    if outcome == stop:  # whoever wins
        for a in range(len(value)):
            value[a] *= pays[begin + several.row[first], seat]
        return
    classes = len(value)
    odds, chance = np.empty((hands, classes)), np.empty((stop - first, classes))
    if own >= 0:
        _odds(own, hands, ends.rows[end], staying, reaches, odds)
        _chances(first, stop, several, number, odds, chance)
        for a in range(classes):
            paid = 0.0
            for outcome in range(first, stop):
                paid += chance[outcome - first, a] * pays[begin + several.row[outcome], seat]
            value[a] *= paid
        return
    paid = 0.0  # what a seat that folded sees of it: the average over all who show
    for place in range(hands):
        _odds(place, hands, ends.rows[end], staying, reaches, odds)
        _chances(first, stop, several, number, odds, chance)
        paid += _average(
            place,
            hands,
            begin,
            seat,
            ends.rows[end],
            staying,
            pays,
            several.row[first:stop],
            reaches,
            combinations,
            chance,
        )
    for a in range(classes):
        value[a] *= paid / hands


@kernel
def _odds(own, hands, rows, staying, reaches, out):
    """out[place, class] how many times as likely another's hand wins as the own one; 1 for itself."""
    for place in range(hands):
        if place == own:
            out[place, :] = 1.0
            continue
        row = rows[staying[place]]
        met, won, tied = reaches.met[row], reaches.won[row], reaches.tied[row]
        for a in range(out.shape[1]):
            mine = won[a] + 0.5 * tied[a]
            theirs = max(met[a] - mine, 0.0)
            if met[a] <= 0.0:
                out[place, a] = 1.0
            elif theirs <= LEAST * mine:
                out[place, a] = LEAST
            elif mine <= LEAST * theirs:
                out[place, a] = 1.0 / LEAST
            else:
                out[place, a] = theirs / mine


@kernel
def _chances(first, stop, several, number, odds, out):
    """out[outcome, class] that pots are won in this way."""
    hands, classes = odds.shape
    tops = several.tops[number]
    whole = np.zeros((hands, classes))  # [pot] of all who can win it
    for place in range(hands):
        for pot in range(tops[place] + 1):
            for a in range(classes):
                whole[pot, a] += odds[place, a]
    for outcome in range(first, stop):
        chance = out[outcome - first]
        chance[:] = 1.0
        pot = 0
        for step in range(several.winners.shape[1]):
            winner = several.winners[outcome, step]
            if winner < 0:
                break
            for a in range(classes):
                chance[a] *= odds[winner, a] / whole[pot, a]
            pot = tops[winner] + 1


@kernel
def _average(place, hands, begin, seat, rows, staying, pays, row, reaches, combinations, chance):
    """Expected payoff of a seat over the hands in a place."""
    total, sum_of = 0.0, 0.0
    reach = reaches.reach[rows[staying[place]]]
    for a in range(chance.shape[1]):
        weight = combinations[a] * reach[a]
        if weight == 0.0:
            continue
        for other in range(hands):
            if other != place:
                weight *= reaches.met[rows[staying[other]], a]
        paid = 0.0
        for outcome in range(len(chance)):
            paid += chance[outcome, a] * pays[begin + row[outcome], seat]
        total += weight
        sum_of += weight * paid
    return sum_of / total if total > 0.0 else 0.0
