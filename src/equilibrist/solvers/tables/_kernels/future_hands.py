"""Hands of jam or fold that are yet to come: settled, solved, and how likely each of their outcomes is, all in one call a hand."""

from typing import Any, NamedTuple

import numpy as np

from equilibrist.compute.kernel import kernel
from equilibrist.solvers.tables._kernels.ends import Ends, ThreeHands, _by_products, _duel, end_values, meet_rows
from equilibrist.solvers.tables._kernels.passes import learn_up, match_regrets, normalise, play_down, respond_up
from equilibrist.solvers.tables._kernels.several_hands import SeveralHands

OUTCOMES_OF_THREE = 13


class Betting(NamedTuple):
    """The betting of hands of one shape, as in `TableTree`."""

    seat: Any  # [decision]
    first: Any  # [decision + 1]
    slots: Any  # [action]
    children: Any  # [action]
    seat_slots: Any  # [seat + 1]
    seat_folds: Any  # [seat]
    before: Any  # [slot]
    rows: Any  # [end, seat]
    decision_rows: Any  # [decision, seat]
    staying: Any  # [end, 3]
    first_pay: Any  # [end]


class Learning(NamedTuple):
    """What is learned in a hand: room to work in."""

    strategy: Any  # [slot, class]
    regret: Any  # [slot, class]
    total: Any  # [slot, class]
    average: Any  # [slot, class]
    values: Any  # [decision, class]
    best: Any  # [decision, class]
    ends: Any  # [end, class]


class Known(NamedTuple):
    """What all hands share."""

    met: Any  # [other's class, own class]
    won: Any  # [other's class, own class]
    tied: Any  # [other's class, own class]
    combinations: Any  # [class]
    orders: Any  # [place, 13] which outcome of three each standing is
    factors: Any  # [iteration, 3] discounts
    three: ThreeHands  # without a table
    several: SeveralHands  # nowhere
    lock: Any  # [decision] -1: no locks
    fixed: Any  # [lock, action, class]
    free: Any  # [lock, class]


@kernel
def settle_hands(stacks, bets, dead, each, staying, ranks, first_pay, out):
    """Chips after every outcome of every hand: out [hand, outcome, seat].

    stacks, bets, dead [hand, seat] before it and as posted; `each`: antes are part of what side pots match; ranks [number of hands that
    show - 1, outcome, place], 0 the best. Whoever stays has put in all that others can match: what nobody matches comes back.
    """
    seats = stacks.shape[1]
    paid, rank = np.empty(seats), np.empty(seats, np.int64)
    for hand in range(len(stacks)):
        for end in range(len(staying)):
            shown = 0
            while shown < 3 and staying[end, shown] >= 0:
                shown += 1
            stop = first_pay[end + 1] - first_pay[end]
            for outcome in range(stop):
                rank[:] = -1
                for place in range(shown):
                    rank[staying[end, place]] = ranks[shown - 1, outcome, place]
                _settle(stacks[hand], bets[hand], dead[hand], each, rank, paid, out[hand, first_pay[end] + outcome])


@kernel
def _settle(stacks, bets, dead, each, rank, paid, out):
    """One outcome; rank [seat] is -1 for those who have folded."""
    loose = 0.0
    for seat in range(len(stacks)):
        apart = 0.0 if each else dead[seat]
        loose += apart
        paid[seat] = stacks[seat] - apart if rank[seat] >= 0 else bets[seat] + dead[seat] - apart
        out[seat] = stacks[seat] - apart - paid[seat]
    below = -1.0  # a stack that went into the ante plays for that with nothing
    while True:
        level, best = np.inf, 99
        for seat in range(len(stacks)):
            if rank[seat] >= 0 and below + 1e-9 < paid[seat] < level:
                level = paid[seat]
        if level == np.inf:
            break
        chips = loose
        for seat in range(len(stacks)):
            chips += min(paid[seat], level) - min(paid[seat], max(below, 0.0))
            if rank[seat] >= 0 and paid[seat] >= level - 1e-9:
                best = min(best, rank[seat])
        winners = 0
        for seat in range(len(stacks)):
            winners += rank[seat] == best and paid[seat] >= level - 1e-9
        for seat in range(len(stacks)):
            if rank[seat] == best and paid[seat] >= level - 1e-9:
                out[seat] += chips / winners
        below, loose = level, 0.0
    for seat in range(len(stacks)):
        out[seat] = round(out[seat] * 1e9) / 1e9


@kernel
def pay_eliminated(before, stacks, prizes, out):
    """Prizes of seats without chips [outcome, seat]: places by stacks before the hand, equal ones share; others stay as they are."""
    seats = len(before)
    for row in range(len(stacks)):
        alive = 0
        for seat in range(seats):
            alive += stacks[row, seat] > 0.0
        for seat in range(seats):
            if stacks[row, seat] > 0.0:
                continue
            place, alike, share = alive, 0, 0.0
            for other in range(seats):
                if stacks[row, other] <= 0.0:
                    place += before[other] > before[seat]
                    alike += before[other] == before[seat]
            for k in range(place, place + alike):
                share += prizes[k]
            out[row, seat] = share / alike


