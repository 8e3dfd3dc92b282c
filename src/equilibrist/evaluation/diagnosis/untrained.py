"""Rows of a blueprint that are as they were before training: how many there are, and how often its own play comes to them.

A blueprint keeps no visits. A row in which all actions are alike to the last byte counts as never trained; few others are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from equilibrist.cards.streets import STREETS
from equilibrist.core.arrays import Bools, Ints, Longs
from equilibrist.evaluation.play.statistics import Z95
from equilibrist.forms.betting_tree.betting_tree import DECISION
from equilibrist.solvers.blueprint.exact.street_response import BoardMean
from equilibrist.solvers.blueprint.strategy import WHOLE, PokerBlueprint

AT_ONCE = 200  # hands


@dataclass(frozen=True)
class UntrainedStreet:
    """One street."""

    street: str
    rows: int  # never trained
    of: int  # all rows with a choice
    decisions: int  # in the hands that were played
    share: BoardMean  # of these at rows that were never trained


@dataclass(frozen=True)
class Untrained:
    """All streets, and how many hands were played."""

    streets: tuple[UntrainedStreet, ...]
    hands: int


def untrained_streets(
    blueprint: PokerBlueprint, hands: int, seed: int = 0, report: Callable[[int, int], None] = lambda done, of: None
) -> Untrained:
    """Street by street; streets whose actions were purified are left out, since nothing is left of their rows."""
    tree = blueprint.abstract.tree
    rounds = tree.rounds if blueprint.pure is None else blueprint.pure.first_round
    counts = np.zeros((tree.rounds, 2), dtype=np.int64)
    for node in tree.decisions.tolist():
        if tree.round[node] < rounds and tree.children[node] > 1:
            alike = untrained_rows(blueprint, node, np.arange(blueprint.abstract.buckets.sizes[tree.round[node]]))
            counts[tree.round[node]] += int(alike.sum()), len(alike)
    played = _play(blueprint, hands, rounds, seed, report)
    streets = tuple(
        UntrainedStreet(STREETS[r], int(counts[r, 0]), int(counts[r, 1]), int(played.sums[r, 0]), played.share(r))
        for r in range(min(rounds, len(STREETS)))
    )
    return Untrained(streets, played.hands)


def untrained_rows(blueprint: PokerBlueprint, node: int, buckets: Longs) -> Bools:
    """[bucket] whether all actions are alike, as far as bytes go."""
    rows = np.rint(WHOLE * blueprint.strategies(node, buckets))
    width = rows.shape[1]
    first = WHOLE - (width - 1) * int(WHOLE / width + 0.5)  # what rounding leaves goes to the first action
    return np.asarray((rows[:, 1:] == int(WHOLE / width + 0.5)).all(axis=1) & (rows[:, 0] == first))


@dataclass(frozen=True)
class _Played:
    """Sums over hands, by round: decisions, those at untrained rows, and the products that an interval takes."""

    hands: int
    sums: Longs  # [round, 5] decisions, untrained, decisions², decisions times untrained, untrained²

    def share(self, round: int) -> BoardMean:
        """Of the decisions of a round: a ratio, with the interval of the delta method over hands."""
        decisions, untrained, squares, products, both = (self.sums[round] / self.hands).tolist()
        if not decisions:
            return BoardMean(0.0, 0.0, 0.0)
        share = untrained / decisions
        variance = max(both - 2.0 * share * products + share * share * squares, 0.0)
        spread = Z95 * sqrt(variance / self.hands) / decisions
        return BoardMean(share, share - spread, share + spread)


def _play(blueprint: PokerBlueprint, hands: int, rounds: int, seed: int, report: Callable[[int, int], None]) -> _Played:
    """Hands of the blueprint against itself; an interrupt leaves it at those that are done."""
    game, rng, done = blueprint.abstract, np.random.default_rng(seed), 0
    sums = np.zeros((game.tree.rounds, 5), dtype=np.int64)
    try:
        while done < hands:
            some = min(AT_ONCE, hands - done)
            deck = np.broadcast_to(np.arange(game.rules.deck.size, dtype=np.int8), (some, game.rules.deck.size))
            bucket, _ = game.deal(np.ascontiguousarray(rng.permuted(deck, axis=1)[:, : game.cards]))
            seen = np.array([_hand(blueprint, bucket[hand], rounds, rng) for hand in range(some)])
            decisions, untrained = seen[:, :, 0], seen[:, :, 1]
            parts = (decisions, untrained, decisions**2, decisions * untrained, untrained**2)
            sums += np.array([part.sum(axis=0) for part in parts]).T
            done += some
            report(done, hands)
    except KeyboardInterrupt:
        if not done:
            raise
    return _Played(done, sums)


def _hand(blueprint: PokerBlueprint, bucket: Ints, rounds: int, rng: np.random.Generator) -> Longs:
    """[round, decisions and those at untrained rows] of one hand, `bucket` [player, round]."""
    tree, out, node = blueprint.abstract.tree, np.zeros((blueprint.abstract.tree.rounds, 2), dtype=np.int64), 0
    while tree.kind[node] == DECISION:
        here, width = int(tree.round[node]), int(tree.children[node])
        held = bucket[tree.player[node], here : here + 1].astype(np.int64)
        if here < rounds and width > 1:
            out[here] += 1, int(untrained_rows(blueprint, node, held)[0])
        chances = blueprint.strategies(node, held)[0]
        node = int(tree.first_child[node]) + int(rng.choice(width, p=chances / chances.sum()))
    return out
