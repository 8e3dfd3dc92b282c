"""Adding a part to a game that is being solved: the recovery game makes up its missing past ([Brown20, §4.3.1]).

Act as if the part had always been there and its owner had never entered it. Nothing changes elsewhere; what the others did inside is
free, so it is chosen well, by CFR in an auxiliary game in which the owner takes what it earned so far or enters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.history_tree.game_tree import Extension, GameTree
from equilibrist.forms.sequence_form.sequence_form import SequenceForm
from equilibrist.solvers.bet_sizing._kernels.recovery import (
    Added,
    RecoveryTables,
    earned_sums,
    head_reach,
    recover,
)

FEWEST, MOST = 50, 1000  # iterations of a recovery game, whatever the weight it stands for


@dataclass(frozen=True)
class RecoveredTables:
    """Regret sums, sums of plans [S] on a sequence form, and the number of iterations they count as."""

    form: SequenceForm
    regret: Floats
    average: Floats
    weight: float

    def carried(self, extension: Extension, form: SequenceForm) -> RecoveredTables:
        """The same tables on the larger game's form; zero where it is new."""
        regret, average = (_carry(extension, self.form, form, table) for table in (self.regret, self.average))
        average[form.offset[:2]] = self.average[self.form.offset[:2]]
        return RecoveredTables(form, regret, average, self.weight)

    def scaled(self, factor: float) -> RecoveredTables:
        return RecoveredTables(self.form, self.regret * factor, self.average * factor, self.weight * factor)

    def positive_squares(self, player: int) -> float:
        """Sum of squared positive regrets of a player."""
        own = slice(int(self.form.offset[player]), int(self.form.offset[player + 1]))
        return float((np.maximum(self.regret[own], 0.0) ** 2).sum())

    def earned(self) -> tuple[Floats, Floats]:
        """Sums over the iterations of counterfactual values: [infosets of the form] and [S] of every action."""
        form, payoff = self.form, self.form.payoff
        earned, values = np.zeros(len(form.infoset)), np.zeros(len(self.regret))
        for p in range(2):
            earned_sums(
                p, form.offset, form.first_infoset, form.first_sequence, form.parent,
                payoff.start, payoff.column, payoff.value, self.average, self.regret, values, earned,
            )  # fmt: skip
        return earned, values


def _carry(extension: Extension, old: SequenceForm, new: SequenceForm, table: Floats) -> Floats:
    slots = np.zeros(old.infosets.slots)
    own = old.slot >= 0
    slots[old.slot[own]] = table[own]
    carried = extension.carry(slots)
    out = np.zeros(int(new.offset[2]))
    mine = new.slot >= 0
    out[mine] = carried[new.slot[mine]]
    return out


@dataclass(frozen=True)
class AddedPart:
    """Where a larger game is new, in the numbering of its sequence form."""

    player: int  # who gained an action
    heads: Ints  # infosets
    entrance: Ints  # [heads] the added sequence of each
    inside: Ints  # infosets, parents first
    owned: npt.NDArray[np.bool_]  # [inside] whether they belong to the player


def added_part(extension: Extension, form: SequenceForm) -> AddedPart:
    """What `with_action` added: one action of one player at several infosets, and all that follows."""
    infosets = extension.tree.infosets
    place = np.empty(len(infosets), dtype=np.int32)  # of a game's infoset in the form
    place[form.infoset] = np.arange(len(form.infoset))
    known = np.zeros(len(infosets), dtype=bool)
    known[extension.infoset] = True
    slots_known = np.zeros(infosets.slots, dtype=bool)
    slots_known[extension.slot] = True
    owner = np.repeat(np.arange(len(infosets)), np.diff(infosets.first_slot))
    fresh = np.flatnonzero(~slots_known & known[owner])
    players = set(infosets.player[owner[fresh]].tolist())
    if len(players) != 1:
        raise NotApplicableError("Actions are added for one player at a time; add the others afterwards.")
    sequence = np.empty(infosets.slots, dtype=np.int32)
    own = form.slot >= 0
    sequence[form.slot[own]] = np.flatnonzero(own)
    player = players.pop()
    inside = np.sort(place[np.flatnonzero(~known)])
    owned = infosets.player[form.infoset[inside]] == player
    return AddedPart(player, place[owner[fresh]], sequence[fresh], inside, owned)


