"""Spots of a batch, given one by one or as arrays, put together by the shape of their betting: the same decisions and ends, whatever the
amounts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from equilibrist.core.arrays import Floats, Ints, Longs
from equilibrist.core.errors import ParameterError
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_betting import StreetForest, street_forests
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_arrays import SpotArrays

LARGEST_GROUP = 4096  # spots side by side; more bring no more speed
KEPT_BETTING, KEPT_NODES = 1024, 2048  # pots and stacks whose betting is kept, and how large it may be

Betting = tuple[StreetForest, ...]  # of the streets of a spot


class BatchSpots(Protocol):
    """N spots with their betting grown."""

    @property
    def spots(self) -> Sequence[Spot]: ...
    @property
    def sized(self) -> Sequence[Spot]:
        """Spots with all the amounts and locks that occur."""

    @property
    def betting(self) -> Sequence[Betting]:
        """Of all spots, each once."""

    @property
    def which(self) -> Longs:
        """[N] the betting of each spot."""

    @property
    def pots(self) -> Floats: ...
    def compiled(self, number: int) -> CompiledSpot: ...
    def boards(self, numbers: Longs) -> Ints:
        """[spot, cards] of spots with boards of as many cards."""

    def weights(self, player: int, numbers: Longs) -> Floats:
        """[spot, 1326] of a player's hands that the boards leave."""


def listed_spots(given: Any) -> list[Spot | CompiledSpot]:
    """Spots one by one, at least one; anything else is refused."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError(
            f"A batch is a list of spots, but a {type(given).__name__} was given; 'eq.Spot.from_toml' reads a file."
        )
    spots = list(given)
    for number, each in enumerate(spots):
        if not isinstance(each, Spot | CompiledSpot):
            raise ParameterError(f"A batch is a list of spots, but number {number} of it is a {type(each).__name__}.")
    if not spots:
        raise ParameterError("A batch has at least one spot, but none was given.")
    return spots


def compile_spots(spots: Sequence[Spot | CompiledSpot] | SpotArrays) -> BatchSpots:
    """As `compile_spot`; spots with the same bets and amounts share their betting."""
    if isinstance(spots, SpotArrays):
        return _ArraySpots(spots)
    grown: dict[_BettingOf, Betting] = {}
    out = []
    for spot in spots:
        if isinstance(spot, CompiledSpot):
            out.append(spot)
            continue
        key = _BettingOf.spot(spot)
        if key not in grown:
            grown[key] = _grow(key)
        out.append(CompiledSpot(spot, grown[key], Deal.holdem(spot.board), (spot.weights(0), spot.weights(1))))
    return _ListedSpots(out)


@dataclass(frozen=True)
class _BettingOf:
    """What the betting of a spot depends on."""

    key: Hashable
    any_spot: Spot = field(compare=False, repr=False)

    @classmethod
    def spot(cls, spot: Spot) -> _BettingOf:
        amounts = (len(spot.board), spot.pot, spot.stacks, spot.chip)
        return cls((*amounts, spot.menus, spot.thresholds, spot.rake, spot.betting, spot.line), spot)


_kept: dict[Hashable, Betting] = {}  # by what it depends on, the oldest first


def _grow(asked: _BettingOf) -> Betting:
    """Where it is small it is kept for the batches to come."""
    betting = _kept.get(asked.key)
    if betting is None:
        betting = street_forests(asked.any_spot)
        if sum(len(forest.kind) for forest in betting) <= KEPT_NODES:
            if len(_kept) >= KEPT_BETTING:
                _kept.pop(next(iter(_kept)), None)
            _kept[asked.key] = betting
    return betting


@dataclass(frozen=True)
class _ListedSpots:
    """Given one by one."""

    listed: Sequence[CompiledSpot]

    @cached_property
    def spots(self) -> Sequence[Spot]:
        return tuple(each.spot for each in self.listed)

    @property
    def sized(self) -> Sequence[Spot]:
        return self.spots

    @cached_property
    def _grown(self) -> dict[int, int]:
        """Number of each betting by its identity."""
        return {key: number for number, key in enumerate(dict.fromkeys(id(each.forests) for each in self.listed))}

    @cached_property
    def betting(self) -> Sequence[Betting]:
        return list({id(each.forests): each.forests for each in self.listed}.values())

    @cached_property
    def which(self) -> Longs:
        return np.array([self._grown[id(each.forests)] for each in self.listed], dtype=np.int64)

    @property
    def pots(self) -> Floats:
        return np.array([each.spot.pot for each in self.listed], dtype=np.float64)

    def compiled(self, number: int) -> CompiledSpot:
        return self.listed[number]

    def boards(self, numbers: Longs) -> Ints:
        return np.array([self.listed[k].spot.board for k in numbers.tolist()], dtype=np.int32)

    def weights(self, player: int, numbers: Longs) -> Floats:
        return np.stack([np.asarray(self.listed[k].weights[player], dtype=np.float64) for k in numbers.tolist()])


@dataclass(frozen=True)
class _ArraySpots:
    """Given as arrays."""

    spots: SpotArrays

    @property
    def sized(self) -> Sequence[Spot]:
        return self.spots.sized

    @cached_property
    def betting(self) -> Sequence[Betting]:
        return [_grow(_BettingOf.spot(spot)) for spot in self.spots.sized]

    @property
    def which(self) -> Longs:
        return self.spots.which

    @property
    def pots(self) -> Floats:
        return self.spots.pots

    def compiled(self, number: int) -> CompiledSpot:
        spot, at = self.spots[number], np.array([number])
        weights = (self.spots.weights(0, at)[0], self.spots.weights(1, at)[0])
        return CompiledSpot(spot, self.betting[self.which[number]], Deal.holdem(spot.board), weights)

    def boards(self, numbers: Longs) -> Ints:
        return self.spots.boards[numbers]

    def weights(self, player: int, numbers: Longs) -> Floats:
        return self.spots.weights(player, numbers)


def group_spots(spots: BatchSpots, largest: int = LARGEST_GROUP) -> list[Longs]:
    """Numbers of the spots that can be solved side by side."""
    shapes: dict[Hashable, int] = {}
    shape = np.array([shapes.setdefault(shape_of(betting), len(shapes)) for betting in spots.betting])[spots.which]
    groups = sorted((np.flatnonzero(shape == each) for each in range(len(shapes))), key=lambda group: int(group[0]))
    return [group[first : first + largest] for group in groups for first in range(0, len(group), largest)]


def shape_of(betting: Betting) -> Hashable:
    """What games must have in common to be played by one program; raked showdowns need a term more."""
    return tuple(
        (
            forest.roots,
            *(
                getattr(forest, name).tobytes()
                for name in ("kind", "parent", "children", "slot", "next_root", "folder")
            ),
            (forest.tie != 0.0).tobytes(),
        )
        for forest in betting
    )
