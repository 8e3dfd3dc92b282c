"""What buckets remember: classes of a street grouped anew for each public flop cluster, or for each bucket one street before.

The same mechanism gives perfect recall ([Lu16, §3.3.2]) and the hierarchical abstraction ([Ganzfried15, Algorithm 3]):
hands are sorted into fine classes once; in each case the classes are clustered by how often they occur in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards.card_abstraction import CardAbstraction
from equilibrist.abstraction.cards.deals import Streets, hands_on, indexer_of
from equilibrist.abstraction.cards.features import batches, boards_at_once
from equilibrist.abstraction.cards.methods import Help, Scene

MOST_LOOKUPS = 40_000_000  # deals looked at to learn how often classes occur in each case; where there are more, some


def remember(made: CardAbstraction, street: int, scene: Scene) -> NDArray[np.uint16]:
    """[cases, classes]: the bucket of each class within each case."""
    recipe, table = made.recipe, made.tables[street]
    method, size = recipe.methods[street], recipe.inner_size(street)
    assert table.clusters is not None
    weights = case_weights(made, street)
    everywhere = weights.sum(axis=0)
    out = np.zeros(weights.shape, np.uint16)
    for case, weight in enumerate(weights):
        weight = weight if weight.any() else everywhere  # a case that never occurred
        met = weight > 0.0
        clusters = method.fit(table.clusters.centres[met], weight[met], size, scene, Help(recipe.seed + case))
        out[case] = method.assign(table.clusters.centres, clusters, scene)
    return out


def case_weights(made: CardAbstraction, street: int) -> NDArray[np.float64]:
    """[cases, classes]: how many deals of the street have each case and class."""
    recipe, table, streets = made.recipe, made.tables[street], made.streets
    out = np.zeros((recipe.conditions(street), table.classes))
    orders = list(_orders(streets, street))
    lookups = indexer_of(table.dealt, streets.deck).size * len(orders)
    step = max(1, lookups // MOST_LOOKUPS)
    pieces = list(batches(streets, table.dealt, boards_at_once(streets, table.dealt)))
    for number, (start, stop) in enumerate(pieces):
        boards = np.arange(start, stop)
        hands = hands_on(table.dealt, streets.deck, boards[boards % step == number % step])
        if not len(hands.index):
            continue
        cards = hands.cards(streets.deck)
        classes = table.class_of(cards, streets.deck)
        for order in orders:
            case = made.case(street, cards[:, order])
            where = case * table.classes + classes
            out += np.bincount(where, hands.weight, out.size).reshape(out.shape)
    return out


def _orders(streets: Streets, street: int) -> Iterator[list[int]]:
    """All ways in which the cards of a board may have come, as columns: a set per street."""
    dealt = streets.dealt[1 : street + 1]

    def extend(left: tuple[int, ...], rest: tuple[int, ...]) -> Iterator[list[int]]:
        if not rest:
            yield []
            return
        for chosen in combinations(left, rest[0]):
            for later in extend(tuple(c for c in left if c not in chosen), rest[1:]):
                yield [*chosen, *later]

    for columns in extend(tuple(range(2, 2 + sum(dealt))), dealt):
        yield [0, 1, *columns]
