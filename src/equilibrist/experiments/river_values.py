"""Exact values of river play: all hands against all hands under two players' stated strategies ([Lu16, §4.3.1]; [Ganzfried15, §10.5]).

A river that two players reached is worth, to each of their hands, what follows from their ranges and from what both would do with every
hand. Walking over the public bets once gives the expected result without the luck of cards, or what a best response would get.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import all_hands, evaluate
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.player import StrategicPlayer
from equilibrist.evaluation.play.referee import view_of
from equilibrist.games.poker.game import PokerState
from equilibrist.games.rules import TERMINAL

FAINT = 1e-7  # share of both ranges below which a line is left out


@dataclass(frozen=True)
class RiverHands:
    """Hands of two cards on a complete board, ordered by strength."""

    board: tuple[int, ...]

    @cached_property
    def hands(self) -> Longs:
        """[H, 2] cards of the hands that the board allows, weakest first."""
        return self._sorted[0]

    @cached_property
    def number(self) -> Longs:
        """[H] their numbers among all hands."""
        return self._sorted[1]

    @cached_property
    def _sorted(self) -> tuple[Longs, Longs, Longs]:
        everything = all_hands(Deck(), 2).astype(np.int64)
        free = np.flatnonzero(~np.isin(everything, self.board).any(axis=1))
        cards = everything[free]
        whole = np.concatenate([cards, np.broadcast_to(np.array(self.board), (len(cards), len(self.board)))], axis=1)
        strength = evaluate(whole.astype(np.uint8)).astype(np.int64)
        order = np.argsort(strength, kind="stable")
        return cards[order], free[order], strength[order]

    @cached_property
    def bounds(self) -> tuple[Longs, Longs]:
        """[H] first hand that is as strong, and first that is stronger."""
        strength = self._sorted[2]
        return np.searchsorted(strength, strength, "left"), np.searchsorted(strength, strength, "right")

    def met(self, reach: Floats) -> Floats:
        """[H] weight of the other's hands that share no card with each hand."""
        by_card = np.bincount(self.hands[:, 0], reach, 52) + np.bincount(self.hands[:, 1], reach, 52)
        return np.asarray(reach.sum() - by_card[self.hands[:, 0]] - by_card[self.hands[:, 1]] + reach)

    def ahead(self, reach: Floats) -> Floats:
        """[H] weight of the other's hands that each hand beats, less that of those it loses to."""
        low, high = self.bounds
        held = np.zeros((52, len(reach)))
        for k in range(2):
            held[self.hands[:, k], np.arange(len(reach))] = reach
        below = np.concatenate([np.zeros((52, 1)), np.cumsum(held, axis=1)], axis=1)
        total = np.concatenate([[0.0], np.cumsum(reach)])
        first, second = self.hands[:, 0], self.hands[:, 1]
        beaten = total[low] - below[first, low] - below[second, low]
        upto = total[high] - below[first, high] - below[second, high]
        return np.asarray(beaten - (total[-1] - below[first, -1] - below[second, -1] - upto))


@dataclass(frozen=True)
class RiverDuel:
    """Two players on a river that both have reached, with ranges [1326] of their hands there."""

    state: PokerState  # at the first decision of the river
    players: tuple[StrategicPlayer, StrategicPlayer]
    ranges: tuple[Floats, Floats]

    def __post_init__(self) -> None:
        rules = self.state.game.rules
        if rules.players != 2 or rules.hole != 2 or rules.deck.size != 52 or len(self.state.board) != 5:
            raise NotApplicableError("A river duel is for heads-up hold'em with 52 cards and a complete board.")

    @cached_property
    def table(self) -> RiverHands:
        return RiverHands(tuple(self.state.board))

    def values(self, responder: int | None = None) -> tuple[float, float]:
        """Chips that each player wins on average, all chips of the hand counted; a responder knows the other's strategy."""
        reach = [np.asarray(weights)[self.table.number] for weights in self.ranges]
        found = self._walk(self.state, reach, responder)
        weight = float(reach[0] @ self.table.met(reach[1]))
        first, second = (float(reach[p] @ found[p]) / weight for p in range(2))
        return first, second

    def exploitability(self) -> float:
        """What both could gain by best responses, halved."""
        return sum(self.values(responder=p)[p] for p in range(2)) / 2.0

    def _walk(self, state: PokerState, reach: Sequence[Floats], responder: int | None) -> tuple[Floats, Floats]:
        """Counterfactual values [H] of both players' hands."""
        if state.player == TERMINAL:
            return self._end(state, reach)
        seat = state.player
        stated = self.players[seat].strategy(view_of(state, seat, public=True))
        if stated is None:
            raise NotApplicableError("A river duel needs players that state their strategies.")
        legal, rows = state.actions(), stated.probabilities[self.table.number]
        own, other = np.full(len(rows), -np.inf) if seat == responder else np.zeros(len(rows)), np.zeros(len(rows))
        for column, label in enumerate(stated.actions):
            after = [weights.copy() for weights in reach]
            after[seat] *= rows[:, column]
            if seat != responder and not after[seat].sum() > FAINT * reach[seat].sum():
                continue
            child = state.child(legal.index(label))
            assert isinstance(child, PokerState)
            found = self._walk(child, after, responder)
            if seat == responder:
                own = np.maximum(own, found[seat])
            else:
                own += rows[:, column] * found[seat]
            other += found[1 - seat]
        return (own, other) if seat == 0 else (other, own)

    def _end(self, state: PokerState, reach: Sequence[Floats]) -> tuple[Floats, Floats]:
        folded, paid = state.node.folded, state.node.paid
        stake = min(paid)
        if any(folded):
            sign = -1.0 if folded[0] else 1.0
            return sign * stake * self.table.met(reach[1]), -sign * stake * self.table.met(reach[0])
        return stake * self.table.ahead(reach[1]), stake * self.table.ahead(reach[0])
