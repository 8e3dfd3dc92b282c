"""Some flops that stand for all 22,100: spread over ranks, each with the number of flops that it stands for."""

from __future__ import annotations

import numpy as np

from equilibrist.cards.board_sample import BoardSample
from equilibrist.cards.isomorphism import HandIndexer
from equilibrist.cards.range_text import STANDARD
from equilibrist.core.errors import ParameterError

CLASSES = 1755  # flops that differ by more than suits


def sample_flops(count: int, seed: int = 0) -> list[tuple[str, float]]:
    """So many flops and how many each stands for; sums weighted so are unbiased over seeds (`BoardSample`)."""
    if not 1 <= count <= CLASSES:
        raise ParameterError(f"There are {CLASSES:,} flops that differ by more than suits, but {count} were asked for.")
    indexer = HandIndexer((3,))
    numbers = np.arange(indexer.size)
    cards = -np.sort(-indexer.unindex(numbers).astype(np.int64), axis=1)
    order = np.lexsort((*(-cards[:, column] // 4 for column in (2, 1, 0)),))
    copies = indexer.multiplicity(numbers)[order]
    kept, weight = BoardSample((count,), seed).choose(copies, 0, 0, 1)
    return [
        ("".join(map(STANDARD.label, cards[order[k]].tolist())), float(copies[k] * w))
        for k, w in zip(kept.tolist(), weight.tolist(), strict=True)
    ]
