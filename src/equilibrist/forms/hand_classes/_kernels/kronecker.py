"""Products with F ⊗ B + S ⊗ W, class by class: the sparse card part times rows of leaves, never the whole matrix.

A packed row holds, for one class of the opponent, its plan at every leaf of the round times what the leaf pays to the player who
multiplies: folds first, then showdowns. `chance` weighs folds, `edge` showdowns.
"""

from equilibrist.compute.kernel import kernel


@kernel(fast=True)
def add_products(weight, first, last, column, packed, begin, end, out):
    """out[i] += weight[k] * packed[column[k], begin + i], k = first .. last-1; four at a time, so `out` moves once for four."""
    k = first
    while k + 4 <= last:
        a = packed[column[k], begin:end]
        b = packed[column[k + 1], begin:end]
        c = packed[column[k + 2], begin:end]
        d = packed[column[k + 3], begin:end]
        wa, wb, wc, wd = weight[k], weight[k + 1], weight[k + 2], weight[k + 3]
        for i in range(out.shape[0]):
            out[i] += (wa * a[i] + wb * b[i]) + (wc * c[i] + wd * d[i])
        k += 4
    while k < last:
        a = packed[column[k], begin:end]
        wa = weight[k]
        for i in range(out.shape[0]):
            out[i] += wa * a[i]
        k += 1


@kernel
def multiply_row(row, start, column, chance, edge, packed, folds, out):
    """out[leaf] = sum over classes that `row` can meet of their weight times their packed row."""
    leaves = out.shape[0]
    out[:] = 0
    add_products(chance, start[row], start[row + 1], column, packed, 0, folds, out[:folds])
    if leaves > folds:
        add_products(edge, start[row], start[row + 1], column, packed, folds, leaves, out[folds:])


@kernel
def pack_rows(begin, end, first, width, place, payoff, plan, packed):
    """Packed rows of classes begin .. end-1 from a plan whose row c is plan[first + c * width : … + width]; place[leaf] in it."""
    for row in range(begin, end):
        source = plan[first + row * width : first + (row + 1) * width]
        target = packed[row]
        for leaf in range(place.shape[0]):
            target[leaf] = source[place[leaf]] * payoff[leaf]


@kernel
def pack_carried(leaf, sequence, payoff, plan, packed):
    """The leaves of a packed row that stem from sequences of earlier rounds: `sequence` [carried leaves, classes]."""
    for n in range(leaf.shape[0]):
        for row in range(packed.shape[0]):
            packed[row, leaf[n]] = plan[sequence[n, row]] * payoff[leaf[n]]


@kernel
def multiply_rows(
    begin, end, start, column, chance, edge, packed, folds, first, width, place, carried, product, out, late
):
    """Adds products of classes begin .. end-1 to the rows of `out`; those of carried leaves are left in `late`."""
    for row in range(begin, end):
        multiply_row(row, start, column, chance, edge, packed, folds, product)
        for n in range(carried.shape[0]):
            late[n, row] = product[carried[n]]
            product[carried[n]] = 0.0
        target = out[first + row * width : first + (row + 1) * width]
        for leaf in range(place.shape[0]):
            target[place[leaf]] += product[leaf]


@kernel
def add_carried(sequence, late, out):
    """Products that belong to sequences of earlier rounds, which several classes share."""
    for n in range(late.shape[0]):
        for row in range(late.shape[1]):
            out[sequence[n, row]] += late[n, row]
