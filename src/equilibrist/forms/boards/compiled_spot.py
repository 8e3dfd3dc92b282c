"""CompiledSpot: a spot with its betting grown and its boards dealt, once for everything that is done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from equilibrist.cards.board_sample import BoardSample
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.arrays import Floats
from equilibrist.forms.boards.lock_symmetry import treat_suits_alike
from equilibrist.forms.boards.street_betting import LARGEST_STREET, StreetForest, street_forests
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, deal_boards
from equilibrist.games.spots.locks import Lock
from equilibrist.games.spots.spot import Spot


@dataclass(frozen=True, eq=False)
class CompiledSpot:
    """What solvers, sizes, screens and searches of one spot share; boards are dealt when they are first asked for."""

    spot: Spot
    forests: tuple[StreetForest, ...]  # the betting from the spot's street to the river
    deal: Deal
    weights: tuple[Floats, Floats]  # [1326] of each player's hands, without those that the board rules out
    merging: bool = True  # boards that differ by suits only may be dealt once, unless locks tell suits apart
    sample: BoardSample | None = None  # which boards are dealt; None: all
    # boards that were dealt, by `isomorphism`; shared with copies that differ by their locks
    _dealt: dict[bool, tuple[StreetBoards, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def isomorphism(self) -> bool:
        """Whether boards that differ by suits only are dealt once."""
        return self.merging and treat_suits_alike(self.spot.locks, self.deal, self.weights, self.forests)

    @property
    def boards(self) -> tuple[StreetBoards, ...]:
        """The boards of each street, with the hands that both players can hold there."""
        if self.isomorphism not in self._dealt:
            self._dealt[self.isomorphism] = deal_boards(self.deal, self.weights, self.isomorphism, self.sample)
        return self._dealt[self.isomorphism]

    @property
    def decisions(self) -> dict[str, int]:
        """Decision nodes by street, cards not counted."""
        return {POSTFLOP_STREETS[forest.street]: forest.counts[0] for forest in self.forests}

    @property
    def hands(self) -> tuple[int, int]:
        """How many hands each player can hold."""
        oop, ip = (int((each > 0).sum()) for each in self.weights)
        return oop, ip

    def table_bytes(self, *, predictive: bool = False, bits: int = 32) -> int:
        """Bytes that the tables of a solver will take, before they are allocated."""
        return bytes_on_boards(self.forests, self.boards, predictive=predictive, bits=bits)

    def with_locks(self, locks: Sequence[Lock]) -> CompiledSpot:
        """The same spot with other locks: betting is not grown again, boards are dealt again only where suits count."""
        return replace(self, spot=self.spot.changed(lock=locks))

    def on_board(self, board: str) -> CompiledSpot:
        """The same spot on a board of as many other cards; betting knows no cards, so it is not grown again."""
        spot = self.spot.on_board(board)
        weights = (spot.weights(0), spot.weights(1))
        return replace(self, spot=spot, deal=Deal.holdem(spot.board), weights=weights, _dealt={})

    def dealt_by_street(self, by_street: bool) -> CompiledSpot:
        """The same spot whose boards are merged as a file says: streets of its own board told apart, or taken as a set."""
        if by_street == self.deal.by_street:
            return self
        return replace(self, deal=Deal.holdem(self.spot.board, by_street=by_street), _dealt={})

    def unmerged(self) -> CompiledSpot:
        """The same spot with each board by itself, also where it is a copy of another by suits."""
        return replace(self, merging=False) if self.merging else self


def compile_spot(
    spot: Spot | CompiledSpot,
    *,
    isomorphism: bool = True,
    largest: int = LARGEST_STREET,
    below: Spot | None = None,
    sample: BoardSample | None = None,
) -> CompiledSpot:
    """Grow the betting of a spot; what is compiled already is taken as it is.

    Streets of more than `largest` nodes are refused. Later streets take the sizes of `below`, and the boards of a `sample`, if given.
    Without `isomorphism`, or with locks that tell suits apart, each board is dealt by itself.
    """
    if isinstance(spot, CompiledSpot):
        return spot if isomorphism else spot.unmerged()
    forests = street_forests(spot, largest, below=below)
    weights = (spot.weights(0), spot.weights(1))
    return CompiledSpot(spot, forests, Deal.holdem(spot.board), weights, isomorphism, sample)


def bytes_on_boards(
    forests: Sequence[StreetForest], boards: Sequence[StreetBoards], *, predictive: bool = False, bits: int = 32
) -> int:
    """Bytes of regrets and averages (and predictions) on given boards."""
    total = 0
    for forest, tables in zip(forests, boards, strict=True):
        for p, own in enumerate(tables.player):
            entries = len(tables.cards) * own.places * forest.slots[p]
            scales = len(tables.cards) * own.blocks * len(forest.kind) if bits == 16 else 0
            total += (entries * bits // 8 + 4 * scales) * (3 if predictive else 2)
    return total
