"""BucketedStreets: a blueprint on the streets of its betting tree, as vectors of hands follow it.

The betting of every street as a `StreetForest`, and for every street after the first the probabilities of each action by bucket. The first
street is played hand by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import numpy.typing as npt

from equilibrist.cards.evaluator import hand_index
from equilibrist.cards.isomorphism import isomorphic_sets, symmetries
from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.betting_tree.betting_tree import BettingTree
from equilibrist.forms.boards.poker_streets import betting_streets, deal_of
from equilibrist.forms.boards.street_betting import DEAL, IP, LARGEST_STREET, StreetForest
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.blueprint.abstract_poker import Buckets
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.postflop.streamed_buckets.preflop import PreflopStreet

TRIED = 4096  # deals of a round whose suits are relabelled, to see whether buckets stay


@dataclass(frozen=True, eq=False)
class BucketedStreets:
    """Betting, deals and strategies; nothing here depends on the flop."""

    blueprint: PokerBlueprint
    forests: tuple[StreetForest, ...]
    deal: Deal  # of the whole game: no board yet
    moves: npt.NDArray[np.int8]  # [S, deck] relabellings of suits that change no bucket, the identity first

    @classmethod
    def of(cls, blueprint: PokerBlueprint) -> BucketedStreets:
        tree, rules = blueprint.abstract.tree, blueprint.abstract.rules
        if not has_exact_streets(rules):
            raise NotApplicableError(
                "Exact best responses to blueprints are for two players with one or two private cards each and board cards before "
                f"every betting round but the first, but '{blueprint.game}' has {tree.players} players, {rules.hole} private cards "
                f"and {'/'.join(map(str, rules.board))} board cards; use --learn."
            )
        deal, forests = deal_of(rules), betting_streets(rules, LARGEST_STREET)
        every = symmetries([], [], deal.deck, deal.hands.astype(np.int64))
        alike = treats_suits_alike(blueprint.abstract.buckets, deal, every)
        return cls(blueprint, forests, deal, every if alike else every[:1])

    @property
    def merged(self) -> bool:
        """Whether flops that differ by suits only are looked at once."""
        return len(self.moves) > 1

    @cached_property
    def nodes(self) -> tuple[Longs, ...]:
        """By street [N] the node of the betting tree that each node of a forest is."""
        return matching_nodes(self.forests, self.blueprint.abstract.tree)

    @cached_property
    def flops(self) -> tuple[Longs, Longs]:
        """[F, cards] first deals of board cards up to suits, and [F] how many deals each stands for."""
        return isomorphic_sets(np.arange(self.deal.deck.size), self.deal.streets[0], self.moves)

    @property
    def flop_chance(self) -> float:
        """Probability of one particular flop, given both hands."""
        return 1.0 / comb(self.deal.deck.size - 2 * self.deal.hole, self.deal.streets[0])

    @cached_property
    def first(self) -> PreflopStreet:
        """The betting before the flop."""
        hands = self.deal.hands.astype(np.int64)
        images = [hand_index(move[hands]) for move in self.moves[1:].astype(np.int64)]
        return PreflopStreet(self.forests[0], self.deal, np.array(images, dtype=np.int64).reshape(-1, len(hands)))

    def first_strategy(self, player: int) -> Floats:
        """[slot, hand] of a player before the flop."""
        forest, out = self.forests[0], np.zeros((self.forests[0].slots[player], len(self.deal.hands)))
        bucket = self.blueprint.abstract.buckets.bucket(0, self.deal.hands.astype(np.int8))
        for node in np.flatnonzero(forest.kind == player).tolist():
            first, n = int(forest.slot[node]), int(forest.children[node])
            out[first : first + n] = self.blueprint.strategies(int(self.nodes[0][node]), bucket).T
        return out

    def rows(self, street: int, player: int) -> Floats32:
        """[slot, bucket] of a player on a later street."""
        forest, buckets = self.forests[street], np.arange(self.buckets[street])
        out = np.zeros((forest.slots[player], len(buckets)), dtype=np.float32)
        for node in np.flatnonzero(forest.kind == player).tolist():
            first, n = int(forest.slot[node]), int(forest.children[node])
            out[first : first + n] = self.blueprint.strategies(int(self.nodes[street][node]), buckets).T
        return out

    @property
    def buckets(self) -> tuple[int, ...]:
        return self.blueprint.abstract.buckets.sizes

    @property
    def table_bytes(self) -> int:
        """Bytes of all rows."""
        return sum(4 * sum(self.forests[s].slots) * self.buckets[s] for s in range(1, len(self.forests)))


def has_exact_streets(rules: PokerRules) -> bool:
    """Whether exact best responses are known: all boards come after the first round, one before each later round."""
    return rules.has_boards and len(rules.board) > 1 and min(rules.board[1:]) > 0


def matching_nodes(forests: Sequence[StreetForest], tree: BettingTree) -> tuple[Longs, ...]:
    """Both were grown from the same rules: actions are followed side by side."""
    out = [np.full(len(forest), -1, dtype=np.int64) for forest in forests]
    out[0][0] = 0
    for street, forest in enumerate(forests):
        for node in range(len(forest)):
            there = int(out[street][node])
            if forest.kind[node] == DEAL:  # what follows a deal is no node of its own in the betting tree
                out[street + 1][forest.next_root[node]] = there
            elif forest.kind[node] <= IP:
                n, first = int(forest.children[node]), int(forest.first_child[node])
                same = (street, int(forest.kind[node]), n)
                assert (int(tree.round[there]), int(tree.player[there]), int(tree.children[there])) == same
                out[street][first : first + n] = tree.first_child[there] + np.arange(n)
    for forest, nodes in zip(forests, out, strict=True):
        assert np.array_equal(tree.paid[nodes], forest.paid), "both trees count the same chips"
    return tuple(out)


def treats_suits_alike(buckets: Buckets, deal: Deal, moves: npt.NDArray[np.int8]) -> bool:
    """Whether relabelled suits leave buckets as they are, tried on deals of every round."""
    rng, cards = np.random.default_rng(0), deal.hole + sum(deal.streets)
    deck = np.broadcast_to(np.arange(deal.deck.size, dtype=np.int8), (TRIED, deal.deck.size))
    dealt = rng.permuted(deck, axis=1)[:, :cards]
    moved = np.take_along_axis(moves[rng.integers(len(moves), size=TRIED)], dealt.astype(np.int64), axis=1)
    seen = deal.hole + np.cumsum([0, *deal.streets])
    return all(
        np.array_equal(buckets.bucket(r, dealt[:, :n]), buckets.bucket(r, np.ascontiguousarray(moved[:, :n])))
        for r, n in enumerate(seen.tolist())
    )
