"""BucketedCFR: CFR on a poker game of two streets whose hands share buckets on the boards ([Brown20, §5.1]).

The first street is played hand by hand. On the second one all hands of a bucket play alike, whatever the board, so its tables have one
row per bucket, and every iteration streams over all boards. `bucketed_responses.py` has best responses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.compute.threads import Team, share_out
from equilibrist.core.arrays import Floats, Floats32, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.boards.poker_streets import betting_streets, deal_of, refuse_unsuitable
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, deal_boards
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.blueprint.abstract_poker import Buckets
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.matching import discounted, match_slots
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.streamed_buckets._kernels.bucketed import (
    BucketedSide,
    Sums,
    run_bucketed,
)
from equilibrist.solvers.postflop.streamed_buckets._kernels.minimise_rows import minimise_rows
from equilibrist.solvers.postflop.streamed_buckets.preflop import PreflopStreet
from equilibrist.solvers.postflop.tables import Street, make_scratch, make_street, pack_hands


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


class Stream(Protocol):
    """Whatever passes over all boards, on whatever machine."""

    abstract: BucketedGame

    def pass_over(self, mode: int, me: int, reach: Floats, rows: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
        """As `BoardStream.pass_over`."""


def stream_on(device: str, abstract: BucketedGame, threads: int) -> Stream:
    """Passes over the boards of a game by threads, or on a GPU ("cuda", or "auto" where there is one)."""
    if not wants_gpu(device, None, streets=2):
        return BoardStream(abstract, threads)
    from equilibrist.solvers.postflop.bucket_walks.device_stream import DeviceStream

    return DeviceStream(abstract)


class BoardStream:
    """Passes over all boards with rows of buckets; every thread has scratch memory and a fixed part of the boards."""

    def __init__(self, abstract: BucketedGame, threads: int = 1) -> None:
        if threads < 1:
            raise ParameterError(f"At least one thread is needed, but {threads} were asked for.")
        self.abstract, self.team = abstract, Team(threads)
        boards, deal = abstract.boards[1], abstract.deal
        one = _first_board(boards)
        self.lanes = [
            Lane(make_street(abstract.forests[1], one, deal.chances[1], deal.deck.size, False, 32), abstract)
            for _ in range(threads)
        ]
        self._street = pack_hands(boards)
        self.parts = share_out(np.arange(len(boards.cards) + 1, dtype=np.int64), threads)
        self._flat = tuple(np.ascontiguousarray(each).ravel() for each in abstract.bucket)
        self._groups = np.ascontiguousarray(boards.groups.ravel())

    def pass_over(self, mode: int, me: int, reach: Floats, rows: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
        """My values [root, hand] against the opponent's reach [root, hand]; in learning also my gains and its reach [slot, bucket]."""
        flat = [np.ascontiguousarray(each, dtype=np.float32).ravel() for each in rows]
        padded = np.zeros((self.abstract.roots, self.width(1 - me)), dtype=np.float32)
        padded[:, : reach.shape[1]] = reach
        jobs = [
            lambda lane=lane, span=span: self._span(lane, span, mode, me, padded.ravel(), flat)
            for lane, span in zip(self.lanes, self.parts, strict=False)
        ]
        found = self.team.run(jobs)
        value, gained, entered = (np.sum([each[k] for each in found], axis=0) for k in range(3))
        first = self.abstract.first
        hands = value.reshape(self.abstract.roots, -1)[:, : first.hands].astype(np.float64)
        shape = (-1, self.abstract.buckets)
        return hands, gained.reshape(shape), entered.reshape(shape)

    def width(self, player: int) -> int:
        """Places of a player's hands before the boards, and one for nobody."""
        return self.abstract.boards[0].player[player].places + 1

    def _span(
        self, lane: Lane, span: tuple[int, int], mode: int, me: int, reach: Floats32, rows: Sequence[Floats32]
    ) -> tuple[Floats32, Floats, Floats]:
        street, them, learning = lane.street, 1 - me, mode == kernels.LEARN
        gained, entered = lane.sums(me, learning)
        value = np.zeros(self.abstract.roots * self.width(me), dtype=np.float32)
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
            kernels.Links(reach, self.width(them), value, self.width(me)),
            lane.scratch[me],
            Sums(gained, entered, lane.nothing),
        )
        return value, gained, entered

    def packed(self, lane: Lane) -> Any:
        """The street of all boards as kernels take it."""
        boards = self.abstract.boards[1]
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
        self._sums = [np.zeros(abstract.forests[1].slots[p] * abstract.buckets) for p in range(2)]

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


