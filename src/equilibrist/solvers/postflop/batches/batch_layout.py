"""What a batch takes to a device: boards, hands and ranges, laid out on the host while the device solves the batch before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Floats, Floats32, Ints
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_boards import Deal, StreetBoards
from equilibrist.solvers.postflop.batches._kernels import batch_hands as loops
from equilibrist.solvers.postflop.gpu.hand_tables import HandTables, device_places, hand_tables
from equilibrist.solvers.postflop.locks.locked_nodes import PlacedLock, place_locks


@dataclass(frozen=True)
class BatchLayout:
    """G games, one board of the first street each; P places of a player there, H hands."""

    deal: Deal  # of any game
    boards: Sequence[StreetBoards]  # of each street, as `join_boards` gives them
    hands: Sequence[tuple[HandTables, HandTables]]  # of each street, for each player
    weights: tuple[Floats, Floats]  # [G, H]
    rows: tuple[Floats32, Floats32]  # [G, P] the same by place on the device
    normaliser: Floats  # [G] weight of all pairs of hands
    locks: Sequence[PlacedLock] = ()  # of all games, on these boards

    @classmethod
    def of(
        cls,
        deal: Deal,
        boards: Sequence[StreetBoards],
        weights: tuple[Floats, Floats],
        locks: Sequence[PlacedLock] = (),
    ) -> BatchLayout:
        hands, before = list[tuple[HandTables, HandTables]](), [device_places(own) for own in boards[0].player]
        for street in boards:
            first, second = (hand_tables(street, p, before[p]) for p in range(2))
            hands.append((first, second))
            before = [device_places(own) for own in street.player]
        number, cards = len(weights[0]), deal.hands.astype(np.int64)
        normaliser = np.empty(number)
        rows = tuple(np.empty((number, device_places(own)), dtype=np.float32) for own in boards[0].player)

        def weigh(part: slice) -> None:
            loops.weigh_games(weights[0][part], weights[1][part], cards, normaliser[part])
            for own, given, out in zip(boards[0].player, weights, rows, strict=True):
                loops.order_weights(given[part], own.count[part], own.pair[part], out[part])

        in_spans(number, weigh)
        return cls(deal, boards, hands, weights, (rows[0], rows[1]), normaliser, locks)

    def values(self, player: int, found: Floats32) -> Floats:
        """[G, H] what a hand is worth against those that it can meet, from the sums over them [G, P]."""
        own = self.boards[0].player[player]
        return values_of_hands(self.deal, found, self.weights[1 - player], own.count, own.pair)


def values_of_hands(deal: Deal, found: Floats32 | Floats, theirs: Floats, count: Ints, pair: Ints) -> Floats:
    """[G, H] from sums over the opponent's hands [G, P], whose weights are `theirs` [G, H]; not a number where a hand is not held."""
    cards, out = deal.hands.astype(np.int64), np.empty(theirs.shape)
    in_spans(
        len(out),
        lambda part: loops.values_of_hands(found[part], theirs[part], cards, count[part], pair[part], out[part]),
    )
    return out


def join_locks(spots: Sequence[CompiledSpot], boards: Sequence[StreetBoards]) -> list[PlacedLock]:
    """The locks of all spots on their joined boards, where boards of a spot lie together and may have more places."""
    out, first = list[PlacedLock](), [0] * len(boards)
    for spot in spots:
        if spot.spot.locks:
            for lock in place_locks(spot.spot.locks, spot.forests, spot.boards, merged=spot.isomorphism):
                short = ((0, boards[lock.depth].player[lock.player].places - len(lock.bound)),)
                fixed, bound = np.pad(lock.fixed, ((0, 0), *short)), np.pad(lock.bound, short)
                out.append(replace(lock, board=first[lock.depth] + lock.board, fixed=fixed, bound=bound))
        first = [before + len(street.cards) for before, street in zip(first, spot.boards, strict=True)]
    return out
