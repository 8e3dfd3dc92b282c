"""Sums of the Independent Chip Model: over subsets of players, and over the time at which a player arrives."""

from __future__ import annotations

import numpy as np

from equilibrist.compute.kernel import kernel


@kernel
def subset_equities(stacks, prizes, out):
    """Equities [field, player] by recursion over the set of players on the first places; stacks [field, player], prizes [player].

    Sums of stacks that are left are made by adding, never by subtracting, so that small stacks keep all their digits.
    """
    fields, players = stacks.shape
    sets = 1 << players
    left = np.empty(sets)  # [set] chips of the players in it
    reach = np.empty(sets)  # [set] probability that these finish first
    for f in range(fields):
        left[0] = 0.0
        reach[0] = 1.0
        for s in range(1, sets):
            reach[s] = 0.0
            low = 0
            while not (s >> low) & 1:
                low += 1
            left[s] = left[s & (s - 1)] + stacks[f, low]
        for i in range(players):
            out[f, i] = 0.0
        for s in range(sets - 1):
            place = 0
            for i in range(players):
                place += (s >> i) & 1
            if left[sets - 1 - s] <= 0.0:  # only players without chips are left
                continue
            each = reach[s] / left[sets - 1 - s]
            for i in range(players):
                if not (s >> i) & 1:
                    arrives = each * stacks[f, i]
                    reach[s | (1 << i)] += arrives
                    out[f, i] += arrives * prizes[place]


@kernel(fast=True)
def arrival_values(rates, prizes, times, weights, later, equity, slope):
    """Add the integrands of equities and of their own derivatives at some times.

    rates [player], prizes [place], times and weights [node]; `later` [player + 1, place + 1] is room to work in; `equity` and `slope`
    [player]. The others are left out by the distribution of arrivals before a player and the expected prize after it.
    """
    players, places = rates.size, prizes.size
    before = np.zeros(places + 1)  # [1 + arrivals]: probability, of the players so far
    shifted = np.zeros(places + 1)
    gone = np.empty(players)  # [player] e^(-rate t)
    come = np.empty(players)
    for node in range(times.size):
        time, weight = times[node], weights[node]
        for j in range(players):
            gone[j] = np.exp(-rates[j] * time)
            come[j] = -np.expm1(-rates[j] * time)
        for k in range(places):
            later[players, k] = prizes[k]
        later[players, places] = 0.0
        for j in range(players - 1, 0, -1):
            for k in range(places):
                later[j, k] = gone[j] * later[j + 1, k] + come[j] * later[j + 1, k + 1]
            later[j, places] = 0.0
        before[:] = 0.0
        before[1] = 1.0
        for j in range(players):
            total = 0.0
            for k in range(places):
                total += before[k + 1] * later[j + 1, k]
            density = weight * gone[j] * total
            equity[j] += rates[j] * density
            slope[j] += (1.0 - rates[j] * time) * density
            for k in range(1, places + 1):
                shifted[k] = gone[j] * before[k] + come[j] * before[k - 1]
            before, shifted = shifted, before


@kernel(fast=True)
def pair_values(rates, prizes, times, seats, later, out):
    """out [node, seat, seat, 2]: expected prize of one more arrival, and of a second one, among all players but two.

    seats [seat] are places in `rates`, increasing. Whatever two players have, their equities follow from these two numbers.
    """
    players, places = rates.size, prizes.size
    before = np.zeros(places + 1)
    shifted = np.zeros(places + 1)
    gone = np.empty(players)
    come = np.empty(players)
    for node in range(times.size):
        for j in range(players):
            gone[j] = np.exp(-rates[j] * times[node])
            come[j] = -np.expm1(-rates[j] * times[node])
        for k in range(places):
            later[players, k] = prizes[k]
        later[players, places] = 0.0
        for a in range(seats.size):
            one = seats[a]
            for j in range(players - 1, 0, -1):
                stays = 1.0 if j == one else gone[j]
                moves = 0.0 if j == one else come[j]
                for k in range(places):
                    later[j, k] = stays * later[j + 1, k] + moves * later[j + 1, k + 1]
                later[j, places] = 0.0
            before[:] = 0.0
            before[1] = 1.0
            b = 0
            for j in range(players):
                if b < seats.size and seats[b] == j:
                    if j > one:
                        first = 0.0
                        second = 0.0
                        for k in range(places):
                            first += before[k + 1] * later[j + 1, k]
                            second += before[k + 1] * later[j + 1, k + 1]
                        out[node, a, b, 0] = first
                        out[node, a, b, 1] = second
                        out[node, b, a, 0] = first
                        out[node, b, a, 1] = second
                    b += 1
                if j != one:
                    for k in range(1, places + 1):
                        shifted[k] = gone[j] * before[k] + come[j] * before[k - 1]
                    before, shifted = shifted, before


@kernel
def arrival_places(rates, times, weights, work, out):
    """Add to out [player, place] the probability of arriving at that place; by halves of the players, the others left out.

    work [depth, place]: distributions of arrivals outside a part; the parts are walked by a stack.
    """
    players, places = out.shape
    begin = np.empty(work.shape[0], np.int64)
    end = np.empty(work.shape[0], np.int64)
    gone = np.empty(players)
    come = np.empty(players)
    for node in range(times.size):
        for j in range(players):
            gone[j] = np.exp(-rates[j] * times[node])
            come[j] = -np.expm1(-rates[j] * times[node])
        top = 0
        begin[0], end[0] = 0, players
        for k in range(places):
            work[0, k] = 0.0
        work[0, 0] = 1.0
        while top >= 0:
            first, last = begin[top], end[top]
            if last - first == 1:
                density = weights[node] * rates[first] * gone[first]
                for k in range(places):
                    out[first, k] += density * work[top, k]
                top -= 1
                continue
            middle = (first + last) // 2
            for k in range(places):
                work[top + 1, k] = work[top, k]
            for j in range(first, middle):  # the second half on top: the first half is outside it
                _arrive(work[top + 1], gone[j], come[j])
            for j in range(middle, last):
                _arrive(work[top], gone[j], come[j])
            begin[top + 1], end[top + 1] = middle, last
            end[top] = middle
            top += 1


@kernel(merge=True)
def _arrive(chances, stays, moves):
    """One more player may have arrived."""
    for k in range(chances.size - 1, 0, -1):
        chances[k] = stays * chances[k] + moves * chances[k - 1]
    chances[0] *= stays
