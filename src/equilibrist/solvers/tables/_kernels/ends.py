"""What the ends of the betting are worth to one seat, hand by hand.

Rows: `reach` [row, class] what a seat has played; `met` the chance that a seat with this reach is met by each class of hands, `won` and
`tied` the parts of it in which the other class wins and ties when all cards come. A seat takes the others' hands for independent of each
other given its own.
"""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.tables._kernels.several_hands import SeveralHands, pay_several


class Ends(NamedTuple):
    """The ends of the betting."""

    rows: Any  # [end, seat] row of each seat
    staying: Any  # [end, place] seats that show cards, -1 where there are fewer
    first_pay: Any  # [end] where its outcomes begin
    pays: Any  # [outcome, seat]
    several: SeveralHands


class Reaches(NamedTuple):
    """What seats have played, and what that meets."""

    reach: Any  # [row, class]
    met: Any  # [row, class]
    won: Any  # [row, class]
    tied: Any  # [row, class]


class ThreeHands(NamedTuple):
    """What three hands that show are worth, where a table of them is used."""

    number: Any  # [end] place in the next two, -1 where products are taken
    worth: Any  # [three, place, class] payoff of a hand in a place, given that these three show
    shares: Any  # [three, 13] how likely each outcome is, for seats that have folded


@kernel
def end_values(seat, begin, stop, ends, reaches, three, combinations, orders, out):
    """out[end, class] for the ends begin .. stop: payoff times the chance that the others play this way.

    `orders` [place, 13] says which outcome of three hands each way to stand to the others is.
    """
    rows, staying, met = ends.rows, ends.staying, reaches.met
    for end in range(begin, stop):
        value = out[end]
        one, other, third = staying[end, 0], staying[end, 1], staying[end, 2]
        inside = seat == one or seat == other or seat == third
        known = third >= 0 and (three.number[end] >= 0 or ends.several.number[end] >= 0)
        value[:] = 1.0
        for k in range(rows.shape[1]):
            if k != seat and (known or not (inside and (k == one or k == other or k == third))):
                for a in range(len(value)):
                    value[a] *= met[rows[end, k], a]
        pay_end(seat, end, ends, reaches, three, combinations, orders, value)


@kernel
def pay_end(seat, end, ends, reaches, three, combinations, orders, value):
    """Multiply value [class] with what an end pays, times the chance to meet the hands that show, where two show or three by products."""
    met, won, tied = reaches.met, reaches.won, reaches.tied
    rows, pay = ends.rows[end], ends.pays[ends.first_pay[end] :]
    one, other, third = ends.staying[end, 0], ends.staying[end, 1], ends.staying[end, 2]
    inside = seat == one or seat == other or seat == third
    duel = np.empty(3)
    if other < 0:
        for a in range(len(value)):
            value[a] *= pay[0, seat]
    elif third < 0:
        if inside:
            foe, best = (other, 1) if seat == one else (one, 2)
            row = rows[foe]
            tie, win, lose = pay[0, seat], pay[best, seat], pay[3 - best, seat]
            for a in range(len(value)):
                lost = met[row, a] - won[row, a] - tied[row, a]
                value[a] *= win * won[row, a] + tie * tied[row, a] + lose * lost
        else:
            _duel(rows[one], rows[other], reaches, combinations, duel)
            mean = pay[0, seat] * duel[1] + pay[1, seat] * duel[0] + pay[2, seat] * duel[2]
            for a in range(len(value)):
                value[a] *= mean
    elif ends.several.number[end] >= 0:
        pay_several(seat, end, ends, reaches, combinations, value)
    elif three.number[end] >= 0:
        _by_table(seat, three.number[end], ends.staying[end], pay, three, value)
    else:
        _by_products(seat, inside, end, ends, pay, reaches, combinations, orders, duel, np.empty(13), value)


@kernel
def _by_table(seat, number, staying, pay, three, value):
    """Three hands as a table of them says."""
    for place in range(3):
        if staying[place] == seat:
            worth = three.worth[number, place]
            for a in range(len(value)):
                value[a] *= worth[a]
            return
    mean = 0.0
    for outcome in range(13):
        mean += three.shares[number, outcome] * pay[outcome, seat]
    for a in range(len(value)):
        value[a] *= mean


@kernel
def _duel(one, other, reaches, combinations, out):
    """Chances that a hand of the first row wins, ties, loses against one of the second."""
    reach, met, won, tied = reaches.reach, reaches.met, reaches.won, reaches.tied
    total, wins, ties = 0.0, 0.0, 0.0
    for a in range(reach.shape[1]):
        held = combinations[a] * reach[one, a]
        total += held * met[other, a]
        wins += held * won[other, a]
        ties += held * tied[other, a]
    if total > 0.0:
        out[0], out[1] = wins / total, ties / total
        out[2] = max(0.0, 1.0 - out[0] - out[1])
    else:
        out[0], out[1], out[2] = 0.5, 0.0, 0.5


@kernel
def _by_products(seat, inside, end, ends, pay, reaches, combinations, orders, duel, by_order, value):
    """Three hands by conditional products: a hand meets each of the others as if the third were not there."""
    rows, staying = ends.rows, ends.staying
    reach, met = reaches.reach, reaches.met
    first = staying[end, 0]
    own = seat if inside else first
    place = 0
    foes = np.empty(2, np.int64)
    found = 0
    for k in range(3):
        if staying[end, k] == own:
            place = k
        else:
            foes[found] = staying[end, k]
            found += 1
    j, k = rows[end, foes[0]], rows[end, foes[1]]
    _duel(j, k, reaches, combinations, duel)
    for number in range(13):
        by_order[number] = pay[orders[place, number], seat]
    total, mean = 0.0, 0.0
    for a in range(reach.shape[1]):
        here = _product_value(a, j, k, met, reaches.won, reaches.tied, duel, by_order)
        if inside:
            value[a] *= here
        else:  # what a seat that folded sees of it: the average over the first hand
            held = combinations[a] * reach[rows[end, own], a]
            total += held * met[j, a] * met[k, a]
            mean += held * here
    if not inside:
        mean = mean / total if total > 0.0 else 0.0
        for a in range(reach.shape[1]):
            value[a] *= mean


@kernel
def _product_value(a, j, k, met, won, tied, duel, order):
    """Payoff of class a against rows j and k, times the chance to meet them."""
    win_j, tie_j = won[j, a], tied[j, a]
    win_k, tie_k = won[k, a], tied[k, a]
    lose_j, lose_k = met[j, a] - win_j - tie_j, met[k, a] - win_k - tie_k
    best = duel[0] * order[0] + duel[1] * order[1] + duel[2] * order[2]
    worst = duel[0] * order[3] + duel[1] * order[4] + duel[2] * order[5]
    value = win_j * win_k * best + lose_j * lose_k * worst
    value += win_j * lose_k * order[6] + lose_j * win_k * order[7]
    value += tie_j * win_k * order[8] + tie_j * lose_k * order[9]
    value += win_j * tie_k * order[10] + lose_j * tie_k * order[11]
    return value + tie_j * tie_k * order[12]


@kernel
def meet_rows(begin, stop, reach, matrix, out):
    """out[row] = reach[row] @ matrix for the rows begin .. stop; classes that are not played cost nothing."""
    for row in range(begin, stop):
        line = out[row]
        line[:] = 0.0
        for b in range(matrix.shape[0]):
            weight = reach[row, b]
            if weight != 0.0:
                part = matrix[b]
                for a in range(len(line)):
                    line[a] += weight * part[a]
