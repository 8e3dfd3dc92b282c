"""Whether locks treat suits alike: then boards that differ by suits only may be solved once, locked or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equilibrist.cards.evaluator import hand_index
from equilibrist.cards.isomorphism import symmetries
from equilibrist.core.arrays import Floats
from equilibrist.forms.boards.lock_lines import locked_place
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.spots.locks import Lock


@dataclass(frozen=True)
class _Place:
    """What all locks at one place say together."""

    shares: Floats  # [action, hand]
    bound: Floats  # [hand]

    def overruled(self, later: _Place) -> _Place:
        """Where a later lock names a hand it counts."""
        named = later.bound > 0.0
        return _Place(np.where(named, later.shares, self.shares), np.where(named, later.bound, self.bound))

    def agrees(self, other: _Place, image: npt.NDArray[np.int64], live: npt.NDArray[np.bool_]) -> bool:
        """Whether the hands it speaks of do the same here as their images do at the other place."""
        shares, bound = other.shares[:, image], other.bound[image]
        said = live & ((self.bound > 0.0) | (bound > 0.0))
        return np.array_equal(self.bound[said], bound[said]) and np.array_equal(self.shares[:, said], shares[:, said])


def treat_suits_alike(
    locks: Sequence[Lock], deal: Deal, weights: Sequence[Floats], forests: Sequence[StreetForest]
) -> bool:
    """Whether every relabelling of suits that changes neither board nor ranges leaves the locks as they are, too.

    Later boards are left alone by fewer relabellings, so those of the first board are enough. Locks by frequency are made from
    strategies that treat suits alike; only their hands are compared.
    """
    if not locks:
        return True
    places = _places(locks, forests)
    moves = symmetries(deal.board, [np.asarray(w, dtype=np.float64) for w in weights], deal.deck, deal.hands)
    for move in moves.astype(np.int64):
        image = np.asarray(hand_index(move[deal.hands.astype(np.int64)]), dtype=np.int64)
        for (cards, depth, node), here in places.items():
            other = places.get((tuple(int(move[card]) for card in cards), depth, node))
            live = ~np.isin(deal.hands, (*deal.board_cards, *cards)).any(axis=1)
            live &= weights[int(forests[depth].kind[node])] > 0.0
            if other is None or not here.agrees(other, image, live):
                return False
    return True


def _places(locks: Sequence[Lock], forests: Sequence[StreetForest]) -> dict[tuple[tuple[int, ...], int, int], _Place]:
    """By cards dealt, street and node."""
    out: dict[tuple[tuple[int, ...], int, int], _Place] = {}
    for lock in locks:
        said = lock if lock.settled else replace(lock, strategy=dict.fromkeys(lock.frequency or (), 1.0))
        cards, depth, node = locked_place(lock, forests)
        shares, bound = said.rows(forests[depth].labels(node))
        here = _Place(shares, bound)
        before = out.get((cards, depth, node))
        out[cards, depth, node] = here if before is None else before.overruled(here)
    return out
