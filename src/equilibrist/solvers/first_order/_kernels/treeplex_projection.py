"""The point of a treeplex nearest to a given one ([Gilpin09, §8.5.1], ComplexSubproblem).

For each infoset, the derivative of the smallest half squared distance below it, as a function of the plan t of the sequence before
it, is increasing and piecewise linear. Bottom-up: the function of an action is t minus its target plus the sum of the functions of the
infosets after it (same t, derivatives add); that of an infoset joins its actions (same derivative, plans add). Top-down, plans
are read off.

A function is a run of knots (t, derivative, slope from there on), the first at t = 0. The number of knots is known beforehand: an
infoset has as many as its actions together, an action one plus those of its infosets less one each.

nodes  (start [I + 1], child_start [S + 1], child [I], knots [S]) of both players
join   (t, l, slope) of infosets; part (t, l, slope) of actions, those of one infoset side by side in the same places
events (key, change, key, change, bounds of runs), long enough for the largest infoset
"""

from equilibrist.compute.kernel import kernel

FEW = 8  # events sorted by insertion


@kernel
def sort_events(count, events):
    """Sort the first `count` events by key: functions arrive as runs that are in order, which are merged in pairs."""
    key, change, other_key, other_change, bound = events
    if count <= FEW:
        for i in range(1, count):
            k, c = key[i], change[i]
            j = i - 1
            while j >= 0 and key[j] > k:
                key[j + 1], change[j + 1] = key[j], change[j]
                j -= 1
            key[j + 1], change[j + 1] = k, c
        return
    runs = 1
    bound[0] = 0
    for i in range(1, count):
        if key[i] < key[i - 1]:
            bound[runs] = i
            runs += 1
    bound[runs] = count
    swapped = False
    while runs > 1:
        merged = 0
        for r in range(0, runs, 2):
            begin, middle = bound[r], bound[r + 1]
            end = bound[r + 2] if r + 2 <= runs else middle
            if swapped:
                merge(begin, middle, end, other_key, other_change, key, change)
            else:
                merge(begin, middle, end, key, change, other_key, other_change)
            bound[merged] = begin
            merged += 1
        bound[merged] = count
        runs = merged
        swapped = not swapped
    if swapped:
        for i in range(count):
            key[i], change[i] = other_key[i], other_change[i]


@kernel
def merge(begin, middle, end, key, change, out_key, out_change):
    """Two runs that are in order into one."""
    i, j = begin, middle
    for k in range(begin, end):
        if j >= end or (i < middle and key[i] <= key[j]):
            out_key[k], out_change[k] = key[i], change[i]
            i += 1
        else:
            out_key[k], out_change[k] = key[j], change[j]
            j += 1


@kernel
def join_infosets(s, place, target, nodes, join, part, events):
    """The function of action s, written from `place` on; returns the place after it."""
    start, child_start, child, _ = nodes
    at, height, slope = join
    key, change, _, _, _ = events
    base, rise, count = -target[s], 1.0, 0
    for c in range(child_start[s], child_start[s + 1]):
        first, last = start[child[c]], start[child[c] + 1]
        base += height[first]
        rise += slope[first]
        for k in range(first + 1, last):
            key[count], change[count] = at[k], slope[k] - slope[k - 1]
            count += 1
    if child_start[s + 1] - child_start[s] > 1:
        sort_events(count, events)
    t = 0.0
    part[0][place], part[1][place], part[2][place] = t, base, rise
    for k in range(count):
        base += rise * (key[k] - t)
        t = key[k]
        rise += change[k]
        part[0][place + k + 1], part[1][place + k + 1], part[2][place + k + 1] = t, base, rise
    return place + count + 1


@kernel
def join_actions(first, last, begin, n, knots, join, part, events):
    """The function of an infoset from those of its actions, which stand in first .. last-1."""
    key, change, _, _, _ = events
    count, place = 0, first
    for s in range(begin, begin + n):
        rate = 0.0
        for k in range(place, place + knots[s]):
            key[count], change[count] = part[1][k], 1.0 / part[2][k] - rate
            rate = 1.0 / part[2][k]
            count += 1
        place += knots[s]
    sort_events(count, events)
    t, rate, level = 0.0, 0.0, key[0]
    for k in range(count):
        t += rate * (key[k] - level)
        level = key[k]
        rate += change[k]
        join[0][first + k], join[1][first + k], join[2][first + k] = t, level, 1.0 / rate


@kernel
def last_not_above(first, last, values, x):
    """The last place in first .. last-1 whose value is at most x; `first` if there is none."""
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] <= x:
            low = middle
        else:
            high = middle
    return low


@kernel
def read_infoset(i, weight, begin, n, nodes, join, part, out):
    """Share `weight` among the actions of infoset i."""
    start, _, _, knots = nodes
    k = last_not_above(start[i], start[i + 1], join[0], weight)
    level = join[1][k] + join[2][k] * (weight - join[0][k])
    place, total = start[i], 0.0
    for s in range(begin, begin + n):
        out[s] = 0.0
        if level > part[1][place]:
            k = last_not_above(place, place + knots[s], part[1], level)
            out[s] = part[0][k] + (level - part[1][k]) / part[2][k]
        total += out[s]
        place += knots[s]
    for s in range(begin, begin + n):  # the sum is right but for rounding, which would add up on the way down
        out[s] *= weight / total


@kernel
def project(player, trees, nodes, join, part, events, target, out):
    """out = the plan of `player` nearest to target."""
    offset, first_infoset, first_sequence, actions, parent = trees
    start, _, _, knots = nodes
    for i in range(first_infoset[player + 1] - 1, first_infoset[player] - 1, -1):
        begin, n, place = first_sequence[i], actions[i], start[i]
        for s in range(begin, begin + n):
            place = join_infosets(s, place, target, nodes, join, part, events)
        join_actions(start[i], start[i + 1], begin, n, knots, join, part, events)
    out[offset[player]] = 1.0
    for i in range(first_infoset[player], first_infoset[player + 1]):
        begin, n, weight = first_sequence[i], actions[i], out[parent[i]]
        if weight > 0.0:
            read_infoset(i, weight, begin, n, nodes, join, part, out)
        else:
            for s in range(begin, begin + n):
                out[s] = 0.0


@kernel
def count_knots(trees, nodes):
    """Fill start [I + 1] and knots [S] of `nodes`; returns the most that one infoset has."""
    _, first_infoset, first_sequence, actions, _ = trees
    start, child_start, child, knots = nodes
    size = start  # counted in place, then added up
    most = 1
    for i in range(first_infoset[2] - 1, -1, -1):
        total = 0
        for s in range(first_sequence[i], first_sequence[i] + actions[i]):
            knots[s] = 1
            for c in range(child_start[s], child_start[s + 1]):
                knots[s] += size[child[c] + 1] - 1
            total += knots[s]
        size[i + 1] = total
        most = max(most, total)
    for i in range(first_infoset[2]):
        start[i + 1] += start[i]
    return most
