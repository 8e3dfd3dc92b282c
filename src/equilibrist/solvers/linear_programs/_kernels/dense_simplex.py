"""The simplex method on one small, dense tableau that can be kept from one question to the next.

`tableau` [m + 1, n + 1] is condensed: basic variable basic[r] = tableau[r, n] - Σ_j tableau[r, j] x(nonbasic[j]); the last row holds
what a unit of each nonbasic variable costs the goal, and the goal's value. Variables are not negative, except those numbered
first_free .. last_free - 1, which have no sign and never leave the basis.
"""

import numpy as np

from equilibrist.compute.kernel import kernel

GAIN = 1e-12  # least that a column must help, or a row be violated, to count
DUST = 1e-11  # entries below this are no pivots
TIE = 1e-13  # ratios closer than this are equal


@kernel(merge=True)
def exchange(tableau, basic, nonbasic, r, s):
    """One pivot: the variables of row r and column s change places."""
    rows, columns = tableau.shape
    inverse = 1.0 / tableau[r, s]
    for j in range(columns):
        tableau[r, j] *= inverse
    tableau[r, s] = inverse
    for i in range(rows):
        factor = tableau[i, s]
        if i != r and factor != 0.0:
            for j in range(columns):
                tableau[i, j] -= factor * tableau[r, j]
            tableau[i, s] = -factor * inverse
    basic[r], nonbasic[s] = nonbasic[s], basic[r]


@kernel
def price(tableau, basic, nonbasic, cost):  # cost [m + n] by variable
    """Write the last row for a goal that is to be maximised."""
    m, n = tableau.shape[0] - 1, tableau.shape[1] - 1
    for j in range(n):
        tableau[m, j] = -cost[nonbasic[j]]
    tableau[m, n] = 0.0
    for r in range(m):
        c = cost[basic[r]]
        if c != 0.0:
            for j in range(n + 1):
                tableau[m, j] += c * tableau[r, j]


@kernel(merge=True)
def most_pivots(tableau):
    """Where a method gives up; Bland's rule, which cannot go round in circles, begins half-way there."""
    return 200 + 20 * (tableau.shape[0] + tableau.shape[1])


@kernel(merge=True)
def entering(tableau, nonbasic, bland):
    """The column that helps most, or with Bland's rule the lowest variable that helps; -1 at the optimum."""
    m, n = tableau.shape[0] - 1, tableau.shape[1] - 1
    chosen, best = -1, -GAIN
    for j in range(n):
        if bland:
            if tableau[m, j] < -GAIN and (chosen < 0 or nonbasic[j] < nonbasic[chosen]):
                chosen = j
        elif tableau[m, j] < best:
            chosen, best = j, tableau[m, j]
    return chosen


@kernel(merge=True)
def leaving(tableau, basic, first_free, last_free, s, bland):
    """The row that binds first as column s enters; among equals the largest pivot, or with Bland's rule the lowest variable."""
    m, n = tableau.shape[0] - 1, tableau.shape[1] - 1
    chosen, least = -1, np.inf
    for r in range(m):
        entry = tableau[r, s]
        if entry <= DUST or first_free <= basic[r] < last_free:
            continue
        ratio = max(tableau[r, n], 0.0) / entry
        if ratio < least - TIE:
            chosen, least = r, ratio
        elif ratio <= least + TIE:
            if (basic[r] < basic[chosen]) if bland else (entry > tableau[chosen, s]):
                chosen = r
            least = min(least, ratio)
    return chosen


@kernel(merge=True)
def climb(tableau, basic, nonbasic, first_free, last_free):
    """Primal moves from a feasible basis to the best one; returns the pivots, or -1 if there is no best one or no end."""
    most = most_pivots(tableau)
    for step in range(most):
        bland = 2 * step > most
        s = entering(tableau, nonbasic, bland)
        if s < 0:
            return step
        r = leaving(tableau, basic, first_free, last_free, s, bland)
        if r < 0:
            return -1
        exchange(tableau, basic, nonbasic, r, s)
    return -1


@kernel
def repair(tableau, basic, nonbasic, first_free, last_free):
    """Dual moves: from a basis that would be best if it were feasible to one that is; returns as `climb`, -1 if nothing is feasible."""
    m, n = tableau.shape[0] - 1, tableau.shape[1] - 1
    most = most_pivots(tableau)
    for step in range(most):
        bland = 2 * step > most
        r, worst = -1, -GAIN
        for i in range(m):
            if tableau[i, n] < worst and not first_free <= basic[i] < last_free:
                if not bland:
                    r, worst = i, tableau[i, n]
                elif r < 0 or basic[i] < basic[r]:
                    r = i
        if r < 0:
            return step
        s, least = -1, np.inf
        for j in range(n):
            entry = tableau[r, j]
            if entry < -DUST:
                ratio = max(tableau[m, j], 0.0) / -entry
                if ratio < least - TIE:
                    s, least = j, ratio
                elif ratio <= least + TIE:
                    if (nonbasic[j] < nonbasic[s]) if bland else (entry < tableau[r, s]):
                        s = j
                    least = min(least, ratio)
        if s < 0:
            return -1
        exchange(tableau, basic, nonbasic, r, s)
    return -1


@kernel
def move_floor(tableau, basic, nonbasic, variable, change):
    """Right-hand sides after the constraint whose slack is `variable` was loosened by `change`."""
    m, n = tableau.shape[0] - 1, tableau.shape[1] - 1
    for j in range(n):
        if nonbasic[j] == variable:
            for r in range(m + 1):
                tableau[r, n] += change * tableau[r, j]
            return
    for r in range(m):
        if basic[r] == variable:
            tableau[r, n] += change
            return


@kernel(merge=True)
def read_point(tableau, basic, point):
    """Values of the first variables, as many as `point` has."""
    n = tableau.shape[1] - 1
    point[:] = 0.0
    for r in range(tableau.shape[0] - 1):
        if basic[r] < point.shape[0]:
            point[basic[r]] = max(tableau[r, n], 0.0)
