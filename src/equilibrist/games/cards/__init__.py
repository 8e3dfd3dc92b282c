"""Cards: text and numbers for them (`4 * rank + suit`), and how hands compare.

Enters: decks of any ranks x suits. Leaves: card numbers, labels, hand strengths (larger wins). Start with `deck.py`.
"""

from equilibrist.games.cards.deck import RANKS, SUITS, Deck
from equilibrist.games.cards.strength import hand_strength

__all__ = ["RANKS", "SUITS", "Deck", "hand_strength"]
