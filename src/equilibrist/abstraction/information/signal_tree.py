"""The signal tree of one player, up to suits: what can come next, and how complete hands fare against all opponents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.information.ordered_game import OrderedGame
from equilibrist.cards.evaluator import all_hands
from equilibrist.cards.isomorphism import HandIndexer
from equilibrist.core.arrays import Longs
from equilibrist.forms.hand_classes.classes import view_of
from equilibrist.forms.hand_classes.showdowns import showdowns

HANDS_AT_ONCE = 1 << 20


def outcome_counts(game: OrderedGame) -> Longs:
    """[complete hands up to suits, 3]: wins, ties and losses against all private hands of the opponent."""
    indexer, _ = view_of(game.rules)
    out = np.zeros((indexer.size, 3), np.int64)
    for part in showdowns(game.rules, game.order):
        out[part.hand[-1].ravel()] = part.outcomes().reshape(-1, 3)
    return out


def next_hands(indexer: HandIndexer, deal: int) -> Longs:
    """[hands of a deal, next cards]: the hand of the next deal for all cards that can come, equally likely."""
    hands = indexer.unindex(np.arange(indexer.sizes[deal]), deal)
    dealt = all_hands(indexer.deck, indexer.dealt[deal + 1]).astype(np.int8)
    step = max(1, HANDS_AT_ONCE // len(dealt))
    return np.concatenate([_followed(indexer, deal, hands[at : at + step], dealt) for at in range(0, len(hands), step)])


def _followed(indexer: HandIndexer, deal: int, hands: NDArray[np.int8], dealt: NDArray[np.int8]) -> Longs:
    free = ~(hands[:, None, :, None] == dealt[None, :, None, :]).any(axis=(2, 3))  # [hands, all next cards]
    which, card = np.nonzero(free)
    longer = np.concatenate([hands[which], dealt[card]], axis=1)
    return indexer.index(longer, deal + 1).reshape(len(hands), -1)
