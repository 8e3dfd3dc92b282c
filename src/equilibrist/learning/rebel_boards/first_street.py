"""FirstStreet: the betting of one street, searched by itself; its leaves are where the next card comes.

Vectors have one number for each hand that a player can hold at the start; a player's own actions number slots as in the street's forest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Ints, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_betting import DEAL, FOLD, StreetForest
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.board_runs import DealtBoards
from equilibrist.solvers.postflop.vector_cfr import BoardCFR, compatible_weight

Pair = tuple[Floats, Floats]  # one array for each player


@dataclass(frozen=True, eq=False)
class FirstStreet:
    """Betting, hands and ends of the first street of a spot or game on boards."""

    dealt: DealtBoards
    threads: int = 1  # of passes over boards behind it; results do not hang on them

    def __post_init__(self) -> None:
        if len(self.dealt.forests) < 2:
            raise NotApplicableError(
                "A search stops where the next card comes, but after the river there is none; give a flop, a turn or a game of two rounds."
            )

    @classmethod
    def of_spot(cls, spot: CompiledSpot, threads: int = 1) -> FirstStreet:
        return cls(DealtBoards.of_spot(spot), threads)

    @property
    def betting(self) -> StreetForest:
        return self.dealt.forests[0]

    @cached_property
    def hands(self) -> tuple[Ints, Ints]:
        """[H] number of each hand that a player can hold."""
        own = self.dealt.boards[0].player
        return own[0].pair[0, : own[0].count[0]], own[1].pair[0, : own[1].count[0]]

    @cached_property
    def weights(self) -> Pair:
        """[H]"""
        first, second = (
            np.asarray(w, dtype=np.float64)[h] for w, h in zip(self.dealt.weights, self.hands, strict=True)
        )
        return first, second

    @cached_property
    def normaliser(self) -> float:
        """Weight of all pairs of hands."""
        return compatible_weight(self.dealt.deal, self.dealt.weights, self.hands)

    @cached_property
    def leaves(self) -> Longs:
        """[L] nodes where the next card comes, in the order of the next street's roots."""
        return np.flatnonzero(self.betting.kind == DEAL)

    @cached_property
    def folds(self) -> Longs:
        """Nodes where somebody has folded."""
        return np.flatnonzero(self.betting.kind == FOLD)

    @cached_property
    def decisions(self) -> tuple[tuple[int, slice, slice], ...]:
        """Of each node in order: who acts, its slots, its children; ends are left out."""
        kind, first, count, slot = (
            each.tolist()
            for each in (self.betting.kind, self.betting.first_child, self.betting.children, self.betting.slot)
        )
        return tuple(
            (
                kind[n],
                slice(slot[n], slot[n] + count[n]) if kind[n] < FOLD else slice(0),
                slice(first[n], first[n] + count[n]),
            )
            for n in range(len(kind))
        )

    @cached_property
    def rows(self) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """The slots of each decision of each player."""
        first, second = (tuple(own for p, own, _ in self.decisions if p == me) for me in range(2))
        return first, second

    def even(self, player: int) -> Floats:
        """[slot, H] every action as likely as any other."""
        out = np.zeros((self.betting.slots[player], len(self.hands[player])))
        for own in self.rows[player]:
            out[own] = 1.0 / (own.stop - own.start)
        return out

    def reach(self, player: int, strategy: Floats, start: Floats | None = None) -> Floats:
        """[node, H] a player's own reach under its strategy [slot, H], from its range or `start`."""
        out = np.empty((len(self.betting), len(self.hands[player])))
        out[0] = self.weights[player] if start is None else start
        for node, (actor, own, below) in enumerate(self.decisions):
            if actor == player:
                out[below] = out[node] * strategy[own]
            elif actor < FOLD:
                out[below] = out[node]
        return out

    def sums_of(self, player: int, reach: Floats) -> Floats:
        """[slot, H] reach [node, H] behind each own action: what averages are sums of."""
        out = np.zeros((self.betting.slots[player], reach.shape[1]))
        for actor, own, below in self.decisions:
            if actor == player:
                out[own] = reach[below]
        return out

    def matched(self, player: int, table: Floats) -> Floats:
        """[slot, H] strategies in proportion to what is positive in a table; even where nothing is."""
        positive = np.maximum(table, 0.0)
        out = np.empty_like(positive)
        for own in self.rows[player]:
            total = positive[own].sum(axis=0)
            even = 1.0 / (own.stop - own.start)
            out[own] = np.where(total > 0.0, positive[own] / np.where(total > 0.0, total, 1.0), even)
        return out

    def ends(self, me: int, theirs: Floats, leaf: Floats) -> Floats:
        """[node, H] my counterfactual values where the street ends: folds by the opponent's reach [node, H], leaves [L, H] as given."""
        out = np.zeros((len(self.betting), len(self.hands[me])))
        out[self.leaves] = leaf
        betting = self.betting
        paid = np.where(betting.folder == me, betting.lose, betting.win)[self.folds]
        out[self.folds] = paid[:, None] * self.met(1 - me, theirs[self.folds])
        return out

    def met(self, player: int, held: Floats) -> Floats:
        """[..., H] the weight of a player's hands `held` [..., H] that share no card with each hand of the other."""
        deal = self.dealt.deal
        whole = np.zeros((*held.shape[:-1], len(deal.hands)))
        whole[..., self.hands[player]] = held
        return deal.met(whole)[..., self.hands[1 - player]]

    def gains(self, me: int, strategy: Floats, ends: Floats) -> tuple[Floats, Floats]:
        """My values [H] at the root when I play a strategy, and what each action gains on it [slot, H]; `ends` are values of ends."""
        gain, value = np.empty_like(strategy), ends
        for node in range(len(self.decisions) - 1, -1, -1):
            actor, own, below = self.decisions[node]
            if actor == me:
                value[node] = (strategy[own] * value[below]).sum(axis=0)
                gain[own] = value[below] - value[node]
            elif actor < FOLD:
                value[node] = value[below].sum(axis=0)
        return value[0], gain

    def answer(self, me: int, ends: Floats) -> tuple[Floats, Floats]:
        """My values [H] at the root when I respond as well as I can, and that pure strategy [slot, H]; of equal actions the first."""
        pure, value = np.zeros((self.betting.slots[me], len(self.hands[me]))), ends
        for node in range(len(self.decisions) - 1, -1, -1):
            actor, own, below = self.decisions[node]
            if actor == me:
                best = value[below].argmax(axis=0)
                pure[own][best, np.arange(len(best))] = 1.0
                value[node] = value[below].max(axis=0)
            elif actor < FOLD:
                value[node] = value[below].sum(axis=0)
        return value[0], pure

    def average(self, me: int, values: Floats) -> float:
        """Values [H] at the root, averaged over all deals."""
        return float(self.weights[me] @ values) / self.normaliser

    def start(self, schedule: Schedule, threads: int = 1) -> BoardCFR:
        """A run of vector CFR on all streets."""
        return BoardCFR(schedule=schedule, threads=threads, **self.dealt.parts)