class BucketedCFR:
    """Any member of the CFR family; the opponent's average is added up while the other player learns."""

    def __init__(self, abstract: BucketedGame, solver: CFR, *, threads: int = 1, device: str = "cpu") -> None:
        if solver.bindings or solver.pruning.walks or solver.threshold:
            raise NotApplicableError(
                f"Streamed boards know no models, pruning and thresholds, but '{solver.name}' was given; leave them out."
            )
        self.abstract, self.solver, self.iteration = abstract, solver, 0
        self.stream = stream_on(device, abstract, threads)
        self.matching = (solver.minimiser, solver.when_nonpositive) == (
            "rm",
            "uniform",
        )  # strategies follow from regrets
        self.regret, self.row_regret = self._tables()
        self.average, self.row_average = self._tables()
        if not self.matching:
            self.memory, self.row_memory = self._tables()
            self.strategy = [abstract.first.matched(p, self.regret[p]) for p in range(2)]
            self.row_strategy = [abstract.rows_even(p) for p in range(2)]
            self._stakes = self._ranges()

    def _tables(self) -> tuple[list[Floats], list[Floats]]:
        """Zeros of both players: on the first street [slot, hand], on the boards [slot, bucket]."""
        first, slots = self.abstract.first, [forest.slots for forest in self.abstract.forests]
        whole = [np.zeros((slots[0][p], first.hands)) for p in range(2)]
        return whole, [np.zeros((slots[1][p], self.abstract.buckets)) for p in range(2)]

    def _ranges(self) -> list[tuple[Floats, Floats]]:
        """By player, the range of the counterfactual values of a hand, and of a bucket over all its hands on all boards."""
        abstract, boards = self.abstract, self.abstract.boards[1]
        most = max(float(np.abs([forest.win, forest.lose]).max()) for forest in abstract.forests)
        hand = 2.0 * most * abstract.first.hands
        out: list[tuple[Floats, Floats]] = []
        for p in range(2):
            held = boards.player[p].pair >= 0
            copies = np.broadcast_to(boards.copies[:, None], held.shape)[held]
            hands = np.bincount(abstract.bucket[p][held], copies, abstract.buckets) * abstract.deal.chances[1]
            out.append((np.full(abstract.first.hands, hand), hand * hands.astype(np.float64)))
        return out

    def advance(self, iterations: int) -> None:
        factors = discount_factors(self.solver.schedule, self.iteration, iterations)
        for positive, negative, keep in factors.tolist():
            self.iteration += 1
            if self.solver.updates == "simultaneous":
                gains = [self._gains(me, keep) for me in range(2)]
                for me in range(2):
                    self._minimise(me, gains[me], positive, negative)
            else:
                for me in range(2):
                    self._minimise(me, self._gains(me, keep), positive, negative)

    def _strategies(self, player: int) -> tuple[Floats, Floats]:
        """What is played: on the first street, on the boards."""
        if not self.matching:
            return self.strategy[player], self.row_strategy[player]
        whole, rows = np.maximum(self.regret[player], 0.0), np.maximum(self.row_regret[player], 0.0)
        return self.abstract.first.matched(player, whole), self.abstract.rows_matched(player, rows)

    def _gains(self, me: int, keep: float) -> tuple[Floats, Floats]:
        """My regrets of this iteration on both streets; the opponent's average is added up on the way."""
        first, them = self.abstract.first, 1 - me
        (mine, my_rows), (theirs, their_rows) = self._strategies(me), self._strategies(them)
        reach = first.down(them, theirs)
        rows = (my_rows, their_rows) if me == 0 else (their_rows, my_rows)
        below, gained, entered = self.stream.pass_over(kernels.LEARN, me, reach[first.deals], rows)
        values = first.up(me, reach, first.over_suits(below), mine)
        self.average[them] = keep * self.average[them] + first.by_slot(them, reach)
        self.row_average[them] = keep * self.row_average[them] + entered
        return first.by_slot(me, values) - first.by_node(me, values), gained

    def _minimise(self, me: int, gains: tuple[Floats, Floats], positive: float, negative: float) -> None:
        if self.matching:
            self.regret[me] = discounted(self.regret[me] + gains[0], positive, negative)
            self.row_regret[me] = discounted(self.row_regret[me] + gains[1], positive, negative)
            return
        tables = (self.strategy, self.regret, self.memory), (self.row_strategy, self.row_regret, self.row_memory)
        for forest, gain, stake, here in zip(self.abstract.forests, gains, self._stakes[me], tables, strict=True):
            acting = forest.kind == me
            by_lane = [np.ascontiguousarray(table.T) for table in (gain, *(each[me] for each in here))]
            minimise_rows(
                self.solver.codes,
                self.iteration,
                positive,
                negative,
                stake,
                forest.slot[acting],
                forest.children[acting],
                *by_lane,
            )
            for each, table in zip(here, by_lane[1:], strict=True):
                each[me] = np.ascontiguousarray(table.T)

    def profile(self) -> BucketedProfile:
        """Average strategies."""
        first = [self.abstract.first.matched(p, self.average[p]) for p in range(2)]
        rows = [self.abstract.rows_matched(p, self.row_average[p]) for p in range(2)]
        return BucketedProfile((first[0], first[1]), (rows[0], rows[1]))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything that has been learned, by name."""
        names = ["regret", "average", "row_regret", "row_average"]
        names += [] if self.matching else ["strategy", "memory", "row_strategy", "row_memory"]
        tables = {f"{name}.{p}": getattr(self, name)[p] for name in names for p in range(2)}
        return {"iteration": np.array([self.iteration]), **tables}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        for name, array in state.items():
            if name != "iteration":
                kind, p = name.split(".")
                getattr(self, kind)[int(p)] = array.astype(np.float64)
        self.iteration = int(state["iteration"][0])
