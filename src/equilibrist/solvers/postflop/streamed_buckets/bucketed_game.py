"""BucketedGame: a poker game of two streets whose hands share buckets on the boards, and strategies of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.poker_streets import betting_streets, deal_of, refuse_unsuitable
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, deal_boards
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.blueprint.abstract_poker import Buckets
from equilibrist.solvers.cfr.matching import match_slots
from equilibrist.solvers.postflop.streamed_buckets.preflop import PreflopStreet


@dataclass(frozen=True)
class BucketedGame:
    """A game of two streets, its boards up to suits, and the bucket of every hand on every board."""

    game: Poker
    buckets: int
    forests: tuple[StreetForest, StreetForest]
    deal: Deal
    boards: tuple[StreetBoards, StreetBoards]
    bucket: tuple[Ints, Ints]  # per player [board, place]; 0 in the padding

    @classmethod
    def of(cls, game: Poker, buckets: Buckets) -> BucketedGame:
        """Buckets of the second round; those of the first are not looked at."""
        refuse_unsuitable(game.name, game.rules)
        deal, forests = deal_of(game.rules), betting_streets(game.rules)
        if len(forests) != 2:
            raise NotApplicableError(
                f"Buckets on streamed boards are for games with one deal of board cards, but '{game.name}' has {len(forests) - 1}."
            )
        boards = deal_boards(deal, [np.ones(len(deal.hands))] * 2)
        found = [_bucket_places(buckets, deal, boards[1], p) for p in range(2)]
        return cls(
            game, buckets.sizes[-1], (forests[0], forests[1]), deal, (boards[0], boards[1]), (found[0], found[1])
        )

    @cached_property
    def first(self) -> PreflopStreet:
        images = self.boards[0].player[0].images[:, : len(self.deal.hands)]  # every hand has its own place there
        return PreflopStreet(self.forests[0], self.deal, images.astype(np.int64))

    @property
    def roots(self) -> int:
        """Lines that lead to the boards."""
        return self.forests[1].roots

    def rows_even(self, player: int) -> Floats:
        """[slot, bucket] every action equally likely."""
        forest = self.forests[1]
        children = forest.children[forest.kind == player]
        return np.repeat(1.0 / children, children)[:, None] * np.ones(self.buckets)

    def rows_matched(self, player: int, weights: Floats) -> Floats:
        """[slot, bucket] strategy in proportion to weights that are not negative; even where all are zero."""
        forest = self.forests[1]
        acting = forest.kind == player
        return match_slots(weights, forest.slot[acting], forest.children[acting])


def _bucket_places(buckets: Buckets, deal: Deal, boards: StreetBoards, player: int) -> Ints:
    own = boards.player[player]
    out = np.zeros(own.pair.shape, dtype=np.int32)
    for b, cards in enumerate(boards.cards):
        pair = own.pair[b, : own.count[b]]
        held = deal.hands[pair].astype(np.int8)
        rows = np.hstack([held, np.broadcast_to(np.array(cards, dtype=np.int8), (len(pair), len(cards)))])
        out[b, : len(pair)] = buckets.bucket(1, rows)
    return out


@dataclass(frozen=True)
class BucketedProfile:
    """Strategies of both players: on the first street [slot, hand], on the boards [slot, bucket]."""

    first: tuple[Floats, Floats]
    rows: tuple[Floats, Floats]
    start: tuple[Floats, Floats] | None = None  # [hand] ranges that play begins with; all hands, if absent

    def reach(self, street: PreflopStreet, player: int) -> Floats:
        """[node, hand] of a player on the first street."""
        begun = None if self.start is None else self.start[player][None]
        return street.down(player, self.first[player], begun)
