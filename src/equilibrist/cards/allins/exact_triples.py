"""Single triples of classes exactly: every board for every deal up to suits ([Ganzfried15, §9.7.1], "11-card rollout")."""

from __future__ import annotations

from collections import Counter

import numpy as np

from equilibrist.cards.allins._kernels.triples import count_showdowns, list_deals
from equilibrist.cards.allins.triples import CODES, OUTCOMES, canonical_deal, class_hands, hand_keys, reordered
from equilibrist.cards.evaluator import PAIRS, lookup_tables, pair_index
from equilibrist.cards.range_text import STANDARD
from equilibrist.core.arrays import Floats


def exact_showdowns(first: int, second: int, third: int) -> Floats:
    """[outcome] shares of all deals and boards of three classes, all 0 where there is no deal; up to some seconds."""
    hands = class_hands()
    scratch = np.empty((1728, 3), np.int64)
    deals = scratch[: list_deals(first, second, third, hands.held, hands.sizes, hands.masks, scratch)]
    alike = Counter(canonical_deal([(int(low), int(high)) for low, high in PAIRS[deal]]) for deal in deals)
    chosen = np.array([[pair_index(*hand) for hand in cards] for cards, _ in alike], np.int64).reshape(-1, 3)
    counts = np.zeros((len(chosen), len(OUTCOMES)), np.int64)
    count_showdowns(chosen, hands.masks, *hand_keys(), CODES, lookup_tables(STANDARD, 7), counts)
    shares = np.zeros(len(OUTCOMES))
    for (_, order), row, times in zip(alike, counts, alike.values(), strict=True):
        back = [order.index(player) for player in range(3)]
        for outcome in range(len(OUTCOMES)):
            shares[reordered(outcome, back)] += times * row[outcome]
    shares /= max(1.0, shares.sum())
    return shares
