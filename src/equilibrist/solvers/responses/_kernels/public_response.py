"""Values of one player's infostates on a public layout, level by level: a best response, or a given strategy.

`order` lists the player's infostates by depth, `level` [levels + 1] says where each depth begins in it. Rows may be shared by
infostates of one depth: then the action is chosen that is best for all of them together.
"""

from equilibrist.compute.kernel import kernel


@kernel
def choose_action(first, n, q):
    """The best slot; the first one where several are equal."""
    best = first
    for s in range(first + 1, first + n):
        if q[s] > q[best]:
            best = s
    return best


@kernel
def respond_by_level(order, level, maximise, infostates, strategy, value, choice_value, q, pick):
    """Adds to `value` from the last level up; `pick` [R] becomes the slot chosen where the player maximises."""
    parent, action, row = infostates.parent, infostates.action, infostates.row
    first_choice, first_slot = infostates.first_choice, infostates.first_slot
    for depth in range(level.shape[0] - 2, -1, -1):
        for j in range(level[depth], level[depth + 1]):
            k = order[j]
            if row[k] >= 0:
                for a in range(first_choice[k + 1] - first_choice[k]):
                    q[first_slot[row[k]] + a] += choice_value[first_choice[k] + a]
        for j in range(level[depth], level[depth + 1]):
            k = order[j]
            if row[k] >= 0:
                first, n = first_slot[row[k]], first_choice[k + 1] - first_choice[k]
                if maximise:
                    if pick[row[k]] < 0:
                        pick[row[k]] = choose_action(first, n, q)
                    value[k] += choice_value[first_choice[k] + pick[row[k]] - first]
                else:
                    for a in range(n):
                        value[k] += strategy[first + a] * choice_value[first_choice[k] + a]
            above = parent[k]
            if above >= 0:
                if action[k] >= 0:
                    choice_value[first_choice[above] + action[k]] += value[k]
                else:
                    value[above] += value[k]
