"""Spots of a batch put together by the shape of their betting: the same decisions and ends, whatever the amounts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_betting import StreetForest, street_forests
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.spots.spot import Spot

LARGEST_GROUP = 4096  # spots side by side; more bring no more speed


def compile_spots(spots: Sequence[Spot | CompiledSpot]) -> list[CompiledSpot]:
    """As `compile_spot`; spots with the same bets and amounts share their betting."""
    grown: dict[Hashable, tuple[StreetForest, ...]] = {}
    out = []
    for spot in spots:
        if isinstance(spot, CompiledSpot):
            out.append(spot)
            continue
        key = (
            len(spot.board),
            spot.pot,
            spot.stacks,
            spot.chip,
            spot.menus,
            spot.thresholds,
            spot.rake,
            spot.betting,
            spot.line,
        )
        if key not in grown:
            grown[key] = street_forests(spot)
        out.append(CompiledSpot(spot, grown[key], Deal.holdem(spot.board), (spot.weights(0), spot.weights(1))))
    return out


def group_spots(spots: Sequence[CompiledSpot], largest: int = LARGEST_GROUP) -> list[list[int]]:
    """Numbers of the spots that can be solved side by side."""
    groups: dict[Hashable, list[list[int]]] = {}
    shapes: dict[int, Hashable] = {}  # of forests, which many spots may share
    for number, spot in enumerate(spots):
        key = id(spot.forests)
        if key not in shapes:
            shapes[key] = shape_of(spot)
        parts = groups.setdefault(shapes[key], [[]])
        if len(parts[-1]) >= largest:
            parts.append([])
        parts[-1].append(number)
    return [part for parts in groups.values() for part in parts]


def shape_of(spot: CompiledSpot) -> Hashable:
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
        for forest in spot.forests
    )
