"""Cards: text and numbers for them (`4 * rank + suit`), hands and how they compare, ranges, equities, suit isomorphism.

Enters: decks of any ranks x suits, range texts. Leaves: card numbers, strengths (larger wins), 1,326-weight vectors, equities, canonical
indices. Start with `deck.py`; `strength.py` is the readable evaluator, `evaluator.py` the fast one. Import from the modules: this page
stays light because the rules need only decks.
"""

from equilibrist.cards.deck import RANKS, SUITS, Deck
from equilibrist.cards.strength import hand_strength

__all__ = ["RANKS", "SUITS", "Deck", "hand_strength"]
