"""Exact solving of postflop spots and full poker games: vector CFR over boards ([Brown20, §3.1.5]; board-major, level by level).

`BoardCFR` owns the tables of both players for every street and runs passes over them; the loops are in
`_kernels/boards.py`. Values are net of half the pot.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Floats32, Ints
from equilibrist.core.errors import ParameterError
from equilibrist.core.solution import Evaluation, sound_evaluation
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.lock_symmetry import treat_suits_alike
from equilibrist.forms.boards.precision import Precision
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, deal_boards
from equilibrist.games.spots.locks import Lock
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.double_precision.exact_passes import ExactPasses
from equilibrist.solvers.postflop.locks.locked_nodes import LockArrays, PlacedLock, place_locks
from equilibrist.solvers.postflop.passes.shared_passes import SharedPasses
from equilibrist.solvers.postflop.passes.worker import Worker
from equilibrist.solvers.postflop.tables import lock_street, make_street, table_names


def compatible_weight(deal: Deal, weights: Sequence[Floats], listed: Sequence[Ints]) -> float:
    """Summed product of weights [H] over pairs of hands that share no card; `listed` are the hands that each player has."""
    mine, theirs = listed
    held = np.zeros(len(deal.hands))
    held[theirs] = weights[1][theirs]
    return float(weights[0][mine] @ deal.met(held)[mine])


class BoardCFR:
    """CFR on all boards of a spot or game: iterations, values, best responses."""

    first_check = 10
    check_growth = 1.05
    steepest = 4.0  # the fastest schedules fall by the third or fourth power for a while
    apart = False  # whether minimisers run apart from the passes
    device = "cpu"  # where the tables are

    def __init__(
        self,
        forests: Sequence[StreetForest],
        deal: Deal,
        weights: Sequence[Floats],
        schedule: Schedule,
        *,
        predictive: bool = False,
        threads: int = 1,
        isomorphism: bool = True,
        locks: Sequence[Lock] = (),
        bits: int = 32,
        boards: Sequence[StreetBoards] | None = None,
    ) -> None:
        """`boards`, if given, are those of `deal_boards` for the same deal and weights, dealt with this `isomorphism`."""
        if bits not in (16, 32):
            raise ParameterError(f"Tables have 32 or 16 bits, but {bits} were asked for.")
        self.bits = bits
        if threads < 1:
            raise ParameterError(f"At least one thread is needed, but {threads} were asked for.")
        self.schedule, self.iteration = schedule, 0
        if boards is None:
            isomorphism = isomorphism and treat_suits_alike(locks, deal, weights, forests)
            boards = deal_boards(deal, weights, isomorphism)
        self.isomorphism, self.deal, self.forests = isomorphism, deal, tuple(forests)
        self.weights = [np.asarray(w, dtype=np.float64) for w in weights]
        self.streets = [
            make_street(forest, tables, chance, deal.deck.size, predictive, bits, self.apart)
            for forest, tables, chance in zip(forests, boards, deal.chances, strict=True)
        ]
        self.precision = Precision.of(forests)
        if bits == 16 and self.precision.coarse > self.precision.promised:
            raise ParameterError(
                f"Tables of 16 bits are too coarse for a pot that may grow {self.precision.largest / self.precision.pot:,.0f} times; "
                "leave 'bits' out."
            )
        self._locks: dict[tuple[int, int], LockArrays] = {}  # by street and player, not rounded to 32 bits
        if locks:
            self._lock(place_locks(locks, forests, boards, merged=isomorphism))
        self.root_weights = [self._root_weights(p) for p in range(2)]
        self.normaliser = self._compatible_weight()
        self._bind()
        self._workers = [Worker(self.streets) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 and len(self.streets) > 1 else None

    def _bind(self) -> None:
        """Bind players by more than locks, before anything works on the tables; most runs bind nobody."""

    @classmethod
    def on_spot(
        cls, spot: CompiledSpot, schedule: Schedule, *, predictive: bool = False, threads: int = 1, bits: int = 32
    ) -> Self:
        """A run on the betting and boards of a spot, with its locks."""
        return cls(
            spot.forests,
            spot.deal,
            spot.weights,
            schedule,
            predictive=predictive,
            threads=threads,
            isomorphism=spot.isomorphism,
            locks=spot.spot.locks,
            bits=bits,
            boards=spot.boards,
        )

    @property
    def memory_bytes(self) -> int:
        """Bytes of regrets, averages and, where they are kept, predictions or scales."""
        return sum(array.nbytes for name, array in self.state().items() if name != "iteration")

    def _lock(self, locks: Sequence[PlacedLock]) -> None:
        """Tell the tables which hands are bound, how far, and to what."""
        for depth, street in enumerate(self.streets):
            for p, packed in lock_street(street, [lock for lock in locks if lock.depth == depth]).items():
                if self.precision.needs_double:
                    self._locks[depth, p] = packed

    @property
    def roots(self) -> int:
        """Betting lines side by side on the first board: one, unless a street is solved for all lines that lead to it."""
        return int(self.streets[0].forest.roots)

    @property
    def _plain(self) -> bool:
        """Whether passes are the ones of this class."""
        return type(self)._pass is BoardCFR._pass

    @functools.cached_property
    def _shared(self) -> SharedPasses:
        """Passes by all threads; made when the tables are what they will be."""
        return SharedPasses(self._workers, self._pool)

    @property
    def worker(self) -> Worker:
        """Scratch memory and kernel calls of the calling thread."""
        return self._workers[0]

    def _root_weights(self, p: int) -> Floats32:
        own = self.streets[0].boards.player[p]
        out = np.zeros((self.roots, own.places + 1), dtype=np.float32)
        out[:, : own.count[0]] = self.weights[p][own.pair[0, : own.count[0]]]
        return out.ravel()

    def _compatible_weight(self) -> float:
        own = self.streets[0].boards.player
        return compatible_weight(self.deal, self.weights, [player.pair[0, : player.count[0]] for player in own])

    def advance(self, iterations: int) -> None:
        factors = discount_factors(self.schedule, self.iteration, iterations)
        if len(self.streets) == 1:
            self._workers[0].single(kernels.LEARN, (0, 1), factors.astype(np.float32), self.root_weights)
        elif self._plain and self._shared.top == 0:
            self._shared.repeat(kernels.LEARN, factors.astype(np.float32), self.root_weights)
        else:
            for row in factors.astype(np.float32):
                for me in range(2):
                    self._pass(kernels.LEARN, me, kernels.Weights(*row))
        self.iteration += iterations

    @property
    def checks_itself(self) -> bool:
        """Whether iterations and checks are one kernel call: on one street calls would take longer than the work.

        Runs derived from this one learn or measure in their own ways, so they go back to Python for it.
        """
        return type(self) is BoardCFR and len(self.streets) == 1 and not self._raked

    def advance_to(self, most: int, check: float, goal: float, silence: float) -> tuple[float, float, int]:
        """At most so many iterations, until a check meets the goal: the next check, the last exploitability found and when.

        Checks fall on the same iterations as `iteration_loop.Loop` makes them; -1 if there was none.
        """
        factors = discount_factors(self.schedule, self.iteration, most)
        self.iteration, check, found, at = self._workers[0].to_goal(
            self.iteration, check, goal, (self.check_growth, self.steepest, silence), factors.astype(np.float32),
            self.normaliser, self.root_weights,
        )  # fmt: skip
        return check, found, at

    def learn(self, me: int, reach: Floats) -> Floats:
        """One pass of the coming iteration, for one player against given weights of the opponent's hands at the root.

        Gives the counterfactual values of my hands there; with several roots, root by root. Gadgets at the root decide the weights anew
        for every pass; the caller counts the iterations.
        """
        row = kernels.Weights(*discount_factors(self.schedule, self.iteration)[0].astype(np.float32))
        return self._at_root(me, self._pass(kernels.LEARN, me, row, self._padded(1 - me, reach)))

    def values(self, me: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        """Counterfactual value of each of my hands at the root against the opponent's average strategy.

        The opponent's hands come as its range says, or with the weights `reach` at the root.
        """
        mode = kernels.RESPOND if respond else kernels.VALUE
        given = None if reach is None else self._padded(1 - me, reach)
        return self._at_root(me, self._pass(mode, me, kernels.Weights(*np.ones(3, dtype=np.float32)), given))

    def _at_root(self, me: int, values: Floats32) -> Floats:
        rows = values.reshape(self.roots, -1)[:, : self.streets[0].boards.player[me].count[0]]
        return rows.ravel().astype(np.float64)

    def _padded(self, player: int, reach: Floats) -> Floats32:
        """Weights of a player's hands at the root, with the places behind them empty."""
        out = np.zeros_like(self.root_weights[player])
        rows = reach.reshape(self.roots, -1)
        out.reshape(self.roots, -1)[:, : rows.shape[1]] = rows
        return out

    def expected_value(self, me: int, *, respond: bool = False) -> float:
        """Net of half the pot, averaged over all deals."""
        return self._average(me, self.values(me, respond=respond))

    def _average(self, me: int, values: Floats) -> float:
        """Values of my hands at the root, averaged over all deals."""
        return float(self._at_root(me, self.root_weights[me]) @ values) / self.normaliser

    @property
    def _raked(self) -> bool:
        return any(street.payoff[0].raked for street in self.streets)

    @property
    def exact(self) -> bool:
        """Whether what is stated is found in double precision: where 32 bits are off by too much, and passes are the plain ones."""
        modelled = any(t.shared for s in self.streets for t in s.tables)
        return self.precision.needs_double and self._plain and not modelled

    @property
    def error(self) -> float:
        """Chips that stated values may be off."""
        if not self.exact:
            return self.precision.single
        return self.precision.double if self.bits == 32 else self.precision.coarse

    def evaluate(self) -> Evaluation:
        """Values and best responses of the average strategies, as they are stated; without rake one value is minus the other."""
        if self.exact:
            best, value = self._exact_values(kernels.RESPOND), self._exact_values(kernels.VALUE)
        else:
            best = self._best_responses()
            value = self.expected_value(0), self.expected_value(1) if self._raked else 0.0
        return sound_evaluation(value if self._raked else (value[0], -value[0]), best, self.error)

    def best_response_value(self, me: int) -> float:
        """What a player can get against the other's average strategy, net of half the pot, as it is stated."""
        return self._exact_value(kernels.RESPOND, me) if self.exact else self.expected_value(me, respond=True)

    def _exact_values(self, mode: int) -> tuple[float, float]:
        return self._exact_value(mode, 0), self._exact_value(mode, 1)

    def _exact_value(self, mode: int, me: int) -> float:
        """Averaged over all deals, in double precision."""
        found = self._exact_passes().values(mode, me, self._exact_weights(1 - me), self._pool)
        return float(self._exact_weights(me) @ found) / self.normaliser

    def _exact_passes(self) -> ExactPasses:
        return ExactPasses(self.streets, self.deal.chances, self._locks)

    def _exact_weights(self, p: int) -> Floats:
        """Weights of a player's hands at the roots, not rounded to 32 bits."""
        own = self.streets[0].boards.player[p]
        out = np.zeros((self.roots, own.places + 1))
        out[:, : own.count[0]] = self.weights[p][own.pair[0, : own.count[0]]]
        return out.ravel()

    def _best_responses(self) -> tuple[float, float]:
        """What each player can get against the other's average strategy."""
        ones = np.ones((1, 3), dtype=np.float32)
        if len(self.streets) == 1:
            both = self._workers[0].single(kernels.RESPOND, (0, 1), ones, self.root_weights)
        elif self._plain and self._shared.top == 0:
            both = [np.zeros_like(each) for each in self.root_weights]
            self._shared.run(0, kernels.RESPOND, (0, 1), ones, self.root_weights, both)
        else:
            return self.expected_value(0, respond=True), self.expected_value(1, respond=True)
        return self._average(0, self._at_root(0, both[0])), self._average(1, self._at_root(1, both[1]))

    def exploitability(self) -> float:
        """Half of what best responses gain together, in chips; without rake the values they are compared with cancel.

        In single precision: good enough to say when `evaluate` is worth its time.
        """
        if self._raked:
            return self.evaluate().exploitability
        return max(0.0, sum(self._best_responses()) / 2.0)

    def reach_at(self, path: Sequence[int], player: int) -> Floats32 | Floats:
        """A player's average reach [node, place] on the last board of a path; touches the tables of those boards only."""
        if self.exact:
            return self._exact_passes().reach_at(path, player, self._exact_weights(player))
        return self._look_down(self._workers[0], path, player)

    def value_at(
        self, path: Sequence[int], me: int, *, below: Floats32 | None = None, respond: bool = False
    ) -> Floats32 | Floats:
        """My counterfactual values [node, place] on the last board of a path; touches everything below it.

        With `below` [deal, place] values where a card comes are taken from there, and nothing below is touched. I follow my average
        strategy, or `respond` as well as I can.
        """
        mode = kernels.RESPOND if respond else kernels.VALUE
        if self.exact and below is None:
            return self._exact_passes().value_at(path, mode, me, self._exact_weights(1 - me))
        self._look_down(self._workers[0], path, 1 - me)
        return self._look_up(self._workers[0], path, me, below, mode)

    def _look_down(self, worker: Worker, path: Sequence[int], player: int) -> Floats32:
        """The player's average reach [node, place] on the last board of the path; leaves the reach of deals behind."""
        seen = worker.nothing
        reach = self.root_weights[player]
        for depth, board in enumerate((0, *path)):
            seen = np.zeros(
                len(self.streets[depth].forest.kind) * self.streets[depth].hands[player].places, dtype=np.float32
            )
            worker.street_down(depth, board, kernels.VALUE, 1 - player, np.float32(1), reach, seen)
            if depth < len(path):
                reach = worker.next_reach[depth][player]
        return seen.reshape(len(self.streets[len(path)].forest.kind), -1)

    def _look_up(
        self,
        worker: Worker,
        path: Sequence[int],
        me: int,
        known: Floats32 | None = None,
        mode: int = kernels.VALUE,
    ) -> Floats32:
        """My counterfactual values [node, place] on the last board, after the opponent's reach went down to it."""
        depth, board = len(path), path[-1] if path else 0
        weights = kernels.Weights(*np.ones(3, dtype=np.float32))
        street = self.streets[depth]
        if known is not None:
            worker.next_value[depth][me].reshape(len(known), -1)[:, : known.shape[1]] = known
        elif depth + 1 < len(self.streets):
            below = worker.next_value[depth][me]
            below[:] = 0.0
            first, last = street.boards.first_child[board], street.boards.first_child[board + 1]
            reach = worker.next_reach[depth][1 - me]
            worker.below(depth + 1, int(first), int(last), mode, me, weights, reach, below)
            worker.symmetrise(depth, board, me)
        seen = np.zeros(len(street.forest.kind) * street.hands[me].places, dtype=np.float32)
        unused = np.zeros(street.forest.roots * worker.width(depth, me), dtype=np.float32)
        worker.street_up(depth, board, mode, me, weights, unused, seen)
        return seen.reshape(len(street.forest.kind), -1)

    def _pass(self, mode: int, me: int, weights: Any, given: Floats32 | None = None) -> Floats32:
        """One pass for player `me`; returns its values at the root. The opponent comes as its range says or as `given`."""
        worker, value = self._workers[0], np.zeros_like(self.root_weights[me])
        reach = self.root_weights[1 - me] if given is None else given
        if len(self.streets) == 1:
            ranges = (self.root_weights[0], reach) if me == 0 else (reach, self.root_weights[1])
            return worker.single(mode, (me,), np.array([weights], dtype=np.float32), ranges)[me]
        self._board(0, 0, mode, me, weights, reach, value)
        return value

    def _board(
        self, depth: int, board: int, mode: int, me: int, weights: Any, reach: Floats32, value: Floats32
    ) -> None:
        """One board with everything under it: my values are added to those of the boards before."""
        if depth == self._shared.top:
            factors = np.array([weights], dtype=np.float32)
            self._shared.run(board, mode, (me, me), factors, (reach, reach), (value, value))
            return
        worker = self._workers[0]
        worker.street_down(depth, board, mode, me, weights.keep, reach, worker.nothing)
        under, following = worker.next_value[depth][me], worker.next_reach[depth][1 - me]
        under[:] = 0.0
        for child in range(*self.streets[depth].boards.first_child[board : board + 2].tolist()):
            self._board(depth + 1, child, mode, me, weights, following, under)
        worker.symmetrise(depth, board, me)
        worker.street_up(depth, board, mode, me, weights, value, worker.nothing)

    def _below(self, mode: int, me: int, weights: Any) -> Floats32:
        """My values where cards come on the first street, from the opponent's reach that the worker has brought down there."""
        worker = self._workers[0]
        reach = worker.next_reach[0][1 - me]
        if self._shared.top == 0:
            return self._shared.below(mode, me, weights, reach)
        value = np.zeros_like(worker.next_value[0][me])
        for board in range(len(self.streets[1].boards.cards)):
            self._board(1, board, mode, me, weights, reach, value)
        return value

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The live tables by name; `restore` copies into them."""
        out: dict[str, npt.NDArray[Any]] = {"iteration": np.array([self.iteration])}
        for depth, street in enumerate(self.streets):
            for p, tables in enumerate(street.tables):
                for name in table_names(self.bits, tables.predictive, self.apart):
                    out[f"{name}.{depth}.{p}"] = getattr(tables, name)
        return out

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for name, array in self.state().items():
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has the shape {state[name].shape} instead of {array.shape}")
            if name != "iteration":
                array[:] = state[name]
        self.iteration = int(state["iteration"][0])
