"""Questions about public belief states as rows, and the way of answers back."""

from equilibrist.compute.kernel import kernel

WHOEVER_ACTS = -1  # in place of the player whom a question is about


@kernel
def total_of(weight, held):
    """Sum of products."""
    total = 0.0
    for n in range(held.shape[0]):
        total += weight[n] * held[n]
    return total


@kernel
def belief(prior, held, total, out):
    """Prior times reach, scaled to one; by chance alone where nobody gets."""
    mass = 0.0
    for n in range(held.shape[0]):
        mass += prior[n]
    for n in range(held.shape[0]):
        out[n] = prior[n] * held[n] / total if total > 1e-60 else prior[n] / mass


@kernel
def ask_beliefs(player, template, actor, first, reach, out, asked):
    """Questions about leaves that the opponent gets to, as rows [Q, inputs]; `asked` [Q] are their numbers among all B x L. Returns Q.

    What a leaf is worth counts by the opponent's reach alone, so no other is asked about, but all where it is about WHOEVER_ACTS.
    Players stand in the order of the leaf's class.
    """
    leaves, prior, number, swapped = template
    hands = prior.shape[2]
    count = leaves.shape[0]
    row = 0
    for b in range(reach.shape[0]):
        for leaf in range(count):
            held, turned = reach[b, leaves[leaf]], swapped[leaf]
            if player != WHOEVER_ACTS and total_of(prior[leaf, 1 - player], held[1 - player]) == 0.0:
                continue
            out[row, :first] = 0.0
            out[row, 0] = actor[number[leaf]]
            out[row, 1] = 1.0 if player != WHOEVER_ACTS and (player == 1) != turned else 0.0
            out[row, 2 + number[leaf]] = 1.0
            for p in range(2):
                at = first + (1 - p if turned else p) * hands
                belief(prior[leaf, p], held[p], total_of(prior[leaf, p], held[p]), out[row, at : at + hands])
            asked[row] = b * count + leaf
            row += 1
    return row


@kernel
def take_answers(found, asked, out):
    """Answers [Q, N] to their places among all leaves [B x L, N]; 0 where nobody asked."""
    out[:] = 0.0
    for q in range(asked.shape[0]):
        for n in range(out.shape[1]):
            out[asked[q], n] = found[q, n]
