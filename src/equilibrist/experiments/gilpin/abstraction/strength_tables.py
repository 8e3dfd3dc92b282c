"""Tables that were once stored on disk: the strength of every hand, and how a flop hand fares against a random one ([Gilpin09, §6.3.1])."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.abstraction.cards.deals import HOLDEM, Streets, hands_on, indexer_of
from equilibrist.abstraction.cards.final_scores import board_sums
from equilibrist.cards._kernels.hand_table import rank_all
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import FULL_DECK, lookup_tables
from equilibrist.compute.workers import ThreadWorkers, Workers

Report = Callable[[float], None]


def strength_of_all(deck: Deck = FULL_DECK, cards: int = 7, *, workers: Workers | None = None) -> NDArray[np.uint16]:
    """[C(size, cards)]: strength of every set of five to seven cards, at its `hand_index` (the table `handval`)."""
    tables, out = lookup_tables(deck, cards), np.empty(comb(deck.size, cards), np.uint16)

    def work(top: int) -> None:
        rank_all(cards, top, comb(top, cards), *tables, out)

    for _ in (workers or ThreadWorkers()).map(work, range(deck.size - 1, cards - 2, -1)):
        pass
    return out


@dataclass(frozen=True, eq=False)
class Prospects:
    """Wins and losses of hole cards and a flop over all opponents' hands and all runouts (the table `db5`), up to suits."""

    streets: Streets
    wins: NDArray[np.int32]  # [canonical hands]
    losses: NDArray[np.int32]
    games: int  # opponents times runouts; what is neither won nor lost is drawn

    def of(self, cards: ArrayLike) -> NDArray[np.int64]:
        """[N, 2] wins and losses of hands [N, 5]: hole cards, then the flop."""
        index = indexer_of(self.streets.merged(1), self.streets.deck).index(cards)
        return np.stack([self.wins[index], self.losses[index]], axis=1).astype(np.int64)


def flop_prospects(
    streets: Streets = HOLDEM, *, workers: Workers | None = None, report: Report = lambda share: None
) -> Prospects:
    """All 1,286,792 different flop hands of the full deck, which stand for 25,989,600."""
    rounds, cards = streets.merged(1), streets.board_cards(1)
    indexer = indexer_of(rounds, streets.deck)
    points = board_sums(streets, cards, workers=workers, report=lambda share: report(share / 2)).points
    beaten = board_sums(
        streets, cards, workers=workers, ties=False, report=lambda share: report((1 + share) / 2)
    ).points
    games = comb(streets.deck.size - cards - 2, streets.final_board - cards) * streets.full_score // 2
    wins, losses = np.empty((2, indexer.size), np.int32)
    hands = hands_on(rounds, streets.deck, np.arange(len(points)))
    won, tied = beaten[hands.board, hands.pair] // 2, points[hands.board, hands.pair]
    tied -= 2 * won
    wins[hands.index], losses[hands.index] = won, games - won - tied
    return Prospects(streets, wins, losses, games)
