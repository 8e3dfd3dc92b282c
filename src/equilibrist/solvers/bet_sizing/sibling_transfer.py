"""Adding a bet by regret transfer: a sibling of another size has the past that a new bet lacks ([Brown20, §4.3.2])."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.history_tree.game_tree import Extension, GameTree
from equilibrist.solvers.bet_sizing.recovery_game import AddedPart, RecoveredTables, Recovery
from equilibrist.solvers.responses.any_size_response import BetSizes


def copy_sibling(
    tables: RecoveredTables, sizes: BetSizes, extension: Extension, part: AddedPart, earned: Floats
) -> Recovery | None:
    """What the nearest sibling of the same shape did, its payoffs scaled to the new size; None where there is none.

    `tables` are carried to the larger game, `sizes` those of the smaller one. After the bet everything but an immediate fold scales
    with 1 + 2 x.
    """
    tree, form = extension.tree, tables.form
    sequence = np.full(tree.infosets.slots, -1, dtype=np.int64)
    own = form.slot >= 0
    sequence[form.slot[own]] = np.flatnonzero(own)
    for old, new, low, high in _siblings(sizes, extension, part):
        pairs = _paired(tree, old, new)
        if pairs is None:
            continue
        scale = (1.0 + 2.0 * high) / (1.0 + 2.0 * low)
        return _copied(tables, sizes, extension, part, earned, pairs, scale, sequence)
    return None


def _siblings(sizes: BetSizes, extension: Extension, part: AddedPart) -> list[tuple[Longs, Longs, float, float]]:
    """For each bet on the old menu, nearest first: its histories, those of the new bet, and both shares."""
    from equilibrist.games.poker.game import Poker, betting_line

    tree = extension.tree
    game = tree.game
    assert isinstance(game, Poker)
    infoset = int(np.flatnonzero(np.isin(np.arange(len(tree.infosets)), _heads(extension)))[0])
    shares = game.node_at(betting_line(tree.infosets.public[infoset])).shares
    heads = np.flatnonzero(np.isin(tree.infoset, _heads(extension)))
    new = _new_action(extension, infoset)
    others = [a for a, share in enumerate(shares) if share > 0.0 and a != new]
    others.sort(key=lambda a: abs(np.log(shares[a] / shares[new])))
    first = tree.first_child[heads].astype(np.int64)
    return [(first + a, first + new, shares[a], shares[new]) for a in others]


def _heads(extension: Extension) -> Longs:
    """Old infosets that have gained an action, in the new numbering."""
    infosets = extension.tree.infosets
    known = np.zeros(infosets.slots, dtype=bool)
    known[extension.slot] = True
    owner = np.repeat(np.arange(len(infosets)), np.diff(infosets.first_slot))
    out: Longs = np.intersect1d(owner[~known], extension.infoset).astype(np.int64)
    return out


def _new_action(extension: Extension, infoset: int) -> int:
    first, last = extension.tree.infosets.first_slot[infoset : infoset + 2]
    known = set(extension.slot.tolist())
    return next(s for s in range(first, last) if s not in known) - int(first)


def _paired(tree: GameTree, old: Longs, new: Longs) -> tuple[Longs, Longs] | None:
    """All histories below both, matched one to one, or None where the shapes differ."""
    below_old, below_new = [old], [new]
    while len(old):
        if not np.array_equal(tree.children[old], tree.children[new]) or not np.array_equal(
            tree.player[old], tree.player[new]
        ):
            return None
        counts = tree.children[old]
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        old = np.repeat(tree.first_child[old], counts) + within
        new = np.repeat(tree.first_child[new], counts) + within
        below_old.append(old)
        below_new.append(new)
    return np.concatenate(below_old), np.concatenate(below_new)


def _copied(
    tables: RecoveredTables,
    sizes: BetSizes,
    extension: Extension,
    part: AddedPart,
    earned: Floats,
    pairs: tuple[Longs, Longs],
    scale: float,
    sequence: Longs,
) -> Recovery:
    tree, form = extension.tree, tables.form
    first = tree.infosets.first_slot
    regret, average = np.zeros_like(tables.regret), np.zeros_like(tables.average)
    twin = dict(zip(tree.infoset[pairs[1]].tolist(), tree.infoset[pairs[0]].tolist(), strict=True))
    for i, mine in zip(part.inside, part.owned, strict=True):
        there = int(form.infoset[i])
        here = slice(form.first_sequence[i], form.first_sequence[i] + form.actions[i])
        source = sequence[first[twin[there]] : first[twin[there] + 1]]
        if mine:
            regret[here] = scale * tables.regret[source]
        else:
            average[here] = tables.average[source]
    entered = _entrance_values(tables, sizes, extension, part, pairs, scale, sequence)
    return Recovery(1, tables.weight, regret, average, entered, np.zeros(0))


def _entrance_values(
    tables: RecoveredTables,
    sizes: BetSizes,
    extension: Extension,
    part: AddedPart,
    pairs: tuple[Longs, Longs],
    scale: float,
    sequence: Longs,
) -> Floats:
    """Folds at once stay as they are, the rest of the sibling's value is scaled."""
    tree, form = extension.tree, tables.form
    _, values = tables.earned()
    plan = np.zeros(sizes.tree.infosets.slots)
    plan[:] = tables.average[sequence[extension.slot]] / tables.weight
    fold_old = sizes.folded(part.player, plan) * tables.weight
    fold = np.zeros(tree.infosets.slots)
    fold[extension.slot] = fold_old
    slot_of_new = dict(zip(part.entrance.tolist(), form.slot[part.entrance].tolist(), strict=True))
    offset = int(pairs[0][0]) - int(pairs[1][0])  # both are children of one history
    out = np.zeros(len(part.entrance))
    for h, entrance in enumerate(part.entrance.tolist()):
        sibling = slot_of_new[entrance] + offset
        whole = values[sequence[sibling]]
        out[h] = fold[sibling] + scale * (whole - fold[sibling])
    return out
