"""HandOrder: how strong hands of any supported size are, as arrays; larger wins, equal splits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import Cards, evaluate, hand_index, strength_table
from equilibrist.core.errors import NotApplicableError

HandOrder = Callable[[Cards], NDArray[np.integer]]  # [N, cards] -> [N]


def hand_order(deck: Deck, cards: int) -> HandOrder:
    """The usual order of hands of 1 to 3 or 5 to 7 cards."""
    if cards <= 3:
        table = strength_table(deck, cards)
        return lambda hands: table[hand_index(hands)]
    if cards == 4:
        raise NotApplicableError("Hands of four cards have no order here; use 1 to 3 or 5 to 7 cards in all.")
    return lambda hands: evaluate(hands, deck)
