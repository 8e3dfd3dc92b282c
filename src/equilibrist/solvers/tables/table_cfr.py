"""Vector CFR at a table: every seat plays all 169 classes at once, and learns from what the others' reaches make of the ends.

One seat after the other learns in an iteration. What a seat meets is one matrix product per seat: the reaches of all its actions times
card removal, and times the parts of it in which the other hand wins or ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.cards.allins.classes import CLASSES, combinations
from equilibrist.cards.allins.pairs import pair_outcomes, removal
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.tables.flop_leaves import REALISED
from equilibrist.games.tables.payoffs import weak_orders
from equilibrist.games.tables.realised_equity import pair_effects
from equilibrist.games.tables.table import THREE_BY_TABLE
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors
from equilibrist.solvers.seat_evaluation import SeatEvaluation
from equilibrist.solvers.tables._kernels.bunching import Decisions, Matrices, bunched_values
from equilibrist.solvers.tables._kernels.effects import Pairs, add_effects
from equilibrist.solvers.tables._kernels.ends import Ends, Reaches, ThreeHands, end_values, meet_rows
from equilibrist.solvers.tables._kernels.passes import learn_up, match_regrets, normalise, play_down, respond_up
from equilibrist.solvers.tables.showdowns.several_hands import several_hands
from equilibrist.solvers.tables.showdowns.three_hands import CUBE_BYTES, ThreeWayEnds, no_table

ENDS_AT_ONCE, ROWS_AT_ONCE = 64, 32  # that are worth a thread
FIRST_LOOK, LOOK_GROWTH = 8, 1.5  # iterations at which three hands are looked up in their table
# how a hand stands to two others (own rank, theirs), in the order of `_product_value`
_STANDINGS = (
    (0, 1, 2), (0, 1, 1), (0, 2, 1), (2, 0, 1), (1, 0, 0), (2, 1, 0), (1, 2, 0), (1, 0, 2), (0, 0, 1), (1, 1, 0), (0, 1, 0), (1, 0, 1),
    (0, 0, 0),
)  # fmt: skip


class PotsOnFlops(Protocol):
    """Pots of two players that go on on flops, in the iterations of the table (`FlopRuns`, on a GPU `DeviceFlopRuns`)."""

    @property
    def memory_bytes(self) -> int: ...
    def learn(self, seat: int, iteration: int, reach: Floats, met: Floats, out: Floats) -> None: ...
    def measure(self, seat: int, reach: Floats, met: Floats, value: Floats, best: Floats) -> None: ...
    def count(self, iteration: int) -> None: ...
    def state(self) -> dict[str, npt.NDArray[Any]]: ...
    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None: ...


class TableRun:
    """CFR at work on one table."""

    first_check = 8
    check_growth = 1.25

    def __init__(
        self, tree: TableTree, schedule: Schedule, *, threads: int = 1, flops: PotsOnFlops | None = None
    ) -> None:
        self.tree, self.schedule, self.iteration, self.flops = tree, schedule, 0, flops
        self.team = Team(threads)
        shape = (tree.slot_count, CLASSES)
        self.strategy, self.regret, self.total = (np.zeros(shape) for _ in range(3))
        self._lock, self._fixed, self._free = tree.locks
        self._ends = EndValues(tree, self.team)
        self._values, self._best = np.empty((2, tree.decisions, CLASSES))
        self._next_look = FIRST_LOOK
        for seat in range(tree.table.seats):
            self._match(seat)

    @property
    def memory_bytes(self) -> int:
        return tree_bytes(self.tree) + (0 if self.flops is None else self.flops.memory_bytes)

    def advance(self, iterations: int) -> None:
        """Every seat learns once an iteration."""
        tree = self.tree
        factors = discount_factors(self.schedule, self.iteration, iterations)
        for seat in range(tree.table.seats):
            self._ends.play(seat, self.strategy)
        for step in range(iterations):
            if self._ends.three is not None and self.iteration >= self._next_look:
                self._look()
            for seat in range(tree.table.seats):
                ends = self._ends.of(seat)
                if self.flops is not None:
                    self.flops.learn(seat, self.iteration, self._ends.reach, self._ends.met, ends)
                learn_up(
                    seat, tree.seat, tree.first, tree.slots, tree.children, tree.before, self._lock, self._free, ends, self._ends.reach,
                    (self.strategy, self.regret, self.total), factors[step], self._values,
                )  # fmt: skip
                self._match(seat)
                self._ends.play(seat, self.strategy)
            self.iteration += 1
        if self.flops is not None:
            self.flops.count(self.iteration)

    def _look(self) -> None:
        """What three hands are worth against the average so far; learning keeps it until the next look."""
        average = self.average()
        for seat in range(self.tree.table.seats):
            self._ends.play(seat, average)
        self._ends.look()
        for seat in range(self.tree.table.seats):
            self._ends.play(seat, self.strategy)
        self._next_look = max(self._next_look + 1, int(self.iteration * LOOK_GROWTH))

    def _match(self, seat: int) -> None:
        tree = self.tree
        match_regrets(
            seat, tree.seat, tree.first, tree.slots, self._lock, self._fixed, self._free, self.regret, self.strategy
        )

    def average(self) -> Floats:
        """[slot, class] the answer so far."""
        out = np.empty_like(self.total)
        tree = self.tree
        normalise(tree.first, tree.slots, self._lock, self._fixed, self._free, self.total, out)
        return out

    def evaluate(self) -> SeatEvaluation:
        """Values of the average and of every seat's best response to it."""
        return self.measure(self.average())

    def measure(self, strategy: Floats) -> SeatEvaluation:
        """The same of any strategy [slot, class]."""
        tree, value, best = self.tree, [], []
        for seat in range(tree.table.seats):
            self._ends.play(seat, strategy)
        kept = self._ends.known
        if self._ends.three is not None:
            self._ends.look()
        for seat in range(tree.table.seats):
            ends = self._ends.of(seat)
            best_ends = ends if self.flops is None else ends.copy()
            if self.flops is not None:
                self.flops.measure(seat, self._ends.reach, self._ends.met, ends, best_ends)
            respond_up(
                seat, tree.seat, tree.first, tree.slots, tree.children, self._lock, self._fixed, self._free, ends, best_ends,
                strategy, self._values, self._best,
            )  # fmt: skip
            prior = self._ends.prior(seat)
            value.append(float(prior @ self._values[0]))
            best.append(float(prior @ self._best[0]))
        self._ends.known = kept
        return SeatEvaluation(tuple(value), tuple(best))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        out = {"iteration": np.array([self.iteration]), "regret": self.regret.copy(), "total": self.total.copy()}
        if len(self._ends.known.worth):
            out |= {
                "next_look": np.array([self._next_look]),
                "worth": self._ends.known.worth,
                "seen": self._ends.known.shares,
            }
        return out if self.flops is None else out | self.flops.state()

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for name in ("regret", "total"):
            mine, found = getattr(self, name), state[name]
            if found.shape != mine.shape:
                raise ValueError(f"{name} has {found.size} entries instead of {mine.size}")
            mine[:] = found
        if (self.total < 0.0).any():
            raise ValueError("averages are not negative")
        self.iteration = int(state["iteration"][0])
        if self._ends.three is not None and "worth" in state:
            count = len(self._ends.three.numbers)
            if state["worth"].shape != (count, 3, CLASSES) or state["seen"].shape != (count, 13):
                raise ValueError("what three hands are worth does not fit this table")
            self._next_look = int(state["next_look"][0])
            self._ends.known = ThreeHands(self._ends.three.place, state["worth"].copy(), state["seen"].copy())
        if self.flops is not None:
            self.flops.restore(state)
        for seat in range(self.tree.table.seats):
            self._match(seat)


