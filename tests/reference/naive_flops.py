"""What a player gets before and on all flops, hand against hand and flop by flop: no classes of hands, no merged suits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards

Strategy = Callable[[StreetForest, int, tuple[int, ...]], Floats]  # forest, node, board -> [action, hand]
Way = tuple[Floats, Strategy]  # [own hand, other hand] weights of one strategy that the other player may follow


class NaiveFlops:
    """`deal` of the whole game; `boards` say on which flops tables are kept."""

    def __init__(self, deal: Deal, boards: StreetBoards) -> None:
        self.deal, self.boards = deal, boards
        self.hands = [tuple(sorted(hand)) for hand in deal.hands.tolist()]
        self.number = {hand: n for n, hand in enumerate(self.hands)}
        self.kept = {tuple(sorted(cards)): b for b, cards in enumerate(boards.cards)}
        apart = [[not set(a) & set(b) for b in self.hands] for a in self.hands]
        self.apart = np.array(apart, dtype=np.float64)
        self.flops = list(combinations(range(deal.deck.size), 3))
        self.chance = 1.0 / comb(deal.deck.size - 4, 3)

    def on_boards(self, table: Any, forest: StreetForest, node: int, board: tuple[int, ...]) -> Floats:
        """[action, hand] of a table [board, slot, place] on any flop: that of the kept flop which suits turn it into."""
        deck = self.deal.deck
        for suits in permutations(range(deck.suits)):
            turned = [deck.suits * deck.rank(c) + suits[deck.suit(c)] for c in range(deck.size)]
            there = self.kept.get(tuple(sorted(turned[c] for c in board)))
            if there is not None:
                break
        player = self.boards.player[int(forest.kind[node])]
        place = {self.hands[pair]: k for k, pair in enumerate(player.pair[there].tolist()) if pair >= 0}
        first, n = int(forest.slot[node]), int(forest.children[node])
        out = np.zeros((n, len(self.hands)))
        for number, hand in enumerate(self.hands):
            if not set(hand) & set(board):
                out[:, number] = table[there, first : first + n, place[tuple(sorted(turned[c] for c in hand))]]
        return out

    def flop_values(
        self, forest: StreetForest, root: int, me: int, ways: Sequence[Way], own: Strategy | None
    ) -> Floats:
        """[hand] below one line to the flop: my own strategy, or a best response."""
        total = np.zeros(len(self.hands))
        for board in self.flops:
            free = np.array([not set(hand) & set(board) for hand in self.hands], dtype=np.float64)
            there = [(free[:, None] * weights * free * self.chance, strategy) for weights, strategy in ways]
            strength = self.deal.strengths(board).astype(np.int64)
            total += self._value(forest, root, board, me, there, own, np.sign(strength[:, None] - strength[None]))
        return total

    def values(
        self, forests: Sequence[StreetForest], node: int, me: int, ways: Sequence[Way], own: Strategy | None
    ) -> Floats:
        """[hand] below a node of the first street."""
        forest = forests[0]
        kind, n, first = int(forest.kind[node]), int(forest.children[node]), int(forest.first_child[node])
        if kind == DEAL:
            return self.flop_values(forests[1], int(forest.next_root[node]), me, ways, own)
        if kind == FOLD:
            return self._folded(forest, node, me, ways)
        found = [self.values(forests, first + a, me, self._step(forest, node, (), me, a, ways), own) for a in range(n)]
        return self._joined(forest, node, (), me, found, own)

    def _value(
        self, forest: StreetForest, node: int, board: Any, me: int, ways: Sequence[Way], own: Any, better: Any
    ) -> Floats:
        kind, n, first = int(forest.kind[node]), int(forest.children[node]), int(forest.first_child[node])
        if kind == FOLD:
            return self._folded(forest, node, me, ways)
        if kind == SHOWDOWN:
            return np.asarray(sum((forest.win[node] * better * weights).sum(axis=1) for weights, _ in ways))
        found = [
            self._value(forest, first + a, board, me, self._step(forest, node, board, me, a, ways), own, better)
            for a in range(n)
        ]
        return self._joined(forest, node, board, me, found, own)

    def _folded(self, forest: StreetForest, node: int, me: int, ways: Sequence[Way]) -> Floats:
        pays = forest.lose[node] if forest.folder[node] == me else forest.win[node]
        return np.asarray(sum(pays * weights.sum(axis=1) for weights, _ in ways))

    def _step(
        self, forest: StreetForest, node: int, board: Any, me: int, action: int, ways: Sequence[Way]
    ) -> list[Way]:
        if forest.kind[node] == me:
            return list(ways)
        return [(weights * strategy(forest, node, board)[action], strategy) for weights, strategy in ways]

    def _joined(self, forest: StreetForest, node: int, board: Any, me: int, found: list[Floats], own: Any) -> Floats:
        if forest.kind[node] != me:
            return np.sum(found, axis=0)
        return np.max(found, axis=0) if own is None else (np.array(found) * own(forest, node, board)).sum(axis=0)
