"""Passes over the decisions of a table: reaches downwards, values and regrets upwards.

`strategy`, `regret`, `total` [slot, class]; `values` [decision, class], `ends` [end, class] of one seat. Decisions are numbered parents
first. `lock` [decision] is the number of its lock or -1; `fixed` [lock, action, class] are shares that are given, `free` [lock, class]
what is left to be chosen.
"""

import numpy as np

from equilibrist.compute.kernel import kernel


@kernel
def play_down(begin, stop, before, strategy, reach):
    """Reach of the slots begin .. stop of one seat from the rows before them."""
    for slot in range(begin, stop):
        for a in range(reach.shape[1]):
            reach[slot, a] = reach[before[slot], a] * strategy[slot, a]


@kernel
def learn_up(seat, seats, first, slots, children, before, lock, free, ends, reach, tables, factors, values):
    """One seat learns: regrets of its decisions, its next strategy, its average; tables: strategy, regret, total.

    factors: what positive and negative regrets and the average so far are multiplied with.
    """
    strategy, regret, total = tables
    positive, negative, keep = factors[0], factors[1], factors[2]
    for d in range(len(seats) - 1, -1, -1):
        value = values[d]
        value[:] = 0.0
        mine = seats[d] == seat
        for place in range(first[d], first[d + 1]):
            child = values[children[place]] if children[place] >= 0 else ends[-1 - children[place]]
            if mine:
                row = strategy[slots[place]]
                for a in range(len(value)):
                    value[a] += row[a] * child[a]
            else:
                for a in range(len(value)):
                    value[a] += child[a]
        if not mine:
            continue
        for place in range(first[d], first[d + 1]):
            slot = slots[place]
            child = values[children[place]] if children[place] >= 0 else ends[-1 - children[place]]
            for a in range(len(value)):
                share = 1.0 if lock[d] < 0 else free[lock[d], a]
                total[slot, a] = keep * total[slot, a] + reach[before[slot], a] * strategy[slot, a]
                found = regret[slot, a] + share * (child[a] - value[a])
                regret[slot, a] = found * positive if found > 0.0 else found * negative


@kernel
def match_regrets(seat, seats, first, slots, lock, fixed, free, regret, strategy):
    """The strategy of one seat in proportion to positive regrets; uniform where there is none, locks beside it."""
    for d in range(len(seats)):
        if seats[d] == seat:
            match_rows(d, first, slots, lock, fixed, free, regret, strategy)


@kernel
def match_rows(d, first, slots, lock, fixed, free, weights, strategy):
    """Shares of the actions of one decision in proportion to positive weights."""
    begin, stop = first[d], first[d + 1]
    for a in range(strategy.shape[1]):
        sum_of = 0.0
        for place in range(begin, stop):
            sum_of += max(weights[slots[place], a], 0.0)
        for place in range(begin, stop):
            weight = max(weights[slots[place], a], 0.0)
            share = weight / sum_of if sum_of > 0.0 else 1.0 / (stop - begin)
            if lock[d] >= 0:
                share = fixed[lock[d], place - begin, a] + free[lock[d], a] * share
            strategy[slots[place], a] = share


@kernel
def normalise(first, slots, lock, fixed, free, total, strategy):
    """Averages as shares, decision by decision."""
    for d in range(len(first) - 1):
        begin, stop = first[d], first[d + 1]
        for a in range(strategy.shape[1]):
            sum_of = 0.0
            for place in range(begin, stop):
                sum_of += total[slots[place], a]
            for place in range(begin, stop):
                if sum_of > 0.0:
                    strategy[slots[place], a] = total[slots[place], a] / sum_of
                elif lock[d] >= 0:
                    strategy[slots[place], a] = fixed[lock[d], place - begin, a] + free[lock[d], a] / (stop - begin)
                else:
                    strategy[slots[place], a] = 1.0 / (stop - begin)


@kernel
def respond_up(seat, seats, first, slots, children, lock, fixed, free, ends, best_ends, strategy, values, best):
    """Values of the strategy and of a best response of one seat, hand by hand; locked shares stay as they are.

    `ends` and `best_ends` are what the ends are worth to each of the two: the same, unless play goes on after the flop.
    """
    for d in range(len(seats) - 1, -1, -1):
        value, top = values[d], best[d]
        value[:] = 0.0
        mine = seats[d] == seat
        top[:] = -np.inf if mine else 0.0
        begin = first[d]
        for place in range(begin, first[d + 1]):
            inner = children[place] >= 0
            child = values[children[place]] if inner else ends[-1 - children[place]]
            reply = best[children[place]] if inner else best_ends[-1 - children[place]]
            row = strategy[slots[place]]
            for a in range(len(value)):
                value[a] += row[a] * child[a] if mine else child[a]
                top[a] = max(top[a], reply[a]) if mine else top[a] + reply[a]
        if mine and lock[d] >= 0:
            number = lock[d]
            for a in range(len(value)):
                top[a] *= free[number, a]
            for place in range(begin, first[d + 1]):
                inner = children[place] >= 0
                reply = best[children[place]] if inner else best_ends[-1 - children[place]]
                for a in range(len(value)):
                    top[a] += fixed[number, place - begin, a] * reply[a]
