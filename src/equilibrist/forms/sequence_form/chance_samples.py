"""Samples of a game's deals ([Gilpin09, §9.2]): the sequence form in which only some sequences of chance moves can happen.

A *deal* is a complete sequence of chance moves, told by its labels (both hands and the whole board, say). A history that ends before
the last chance move belongs to every deal that goes on from it, so all rounds of a sampled game stay consistent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.form import Form
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.forms.history_tree.infoset_forest import grow_forest
from equilibrist.forms.sequence_form.sequence_form import SequenceForm, sparse_payoff
from equilibrist.games.rules import CHANCE


class PayoffSampler(Protocol):
    """Whatever can draw sparser payoff operators on the same infoset trees, explicit or implicit."""

    @property
    def deals(self) -> int:
        """How many there are to draw from."""

    def sample(self, share: float, generator: np.random.Generator) -> Form:
        """The game in which only ceil(share * deals) of the deals happen, drawn without replacement."""


class DealSampler:
    """Deals of a compiled game."""

    def __init__(self, tree: GameTree, form: SequenceForm) -> None:
        self.form, self.forest = form, grow_forest(tree, "Sampling deals")
        self.parent, self.probability, key = _chance_prefixes(tree)
        ends = np.flatnonzero(tree.terminal >= 0)
        self.prefix = np.empty(len(ends), dtype=np.int32)  # [Z] chance moves before each terminal
        self.prefix[tree.terminal[ends]] = key[ends]
        whole = np.ones(len(self.parent), dtype=np.bool_)
        whole[self.parent[1:]] = False
        self.complete = np.flatnonzero(whole)
        total = float(self.probability[self.complete].sum())
        if len(self.complete) < 2 or abs(total - 1.0) > 1e-9:
            reason = (
                "has no chance moves"
                if len(self.complete) < 2
                else "has chance moves that depend on the players' actions"
            )
            raise NotApplicableError(f"The deals of '{tree.game.name}' cannot be sampled: it {reason}; use 'egt'.")
        slots = self.forest.terminal_slot
        sequence = np.empty(form.infosets.slots + 1, dtype=np.int64)
        own = np.flatnonzero(form.slot >= 0)
        sequence[form.slot[own]] = own
        self.ends = [np.where(slots[:, p] >= 0, sequence[slots[:, p]], form.offset[p]) for p in range(2)]  # [Z] each

    @property
    def deals(self) -> int:
        return len(self.complete)

    def sample(self, share: float, generator: np.random.Generator) -> SequenceForm:
        """Probabilities of the deals drawn are scaled up to sum to one."""
        count = min(self.deals, int(np.ceil(share * self.deals)))
        drawn = generator.choice(self.complete, count, replace=False)
        weight = np.zeros(len(self.parent))
        weight[drawn] = self.probability[drawn] / self.probability[drawn].sum()
        for key in range(len(self.parent) - 1, 0, -1):  # longer sequences have higher numbers
            weight[self.parent[key]] += weight[key]
        chance = weight[self.prefix]
        kept = np.flatnonzero(chance)
        worth = self.forest.tree.returns[kept] * chance[kept, None]
        payoff = sparse_payoff(self.ends[0][kept], self.ends[1][kept], worth, self.form.offset)
        return replace(self.form, payoff=payoff, name=f"{self.form.name}, {count} of {self.deals} deals")


def _chance_prefixes(tree: GameTree) -> tuple[Ints, Floats, Ints]:
    """Sequences of chance labels, shorter ones first: their parents and probabilities; and [N] that of each history."""
    number: dict[tuple[int, int], int] = {}
    parent, probability = [-1], [1.0]
    key = np.zeros(tree.histories, dtype=np.int32)
    above, label = tree.parent.tolist(), tree.label.tolist()
    dealt = (tree.player[np.maximum(tree.parent, 0)] == CHANCE).tolist()
    for n in range(1, tree.histories):
        if not dealt[n]:
            key[n] = key[above[n]]
            continue
        before = int(key[above[n]])
        found = number.setdefault((before, label[n]), len(parent))
        if found == len(parent):
            parent.append(before)
            probability.append(probability[before] * float(tree.chance_probability[n]))
        key[n] = found
    return np.array(parent, dtype=np.int32), np.array(probability), key
