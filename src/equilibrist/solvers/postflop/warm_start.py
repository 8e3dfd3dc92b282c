"""Strategy-based warm starting on boards: spots and games go on as if a profile had been played for T iterations ([Brown20, §3.2])."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats32
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import Policy
from equilibrist.core.solution import Solution, SolveRecord
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_betting import DEAL, FOLD
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.cfr.cfr import steady
from equilibrist.solvers.cfr.schedules import factors_of
from equilibrist.solvers.iteration_loop import Solver
from equilibrist.solvers.postflop._kernels import board_substitute as loops
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.restricted_nash import BoardModel
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy
from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_game import board_solver, start_boards
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.registry import solver_name

MOST_ITERATIONS = 10**6
FIT = 10  # iterations of a short run that a projection is fitted to
HALVINGS = 20  # of the interval for lambda: every step is a pass over the whole game
ONES = kernels.Weights(*np.ones(3, dtype=np.float32))


@dataclass(frozen=True)
class WarmStart:
    """What a run was started with."""

    iterations: int
    weakening: float  # lambda
    values: tuple[float, float]  # substitute values of the game; they add up to at most about zero


def start_from_averages(run: BoardCFR, iterations: int, weakening: float | None = None) -> WarmStart:
    """Set regrets and averages of a run as if its average strategies had been played so often; None: lambda by bisection."""
    if run.bits != 32 or any(tables.predictive or tables.locked for s in run.streets for tables in s.tables):
        raise NotApplicableError("Warm starts are for plain regret matching with 32-bit tables and without locks.")
    if run.streets[0].payoff[0].raked or run.streets[-1].payoff[0].raked:
        raise NotApplicableError("Warm starts are proven for zero-sum games, which rake breaks; solve from scratch.")
    if iterations < 1:
        raise ParameterError(f"A warm start stands for at least one iteration, but {iterations} was given.")
    work = _Substitution(run, iterations)
    chosen = work.bisect() if weakening is None else weakening
    values = work.values(chosen, write=True)
    work.write_averages()
    _weigh(run, iterations)
    run.iteration = iterations
    return WarmStart(iterations, chosen, values)


def _weigh(run: BoardCFR, iterations: int) -> None:
    """Regrets and averages as the schedule would have left them after so many iterations alike."""
    factors = factors_of(run.schedule, np.arange(1.0, iterations + 1.0))
    positive, negative = (np.float32(steady(factor, before=False) / iterations) for factor in factors[:2])
    kept = np.float32(steady(factors.keep, before=True) / iterations)
    for street in run.streets:
        for tables in street.tables:
            tables.regret[:] *= np.where(tables.regret > 0.0, positive, negative)
            tables.average[:] *= kept


def warm_boards(
    game: Poker, profile: Policy | Solution, solver: str | Solver, *, iterations: int | None = None, threads: int = 1
) -> BoardSolution:
    """A solution to `resume` from: the solver as if it had played the profile so often; None: estimated by a short run."""
    if not isinstance(profile, BoardSolution):
        raise NotApplicableError(
            f"'{game.name}' is solved on boards, so a warm start needs a solution on boards; name the solver that made it."
        )
    if profile.game != game.name:
        raise NotApplicableError(f"The profile is of '{profile.game}', but one of '{game.name}' is needed.")
    chosen, played = board_solver(solver), profile.policy.run
    run, started = _started(
        lambda: start_boards(game, chosen, threads=threads, isomorphism=played.isomorphism), profile, played, iterations
    )
    record = _record(profile.record, chosen.name, started, threads)
    return replace(
        profile,
        record=record,
        policy=BoardPolicy(game, profile.policy.forests, lambda: run),
        evaluation=run.evaluate(),
    )


def warm_spot(
    spot: CompiledSpot,
    profile: Policy | Solution,
    solver: str | Solver,
    *,
    iterations: int | None = None,
    threads: int = 1,
) -> SpotSolution:
    """The same for a spot: the profile is another solution of it."""
    if not isinstance(profile, SpotSolution) or profile.missing:
        raise NotApplicableError("A spot is warm started from a solution of the same spot, saved with all its streets.")
    if profile.spot.changed(lock=()).to_toml() != spot.spot.to_toml():
        raise NotApplicableError(
            "The profile is of another spot, or this one has locks; board, pot, stacks, ranges and bet sizes must be the same."
        )
    played = profile.boards.run
    here = spot.dealt_by_street(profile.by_street)
    run, started = _started(
        lambda: start_spot(here, solver, threads=threads, isomorphism=played.isomorphism), profile, played, iterations
    )
    return SpotSolution.of_run(run, spot.spot, _record(profile.record, solver_name(solver), started, threads))


def _started(
    fresh: Callable[[], BoardCFR], profile: Solution, played: BoardCFR, iterations: int | None
) -> tuple[BoardCFR, WarmStart]:
    """A run that goes on from what another one plays; where the count is estimated, fewer are tried if theory does not allow them."""
    count = iterations
    if count is None:
        count = min(MOST_ITERATIONS, max(1, round(project(fresh()) / max(profile.exploitability, 1e-12))))
    run = fresh()
    models = [BoardModel.of_run(played, p).tables for p in range(2)]
    while True:
        for street, *played_here in zip(run.streets, *models, strict=True):
            for tables, theirs in zip(street.tables, played_here, strict=True):
                if tables.average.shape != theirs.shape:
                    raise NotApplicableError("Warm starts are for tables of 32 bits; leave 'bits' out.")
                tables.average[:] = theirs
        try:
            return run, start_from_averages(run, count)
        except NotApplicableError:
            if iterations is not None or count == 1:
                raise
            count //= 2


def _record(record: SolveRecord, solver: str, started: WarmStart, threads: int) -> SolveRecord:
    return replace(
        record,
        solver=solver,
        iterations=started.iterations,
        seconds=0.0,
        cpu_seconds=0.0,
        converged=False,
        interrupted=False,
        threads=threads,
        bits=32,
        settings={"warm_start": {"iterations": started.iterations, "weakening": started.weakening}},
    )


def project(run: BoardCFR, iterations: int = FIT) -> float:
    """The c for which c / T describes the exploitability after T iterations best ([Brown20, §3.2.3]), from the next few ones."""
    logs = []
    for _ in range(iterations):
        run.advance(1)
        logs.append(np.log(run.exploitability() * run.iteration))
    return float(np.exp(np.mean(logs)))


class _Substitution:
    """Passes over all boards for one profile."""

    def __init__(self, run: BoardCFR, iterations: int) -> None:
        self.run, self.iterations, self.worker = run, iterations, run._workers[0]
        self.spreads = _spreads(run)
        self.by_card = np.zeros(run.deal.deck.size + 2)
        most = max(int(street.forest.children.max(initial=1)) for street in run.streets)
        self.sorted = np.zeros(most)

    def values(self, weakening: float, *, write: bool = False) -> tuple[float, float]:
        """What substitute values make of the game for both players."""
        first, second = (self._player(me, weakening, write) for me in range(2))
        return first, second

    def bisect(self) -> float:
        """The smallest lambda at which both values add up to no more than zero."""
        if sum(self.values(0.0)) <= 0.0:
            return 0.0
        low, high = 0.0, 1.0
        if sum(self.values(high)) > 0.0:
            raise NotApplicableError(
                f"This profile is too exploitable to stand for {self.iterations:,} iterations of regret matching; try fewer."
            )
        for _ in range(HALVINGS):
            middle = (low * high) ** 0.5 if low > 0.0 else high / 16.0  # lambda may be small: steps in its logarithm
            if sum(self.values(middle)) > 0.0:
                low = middle
            else:
                high = middle
            if low > 0.0 and high / low < 1.01:
                break
        return high

    def _player(self, me: int, weakening: float, write: bool) -> float:
        run = self.run
        value = np.zeros(run.streets[0].hands[me].places + 1, dtype=np.float32)
        self._board(0, 0, me, weakening, write, run.root_weights[1 - me], value)
        own = run.root_weights[me][: int(run.streets[0].boards.player[me].count[0])].astype(np.float64)
        return float(own @ value[: len(own)].astype(np.float64)) / run.normaliser

    def _board(
        self, depth: int, board: int, me: int, weakening: float, write: bool, reach: Floats32, value: Floats32
    ) -> None:
        """Substitute values of one board and all below it, added to `value` of the board before."""
        street, worker = self.run.streets[depth], self.worker
        nodes = len(street.forest.kind)
        seen = np.zeros(nodes * street.hands[1 - me].places, dtype=np.float32)
        worker.street_down(depth, board, kernels.VALUE, me, np.float32(1), reach, seen)
        if depth + 1 < len(self.run.streets):
            following = worker.next_reach[depth][1 - me].copy()
            below = np.zeros_like(worker.next_value[depth][me])
            first, last = street.boards.first_child[board : board + 2]
            for child in range(int(first), int(last)):
                self._board(depth + 1, child, me, weakening, write, following, below)
            worker.next_value[depth][me][:] = below
            worker.symmetrise(depth, board, me)
            worker.next_reach[depth][1 - me][:] = following
            worker.street_down(depth, board, kernels.VALUE, me, np.float32(1), reach, worker.nothing)
        found = np.zeros(nodes * street.hands[me].places, dtype=np.float32)
        unused = np.zeros(street.forest.roots * worker.width(depth, me), dtype=np.float32)
        worker.street_up(depth, board, kernels.VALUE, me, ONES, unused, found)
        self._up(depth, board, me, weakening, write, seen, found)
        self._add(depth, board, me, found, value)

    def _up(
        self, depth: int, board: int, me: int, weakening: float, write: bool, seen: Floats32, found: Floats32
    ) -> None:
        street = self.run.streets[depth]
        loops.substitute_up(
            board,
            me,
            write,
            loops.Weakening(float(self.iterations), float(weakening), self.run.normaliser, self.spreads[depth]),
            street.forest,
            street.hands[me],
            street.hands[1 - me],
            street.tables[me],
            seen,
            self._strategy(street, board, me, write),
            found,
            loops.Room(self.by_card, np.zeros(street.hands[me].places), self.sorted),
        )

    @staticmethod
    def _strategy(street: Any, board: int, player: int, write: bool) -> Floats32:
        if not write:
            return np.zeros(1, dtype=np.float32)
        return np.ascontiguousarray(street.strategies(board, player), dtype=np.float32).ravel()

    def _add(self, depth: int, board: int, me: int, found: Floats32, value: Floats32) -> None:
        """As `values_up` hands its roots to the board before."""
        street = self.run.streets[depth]
        own, width = street.hands[me], self.worker.width(depth, me)
        order = own.order[board * own.places : (board + 1) * own.places]
        roots = found.reshape(-1, own.places)[: street.forest.roots] * own.share[board]
        received = value.reshape(street.forest.roots, width)
        received[:, order[: own.count[board]]] += roots[:, : own.count[board]]

    def write_averages(self) -> None:
        """Own reach times strategy, as often as iterations are pretended; last streets first, since reach needs those before."""
        for path in reversed(_paths(self.run)):
            board, street = path[-1] if path else 0, self.run.streets[len(path)]
            for p in range(2):
                acting = np.flatnonzero(street.forest.kind == p)
                if not len(acting):
                    continue
                reach = np.repeat(
                    self.run.reach_at(path, p)[acting].astype(np.float64), street.forest.children[acting], axis=0
                )
                weights = (reach * street.strategies(board, p) * self.iterations).astype(np.float32)
                table, own = street.tables[p].average.reshape(street.shape(p))[board], street.hands[p]
                table[:] = np.moveaxis(weights.reshape(-1, own.blocks, own.size), 0, 1)


def _paths(run: BoardCFR) -> list[tuple[int, ...]]:
    """Every board, each with those before it."""
    out: list[tuple[int, ...]] = [()]
    level = out
    for street in run.streets[:-1]:
        first = street.boards.first_child
        ends = [(path, path[-1] if path else 0) for path in level]
        level = [(*path, child) for path, end in ends for child in range(int(first[end]), int(first[end + 1]))]
        out = out + level
    return out


def _spreads(run: BoardCFR) -> list[npt.NDArray[np.float64]]:
    """[node] how far apart payoffs can be behind a node, for each street: twice the largest stake there."""
    out: list[npt.NDArray[np.float64]] = []
    for street in reversed(run.streets):
        forest, below = street.forest, out[0] if out else np.zeros(0)
        spread, payoff, ends = np.zeros(len(forest.kind) + 2), street.payoff[0], forest.ends1
        for nodes, amounts in ((ends.showdown, payoff.difference), (ends.fold, payoff.folded)):
            spread[nodes] = 2.0 * np.abs(amounts)  # lanes without such a node point at one that nobody reads
        deals = np.flatnonzero(forest.kind == DEAL)
        spread[deals] = below[forest.next_root[deals]] if len(deals) else 0.0
        for i in np.flatnonzero(forest.kind < FOLD)[::-1]:
            first = int(forest.first_child[i])
            spread[i] = spread[first : first + int(forest.children[i])].max()
        out.insert(0, spread)
    return out
