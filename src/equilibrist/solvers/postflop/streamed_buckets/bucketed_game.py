"""BucketedGame: a poker game whose hands share buckets on the boards of its last street, and strategies of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Array, Floats, Ints, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.poker_streets import betting_streets, deal_of, refuse_unsuitable
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, PlayerBoards, StreetBoards, deal_boards
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.blueprint.abstract_poker import Buckets
from equilibrist.solvers.cfr.matching import match_slots
from equilibrist.solvers.postflop.streamed_buckets.boards_street import BoardsStreet
from equilibrist.solvers.postflop.streamed_buckets.earlier_streets import EarlierStreets
from equilibrist.solvers.postflop.streamed_buckets.preflop import PreflopStreet

AT_ONCE = 256  # boards whose hands are looked up together


@dataclass(frozen=True)
class BucketedGame:
    """Streets that are played hand by hand, and the last one, on whose boards up to suits every hand has a bucket."""

    game: Poker
    buckets: int
    forests: tuple[StreetForest, ...]
    deal: Deal
    boards: tuple[StreetBoards, ...]
    bucket: tuple[Ints, Ints]  # per player, on the last street [board, place]; 0 in the padding

    @classmethod
    def of(cls, game: Poker, buckets: Buckets) -> BucketedGame:
        """Buckets of the last round; those of the others are not looked at."""
        refuse_unsuitable(game.name, game.rules)
        deal, forests = deal_of(game.rules), betting_streets(game.rules)
        if len(forests) < 2:
            raise NotApplicableError(f"Buckets on boards need a deal of board cards, but '{game.name}' has none.")
        boards = deal_boards(deal, [np.ones(len(deal.hands))] * 2)
        round = len(buckets.sizes) - 1
        first, second = boards[-1].player
        assert np.array_equal(first.pair, second.pair), "both players can hold the same hands"
        found = _bucket_places(lambda rows: buckets.bucket(round, rows), deal, boards[-1], first)
        return cls(game, buckets.sizes[-1], forests, deal, boards, (found, found))

    def hand_buckets(self, buckets: Buckets, street: int) -> Ints:
        """[board, hand of the deal] bucket of every hand on the boards of any street; -1 where a board takes a card of it."""
        boards, out = self.boards[street], np.full((len(self.boards[street].cards), len(self.deal.hands)), -1, np.int32)
        own = boards.player[0]
        b, place = np.nonzero(own.pair >= 0)
        found = _bucket_places(lambda rows: buckets.bucket(street, rows), self.deal, boards, own)
        out[b, own.pair[b, place]] = found[b, place]
        return out

    @cached_property
    def first(self) -> PreflopStreet:
        images = self.boards[0].player[0].images[:, : len(self.deal.hands)]  # every hand has its own place there
        return PreflopStreet(self.forests[0], self.deal, images.astype(np.int64))

    @cached_property
    def earlier(self) -> EarlierStreets:
        """All streets but the last, on the host."""
        return self.earlier_on(np)

    def earlier_on(self, module: Any) -> EarlierStreets:
        """The same with arrays of another module where there are many."""
        between = [
            BoardsStreet.of(
                self.forests[d], self.deal, self.boards[d], self.deal.chances[d], len(self.boards[d - 1].cards), module
            )
            for d in range(1, len(self.forests) - 1)
        ]
        return EarlierStreets(self.first, tuple(between))

    @property
    def last(self) -> StreetForest:
        """Betting of the last street."""
        return self.forests[-1]

    @property
    def last_boards(self) -> StreetBoards:
        """Boards of the last street."""
        return self.boards[-1]

    @property
    def roots(self) -> int:
        """Lines that lead to the boards of the last street."""
        return self.last.roots

    @cached_property
    def borders(self) -> Longs:
        """Boards of the last street at which a part may begin or end: all that come after one board before belong together.

        Where that is the street before any board, values of boards add up, and any part will do.
        """
        if len(self.boards) == 2:
            return np.arange(len(self.last_boards.cards) + 1)
        return self.boards[-2].first_child.astype(np.int64)

    @cached_property
    def copies(self) -> Longs:
        """[board of the last street] how many deals it stands for."""
        out = np.ones(1, dtype=np.int64)
        for boards in self.boards[1:]:
            out = out[boards.parent] * boards.copies
        return out

    @cached_property
    def by_hand(self) -> StreetBoards:
        """Boards of the last street whose places on the board before are hands of the deal, one past the last for the padding."""
        boards, nothing = self.last_boards, len(self.deal.hands)

        def numbered(own: PlayerBoards) -> PlayerBoards:
            return replace(own, order=np.where(own.pair >= 0, own.pair, nothing).astype(np.int32))

        return replace(boards, player=(numbered(boards.player[0]), numbered(boards.player[1])))

    def rows_even(self, player: int) -> Floats:
        """[slot, bucket] every action equally likely."""
        children = self.last.children[self.last.kind == player]
        return np.repeat(1.0 / children, children)[:, None] * np.ones(self.buckets)

    def rows_matched(self, player: int, weights: Floats) -> Floats:
        """[slot, bucket] strategy in proportion to weights that are not negative; even where all are zero."""
        acting = self.last.kind == player
        return match_slots(weights, self.last.slot[acting], self.last.children[acting])


def _bucket_places(bucket: Callable[[Array], Array], deal: Deal, boards: StreetBoards, own: PlayerBoards) -> Ints:
    """[board, place], many boards at a time."""
    out = np.zeros(own.pair.shape, dtype=np.int32)
    board, hands = np.array(boards.cards, dtype=np.int8), deal.hands.astype(np.int8)

    def look_up(part: slice) -> None:
        for first in range(part.start, part.stop, AT_ONCE):
            here = slice(first, min(first + AT_ONCE, part.stop))
            b, place = np.nonzero(own.pair[here] >= 0)
            rows = np.hstack([hands[own.pair[here][b, place]], board[here][b]])
            out[here][b, place] = bucket(rows)

    in_spans(len(board), look_up)
    return out


@dataclass(frozen=True)
class BucketedProfile:
    """Strategies of both players: on the first street [slot, hand], on those between [slot, board, hand], on the last [slot, bucket]."""

    first: tuple[Floats, Floats]
    rows: tuple[Floats, Floats]
    start: tuple[Floats, Floats] | None = None  # [hand] ranges that play begins with; all hands, if absent
    between: tuple[tuple[Array, ...], tuple[Array, ...]] = ((), ())

    def before(self, player: int) -> tuple[Array, ...]:
        """A player's strategies on all streets but the last."""
        return (self.first[player], *self.between[player])

    def reach(self, earlier: EarlierStreets, player: int) -> list[Array]:
        """[node, ...] of a player on all streets but the last."""
        return earlier.down(player, self.before(player), None if self.start is None else self.start[player])
