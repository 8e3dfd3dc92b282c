"""BoardStream: passes over all boards of a game with rows of buckets, by threads; `stream_on` has them on a GPU as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from equilibrist.compute.threads import Team, share_out
from equilibrist.core.arrays import Array, Floats, Floats32
from equilibrist.core.errors import ParameterError
from equilibrist.forms.boards.street_boards import StreetBoards
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.streamed_buckets._kernels.bucketed import (
    BucketedSide,
    Sums,
    run_bucketed,
)
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame
from equilibrist.solvers.postflop.streamed_buckets.earlier_streets import EarlierStreets
from equilibrist.solvers.postflop.tables import Street, make_scratch, make_street, pack_hands


class Stream(Protocol):
    """Whatever passes over all boards of the last street, on whatever machine."""

    abstract: BucketedGame

    @property
    def earlier(self) -> EarlierStreets:
        """The streets before, with arrays where the passes want them."""

    def pass_over(self, mode: int, me: int, reach: Array, rows: Sequence[Floats]) -> tuple[Array, Floats, Floats]:
        """As `BoardStream.pass_over`."""


def stream_on(device: str, abstract: BucketedGame, threads: int) -> Stream:
    """Passes over the boards of a game by threads, or on a GPU ("cuda", or "auto" where there is one)."""
    if not wants_gpu(device, None, streets=len(abstract.forests)):
        return BoardStream(abstract, threads)
    from equilibrist.solvers.postflop.bucket_walks.device_stream import DeviceStream

    return DeviceStream(abstract)


class BoardStream:
    """Passes over all boards with rows of buckets; every thread has scratch memory and a fixed part of the boards."""

    def __init__(self, abstract: BucketedGame, threads: int = 1) -> None:
        if threads < 1:
            raise ParameterError(f"At least one thread is needed, but {threads} were asked for.")
        self.abstract, self.team = abstract, Team(threads)
        boards, deal = abstract.by_hand, abstract.deal
        one = _first_board(boards)
        self.lanes = [
            Lane(make_street(abstract.last, one, deal.chances[-1], deal.deck.size, False, 32), abstract)
            for _ in range(threads)
        ]
        self._street = pack_hands(boards)
        self.parts = share_out(np.arange(len(boards.cards) + 1, dtype=np.int64), threads)
        self._flat = tuple(np.ascontiguousarray(each).ravel() for each in abstract.bucket)
        self._before = boards.parent.astype(np.int64) * self.width(0)  # where the board before begins, root by root
        self._groups = np.ascontiguousarray(boards.groups.ravel())

    @property
    def earlier(self) -> EarlierStreets:
        return self.abstract.earlier

    def pass_over(self, mode: int, me: int, reach: Floats, rows: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
        """My values against the opponent's reach, both [root, (board before,) hand], summed over boards.

        In learning also my gains and its reach [slot, bucket].
        """
        flat = [np.ascontiguousarray(each, dtype=np.float32).ravel() for each in rows]
        padded = np.zeros((*reach.shape[:-1], self.width(1 - me)), dtype=np.float32)
        padded[..., :-1] = reach
        jobs = [
            lambda lane=lane, span=span: self._span(lane, span, mode, me, padded.ravel(), flat)
            for lane, span in zip(self.lanes, self.parts, strict=False)
        ]
        found = self.team.run(jobs)
        value, gained, entered = (np.sum([each[k] for each in found], axis=0) for k in range(3))
        hands = value.reshape(padded.shape)[..., :-1].astype(np.float64)
        shape = (-1, self.abstract.buckets)
        return hands, gained.reshape(shape), entered.reshape(shape)

    def width(self, player: int) -> int:
        """Hands of a player before the boards, and one place for nobody."""
        return len(self.abstract.deal.hands) + 1

    def _span(
        self, lane: Lane, span: tuple[int, int], mode: int, me: int, reach: Floats32, rows: Sequence[Floats32]
    ) -> tuple[Floats32, Floats, Floats]:
        street, them, learning = lane.street, 1 - me, mode == kernels.LEARN
        gained, entered = lane.sums(me, learning)
        value, width = np.zeros_like(reach), len(reach) // self.abstract.roots
        keep = np.array([1.0, 1.0, 0.0], dtype=np.float32)
        run_bucketed(
            *span,
            mode,
            me,
            self.packed(lane),
            self.side(lane, me, rows[me]),
            self.side(lane, them, rows[them]),
            street.payoff[me],
            kernels.Weights(*keep),
            self._before,
            kernels.Links(reach, width, value, width),
            lane.scratch[me],
            Sums(gained, entered, lane.nothing),
        )
        return value, gained, entered

    def packed(self, lane: Lane) -> Any:
        """The street of all boards as kernels take it."""
        boards = self.abstract.last_boards
        return kernels.Street(
            lane.street.forest, boards.group_start, self._groups, boards.first_child, lane.street.factor
        )

    def side(self, lane: Lane, player: int, rows: Floats32) -> BucketedSide:
        """A player's hands on all boards with its rows, and one board's tables to spread them to."""
        tables = lane.street.tables[player]
        return BucketedSide(self._street[player], tables, rows, self.abstract.buckets, self._flat[player])


class Lane:
    """What one thread works with: the tables of one board, scratch memory, sums by bucket."""

    def __init__(self, street: Street, abstract: BucketedGame) -> None:
        self.street, self.nothing = street, np.zeros(1, dtype=np.float32)
        self.scratch = [make_scratch(street, me) for me in range(2)]
        self._sums = [np.zeros(abstract.last.slots[p] * abstract.buckets) for p in range(2)]

    def sums(self, me: int, learning: bool) -> tuple[Floats, Floats]:
        if not learning:
            return np.zeros(0), np.zeros(0)
        for each in self._sums:
            each[:] = 0.0
        return self._sums[me], self._sums[1 - me]


def _first_board(boards: StreetBoards) -> StreetBoards:
    """A street with its first board alone, for the shape of its tables."""
    players = tuple(
        replace(own, **{name: getattr(own, name)[:1] for name in ("count", "pair", "order", "card1", "card2", "twin")})
        for own in boards.player
    )
    return replace(boards, cards=boards.cards[:1], player=(players[0], players[1]))
