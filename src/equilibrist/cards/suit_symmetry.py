"""SuitSymmetry: which relabellings of suits leave boards and ranges as they are, for many boards at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import all_hands, hand_index
from equilibrist.cards.isomorphism import check_weights, suit_relabellings

Moves = NDArray[np.bool_]  # [board, relabelling]


class SuitSymmetry:
    """Relabellings of the suits of a deck against weights of all hands of `hole` cards; no `weights` treat suits alike.

    Street by street: `after` says which relabellings leave the cards of each street as a set, `of` which of them leave the weights of
    the hands that are still possible, too. Board by board this is what `symmetries` finds.
    """

    def __init__(self, deck: Deck, hole: int, weights: Sequence[NDArray[np.float64]]) -> None:
        self.moves, self.hand_maps = suit_relabellings(deck), _hand_maps(deck, hole)
        self._hands = all_hands(deck, hole).astype(np.int64)
        given = [check_weights(each, len(self._hands)) for each in weights]
        changed = [np.flatnonzero(np.any([w != w[move] for w in given], axis=0)) for move in self.hand_maps]
        self._telling = {m: hands for m, hands in enumerate(changed) if len(hands)} if given else {}

    @property
    def alike(self) -> bool:
        """Whether the weights treat all suits alike."""
        return not self._telling

    def after(self, before: Moves, cards: NDArray[np.int64]) -> Moves:
        """Of the relabellings that leave the streets before as they are, those that leave `cards` [board, cards] as a set."""
        moved = np.sort(self.moves[:, cards], axis=2)  # [relabelling, board, cards]
        same = np.asarray(np.equal(moved, np.sort(cards, axis=1)).all(axis=2), dtype=np.bool_).T
        return before & same

    def of(self, streets: Moves, dealt: NDArray[np.bool_]) -> Moves:
        """Of those, the ones that change no weight of a hand without a `dealt` [board, deck] card."""
        out = streets.copy()
        for m, hands in self._telling.items():
            asked = np.flatnonzero(out[:, m])
            gone = np.asarray(dealt[asked][:, self._hands[hands]].any(axis=2))  # [board, hand whose weight changes]
            out[asked, m] = gone.all(axis=1)
        return out


@lru_cache(maxsize=8)
def _hand_maps(deck: Deck, hole: int) -> NDArray[np.int64]:
    """[relabelling, hand] where each hand goes."""
    hands = all_hands(deck, hole)
    return np.array([hand_index(move[hands]) for move in suit_relabellings(deck)], dtype=np.int64)
