"""Rivers whose betting has one shape, many in one kernel call: Python lays them out together, and does nothing between them.

Each gives the same bits as `solve_spot` does.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.compute.bundles import bundle
from equilibrist.compute.interrupts import HeldInterrupts
from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.core.solution import Evaluation, SolveRecord, sound_evaluation
from equilibrist.forms.boards.joined_boards import deal_rivers
from equilibrist.forms.boards.precision import Precision
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, block_shape
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors
from equilibrist.solvers.iteration_loop import DEFAULT_ITERATIONS, LONGEST_SILENCE, Stop
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.batches._kernels.batch_hands import order_weights
from equilibrist.solvers.postflop.batches.batch_layout import values_of_hands
from equilibrist.solvers.postflop.batches.grouped_spots import BatchSpots, group_spots
from equilibrist.solvers.postflop.passes.games import game_sides, run_games
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution, begun_with
from equilibrist.solvers.postflop.tables import empty_tables, pack_betting, pack_hands, pack_payoffs, scratch_for
from equilibrist.solvers.postflop.vector_cfr import BoardCFR, compatible_weight

MOST_RIVERS = 16  # in a call: results come when all of them are there
MOST_BYTES = 1 << 26  # of their tables
LONGEST_CALL = 0.25  # seconds, about: Ctrl-C is answered between calls
MOST_ROWS = 1024  # iterations of a call
NEVER = 1 << 62  # iterations
ONES = np.ones((1, 3), dtype=np.float32)


@dataclass
class Pace:
    """What groups of one shape learn from each other."""

    schedule: Schedule
    rate: float = 0.0  # iterations of a river a second
    factors: Floats32 = field(
        default_factory=lambda: np.zeros((0, 3), dtype=np.float32)
    )  # of the iterations from the first on

    def after(self, iteration: int, count: int) -> Floats32:
        """[count, 3] factors of the iterations after this one."""
        end = iteration + count
        if len(self.factors) < end:
            self.factors = discount_factors(self.schedule, 0, max(2 * end, 256)).astype(np.float32)
        return self.factors[iteration:end]


@dataclass(frozen=True)
class RiverShape:
    """Betting of one shape, with all the amounts that occur."""

    forest: kernels.Forest
    payoff: tuple[kernels.Payoff, kernels.Payoff]  # lanes of one betting after the other
    row: dict[int, int]  # by number of the betting, where its lanes are
    slots: tuple[int, int]
    error: Floats  # [row] chips that values may be off
    begun: Floats  # [row, player] as of `SpotSolution`: what makes a payoff a share of the pot
    pace: Pace

    @classmethod
    def of(cls, betting: dict[int, StreetForest], spots: Sequence[Spot], schedule: Schedule) -> RiverShape:
        """`betting` by number, all of one shape, with a spot of each."""
        whole = list(betting.values())
        forest = pack_betting(whole[0])
        paid = [pack_payoffs(each, forest) for each in whole]
        joined = [
            kernels.Payoff(
                difference=np.concatenate([each[p].difference for each in paid]),
                both=np.concatenate([each[p].both for each in paid]),
                folded=np.concatenate([each[p].folded for each in paid]),
                raked=False,
            )
            for p in range(2)
        ]
        return cls(
            forest,
            (joined[0], joined[1]),
            {number: row for row, number in enumerate(betting)},
            (whole[0].slots[0], whole[0].slots[1]),
            np.array([Precision.of([each]).single for each in whole]),
            np.array([begun_with(spot) for spot in spots]),
            Pace(schedule),
        )


def is_plain(betting: Sequence[StreetForest]) -> bool:
    """Whether betting is that of a river whose passes are those of `RiverGroup`: no rake, and single precision is enough."""
    return len(betting) == 1 and not bool((betting[0].tie != 0.0).any()) and not Precision.of(betting).needs_double


def share_out_rivers(spots: BatchSpots, solver: CFR, threads: int) -> tuple[list[tuple[RiverShape, Longs]], list[int]]:
    """Rivers in groups for one call each, smaller ones towards the end, and the numbers of the spots that are solved one by one."""
    if any(spot.locks for spot in spots.sized):
        return [], list(range(len(spots.which)))
    plain = [is_plain(betting) for betting in spots.betting]
    groups, others = list[tuple[RiverShape, Longs]](), list[int]()
    for numbers in group_spots(spots, len(spots.which)):
        which, first = np.unique(spots.which[numbers], return_index=True)
        known = which.tolist()
        if not all(plain[k] for k in known):
            others += numbers.tolist()
            continue
        some = [spots.spots[k] for k in numbers[first].tolist()]
        shape = RiverShape.of({k: spots.betting[k][0] for k in known}, some, solver.schedule)
        most = max(1, min(MOST_RIVERS, MOST_BYTES // (8 * 1326 * max(1, sum(shape.slots)))))
        done = 0
        while done < len(numbers):
            size = max(1, min(most, (len(numbers) - done) // (2 * threads)))
            groups.append((shape, numbers[done : done + size]))
            done += size
    return groups, others


@dataclass
class RiverGroup:
    """G rivers at work; P places of a player's hands on the widest of them."""

    spots: BatchSpots
    shape: RiverShape
    numbers: Longs  # [G] in the batch
    solver: CFR
    seconds: float = 0.0
    evaluations: dict[int, Evaluation] = field(default_factory=dict)  # by place in the group

    def __post_init__(self) -> None:
        spots, numbers = self.spots, self.numbers
        self.weights = (spots.weights(0, numbers), spots.weights(1, numbers))
        (self.boards,) = deal_rivers(spots.boards(numbers), self.weights, blocks=True)
        self.deal = Deal.holdem(self.boards.cards[0])
        own = self.boards.player
        self.betting = np.array([self.shape.row[k] for k in spots.which[numbers].tolist()], dtype=np.int64)
        self.blocks = [
            np.array([block_shape(count) for count in player.count.tolist()], dtype=np.int64) for player in own
        ]
        self.hands = pack_hands(self.boards)
        predictive = self.solver.minimiser != "rm"
        self.tables = [
            empty_tables(len(numbers) * player.places * slots, slots, 1, predictive, 32, False)
            for player, slots in zip(own, self.shape.slots, strict=True)
        ]
        widest = [
            hands._replace(size=int(blocks[:, 1].max())) for hands, blocks in zip(self.hands, self.blocks, strict=True)
        ]
        scratch = [scratch_for(self.shape.forest, widest, me, self.deal.deck.size + 2, shared=False) for me in range(2)]
        self.sides = (self._sides(0, scratch[0]), self._sides(1, scratch[1]))
        self.roots = [np.empty((len(numbers), player.places + 1), dtype=np.float32) for player in own]
        for given, player, rows in zip(self.weights, own, self.roots, strict=True):
            order_weights(given, player.count, player.pair, rows)
        self.found = [np.zeros_like(rows) for rows in self.roots]  # values at the root, against averages
        self.games = self._games()

    def _sides(self, me: int, scratch: kernels.Scratch) -> Any:
        """A player in each game."""
        ends = self.shape.forest.ends1 if me == 0 else self.shape.forest.ends0
        side = kernels.Side(self.hands[me], self.tables[me], self.shape.payoff[me], scratch)
        return game_sides(side, self.blocks[me], self.betting * ends.lanes)

    def _games(self) -> kernels.Games:
        number, start = len(self.numbers), self.boards.group_start
        pairs = [[player.pair[g, : player.count[g]] for player in self.boards.player] for g in range(number)]
        weighed = [
            compatible_weight(self.deal, (self.weights[0][g], self.weights[1][g]), pairs[g]) for g in range(number)
        ]
        return kernels.Games(
            open=np.ones(number, dtype=np.bool_),
            iteration=np.zeros(number, dtype=np.int64),
            last=np.full(number, NEVER, dtype=np.int64),
            check=np.full(number, np.inf),
            goal=np.full(number, -1.0),
            normaliser=np.array(weighed),
            found=np.full(number, -1.0),
            found_at=np.zeros(number, dtype=np.int64),
            first_group=start[:-1].astype(np.int64),
        )

    @cached_property
    def _street(self) -> Any:
        boards: StreetBoards = self.boards
        starts = np.zeros((len(self.numbers), 2), dtype=np.int32)
        starts[:, 1] = np.diff(boards.group_start)
        groups = np.ascontiguousarray(boards.groups.ravel())
        return bundle(kernels.Street(self.shape.forest, starts.ravel(), groups, boards.first_child, np.float32(1.0)))

    def solve(self, goals: Floats, most: int | None) -> None:
        """To their goals [G] in chips (not a number: none), or for `most` iterations; checks fall as in `iteration_loop.Loop`."""
        games, begun = self.games, time.perf_counter()
        aimed = ~np.isnan(goals)
        games.goal[aimed], games.check[aimed] = goals[aimed], float(BoardCFR.first_check)
        games.last[:] = np.where(aimed, NEVER, DEFAULT_ITERATIONS) if most is None else most
        with HeldInterrupts() as interrupts:
            while games.open.any():
                self._advance()
                reached = (
                    games.open & (games.found_at == games.iteration) & (np.maximum(games.found, 0.0) <= games.goal)
                )
                ended = games.open & (games.iteration >= games.last)
                self._evaluate(reached | ended)
                for g in np.flatnonzero(reached | ended).tolist():
                    games.open[g] = not ended[g] and self.evaluations[g].exploitability > games.goal[g]
                interrupts.checkpoint()
        self.seconds = time.perf_counter() - begun

    def _advance(self) -> None:
        """One call, for the open games."""
        games, left = self.games, int(self.games.open.sum())
        before = int(games.iteration[games.open].min())
        pace, most = self.shape.pace, int(games.last[games.open].max()) - before
        rows = min(max(BoardCFR.first_check, int(pace.rate * LONGEST_CALL / left)), MOST_ROWS, most)
        begun, made = time.perf_counter(), int(games.iteration.sum())
        self._run(games, before, kernels.LEARN, pace.after(before, rows), [np.zeros_like(each) for each in self.roots])
        pace.rate = (int(games.iteration.sum()) - made) / max(time.perf_counter() - begun, 1e-9)

    def _run(self, games: kernels.Games, before: int, mode: int, factors: Floats32, values: Sequence[Floats32]) -> None:
        ends = (*(each.ravel() for each in self.roots), *(each.ravel() for each in values))
        rule = (BoardCFR.check_growth, BoardCFR.steepest, LONGEST_SILENCE)
        run_games(
            games, before, rule, mode, (0, 1), factors, self._street, self.sides, ends, np.zeros(1, dtype=np.float32)
        )

    def _evaluate(self, which: npt.NDArray[np.bool_]) -> None:
        """What `BoardCFR.evaluate` says, for some of the games."""
        if not which.any():
            return
        number = len(which)
        once = self.games._replace(
            open=which, iteration=np.zeros(number, dtype=np.int64), last=np.ones(number, dtype=np.int64), check=np.full(number, np.inf)
        )  # fmt: skip
        best = [np.zeros_like(each) for each in self.roots]
        self._run(once, 0, kernels.RESPOND, ONES, best)
        once.iteration[:] = 0
        for each in self.found:
            each[which] = 0.0
        self._run(once, 0, kernels.VALUE, ONES, self.found)
        for g in np.flatnonzero(which).tolist():
            value = self._average(0, g, self.found[0])
            both = self._average(0, g, best[0]), self._average(1, g, best[1])
            self.evaluations[g] = sound_evaluation((value, -value), both, float(self.shape.error[self.betting[g]]))

    def _average(self, me: int, g: int, values: Floats32) -> float:
        """Values of my hands at the root of a game, averaged over all deals."""
        count = int(self.boards.player[me].count[g])
        weights = self.roots[me][g, :count].astype(np.float64)
        return float(weights @ values[g, :count].astype(np.float64)) / float(self.games.normaliser[g])

    def stated(self, g: int) -> Evaluation:
        """As a solution states it, which keeps shares of the pot."""
        begun, found = self.shape.begun[self.betting[g]].tolist(), self.evaluations[g]
        value, best = (
            tuple((each + paid) - paid for each, paid in zip(both, begun, strict=True))
            for both in (found.value, found.best_response_value or ())
        )
        return Evaluation(value, best)

    def by_hand(self, player: int) -> Floats:
        """[G, 1326] what each hand is worth."""
        own = self.boards.player[player]
        found = self.found[player][:, : own.places].astype(np.float64)
        return values_of_hands(self.deal, found, self.weights[1 - player], own.count, own.pair)

    def solution(self, place: int, stop: Stop, name: str) -> SpotSolution:
        """One river as a solution of its own; `stop` is what it was solved to, `name` that of the solver."""
        spot = self.spots.compiled(int(self.numbers[place]))
        run = BoardCFR.on_spot(spot, self.solver.schedule, predictive=self.solver.minimiser != "rm")
        for p, tables in enumerate(run.streets[0].tables):
            first = place * self.hands[p].places * tables.slots
            for kind in ("regret", "average", *(("basis",) if tables.predictive else ())):
                kept = getattr(tables, kind)
                kept[:] = getattr(self.tables[p], kind)[first : first + len(kept)]
        run.iteration = int(self.games.iteration[place])
        measured = self.evaluations[place]
        record = SolveRecord(
            solver=name,
            seconds=self.seconds * run.iteration / max(int(self.games.iteration.sum()), 1),
            converged=stop.exploitability is not None and measured.exploitability <= stop.exploitability,
            settings=stop.to_json(),
        )
        return SpotSolution.of_run(run, spot.spot, record, evaluation=measured)