class EndValues:
    """What the ends of a table are worth to each seat, given what all have played."""

    def __init__(self, tree: TableTree, team: Team) -> None:
        self.tree, self.team = tree, team
        rows, seats = tree.slot_count + tree.table.seats, tree.table.seats
        outcomes, meets = pair_outcomes(), removal()
        # [other's class, own class]: what is met, won by the own hand, tied
        self._matrices = [np.ascontiguousarray(m.T) for m in (meets, meets * outcomes.win, meets * outcomes.tie)]
        self.reach, self.met, self.won, self.tied = np.zeros((4, rows, CLASSES))
        self._combinations = combinations().astype(np.float64)
        self._orders = standings_of_three()
        self._out = np.empty((tree.ends, CLASSES))
        self._tree_ends = Ends(tree.rows, tree.staying, tree.first_pay, tree.pays, several_hands(tree))
        self._reaches = Reaches(self.reach, self.met, self.won, self.tied)
        wanted = tree.table.three_way == THREE_BY_TABLE and (tree.showing == 3).any()
        self.three = ThreeWayEnds(self._tree_ends, shared=not tree.table.bunching) if wanted else None
        self.known: ThreeHands = no_table(tree.ends)
        self.chance = np.zeros(
            (tree.decisions if tree.table.bunching else 0, CLASSES)
        )  # that the others come to a decision
        self._played: Floats = np.zeros((0, CLASSES))
        self._pairs = realised_pairs(tree) if tree.table.leaves == REALISED else None
        for seat in range(seats):
            self.reach[tree.slot_count + seat] = tree.table.weights(seat)
        self._products(tree.slot_count, rows, rows)

    def prior(self, seat: int) -> Floats:
        """[class] what values are weighted with: how likely each class is; that the others hold hands at all is in the values."""
        tree = self.tree
        weight = self._combinations * self.reach[tree.slot_count + seat]
        met = np.ones(CLASSES)
        for other in range(tree.table.seats):
            if other != seat:
                met = met * self.met[tree.slot_count + other]
        share: Floats = weight / (weight @ met)
        return share

    def look(self) -> None:
        """Three hands by their table, given what all have played; products until this is first asked for."""
        assert self.three is not None, "asked for only where a table is used"
        self.known = self.three.look(self._beside_folds() if self.tree.table.bunching else self.reach)

    def _beside_folds(self) -> Floats:
        """[three x place, class] what hands that show have played, times the chance that the others have folded beside them."""
        assert self.three is not None, "as above"
        ends, tree = self.three.numbers, self.tree
        out = np.stack([self.reach[tree.rows[ends, tree.staying[ends, place]]] for place in range(3)], axis=1)
        for seat in range(tree.table.seats):
            folded = (tree.staying[ends] != seat).all(axis=1)
            out[folded] *= self.met[tree.rows[ends[folded], seat]][:, None]
        return out.reshape(-1, CLASSES)

    def meets(self, reach: Floats) -> Floats:
        """[class] chance to meet a seat that plays so much of each class."""
        met: Floats = reach @ self._matrices[0]
        return met

    def play(self, seat: int, strategy: Floats) -> None:
        """Take over what a seat plays."""
        tree = self.tree
        begin, folds, stop = tree.seat_slots[seat], tree.seat_folds[seat], tree.seat_slots[seat + 1]
        play_down(begin, stop, tree.before, strategy, self.reach)
        self._played = strategy
        self._products(begin, folds, stop)

    def _products(self, begin: int, folds: int, stop: int) -> None:
        """What rows meet; rows from `folds` on show no cards."""
        wanted = ((self.met, stop), (self.won, folds), (self.tied, folds))
        for matrix, (out, end) in zip(self._matrices, wanted, strict=True):
            self._shared(begin, end, ROWS_AT_ONCE, partial(self._meet, matrix, out))

    def _meet(self, matrix: Floats, out: Floats, begin: int, stop: int) -> None:
        meet_rows(begin, stop, self.reach, matrix, out)

    def _shared(self, begin: int, stop: int, least: int, job: Callable[[int, int], None]) -> None:
        """Rows in spans, shared by the threads."""
        parts = max(1, min(4 * self.team.threads, (stop - begin) // least)) if self.team.threads > 1 else 1
        cuts = [begin + (stop - begin) * part // parts for part in range(parts + 1)]
        self.team.run([partial(job, *cuts[part : part + 2]) for part in range(parts)])

    def of(self, seat: int) -> Floats:
        """[end, class] for a seat; the same array every time."""
        if self.tree.table.bunching:
            self._with_bunching(seat)
            return self._out
        self._shared(0, self.tree.ends, ENDS_AT_ONCE, partial(self._span, seat))
        if self._pairs is not None:
            add_effects(seat, self._pairs, self.tree.rows, self.reach, self.met, self._matrices[0], self._out)
        return self._out

    def _with_bunching(self, seat: int) -> None:
        decisions = self.tree.seat, self.tree.first, self.tree.slots, self.tree.children, self.tree.decision_rows
        bunched_values(
            seat, Decisions(*decisions), self._tree_ends, self._reaches, self._played, self.known, self._combinations, self._orders,
            Matrices(*self._matrices), self.chance, self._out,
        )  # fmt: skip

    def _span(self, seat: int, begin: int, stop: int) -> None:
        end_values(
            seat, begin, stop, self._tree_ends, self._reaches, self.known, self._combinations, self._orders, self._out
        )


def realised_pairs(tree: TableTree) -> Pairs:
    """Pairs of seats that see flops, and what classes of hands win there beyond their equity, in big blinds."""
    found = [(end, pair) for end, here in tree.played_ends.items() for pair in pair_effects(here)]
    effects = [pair.chips / tree.table.big_blind * np.stack([pair.alpha, pair.beta]) for _, pair in found]
    return Pairs(
        np.array([end for end, _ in found], np.int64),
        np.array([pair.seats for _, pair in found], np.int64).reshape(-1, 2),
        np.array(effects).reshape(-1, 2, CLASSES),
    )


def standings_of_three() -> Longs:
    """[place, standing] number of each weak order of three hands, seen by the hand in a place."""
    found = {order: number for number, order in enumerate(weak_orders(3))}
    seen = [
        [(own, j, k) for own, j, k in _STANDINGS],
        [(j, own, k) for own, j, k in _STANDINGS],
        [(j, k, own) for own, j, k in _STANDINGS],
    ]
    return np.array([[found[order] for order in place] for place in seen])


def tree_bytes(tree: TableTree) -> int:
    """Memory that solving takes, from sizes alone."""
    slots, three = tree.slot_count, int((tree.showing == 3).sum())
    rows = 4 * slots + 4 * (slots + tree.table.seats) + (3 if tree.table.bunching else 2) * tree.decisions + tree.ends
    by_table = CUBE_BYTES + 8 * 3 * CLASSES * three if three and tree.table.three_way == THREE_BY_TABLE else 0
    able = [sum(end.behind[seat] > 0.0 for seat in end.staying) for end in tree.played_ends.values()]
    pairs = sum(math.comb(seats, 2) for seats in able)
    effects = 8 * (2 * CLASSES + 3) * pairs if tree.table.leaves == REALISED else 0
    return 8 * CLASSES * rows + by_table + effects
