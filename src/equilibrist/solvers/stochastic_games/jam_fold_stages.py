"""Jam/fold hands as stages: every state at once, hands by class, nothing enumerated but the ways a hand can end.

For each role and each hand, `weights` say how likely every end is if the role does its part of it: products of the table of deals and
showdowns with the others' strategies. Best responses, values and transition probabilities follow from them by short sums.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Array, Bools, Floats, Longs
from equilibrist.games.tournaments.jam_fold import JamFold
from equilibrist.solvers.stochastic_games.stages import Ends, Watch, unwatched
from equilibrist.solvers.stochastic_games.tree_stages import collect_ends

AS_GOOD = 1e-12
IMPOSSIBLE = 1e-14  # what rounding leaves of an end that cannot be
SLOTS = {
    2: ("", "J"),
    3: ("", "J", "F", "JF", "FJ", "JJ"),
}  # what was done before each decision; the seat is the length


@dataclass(frozen=True)
class SlotLayout:
    """Which decision of each role leads to which end."""

    owner: Longs  # [slot] the role that decides
    slot: Longs  # [role, event], -1 where the role decides nothing
    jam: Bools  # [role, event]


def layout(rules: JamFold) -> SlotLayout:
    before = SLOTS[rules.players]
    slot = np.full((rules.players, len(rules.events)), -1)
    jam = np.zeros(slot.shape, bool)
    for number, event in enumerate(rules.events):
        for role in range(rules.players):
            if event.line[:role] in before and (role == 0 or role < rules.players - 1 or "J" in event.line[:role]):
                slot[role, number] = before.index(event.line[:role])
            jam[role, number] = event.line[role] == "J"
    return SlotLayout(np.array([len(line) for line in before]), slot, jam)


class JamFoldStages(ABC):
    """All hands of a tournament; a profile is [state, slot * hand], the probability to jam."""

    watch: Watch

    def __init__(self, rules: JamFold, hands: int) -> None:
        self.rules, self.hands, self.layout = rules, hands, layout(rules)
        self.slots, self.watch = len(self.layout.owner), unwatched
        self.ends: Ends = collect_ends(
            [[rules.end(state, event) for event in rules.events] for state in range(rules.state_count)], rules.players
        )
        self.forced = rules.forced_seats[:, self.layout.owner]  # [state, slot]

    @abstractmethod
    def weights(self, jams: Floats, *, exact: bool) -> Array:
        """[row, role, event, hand] from jams [row, slot, hand]."""

    @property
    @abstractmethod
    def prior(self) -> Floats:
        """[hand] how likely a hand is."""

    def start(self) -> Floats:
        return self._obeying(np.full((self.rules.state_count, self.slots, self.hands), 0.5), slice(None))

    def _obeying(self, jams: Floats, rows: Longs | slice) -> Floats:
        """Players without a decision jam; as rows of a profile."""
        jams[self.forced[rows]] = 1.0
        return jams.reshape(len(jams), -1)

    def jams(self, plan: Floats) -> Floats:
        """[row, slot, hand] of a profile."""
        return plan.reshape(len(plan), self.slots, self.hands)

    def against(self, plan: Floats, rows: Longs | None = None, *, exact: bool = False) -> JamFoldOthers:
        chosen = np.arange(self.rules.state_count) if rows is None else rows
        return JamFoldOthers(self, chosen, self.weights(self.jams(plan[chosen]), exact=exact))

    def noise(self, rng: np.random.Generator) -> Floats:
        """For a jam rather than a fold, in proportion to how often the hand comes."""
        drawn = rng.laplace(size=(self.rules.state_count, self.slots, self.hands)) * self.prior
        return drawn.reshape(len(drawn), -1)


@dataclass(frozen=True)
class JamFoldOthers:
    """What every role can bring about at some states while the others stay as they are."""

    stages: JamFoldStages
    rows: Longs
    weight: Array  # [row, role, event, hand]

    def _own(self, own: Floats, role: int) -> Floats:
        """[row, event, hand] the role's own probability of its part of each event."""
        place, jams = self.stages.layout.slot[role], self.stages.jams(own)
        sure = np.ones((len(jams), 1, self.stages.hands))
        acted = np.concatenate([jams, sure], axis=1)[:, place]  # slot -1 is the last: nothing to decide
        folds = (place >= 0) & ~self.stages.layout.jam[role]
        acted[:, folds] = 1.0 - acted[:, folds]
        return acted

    def probabilities(self, own: Floats) -> Floats:
        """[end, role]."""
        roles = range(self.weight.shape[1])
        each = [np.einsum("reh,reh->re", self.weight[:, role], self._own(own, role)) for role in roles]
        out: Floats = np.stack(each, axis=2).reshape(-1, len(each)).astype(np.float64)
        return np.where(out < IMPOSSIBLE, 0.0, out)

    def _payoffs(self, payoffs: Floats) -> Floats:
        """[row, event, role] of these states."""
        events = self.weight.shape[2]
        return payoffs.reshape(-1, events, payoffs.shape[1])[self.rows]

    def values(self, own: Floats, payoffs: Floats, bonus: Floats | None = None) -> Floats:
        found = self._payoffs(payoffs)
        reach = self.probabilities(own).reshape(found.shape)
        middle = found.mean(axis=1)  # ends differ little from it: fewer digits are lost
        out: Floats = middle + (reach * (found - middle[:, None])).sum(axis=1)
        if bonus is not None:
            paid = self.stages.jams(own) * self.stages.jams(bonus[self.rows])
            for slot, role in enumerate(self.stages.layout.owner):
                out[:, role] += paid[:, slot].sum(axis=1)
        return out

    def answer(self, payoffs: Floats, keep: Floats | None = None, bonus: Floats | None = None) -> tuple[Floats, Floats]:
        better = self._jam_over_fold(payoffs)
        if bonus is not None:
            better += self.stages.jams(bonus[self.rows])
        jams = (better > 0.0).astype(np.float64)
        if keep is not None:
            kept = self.stages.jams(keep)
            lost = np.where(better > 0.0, (1.0 - kept) * better, -kept * better)
            jams = np.where(lost <= AS_GOOD, kept, jams)
        plan = self.stages._obeying(jams, self.rows)
        return plan, self.values(plan, payoffs, bonus)

    def _jam_over_fold(self, payoffs: Floats) -> Floats:
        """[row, slot, hand] what jamming gains over folding, times how likely the decision is."""
        found, made = self._payoffs(payoffs), self.stages.layout
        found = found - found.mean(axis=1, keepdims=True)
        out = np.zeros((len(found), self.stages.slots, self.stages.hands))
        for slot, role in enumerate(made.owner):
            here = np.flatnonzero(made.slot[role] == slot)
            sign = np.where(made.jam[role, here], 1.0, -1.0)
            out[:, slot] = np.einsum("re,reh->rh", found[:, here, role] * sign, self.weight[:, role, here])
        return out


class HeadsUpStages(JamFoldStages):
    """Two players; `showdowns` [win, tie or loss of the first; hand; hand] sum to one."""

    def __init__(self, rules: JamFold, showdowns: Floats) -> None:
        self.showdowns, self.deals = showdowns, showdowns.sum(axis=0)
        super().__init__(rules, showdowns.shape[1])

    @property
    def prior(self) -> Floats:
        prior: Floats = self.deals.sum(axis=1)
        return prior

    def weights(self, jams: Floats, *, exact: bool) -> Array:
        self.watch(0, len(jams))
        first, second = jams[:, 0], jams[:, 1]
        out = np.empty((len(jams), 2, 5, self.hands))
        out[:, 0, 0] = self.prior
        out[:, 1, 0] = (1.0 - first) @ self.deals
        out[:, 0, 1] = (1.0 - second) @ self.deals.T
        out[:, 1, 1] = first @ self.deals
        for number in range(3):
            out[:, 0, 2 + number] = second @ self.showdowns[number].T
            out[:, 1, 2 + number] = first @ self.showdowns[number]
        return out