@dataclass(frozen=True)
class Recovery:
    """What a recovery game found, as sums over the whole past."""

    iterations: int
    weight: float  # T_S: how often chance and the others came to the heads
    regret: Floats  # [S] inside
    average: Floats  # [S] inside, of the other player
    entered: Floats  # [heads] what the added action would have earned
    strategy: Floats  # [S] the next iterate


def play_recovery_game(
    tables: RecoveredTables, part: AddedPart, tree: GameTree, earned: Floats, iterations: int | None = None
) -> Recovery:
    """CFR on the added part against what the others did; `tables` are carried to the larger form, `earned` is [heads]."""
    form = tables.form
    weight = _head_weight(tables, part, tree)
    n = min(MOST, max(FEWEST, math.ceil(weight))) if iterations is None else iterations
    plan = tables.average / n
    strategy, regret, average = (np.zeros_like(plan) for _ in range(3))
    entered = np.zeros(len(part.heads))
    strategy[part.entrance] = 0.5
    plan[part.entrance] = 0.5
    for i in part.inside:
        rows = slice(form.first_sequence[i], form.first_sequence[i] + form.actions[i])
        strategy[rows] = 1.0 / form.actions[i]
        plan[rows] = plan[form.parent[i]] * strategy[rows]
    if weight > 0.0:
        room = RecoveryTables(
            strategy,
            plan,
            regret,
            average,
            entered,
            enter_regret=np.zeros_like(entered),
            stay_regret=np.zeros_like(entered),
            q=np.zeros_like(plan),
        )
        added = Added(part.entrance, earned / n, part.inside, part.owned)
        recover(n, added, form.treeplex, form.payoff.rows, room)
    return Recovery(n if weight > 0.0 else 0, weight, regret, average, entered, strategy)


def _head_weight(tables: RecoveredTables, part: AddedPart, tree: GameTree) -> float:
    """T_S: sum over the heads' histories of chance times what the other player's plans add up to there."""
    heads = np.zeros(len(tree.infosets), dtype=np.bool_)
    heads[tables.form.infoset[part.heads]] = True
    sums, own = np.zeros(tree.infosets.slots), tables.form.slot >= 0
    sums[tables.form.slot[own]] = tables.average[own]
    reach, chance = np.zeros(tree.histories), np.zeros(tree.histories)
    arrays = (
        tree.player,
        tree.parent,
        tree.first_child,
        tree.infoset,
        tree.chance_probability,
        tree.infosets.first_slot,
    )
    return float(head_reach(part.player, tables.weight, *arrays, sums, heads, reach, chance))


def merge(tables: RecoveredTables, part: AddedPart, recovery: Recovery, earned: Floats) -> RecoveredTables:
    """The union of the game and the added part: nothing changes outside, the owner's average does not enter."""
    form = tables.form
    regret, average = tables.regret.copy(), tables.average.copy()
    for i, mine in zip(part.inside, part.owned, strict=True):
        rows = slice(form.first_sequence[i], form.first_sequence[i] + form.actions[i])
        regret[rows] = recovery.regret[rows] if mine else 0.0
        average[rows] = 0.0 if mine else recovery.average[rows]
    regret[part.entrance] = recovery.entered - earned if recovery.iterations else 0.0
    average[part.entrance] = 0.0
    return RecoveredTables(form, regret, average, tables.weight)


def recommended_weight(merged: RecoveredTables, part: AddedPart) -> float:
    """w of (4.78): squared positive regrets without the new actions of the heads, over those with them."""
    total = merged.positive_squares(part.player)
    entrances = float((np.maximum(merged.regret[part.entrance], 0.0) ** 2).sum())
    return 1.0 if total <= 0.0 else (total - entrances) / total
