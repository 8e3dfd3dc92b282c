"""Ends of the betting with bunching: what everybody has done so far counts for the hands that the others can hold.

Seen by one seat with a hand, another's hand b is as likely as card removal and its own play say, times for each third seat the chance
that it does what it has done when b is out of the deck. Chances of actions follow from that, one after the other, so that they add up to
one at every decision.
"""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.tables._kernels.ends import Ends, Reaches, ThreeHands, meet_rows, pay_end
from equilibrist.solvers.tables._kernels.several_hands import SeveralHands


class Decisions(NamedTuple):
    """The decisions, parents first."""

    seat: Any  # [decision]
    first: Any  # [decision + 1]
    slots: Any  # [action]
    children: Any  # [action]
    rows: Any  # [decision, seat] row of each seat before it


class Matrices(NamedTuple):
    """What a class of hands meets of another, and the parts of it that it wins and ties."""

    met: Any  # [other's class, own class]
    won: Any  # [other's class, own class]
    tied: Any  # [other's class, own class]


@kernel
def bunched_values(seat, decisions, ends, reaches, strategy, three, combinations, orders, matrices, chance, out):
    """out[end, class] payoff times the chance that the others play this way; chance[decision, class] that they come there."""
    classes, seats = chance.shape[1], ends.rows.shape[1]
    places = ends.staying.shape[1]
    weighed, met = np.empty((places, classes)), np.empty((places, classes))
    scratch = Reaches(weighed, met, np.empty((places, classes)), np.empty((places, classes)))
    chance[0] = 1.0
    for k in range(seats):
        if k != seat:
            for a in range(classes):
                chance[0, a] *= reaches.met[decisions.rows[0, k], a]
    for d in range(len(decisions.seat)):
        actor = decisions.seat[d]
        if actor != seat:
            _weigh(seat, actor, decisions.rows[d], reaches, weighed[0])
            meet_rows(0, 1, weighed, matrices.met, met)
        for place in range(decisions.first[d], decisions.first[d + 1]):
            child = decisions.children[place]
            below = chance[child] if child >= 0 else out[-1 - child]
            if actor == seat:
                below[:] = chance[d]
                continue
            played = strategy[decisions.slots[place]]
            for a in range(classes):
                weighed[1, a] = weighed[0, a] * played[a]
            meet_rows(1, 2, weighed, matrices.met, met)
            for a in range(classes):
                below[a] = chance[d, a] * met[1, a] / met[0, a] if met[0, a] > 0.0 else 0.0
    for end in range(len(ends.rows)):
        _pay_bunched(seat, end, ends, reaches, scratch, three, combinations, orders, matrices, out[end])


@kernel
def _weigh(seat, actor, rows, reaches, out):
    """What a seat has played of each class, times the chance that all others but the one who looks do what they have done beside it."""
    out[:] = reaches.reach[rows[actor]]
    for k in range(len(rows)):
        if k != seat and k != actor:
            for b in range(len(out)):
                out[b] *= reaches.met[rows[k], b]


@kernel
def _pay_bunched(seat, end, ends, reaches, scratch, three, combinations, orders, matrices, value):
    """Multiply the chance of an end with what it pays, the hands that show weighed."""
    rows = np.zeros((1, ends.rows.shape[1]), np.int64)
    places = ends.staying.shape[1]
    if ends.staying[end, 1] >= 0:
        for place in range(places):
            shown = ends.staying[end, place]
            if shown >= 0 and shown != seat:
                rows[0, shown] = place
                _weigh(seat, shown, ends.rows[end], reaches, scratch.reach[place])
                meet_rows(place, place + 1, scratch.reach, matrices.met, scratch.met)
                meet_rows(place, place + 1, scratch.reach, matrices.won, scratch.won)
                meet_rows(place, place + 1, scratch.reach, matrices.tied, scratch.tied)
    several = ends.several
    here = SeveralHands(several.number[end : end + 1], several.first, several.winners, several.row, several.tops)
    one = Ends(rows, ends.staying[end : end + 1], ends.first_pay[end : end + 1], ends.pays, here)
    pay_end(
        seat,
        0,
        one,
        scratch,
        ThreeHands(three.number[end : end + 1], three.worth, three.shares),
        combinations,
        orders,
        value,
    )
    inside = False
    for place in range(places):
        inside = inside or ends.staying[end, place] == seat
    known = ends.staying[end, 2] >= 0 and (three.number[end] >= 0 or several.number[end] >= 0)
    if inside and ends.staying[end, 1] >= 0 and not known:
        for place in range(places):
            shown = ends.staying[end, place]
            if shown >= 0 and shown != seat:  # given that they are met: that they are is in the chance
                for a in range(len(value)):
                    value[a] = value[a] / scratch.met[place, a] if scratch.met[place, a] > 0.0 else 0.0
