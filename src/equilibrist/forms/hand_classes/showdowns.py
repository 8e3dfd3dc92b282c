"""Showdowns: all deals of a two-player poker game, one board per suit pattern, with the strengths of all private hands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.evaluator import all_hands
from equilibrist.cards.hand_order import HandOrder, hand_order
from equilibrist.cards.isomorphism import HandIndexer
from equilibrist.core.arrays import Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.hand_classes._kernels.showdowns import count_outcomes
from equilibrist.forms.hand_classes.classes import view_of
from equilibrist.games.poker.rules import PokerRules

HANDS_AT_ONCE = 1 << 18  # private hands on boards that are looked at together


@dataclass(frozen=True, eq=False)
class Showdowns:
    """Some boards with every private hand that is possible on each: N boards, H hands."""

    weight: Longs  # [N] boards that differ from this one in suits alone, itself included
    holes: NDArray[np.int8]  # [N, H, private cards]
    strength: Longs  # [N, H] larger wins
    hand: tuple[Longs, ...]  # by deal [N, H]: canonical number of the private cards with the board so far

    def outcomes(self) -> Longs:
        """[N, H, 3]: wins, ties and losses against all hands the opponent can hold."""
        out = np.zeros((*self.strength.shape, 3), np.int64)
        count_outcomes(self.holes, self.strength, out)
        return out


def showdowns(rules: PokerRules, order: HandOrder | None = None) -> Iterator[Showdowns]:
    """All complete boards of a two-player game up to suits, in parts that fit in memory."""
    if rules.players != 2:
        raise NotApplicableError(f"Pairs of hands are for two players, but these rules are for {rules.players}.")
    indexer, _ = view_of(rules)
    dealt = sum(indexer.dealt[1:])
    ranked = order or hand_order(indexer.deck, rules.hole + dealt)
    boards, weight = _boards(indexer)
    private = all_hands(indexer.deck, rules.hole).astype(np.int8)
    step = max(1, HANDS_AT_ONCE // len(private))
    for first in range(0, len(boards), step):
        part = slice(first, first + step)
        yield _lay_out(indexer, ranked, boards[part], weight[part], private)


def _boards(indexer: HandIndexer) -> tuple[NDArray[np.int8], Longs]:
    """One board [N, cards] for every class of boards up to suits, and how many there are in its class."""
    if len(indexer.dealt) == 1:
        return np.zeros((1, 0), np.int8), np.ones(1, np.int64)
    public = HandIndexer(indexer.dealt[1:], indexer.deck)
    numbers = np.arange(public.size)
    return public.unindex(numbers), public.multiplicity(numbers)


def _lay_out(
    indexer: HandIndexer, ranked: HandOrder, boards: NDArray[np.int8], weight: Longs, private: NDArray[np.int8]
) -> Showdowns:
    free = ~(private[None, :, :, None] == boards[:, None, None, :]).any(axis=(2, 3))  # [N, all private hands]
    count = int(free[0].sum())
    holes = private[np.nonzero(free)[1]].reshape(len(boards), count, -1)
    cards = np.concatenate([holes, np.repeat(boards[:, None, :], count, axis=1)], axis=2)
    flat = np.ascontiguousarray(cards.reshape(len(boards) * count, -1))
    shape = (len(boards), count)
    ends = np.cumsum(indexer.dealt)
    hand = tuple(indexer.index(flat[:, :end], deal).reshape(shape) for deal, end in enumerate(ends))
    return Showdowns(weight, holes, ranked(flat).astype(np.int64).reshape(shape), hand)
