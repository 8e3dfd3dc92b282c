"""Hands of one player on all boards of a street, as the device wants them: where each looks into the opponent's prefix sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.compute.bundles import bundle
from equilibrist.compute.threads import in_spans
from equilibrist.forms.boards.street_boards import PlayerBoards, StreetBoards
from equilibrist.solvers.postflop.gpu._kernels import hand_tables as kernels

WARP = 32
# elements that a lane adds up before lanes are joined; none shares many factors with the 32 banks of shared memory
PER_LANE = (1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 15, 17, 19, 21, 23, 27, 31, 35, 39, 42, 45, 55, 67, 85)

Shorts = npt.NDArray[np.uint16]


WIDE, TEAM = 600, 4  # rows of more hands than this are worked on by so many warps together


def team_for(other: PlayerBoards) -> int:
    """Warps that work on one row of a player's reach."""
    return TEAM if int(other.count.max(initial=1)) > WIDE else 1


def per_lane(count: int, team: int = 1) -> int:
    """Elements per lane of a team for sums over more than `count` elements, in steps, so that few kernels serve all."""
    return next(each for each in PER_LANE if WARP * team * each > count)


@dataclass(frozen=True)
class HandTables:
    """B boards, H places of the player, E entries of a lane.

    A hand's place in the sums over the opponent's hands in order of strength: weaker ones end at [0], tied ones at [1]; the same in the
    sums over the opponent's (card, hand) entries for its first card at [2], [3] and its second at [4], [5]; [6] both cards, [7] one past
    the same hand of the opponent or 0. All are told in bytes, cards too. Hands that are alike by suits look at the same places, and so get
    the same numbers.
    """

    places: Shorts  # [B, H, 8]
    # [B, pairs of E, lanes of a team, 2] the opponent's hand of each entry, lane by lane; the padding points at a hand of no weight
    entries: Shorts
    lanes: int  # E
    starts: Shorts  # [B, CARDS] first entry of each card, closing ones included
    low: Shorts  # [B, H] the first of the hands that are alike by suits
    order: npt.NDArray[np.int16]  # [B, H] place on the board before; the padding points one past its last place


def device_places(own: PlayerBoards) -> int:
    """Places of a player on the device: whole lines of 128 bytes."""
    return max(WARP, -(-int(own.count.max(initial=1)) // WARP) * WARP)


def entry_lanes(other: PlayerBoards) -> int:
    """Entries of the opponent that a lane adds up."""
    return per_lane(2 * int(other.count.max(initial=1)), team_for(other))


def hand_shapes(boards: StreetBoards, me: int) -> dict[str, tuple[tuple[int, ...], Any]]:
    """Shapes and types of the arrays of `hand_tables`, before they are made."""
    own, other, number = boards.player[me], boards.player[1 - me], len(boards.cards)
    width = device_places(own)
    return {
        "places": ((number, width, 8), np.uint16),
        "entries": ((number, WARP * team_for(other) * 2 * -(-entry_lanes(other) // 2)), np.uint16),
        "starts": ((number, kernels.CARDS), np.uint16),
        "low": ((number, width), np.uint16),
        "order": ((number, width), np.int16),
    }


def hand_tables(boards: StreetBoards, me: int, before: int) -> HandTables:
    """`before`: places of the player on the board before, on the device."""
    own, other = boards.player[me], boards.player[1 - me]
    number, team, lanes = len(boards.cards), team_for(other), entry_lanes(other)
    low = lowest_images(boards, me, device_places(own))
    shapes = hand_shapes(boards, me)
    made = kernels.Tables(*(np.zeros(*shapes[name]) for name in kernels.Tables._fields))
    last = len(boards.groups) > 0
    groups = boards.groups if last else np.zeros((1, 2), dtype=np.int32)

    def look_up(part: slice) -> None:
        hands = [
            bundle(kernels.Hands(*(getattr(each, name)[part] for name in kernels.Hands._fields)))
            for each in (own, other)
        ]
        spare = np.zeros(WARP * team * lanes, dtype=np.int64), np.zeros(kernels.CARDS + 1, dtype=np.int64)
        out = bundle(kernels.Tables(*(each[part] for each in made)))
        kernels.look_up_places(
            last, me, lanes, WARP * team, before, *hands, low[part], boards.group_start[part], groups, spare, out
        )

    in_spans(number, look_up)
    return HandTables(made.places, made.entries, lanes, made.starts, low, made.order)


def lowest_images(boards: StreetBoards, me: int, width: int) -> Shorts:
    """[B, H] the lowest place that a relabelling of suits takes each place to."""
    own = boards.player[me]
    low = np.tile(np.arange(width, dtype=np.uint16), (len(boards.cards), 1))
    kept = min(width, own.places)
    for b in np.flatnonzero(np.diff(boards.first_image)).tolist():
        images = own.images[boards.first_image[b] : boards.first_image[b + 1], :kept]
        low[b, :kept] = np.minimum(low[b, :kept], images.min(axis=0))
    return low


def ranks_on_last(boards: StreetBoards, me: int, before: int) -> npt.NDArray[np.int16]:
    """[B, places before]: how strong each hand of the board before is on each last board, -1 where it is not there."""
    own = boards.player[me]
    ranks = np.empty((len(boards.cards), before), dtype=np.int16)
    kernels.ranks_before(me, own.count, own.order, boards.group_start, boards.groups, ranks)
    return ranks


def card_sets(boards: StreetBoards, me: int, width: int) -> npt.NDArray[np.uint64]:
    """[B, H] the cards of each hand as bits, none in the padding."""
    own = boards.player[me]
    out = np.zeros((len(boards.cards), width), dtype=np.uint64)
    kept = min(width, own.places)
    one = np.uint64(1)
    both = (one << own.card1[:, :kept].astype(np.uint64)) | (one << own.card2[:, :kept].astype(np.uint64))
    out[:, :kept] = np.where(np.arange(kept) < own.count[:, None], both, 0)
    return out
