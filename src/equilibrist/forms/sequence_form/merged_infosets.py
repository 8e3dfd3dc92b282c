"""Merged infosets: a sequence form in which a player cannot tell some of its infosets apart.

Works on the form alone: sequences of merged infosets become one, payoffs of equal pairs add up. Strategies of the smaller form are
played in the larger one by looking up the class ([Davis15, §2.5]).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import InfosetIndex
from equilibrist.forms.sequence_form.sequence_form import SequenceForm, sparse_payoff

CARD = re.compile(r"([2-9TJQKA])[cdhs]?\Z")


@dataclass(frozen=True)
class MergedForm:
    """The smaller form and where each sequence of the larger one has gone."""

    form: SequenceForm
    original: SequenceForm
    sequence: Ints  # [S of the original] -> sequence of the smaller form

    def lift(self, player: int, plan: Floats) -> Floats:
        """A plan of the smaller form [its sequences] as one of the original."""
        part = slice(int(self.original.offset[player]), int(self.original.offset[player + 1]))
        return plan[self.sequence[part] - int(self.form.offset[player])]

    def infosets(self, player: int) -> int:
        return int(self.form.first_infoset[player + 1] - self.form.first_infoset[player])


def merge_infosets(form: SequenceForm, classes: Sequence[Hashable]) -> MergedForm:
    """`classes[i]` names the class of the form's infoset i; infosets of different players are never merged."""
    if len(classes) != len(form.infoset):
        raise ParameterError(f"'{form.name}' has {len(form.infoset)} infosets, but {len(classes)} classes were given.")
    if not form.zero_sum:
        raise NotApplicableError(
            f"Infosets are merged in zero-sum games, but the payoffs of '{form.name}' do not cancel."
        )
    sequence = np.zeros(int(form.offset[2]), dtype=np.int32)
    offset, first_infoset = [0, 0, 0], [0, 0, 0]
    first_sequence, actions, parent, players = list[int](), list[int](), list[int](), list[int]()
    keys, labels = list[str](), list[tuple[str, ...]]()
    total = 0
    for p in range(2):
        known: dict[Hashable, int] = {}
        offset[p] = total
        sequence[form.offset[p]] = total
        total += 1
        for i in range(form.first_infoset[p], form.first_infoset[p + 1]):
            index, above = int(form.infoset[i]), int(sequence[form.parent[i]])
            names = form.infosets.actions[index]
            number = known.get(classes[i])
            if number is None:
                number = known[classes[i]] = len(actions)
                first_sequence.append(total)
                actions.append(len(names))
                parent.append(above)
                keys.append(str(classes[i]))
                players.append(p)
                labels.append(names)
                total += len(names)
            elif labels[number] != names or parent[number] != above:
                raise NotApplicableError(
                    f"'{form.infosets.keys[index]}' cannot be merged into '{keys[number]}': its actions or the own actions "
                    "before it differ, so recall would be lost."
                )
            first = int(form.first_sequence[i])
            sequence[first : first + len(names)] = first_sequence[number] + np.arange(len(names))
        first_infoset[p + 1], offset[p + 1] = len(actions), total
    row, column, value = form.payoff.coordinates(0)
    ends = sequence[row], sequence[column + int(form.offset[1])]
    offsets = np.array(offset, dtype=np.int32)
    if len(set(keys)) != len(keys):
        keys = [f"{p + 1}|{key}" for p, key in zip(players, keys, strict=True)]
    infosets = InfosetIndex(tuple(keys), np.array(players, dtype=np.int32), tuple(labels), tuple(keys))
    slot = np.full(total, -1, dtype=np.int32)
    for first, slots, n in zip(first_sequence, infosets.first_slot[:-1], actions, strict=True):
        slot[first : first + n] = slots + np.arange(n)
    small = SequenceForm(
        infosets=infosets,
        offset=offsets,
        first_infoset=np.array(first_infoset, dtype=np.int32),
        infoset=np.arange(len(actions), dtype=np.int32),
        first_sequence=np.array(first_sequence, dtype=np.int32),
        actions=np.array(actions, dtype=np.int32),
        parent=np.array(parent, dtype=np.int32),
        slot=slot,
        payoff=sparse_payoff(*ends, np.column_stack([value, -value]), offsets),
        zero_sum=True,
        name=form.name,
    )
    return MergedForm(small, form, sequence)
