"""Histories, infosets and ends numbered as a walk over the rules would number them."""

from equilibrist.compute.kernel import kernel


@kernel
def renumber(child_start, child, infoset, terminal, history_number, infoset_number, terminal_number, stack):
    """Depth first; the children of a history get their numbers together when it is visited."""
    history_number[0] = 0
    met, infosets, ends = 1, 0, 0
    stack[0] = 0
    height = 1
    while height > 0:
        height -= 1
        n = stack[height]
        if terminal[n] >= 0:
            terminal_number[terminal[n]] = ends
            ends += 1
            continue
        if infoset[n] >= 0 and infoset_number[infoset[n]] < 0:
            infoset_number[infoset[n]] = infosets
            infosets += 1
        for k in range(child_start[n], child_start[n + 1]):
            history_number[child[k]] = met
            met += 1
        for k in range(child_start[n + 1] - 1, child_start[n] - 1, -1):
            stack[height] = child[k]
            height += 1
