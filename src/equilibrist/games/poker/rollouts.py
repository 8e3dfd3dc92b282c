"""Rollouts: how hands compare when the rest of the board is dealt and nobody bets; all boards, or a fixed sample of them."""

from __future__ import annotations

import itertools
import random
from collections import OrderedDict
from collections.abc import Sequence
from math import comb

import numpy as np
import numpy.typing as npt

from equilibrist.cards.evaluator import all_hands, boards_strengths, hand_index
from equilibrist.cards.hand_order import hand_order
from equilibrist.core.arrays import Floats
from equilibrist.games.poker.rules import PokerRules

Cards = tuple[int, ...]

KEPT_BOARDS = 64


class Rollouts:
    """Strengths of all hands of a game on complete boards; `most` bounds the boards looked at from one place."""

    def __init__(self, rules: PokerRules, most: int = 64) -> None:
        self.rules, self.most = rules, most
        self.hands = all_hands(rules.deck, rules.hole).astype(np.int64)
        self._shares: dict[Cards, Floats] = {}
        self._last: tuple[object, Floats] = (None, np.zeros(0))
        self._kept: OrderedDict[Cards, npt.NDArray[np.int32]] = OrderedDict()

    def number(self, hole: Sequence[int]) -> int:
        """Place of a hand among all hands."""
        return int(hand_index(np.array([hole]))[0])

    def exact(self, board: Sequence[int]) -> bool:
        """Whether every way to complete the board is looked at."""
        missing = sum(self.rules.board) - len(board)
        return comb(self.rules.deck.size - len(board), missing) <= self.most

    def free(self, cards: Sequence[int]) -> npt.NDArray[np.bool_]:
        """[hand] whether a hand holds none of these cards."""
        met: npt.NDArray[np.bool_] = np.isin(self.hands, list(cards))
        return np.asarray(~met.any(axis=1))

    def strengths(self, board: Cards) -> npt.NDArray[np.int32]:
        """[runout, hand], 0 where the hand meets the board."""
        kept = self._kept.get(board)
        if kept is None:
            kept = self._strengths(np.array(self._runouts(board), dtype=np.int64))
            self._kept[board] = kept
            if len(self._kept) > KEPT_BOARDS:
                self._kept.popitem(last=False)
        return kept

    def percentile(self, hole: Sequence[int], board: Cards) -> float:
        """Mean share of all hands that this one beats (ties count half): E[HS] without the blockers of its own cards."""
        table = self.strengths(board)
        own = table[:, self.number(hole)]
        rows = own > 0
        rest, mine = table[rows], own[rows, None]
        below = (rest < mine).sum(axis=1) - (rest == 0).sum(axis=1)
        ties = (rest == mine).sum(axis=1) - 1
        return float(((below + ties / 2.0) / ((rest > 0).sum(axis=1) - 1)).mean())

    def percentiles(self, board: Cards) -> Floats:
        """[hand], nan for hands that meet the board."""
        found = self._shares.get(board)
        if found is None:
            if len(self._shares) >= KEPT_BOARDS:
                self._shares.clear()
            found = self._shares[board] = self._percentiles(board)
        return found

    def _percentiles(self, board: Cards) -> Floats:
        total, count = np.zeros(len(self.hands)), np.zeros(len(self.hands))
        for row in self.strengths(board):
            held = row > 0
            order = np.sort(row[held])
            below = np.searchsorted(order, row, "left")
            ties = np.searchsorted(order, row, "right") - below - 1
            total += np.where(held, (below + ties / 2.0) / (len(order) - 1), 0.0)
            count += held
        with np.errstate(invalid="ignore"):
            return total / count

    def equities(self, opponent: Sequence[int], board: Cards) -> Floats:
        """[hand] share of the pot against one hand; nan for hands that share a card with it or the board."""
        place = (tuple(opponent), board)
        if self._last[0] != place:  # asked again for every action at one place
            self._last = (place, self._equities(opponent, board))
        return self._last[1]

    def _equities(self, opponent: Sequence[int], board: Cards) -> Floats:
        table = self.strengths(board)
        other = table[:, self.number(opponent)]
        rows = other > 0
        mine, theirs = table[rows], other[rows, None]
        won = (mine > theirs) + 0.5 * (mine == theirs)
        possible = mine > 0
        count = possible.sum(axis=0)
        with np.errstate(invalid="ignore"):
            shares = np.where(possible, won, 0.0).sum(axis=0) / count
        return np.where(self.free((*opponent, *board)), shares, np.nan)

    def equity_against(self, hole: Sequence[int], weights: Floats, board: Cards) -> float:
        """Share of the pot of one hand against a weighted range (1/2 if nothing can be held)."""
        held = np.where(self.free((*hole, *board)), weights, 0.0)
        table = self.strengths(board)
        own = table[:, self.number(hole)]
        rows = own > 0
        rest, mine = table[rows], own[rows, None]
        possible = (rest > 0) * held
        total = float(possible.sum())
        won = float((((rest < mine) + 0.5 * (rest == mine)) * possible).sum())
        return won / total if total > 0 else 0.5

    def _runouts(self, board: Cards) -> list[Cards]:
        deck, missing = self.rules.deck, sum(self.rules.board) - len(board)
        left = [card for card in range(deck.size) if card not in board]
        if comb(len(left), missing) <= self.most:
            return [(*board, *rest) for rest in itertools.combinations(left, missing)]
        rng = random.Random(repr(board))  # the same sample wherever the board is met
        return [(*board, *rng.sample(left, missing)) for _ in range(self.most)]

    def _strengths(self, boards: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        deck, hole = self.rules.deck, self.rules.hole
        if hole == 2 and boards.shape[1] >= 3 and not deck.merged:
            return boards_strengths(boards, deck).astype(np.int32)
        order = hand_order(deck, hole + boards.shape[1])
        out = np.zeros((len(boards), len(self.hands)), np.int32)
        for row, board in enumerate(boards.tolist()):
            free = self.free(board)
            shared = np.broadcast_to(np.array(board, np.int64), (int(free.sum()), len(board)))
            out[row, free] = order(np.hstack([self.hands[free], shared]))
        return out
