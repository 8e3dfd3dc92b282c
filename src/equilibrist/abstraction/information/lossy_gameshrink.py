"""Lossy GameShrink: hands are merged where matching what follows them costs little ([Gilpin09, §6.3, Algorithm 3]).

The cost of two complete hands is that of aligning their sorted outcomes against all opponents, squared differences of payoff; the
cost of two earlier hands is that of the cheapest one-to-one matching of what can come next. Threshold 0 gives the signatures of
`gameshrink`. Merging is transitive: alike to the same is alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from equilibrist.abstraction.clustering.components import components
from equilibrist.abstraction.information.gameshrink import signatures
from equilibrist.abstraction.information.ordered_game import OrderedGame, ordered_game
from equilibrist.abstraction.information.signal_tree import next_hands, outcome_counts
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError
from equilibrist.forms.hand_classes.betting_rounds import betting_rounds
from equilibrist.forms.hand_classes.classes import HandClasses, classes_from_labels, parent_hands, view_of
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import Game


@dataclass(frozen=True, eq=False)
class Similarity:
    """How costly it is to take one hand for another, by deal; hands of one signature cost nothing and share a row."""

    game: OrderedGame
    label: tuple[Longs, ...]  # by deal [hands]: signature
    cost: tuple[Floats, ...]  # by deal [signatures, signatures], squared chips


def similarity(game: Game | PokerRules | OrderedGame) -> Similarity:
    """Costs of all pairs of hands, from the last deal to the first."""
    ordered = ordered_game(game)
    indexer, _ = view_of(ordered.rules)
    labels = signatures(ordered)
    counts = np.zeros((int(labels[-1].max()) + 1, 3), np.int64)
    counts[labels[-1]] = outcome_counts(ordered)
    costs = [outcome_costs(counts) * _mean_squared_stake(ordered.rules)]
    for deal in range(len(indexer.dealt) - 2, -1, -1):
        after = labels[deal + 1][next_hands(indexer, deal)]
        followers = np.empty((int(labels[deal].max()) + 1, after.shape[1]), np.int64)
        followers[labels[deal]] = after
        costs.append(_matching_costs(followers, costs[-1]))
    return Similarity(ordered, tuple(labels), tuple(costs[::-1]))


def outcome_costs(counts: Longs) -> Floats:
    """[n, n] from wins, ties and losses [n, 3]: squared differences of aligned outcomes, a win being 1 and a loss -1.

    Sorted lists are the cheapest matching of numbers, so the overlaps of the two rows of blocks say it all.
    """
    ends = np.cumsum(counts, axis=1)
    begins = ends - counts
    total = np.zeros((len(counts), len(counts)))
    for i in range(3):
        for j in range(3):
            overlap = np.minimum(ends[:, None, i], ends[None, :, j]) - np.maximum(
                begins[:, None, i], begins[None, :, j]
            )
            total += (i - j) ** 2 * np.maximum(overlap, 0)
    return total


def _matching_costs(followers: Longs, cost: Floats) -> Floats:
    """[n, n]: cost of the cheapest one-to-one matching of followers [n, m], each pair of which costs `cost`."""
    count = len(followers)
    out = np.zeros((count, count))
    for a in range(count):
        for b in range(a + 1, count):
            weights = cost[np.ix_(followers[a], followers[b])]
            out[a, b] = out[b, a] = weights[linear_sum_assignment(weights)].sum()
    return out


def _mean_squared_stake(rules: PokerRules) -> float:
    """Mean over the ways the last round can end of the squared chips that a showdown moves; folds move none."""
    last = betting_rounds(rules)[-1]
    return float((last.payoff[last.folds :] ** 2).sum() / max(1, last.leaves))


def shrink_by_thresholds(
    game: Game | PokerRules | OrderedGame | Similarity, thresholds: Sequence[float]
) -> HandClasses:
    """Merge siblings whose cost is within the threshold of their betting round, first round first."""
    return _shrink(game, [(threshold, 1) for threshold in thresholds])


def shrink_to(game: Game | PokerRules | OrderedGame | Similarity, counts: Sequence[int]) -> HandClasses:
    """Exactly `counts` classes in each betting round where there are that many: the cheapest merges first.

    This is the threshold found by bisection; among merges of that very cost the first ones are made.
    """
    if min(counts) < 1:
        raise ParameterError(f"Every round has at least one class, but {list(counts)} were asked for.")
    return _shrink(game, [(np.inf, wanted) for wanted in counts])


def _shrink(game: Game | PokerRules | OrderedGame | Similarity, limits: Sequence[tuple[float, int]]) -> HandClasses:
    known = game if isinstance(game, Similarity) else similarity(game)
    indexer, seen = view_of(known.game.rules)
    if len(limits) != len(seen):
        raise ParameterError(f"There are {len(seen)} betting rounds, but {len(limits)} numbers were given.")
    labels: list[Longs] = []
    for round, (threshold, wanted) in enumerate(limits):
        deal = seen[round]
        before = np.zeros(len(known.label[deal]), np.int64)
        if round:
            before = labels[-1][parent_hands(indexer, deal)] if deal > seen[round - 1] else labels[-1]
        labels.append(_merge(before, known.label[deal], known.cost[deal], threshold, wanted))
    return classes_from_labels(known.game.rules, labels)


def _merge(before: Longs, label: Longs, cost: Floats, threshold: float, wanted: int) -> Longs:
    """[hands] a number for each class; siblings are hands that were one class before, and the cheapest are merged first."""
    width = int(label.max()) + 1
    pairs, item = np.unique(before * width + label, return_inverse=True)
    parent, signature = pairs // width, pairs % width
    families = np.split(np.arange(len(parent)), np.flatnonzero(np.diff(parent)) + 1)
    if wanted > 1 and wanted < len(families):
        raise ParameterError(
            f"{wanted} classes were asked for in a round that has {len(families)} classes before it; ask for at least as many."
        )
    couples = np.concatenate([_couples(members) for members in families])
    price = cost[signature[couples[:, 0]], signature[couples[:, 1]]]
    cheapest = couples[np.argsort(price, kind="stable")][: int((price <= threshold).sum())]

    def few_enough(merges: int) -> bool:
        return int(components(len(parent), cheapest[:merges]).max()) < wanted

    merges = bisect_left(range(len(cheapest)), True, key=few_enough)
    return components(len(parent), cheapest[:merges])[item]


def _couples(members: Longs) -> Longs:
    """[n (n - 1) / 2, 2]: all pairs."""
    first, second = np.triu_indices(len(members), 1)
    return np.stack([members[first], members[second]], axis=1)
