"""What a best response wins from a blueprint from a street on, where both have played by the blueprint before it.

Boards are drawn; on each of them all lines that lead to the street and all pairs of hands are looked at, with the chances that the
blueprint gives them, and everything below is answered exactly, with the bets of the blueprint's own tree.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt

import numpy as np

from equilibrist.cards.streets import STREETS
from equilibrist.compute.workers import ThreadWorkers
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import ParameterError
from equilibrist.forms.boards.street_betting import IP
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.solvers.blueprint.exact.bucketed_streets import BucketedStreets
from equilibrist.solvers.blueprint.exact.exact_exploitability import refuse_what_does_not_fit
from equilibrist.solvers.blueprint.exact.street_passes import BoardLosses, StreetPasses
from equilibrist.solvers.blueprint.exact.street_reach import StreetReach
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

BOARDS = {1: 8, 2: 40, 3: 100}  # by street, unless something else is asked for
LEAST = 2  # boards that an interval takes
MOST = 1_000_000  # boards that are listed at once
TAIL = 0.975  # each side of an interval is missed with 2.5 %


@dataclass(frozen=True)
class BoardMean:
    """A mean over boards and its interval; without one where all boards were looked at."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float) -> BoardMean:
        """In another unit."""
        return BoardMean(factor * self.value, factor * self.low, factor * self.high)


@dataclass(frozen=True)
class BoardGain:
    """One board, in chips a hand as if all boards were like it."""

    gain: Floats  # [player, line] what a best response wins more than the blueprint does in its place
    reached: Floats  # [line] probability that a hand takes the line


@dataclass(frozen=True)
class StreetResponse:
    """What is known of a blueprint from a street on, chips a hand."""

    street: int
    gain: tuple[BoardMean, BoardMean]  # of each player's best response
    mean: BoardMean  # of both
    reached: BoardMean  # share of the hands in which somebody acts on the street
    each: BoardMean  # the mean gain of a hand that gets there
    lines: dict[str, tuple[float, float]]  # mean gain and share of the hands, by the betting before the street
    boards: int
    complete: bool  # whether all boards were looked at
    seconds: float


class StreetRun:
    """Boards of one blueprint, by several threads."""

    def __init__(self, blueprint: PokerBlueprint, street: int, threads: int = 1) -> None:
        self.workers, self.streets = ThreadWorkers(threads), BucketedStreets.of(blueprint)
        last = len(self.streets.forests) - 1
        if not 1 <= street <= last:
            names = ", ".join(STREETS[1 : last + 1])
            raise ParameterError(
                f"Responses begin on a street after the first ({names}), but street {street} was given."
            )
        refuse_what_does_not_fit(self.streets.table_bytes, threads)
        self.street = street
        self.before, self.passes = StreetReach(self.streets, street), StreetPasses(self.streets, street)
        refuse_what_does_not_fit(self.streets.table_bytes + threads * self.passes.memory(), threads)
        self.cards = sum(self.streets.deal.streets[:street])
        self.all_boards, chance = boards_before(self.streets.deal, street)
        self._scale = self.all_boards * chance / self.streets.first.pairs
        self._acts = self.streets.forests[street].kind[: self.streets.forests[street].roots] <= IP

    def draw(self, boards: int, seed: int = 0) -> tuple[Longs, bool]:
        """[board, card] drawn with replacement, or all of them, shuffled, where there are no more; cards of earlier streets come first."""
        if boards < LEAST:
            raise ParameterError(f"An interval takes at least {LEAST} boards, but {boards} were asked for.")
        if seed < 0:
            raise ParameterError(f"A seed is a whole number from 0 on, but {seed} was given.")
        if (looked := min(boards, self.all_boards)) > MOST:
            raise ParameterError(f"At most {MOST:,} boards are looked at, but these are {looked:,}; ask for fewer.")
        deck, sizes, rng = (
            self.streets.deal.deck.size,
            self.streets.deal.streets[: self.street],
            np.random.default_rng(seed),
        )
        if boards >= self.all_boards:  # in any order, so that those that are done before an interrupt are drawn alike
            return rng.permutation(np.array(_every(range(deck), sizes), dtype=np.int64)), True
        rows = np.broadcast_to(np.arange(deck, dtype=np.int8), (boards, deck))
        return rng.permuted(rows, axis=1)[:, : self.cards].astype(np.int64), False

    def look_at(self, cards: Sequence[int]) -> BoardGain:
        """One board."""
        reach = self.before.on(cards)
        worth = self.passes.worth(cards, reach)
        own = (reach[0] * worth.value).sum(axis=1)
        best = [(reach[p] * worth.best[p]).sum(axis=1) for p in range(2)]
        met = (reach[0] * self.streets.deal.met(reach[1])).sum(axis=1)
        gain = np.array([best[0] - own, best[1] + own])
        return BoardGain(self._scale * gain * self._acts, self._scale * met * self._acts)

    def look_into(self, cards: Sequence[int]) -> tuple[BoardLosses, Floats]:
        """One board, sorted by decisions, and how often its lines are taken; in chips a hand as if all boards were like it."""
        reach = self.before.on(cards)
        found = self.passes.losses(cards, reach)
        here, later = (tuple(self._scale * each for each in part) for part in (found.here, found.later))
        met = (reach[0] * self.streets.deal.met(reach[1])).sum(axis=1)
        return BoardLosses((here[0], here[1]), (later[0], later[1])), self._scale * met * self._acts

    def judge(self, found: Sequence[BoardGain], complete: bool, seconds: float) -> StreetResponse:
        """What boards that were drawn alike say together."""
        gain = np.array([each.gain for each in found])  # [board, player, line]
        reached = np.array([each.reached for each in found])
        mean, share = gain.mean(axis=1), reached.sum(axis=1)
        by_player = [board_mean(gain[:, p].sum(axis=1), complete) for p in range(2)]
        names = [name.rstrip("/") for name in self.streets.forests[self.street].before]
        lines = {
            name: (float(mean[:, n].mean()), float(reached[:, n].mean()))
            for n, name in enumerate(names)
            if self._acts[n]
        }
        total = mean.sum(axis=1)
        return StreetResponse(
            self.street,
            (by_player[0], by_player[1]),
            board_mean(total, complete),
            board_mean(share, complete),
            _ratio(total, share, complete),
            lines,
            len(found),
            complete,
            seconds,
        )


