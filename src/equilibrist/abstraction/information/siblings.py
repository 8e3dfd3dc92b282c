"""Growing classes from the first round to the last: hands that were one class before are siblings, and siblings are clustered.

What a method says about siblings is a `Choices`: errors for every number of clusters, and the clusters themselves. How many
clusters each family gets is then the best allocation of the round's total. Nothing is ever forgotten, so recall is perfect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from equilibrist.abstraction.information.allocation import allocate
from equilibrist.abstraction.information.hand_strength import HandStrength
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError
from equilibrist.forms.hand_classes.classes import HandClasses, classes_from_labels

Sizes = (
    Sequence[int] | None
)  # classes of each betting round; None, or 0 in a round: as many as the method can tell apart


class Choices(Protocol):
    """How one family of siblings could be clustered."""

    def errors(self) -> Floats:
        """[most clusters] weighted error with 1, 2, … clusters; infinite where that number was not tried."""
        ...

    def labels(self, count: int) -> Longs:
        """[siblings] their clusters."""
        ...


@dataclass(frozen=True, eq=False)
class Family:
    """Siblings: hands of one deal that were one class in the round before."""

    round: int
    deal: int
    hands: Longs
    most: int  # clusters it can get at best, when all other families get one


def grow(strength: HandStrength, sizes: Sizes, cluster: Callable[[Family], Choices]) -> HandClasses:
    """Classes of every betting round, at most `sizes` of them."""
    totals = check_sizes(strength, sizes)
    labels: list[Longs] = []
    for round, deal in enumerate(strength.seen):
        before = np.zeros(strength.indexer.sizes[deal], np.int64)
        if round:
            before = labels[-1][strength.before[deal]] if deal > strength.seen[round - 1] else labels[-1]
        labels.append(grow_round(round, deal, before, totals[round], cluster))
    return classes_from_labels(strength.game.rules, labels)


def check_sizes(strength: HandStrength, sizes: Sizes) -> list[int]:
    """A total for every betting round; 0 stands for no limit."""
    rounds = len(strength.seen)
    totals = [0] * rounds if sizes is None else [int(size) for size in sizes]
    if len(totals) != rounds:
        raise ParameterError(f"There are {rounds} betting rounds, but {len(totals)} numbers of classes were given.")
    if min(totals) < 0:
        raise ParameterError(f"Numbers of classes are positive, or 0 for no limit, but {totals} were given.")
    return totals


def grow_round(round: int, deal: int, before: Longs, total: int, cluster: Callable[[Family], Choices]) -> Longs:
    """[hands] classes of one round, from the classes [hands] that they were in before; 0: as many as can be told apart."""
    families = [np.flatnonzero(before == parent) for parent in range(int(before.max()) + 1)]
    limit = total or len(before)
    if limit < len(families):
        raise ParameterError(
            f"{total} classes were asked for in round {round + 1}, which has {len(families)} classes before it; "
            "ask for at least as many."
        )
    most = limit - len(families) + 1
    choices = [cluster(Family(round, deal, hands, most)) for hands in families]
    counts = allocate([choice.errors() for choice in choices], limit)
    out = np.empty(len(before), np.int64)
    first = 0
    for hands, choice, count in zip(families, choices, counts, strict=True):
        out[hands] = first + choice.labels(count)
        first += count
    return out