@kernel
def solve_hand(betting, pays, known, reaches, learning, target, chances, gains):
    """Solve a hand until no seat gains more than `target`, or all iterations are done; how many were.

    pays [outcome, seat]; chances [outcome] under the average strategies, gains [seat].
    """
    ends = Ends(betting.rows, betting.staying, betting.first_pay, pays, known.several)
    seats = len(betting.seat_folds)
    learning.regret[:] = 0.0
    learning.total[:] = 0.0
    for seat in range(seats):
        _match(seat, betting, known, learning)
        _play(seat, betting, known, learning.strategy, reaches)
    done, most = 0, len(known.factors) if len(betting.seat) else 0
    while done < most:
        for seat in range(seats):
            end_values(
                seat, 0, len(ends.rows), ends, reaches, known.three, known.combinations, known.orders, learning.ends
            )
            learn_up(
                seat, betting.seat, betting.first, betting.slots, betting.children, betting.before, known.lock, known.free,
                learning.ends, reaches.reach, (learning.strategy, learning.regret, learning.total), known.factors[done],
                learning.values,
            )  # fmt: skip
            _match(seat, betting, known, learning)
            _play(seat, betting, known, learning.strategy, reaches)
        done += 1
        if done % 4 == 0 or done == most:
            _measure(betting, ends, known, reaches, learning, gains)
            if gains.max() <= target:
                break
            for seat in range(seats):
                _play(seat, betting, known, learning.strategy, reaches)
    if not len(betting.seat):
        gains[:] = 0.0
    _outcome_chances(betting, ends, known, reaches, learning.average, chances)
    return done


@kernel
def _match(seat, betting, known, learning):
    match_regrets(
        seat, betting.seat, betting.first, betting.slots, known.lock, known.fixed, known.free, learning.regret,
        learning.strategy,
    )  # fmt: skip


@kernel
def _play(seat, betting, known, strategy, reaches):
    """Take over what a seat plays."""
    begin, folds, stop = betting.seat_slots[seat], betting.seat_folds[seat], betting.seat_slots[seat + 1]
    play_down(begin, stop, betting.before, strategy, reaches.reach)
    meet_rows(begin, stop, reaches.reach, known.met, reaches.met)
    meet_rows(begin, folds, reaches.reach, known.won, reaches.won)
    meet_rows(begin, folds, reaches.reach, known.tied, reaches.tied)


@kernel
def _measure(betting, ends, known, reaches, learning, gains):
    """What every seat's best response to the average gains; leaves the reaches of the average behind."""
    normalise(betting.first, betting.slots, known.lock, known.fixed, known.free, learning.total, learning.average)
    for seat in range(len(gains)):
        _play(seat, betting, known, learning.average, reaches)
    for seat in range(len(gains)):
        end_values(seat, 0, len(ends.rows), ends, reaches, known.three, known.combinations, known.orders, learning.ends)
        respond_up(
            seat, betting.seat, betting.first, betting.slots, betting.children, known.lock, known.fixed, known.free, learning.ends,
            learning.ends, learning.average, learning.values, learning.best,
        )  # fmt: skip
        gain, hands = 0.0, 0.0
        for a in range(len(known.combinations)):
            gain += known.combinations[a] * (learning.best[0, a] - learning.values[0, a])
            hands += known.combinations[a]
        gains[seat] = gain / hands


@kernel
def _outcome_chances(betting, ends, known, reaches, average, out):
    """out [outcome]: one action after the other, each seat's hand weighed with what the others have done beside it; sums to one."""
    decisions = len(betting.seat)
    reached, ended = np.zeros(decisions + 1), np.zeros(len(ends.rows))
    if decisions:
        reached[0] = 1.0
    else:
        ended[0] = 1.0
    weight = np.empty(len(known.combinations))
    for d in range(decisions):
        actor, whole = betting.seat[d], 0.0
        rows = betting.decision_rows[d]
        for a in range(len(weight)):
            weight[a] = known.combinations[a] * reaches.reach[rows[actor], a]
            for other in range(len(rows)):
                if other != actor:
                    weight[a] *= reaches.met[rows[other], a]
            whole += weight[a]
        begin, stop = betting.first[d], betting.first[d + 1]
        for place in range(begin, stop):
            part = 0.0
            for a in range(len(weight)):
                part += weight[a] * average[betting.slots[place], a]
            chance = reached[d] * (part / whole if whole > 0.0 else 1.0 / (stop - begin))
            if betting.children[place] >= 0:
                reached[betting.children[place]] = chance
            else:
                ended[-1 - betting.children[place]] = chance
    unit, duel = np.eye(OUTCOMES_OF_THREE), np.empty(3)
    by_order, mean = np.empty(OUTCOMES_OF_THREE), np.empty(len(weight))
    for end in range(len(ends.rows)):
        begin, staying = betting.first_pay[end], betting.staying[end]
        if staying[1] < 0:
            out[begin] = ended[end]
        elif staying[2] < 0:
            _duel(ends.rows[end, staying[0]], ends.rows[end, staying[1]], reaches, known.combinations, duel)
            out[begin], out[begin + 1], out[begin + 2] = (
                ended[end] * duel[1],
                ended[end] * duel[0],
                ended[end] * duel[2],
            )
        else:
            whole = 0.0
            for outcome in range(OUTCOMES_OF_THREE):
                mean[:] = 1.0
                _by_products(
                    outcome, False, end, ends, unit, reaches, known.combinations, known.orders, duel, by_order, mean
                )
                out[begin + outcome] = mean[0]
                whole += mean[0]
            for outcome in range(OUTCOMES_OF_THREE):
                share = out[begin + outcome] / whole if whole > 0.0 else 1.0 / OUTCOMES_OF_THREE
                out[begin + outcome] = ended[end] * share