def street_response(
    blueprint: PokerBlueprint,
    street: int,
    *,
    boards: int | None = None,
    seed: int = 0,
    threads: int = 1,
    report: Callable[[int, int], None] = lambda done, boards: None,
) -> StreetResponse:
    """The best response to a two-player blueprint from a street on (1: the flop), below the blueprint's own play.

    An interrupt leaves it at the boards that are done. `report` is told how many these are, and of how many.
    """
    begun, run = time.perf_counter(), StreetRun(blueprint, street, threads)
    drawn, complete = run.draw(BOARDS[street] if boards is None else boards, seed)
    found: list[BoardGain] = []
    try:
        with closing(run.workers.map(run.look_at, drawn.tolist())) as looked:
            for each in looked:
                found.append(each)
                report(len(found), len(drawn))
    except KeyboardInterrupt:
        if len(found) < LEAST:
            raise
    return run.judge(found, complete and len(found) == len(drawn), time.perf_counter() - begun)


def boards_before(deal: Deal, street: int) -> tuple[int, float]:
    """How many boards of a street there are, card by card as they came, and the chance of each given both hands."""
    boards, chance, left = 1, 1.0, deal.deck.size
    for dealt in deal.streets[:street]:
        boards *= comb(left, dealt)
        chance /= comb(left - 2 * deal.hole, dealt)
        left -= dealt
    return boards, chance


def _every(left: Sequence[int], sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """All deals, street by street."""
    if not sizes:
        return [()]
    return [
        (*new, *rest)
        for new in combinations(left, sizes[0])
        for rest in _every([card for card in left if card not in new], sizes[1:])
    ]


def board_mean(samples: Floats, complete: bool) -> BoardMean:
    """Of samples [board]."""
    return known_mean(float(samples.mean()), float(samples.std(ddof=1)), len(samples), complete)


def known_mean(mean: float, deviation: float, boards: int, complete: bool) -> BoardMean:
    """Of so many boards with this mean and deviation; exact where these are all."""
    spread = 0.0 if complete else _quantile(boards - 1) * deviation / sqrt(boards)
    return BoardMean(mean, mean - spread, mean + spread)


def _ratio(above: Floats, below: Floats, complete: bool) -> BoardMean:
    """Of two means, by the delta method."""
    if not below.any():
        return BoardMean(0.0, 0.0, 0.0)
    ratio = float(above.mean() / below.mean())
    found = board_mean((above - ratio * below) / float(below.mean()), complete)
    return BoardMean(ratio, ratio + found.low, ratio + found.high)


def _quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, TAIL))
