"""Cards: decks, hands and how they compare, ranges, equities, suit isomorphism.

Enters: decks of any ranks x suits, range texts. Leaves: card numbers (`4 * rank + suit`), strengths (larger wins), vectors of
1,326 weights, equities, canonical indices. Start with `deck.py`; `strength.py` is the readable evaluator, `evaluator.py` the fast one.
"""

from equilibrist import publish

publish(__name__)
