"""One action more in a game that is being solved: tables of the larger game, by a recovery game or by regret transfer."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms.history_tree.game_tree import Extension
from equilibrist.forms.sequence_form.sequence_form import SequenceForm, sequence_form
from equilibrist.solvers.bet_sizing._kernels.affine_cfr import match_all_at
from equilibrist.solvers.bet_sizing.recovery_game import (
    AddedPart,
    RecoveredTables,
    Recovery,
    added_part,
    merge,
    play_recovery_game,
    recommended_weight,
)
from equilibrist.solvers.bet_sizing.sibling_transfer import copy_sibling
from equilibrist.solvers.responses.any_size_response import BetSizes

METHODS = ("recovery", "transfer")


@dataclass(frozen=True)
class Addition:
    """What adding an action led to."""

    tables: RecoveredTables = field(repr=False)  # of the larger game, scaled
    strategy: Floats = field(repr=False)  # to play next
    part: AddedPart = field(repr=False)
    weight: float  # by which the past was multiplied
    method: str  # how the past was made up
    nodes: int  # histories touched


def add_action(
    tables: RecoveredTables, sizes: BetSizes | None, extension: Extension, strategy: Floats, method: str = "recovery"
) -> Addition:
    """Tables of the larger game as if its new part had always been there and never been entered.

    `sizes` are those of the smaller game, for regret transfer; where no sibling has the right shape a recovery game is played instead.
    """
    form = sequence_form(extension.tree)
    part = added_part(extension, form)
    earned = _earned_at_heads(tables, extension, form, part)
    carried = tables.carried(extension, form)
    recovery: Recovery | None = None
    if method == "transfer" and sizes is not None:
        recovery = copy_sibling(carried, sizes, extension, part, earned)
    used = "transfer" if recovery is not None else "recovery"
    if recovery is None:
        recovery = play_recovery_game(carried, part, extension.tree, earned)
    merged = merge(carried, part, recovery, earned)
    weight = recommended_weight(merged, part)
    added = extension.tree.histories - len(extension.history)
    scaled = merged.scaled(weight)
    nodes = added * (1 + recovery.iterations)
    return Addition(scaled, _next_strategy(scaled, part), part, weight, used, nodes)


def _earned_at_heads(tables: RecoveredTables, extension: Extension, form: SequenceForm, part: AddedPart) -> Floats:
    by_form, _ = tables.earned()
    by_infoset = np.zeros(len(extension.tree.infosets))
    by_infoset[extension.infoset[tables.form.infoset]] = by_form
    out: Floats = by_infoset[form.infoset[part.heads]]
    return out


def _next_strategy(tables: RecoveredTables, part: AddedPart) -> Floats:
    """Regret matching; the others inside the new part, who regret nothing yet, begin with their average."""
    form = tables.form
    strategy = np.ones(int(form.offset[2]))
    match_all_at(np.ones(1), tables.regret[:, None].copy(), form.first_sequence, form.actions, strategy)
    behaviour = form.behaviour(tables.average)
    for i, mine in zip(part.inside, part.owned, strict=True):
        if not mine:
            rows = slice(form.first_sequence[i], form.first_sequence[i] + form.actions[i])
            strategy[rows] = behaviour[rows]
    return strategy
