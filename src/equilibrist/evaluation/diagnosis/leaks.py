"""Where a two-player blueprint gives chips away on a street: by pots, bets and lines, from exact best responses on drawn boards.

What `evaluate --from` measures as one number is sorted here by the decisions that it comes from. At a decision that the blueprint's own
play leads to, a best response takes its best action instead of the blueprint's row, and plays on as well as it can; what that is worth,
summed over all decisions, is all that it wins: the mistakes of its own seat against the other, and what the other gives away to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import sqrt

import numpy as np

from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.core.arrays import Floats, Longs
from equilibrist.evaluation.diagnosis.situations import (
    ANSWERS,
    FACED,
    Kinds,
    answers,
    bets_faced,
    line_of_slot,
    pot_kinds,
    pot_sizes,
    roots_of_slots,
    sorted_kinds,
)
from equilibrist.games.catalogue import recorded_game
from equilibrist.solvers.blueprint.exact.street_passes import BoardLosses
from equilibrist.solvers.blueprint.exact.street_response import (
    BOARDS,
    LEAST,
    BoardMean,
    StreetRun,
    board_mean,
    known_mean,
)
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

LINES = 10  # decisions that are named


@dataclass(frozen=True)
class Leak:
    """What is lost in situations of one kind, chips a hand, both seats on average."""

    kind: str
    loss: BoardMean
    reached: float | None = None  # share of the hands, where it is known


@dataclass(frozen=True)
class LineLeak:
    """One decision and action of a best response."""

    line: str  # betting up to the action, and the action
    seat: int  # who takes it; the other seat loses
    loss: BoardMean  # chips a hand, that seat's best response alone


@dataclass(frozen=True)
class StreetLeaks:
    """What is lost from a street on, chips a hand; means are over both seats."""

    street: int
    gain: tuple[BoardMean, BoardMean]  # of each player's best response, as `street_response` has it
    mean: BoardMean
    here: BoardMean  # by decisions on this street
    later: BoardMean  # by those of later streets
    pots: tuple[Leak, ...]  # decisions on this street, by raises before the board
    sizes: tuple[Leak, ...]  # by the pot at the beginning of the street
    faced: tuple[Leak, ...]  # by the bet that is faced
    answers: tuple[Leak, ...]  # by what the best response does there
    lines: tuple[LineLeak, ...]  # the worst
    boards: int
    asked: int  # boards that were drawn; an interrupt leaves it at fewer
    complete: bool  # whether all boards were looked at
    seconds: float


@dataclass(frozen=True)
class _Grouping:
    """Slots of both players by kind, and roots, where these have the kind."""

    names: tuple[str, ...]
    slots: tuple[Longs, Longs]
    roots: Longs | None = None

    def sums(self, losses: BoardLosses) -> Floats:
        """[kind] both seats on average."""
        both = (
            np.bincount(kind, weights=here, minlength=len(self.names))
            for kind, here in zip(self.slots, losses.here, strict=True)
        )
        return np.asarray(sum(both, np.zeros(len(self.names))) / 2.0)

    def shares(self, reached: Floats) -> Floats:
        """[kind] of the hands."""
        assert self.roots is not None
        return np.asarray(np.bincount(self.roots, weights=reached, minlength=len(self.names)), dtype=np.float64)


class LeakRun:
    """Boards of one blueprint and street, looked into one after the other."""

    def __init__(self, blueprint: PokerBlueprint, street: int, threads: int = 1) -> None:
        self.run = StreetRun(blueprint, street, threads)
        self.forest = self.run.streets.forests[street]
        big_blind = recorded_game(blueprint.game).big_blind
        self._above = (roots_of_slots(self.forest, 0), roots_of_slots(self.forest, 1))
        self.pots = self._by_root(pot_kinds(self.forest, big_blind is not None))
        self.sizes = self._by_root(pot_sizes(self.forest, big_blind))
        self.faced = _joined([bets_faced(self.forest, player) for player in range(2)], FACED)
        self.answers = _joined([answers(self.forest, player) for player in range(2)], ANSWERS)
        self._rows: list[tuple[Floats, Floats]] = []  # [player] on this street and later, by board
        self._kinds: list[list[Floats]] = []
        self._reached = np.zeros(self.forest.roots)
        self._slots = [np.zeros((2, len(above))) for above in self._above]  # sums and sums of squares

    def _by_root(self, kinds: Kinds) -> _Grouping:
        return _Grouping(kinds.names, (kinds.of[self._above[0]], kinds.of[self._above[1]]), kinds.of)

    @property
    def boards(self) -> int:
        """How many were looked into."""
        return len(self._rows)

    def add(self, found: tuple[BoardLosses, Floats]) -> None:
        """Count one board, the whole of it also when Ctrl-C falls into that."""
        with HeldInterrupts() as held:
            self._count(found)
        held.checkpoint()

    def _count(self, found: tuple[BoardLosses, Floats]) -> None:
        losses, reached = found
        here, later = (np.array([each.sum() for each in part]) for part in (losses.here, losses.later))
        self._rows.append((here, later))
        self._kinds.append([kinds.sums(losses) for kinds in (self.pots, self.sizes, self.faced, self.answers)])
        self._reached += reached
        for kept, own in zip(self._slots, losses.here, strict=True):
            kept[0] += own
            kept[1] += own**2

    def judge(self, asked: int, complete: bool, seconds: float) -> StreetLeaks:
        """What boards that were drawn alike say together."""
        here, later = (np.array([row[n] for row in self._rows]) for n in range(2))  # [board, player]
        total = here + later
        gain = [board_mean(total[:, p], complete) for p in range(2)]
        return StreetLeaks(
            street=self.run.street,
            gain=(gain[0], gain[1]),
            mean=board_mean(total.mean(axis=1), complete),
            here=board_mean(here.mean(axis=1), complete),
            later=board_mean(later.mean(axis=1), complete),
            pots=self._leaks(0, self.pots, complete),
            sizes=self._leaks(1, self.sizes, complete),
            faced=self._leaks(2, self.faced, complete),
            answers=self._leaks(3, self.answers, complete),
            lines=self._lines(complete),
            boards=self.boards,
            asked=asked,
            complete=complete,
            seconds=seconds,
        )

    def _leaks(self, number: int, kinds: _Grouping, complete: bool) -> tuple[Leak, ...]:
        rows = np.array([row[number] for row in self._kinds])  # [board, kind]
        shares = None if kinds.roots is None else (kinds.shares(self._reached) / self.boards).tolist()
        return tuple(
            Leak(name, board_mean(rows[:, n], complete), None if shares is None else shares[n])
            for n, name in enumerate(kinds.names)
            if rows[:, n].any() or (shares is not None and shares[n] > 0.0)
        )

    def _lines(self, complete: bool) -> tuple[LineLeak, ...]:
        """The actions that win most, with intervals from their sums and sums of squares."""
        worst = sorted(
            ((float(kept[0, slot]), player, slot) for player, kept in enumerate(self._slots) for slot in _top(kept[0])),
            reverse=True,
        )
        return tuple(
            LineLeak(line_of_slot(self.forest, player, slot), player, self._mean(player, slot, complete))
            for total, player, slot in worst[:LINES]
            if total > 0.0
        )

    def _mean(self, player: int, slot: int, complete: bool) -> BoardMean:
        total, squares = self._slots[player][:, slot].tolist()
        mean = total / self.boards
        variance = max(squares - total * mean, 0.0) / (self.boards - 1)
        return known_mean(mean, sqrt(variance), self.boards, complete)


def _joined(players: Sequence[Kinds], order: Sequence[str]) -> _Grouping:
    """Kinds of both players' slots by the same names."""
    both = sorted_kinds([kinds.names[kind] for kinds in players for kind in kinds.of.tolist()], order)
    first = len(players[0].of)
    return _Grouping(both.names, (both.of[:first], both.of[first:]))


def _top(sums: Floats) -> Iterable[int]:
    """The largest few."""
    few = min(LINES, len(sums))
    found: list[int] = np.argpartition(sums, len(sums) - few)[len(sums) - few :].tolist() if few else []
    return found


def street_leaks(
    blueprint: PokerBlueprint,
    street: int,
    *,
    boards: int | None = None,
    seed: int = 0,
    threads: int = 1,
    report: Callable[[int, int], None] = lambda done, boards: None,
) -> StreetLeaks:
    """Where a blueprint gives chips away on a street (1: the flop); boards are those of `street_response` with the same seed.

    An interrupt leaves it at the boards that are done. `report` is told how many these are, and of how many.
    """
    begun, leaks = time.perf_counter(), LeakRun(blueprint, street, threads)
    drawn, complete = leaks.run.draw(BOARDS[street] if boards is None else boards, seed)
    try:
        with closing(leaks.run.workers.map(leaks.run.look_into, drawn.tolist())) as looked:
            for each in looked:
                leaks.add(each)
                report(leaks.boards, len(drawn))
    except KeyboardInterrupt:
        if leaks.boards < LEAST:
            raise
    return leaks.judge(len(drawn), complete and leaks.boards == len(drawn), time.perf_counter() - begun)
