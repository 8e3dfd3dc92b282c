"""Monte Carlo CFR on boards: external or outcome sampling over hands and cards, measured by the exact solver ([Brown20, §3.1.5]).

Where the vector solver walks all hands at once, a walk here holds two hands. It is slower to a good answer on spots of
ordinary size; it is how blueprints are trained, and what the text compares discounts on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.compiled_spot import CompiledSpot, compile_spot
from equilibrist.forms.boards.street_betting import DEAL, StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.matching import in_proportion
from equilibrist.solvers.cfr.schedules import VANILLA
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.mccfr._kernels.sampling import match_all
from equilibrist.solvers.mccfr._kernels.spot_sampling import SpotWalk, sample_spot, sample_spot_outcomes
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.mccfr.period_discounts import NO_LIMIT, PeriodDiscounts
from equilibrist.solvers.mccfr.run import EXPLORATION
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


class BoardMCCFR:
    """Sampling on boards: tables [board, hand, slot] of each street and player, in rows of three.

    `exact` lends its boards, which must not be merged by suit, so that a dealt card names one, and takes averages to measure them.
    """

    def __init__(self, exact: BoardCFR, settings: MCCFR, seed: int = 0) -> None:
        self.settings, self.iteration, self.exact = settings, 0, exact
        if settings.sampling not in ("external", "outcome") or settings.traversals != 1:
            raise NotApplicableError(
                "Spots and boards are sampled externally, by outcomes or by public chance, one walk per player; use es-mccfr, os-mccfr "
                "or pcs-mccfr, without 'traversals'."
            )
        if exact.isomorphism or any(tables.locked for street in exact.streets for tables in street.tables):
            raise NotApplicableError("Walks need every board by itself and nobody locked; sample without locks.")
        self.discounts = PeriodDiscounts(settings.weighting, settings.period)
        self.forests = forests = exact.forests
        self._boards = [street.boards for street in exact.streets]
        self._lay_out(forests)
        self.random = random_state(seed)
        self._walk = self._walks(forests)
        match_all(self.rows, self.table)

    def _lay_out(self, forests: Sequence[StreetForest]) -> None:
        """Where each hand's rows begin, and which entries are strategies."""
        pages, begin, boards_before = [], 0, 0
        rows: list[npt.NDArray[np.int64]] = []
        self._begin: list[int] = []
        for forest, boards in zip(forests, self._boards, strict=True):
            for p in range(2):
                places, slots = boards.player[p].places, forest.slots[p]
                # counted from the very first board, since boards of all streets are numbered together
                pages.append((begin - 3 * boards_before * places * slots, places, slots))
                self._begin.append(begin)
                hands = begin + 3 * slots * np.arange(len(boards.cards) * places)
                own = np.flatnonzero(forest.kind == p)
                base = hands[:, None] + 3 * forest.slot[own]
                rows.append(np.stack([base, np.broadcast_to(forest.children[own], base.shape)], axis=2).reshape(-1, 2))
                begin += 3 * len(boards.cards) * places * slots
            boards_before += len(boards.cards)
        self.pages, self.table = np.array(pages, dtype=np.int64), np.zeros(begin)
        self.rows = np.concatenate(rows).astype(np.int32)
        self.kept = np.zeros(begin, dtype=np.bool_)
        for width in np.unique(self.rows[:, 1]):
            starts = self.rows[self.rows[:, 1] == width, 0]
            self.kept[(starts[:, None] + width + np.arange(width)).ravel()] = True

    def _walks(self, forests: Sequence[StreetForest]) -> SpotWalk:
        offset = np.cumsum([0, *(len(forest) for forest in forests)])
        nodes = []
        for street, forest in enumerate(forests):
            first = np.where(forest.kind == DEAL, forest.next_root + offset[min(street + 1, len(forests) - 1)],
                             forest.first_child + offset[street])  # fmt: skip
            nodes.append(
                np.stack([forest.kind, first, forest.children, forest.slot, np.full(len(forest), street)], axis=1)
            )
        amounts = np.concatenate([np.stack([forest.win, forest.lose, forest.tie], axis=1) for forest in forests])
        chance, other, live, count = _alias_tables(self.exact.weights)
        self.tally = np.array([0, *count], dtype=np.int64)
        depth = sum(len(forest.levels) for forest in forests) + 1
        widest = max(int(forest.children.max(initial=1)) for forest in forests)
        self._frames = np.zeros((depth, 3), dtype=np.int32), np.zeros((depth, widest))
        where = _places(self._boards, len(self.exact.deal.hands))
        return SpotWalk(
            nodes=np.concatenate(nodes).astype(np.int32),
            folder=np.concatenate([forest.folder for forest in forests]).astype(np.int32),
            amounts=np.ascontiguousarray(amounts),
            pages=self.pages,
            where=where,
            strength=_strengths(self._boards[-1], where.shape[1]),
            dealt=_dealt(self._boards),
            cards=_cards(self.exact.deal),
            chance=chance,
            other=other,
            live=live,
        )

    @property
    def nodes_touched(self) -> int:
        return int(self.tally[0])

    def advance(self, iterations: int, nodes: int = NO_LIMIT) -> None:
        """Work on, up to the iteration that reaches so many nodes touched in all."""
        while iterations > 0 and self.nodes_touched < nodes:
            with np.errstate(over="ignore"):
                limit = min(self.discounts.limit, nodes)
                done = self._sample(iterations, limit)
            self.iteration += int(done)
            iterations -= int(done)
            self._discount()

    def _sample(self, iterations: int, limit: int) -> int:
        tables = (self.table, self.random, self.tally, *self._frames)
        if self.settings.sampling == "external":
            return int(sample_spot(self._walk, iterations, limit, *tables))
        exploration = EXPLORATION if self.settings.exploration is None else self.settings.exploration
        return int(sample_spot_outcomes(self._walk, iterations, limit, exploration, *tables))

    def _discount(self) -> None:
        """Multiply regrets and averages for each period that has ended; strategies stay as they are."""
        factor = self.discounts.factor(self.nodes_touched)
        if factor != 1.0:
            self.table *= np.where(self.kept, 1.0, factor)

    def advance_nodes(self, nodes: int) -> None:
        """Work on to the end of the iteration in which the walks have touched so many nodes in all."""
        while self.nodes_touched < nodes:
            self.advance(1 << 30, nodes)

    def exploitability(self) -> float:
        """Of the averages, by exact best responses, in chips."""
        return self.settle().exploitability()

    def settle(self) -> BoardCFR:
        """The exact solver with the averages found so far."""
        for depth, (street, forest) in enumerate(zip(self.exact.streets, self.forests, strict=True)):
            for p in range(2):
                boards, blocks, slots, size = street.shape(p)
                average = self._average(depth, p, forest).reshape(boards, blocks, size, slots)
                street.tables[p].average[:] = np.ascontiguousarray(average.transpose(0, 1, 3, 2)).ravel()
        return self.exact

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything needed to go on later."""
        return {
            "iteration": np.array([self.iteration]),
            "table": self.table.copy(),
            "random": self.random.copy(),
            "tally": self.tally.copy(),
            "periods": np.array([self.discounts.number]),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for name, array in (("table", self.table), ("random", self.random), ("tally", self.tally)):
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has {state[name].size} entries instead of {array.size}")
            array[:] = state[name]
        self.iteration, self.discounts.number = int(state["iteration"][0]), int(state["periods"][0])

    def _average(self, depth: int, player: int, forest: StreetForest) -> npt.NDArray[np.float32]:
        """[board, place, slot] average strategies; uniform where nobody has been."""
        begin, (_, places, slots) = self._begin[2 * depth + player], self.pages[2 * depth + player].tolist()
        boards = len(self._boards[depth].cards)
        rows = self.table[begin : begin + 3 * boards * places * slots].reshape(boards, places, 3 * slots)
        out = np.zeros((boards, places, slots), dtype=np.float32)
        for node in np.flatnonzero(forest.kind == player):
            first, n = int(forest.slot[node]), int(forest.children[node])
            sums = rows[:, :, 3 * first + 2 * n : 3 * first + 3 * n]
            out[:, :, first : first + n] = in_proportion(sums, sums.sum(axis=2, keepdims=True), 1.0 / n)
        return out


class SpotMCCFR(BoardMCCFR):
    """Sampling on a spot, with an exact solver of its own."""

    def __init__(self, spot: Spot | CompiledSpot, settings: MCCFR | None = None, seed: int = 0) -> None:
        here = compile_spot(spot, isomorphism=False)
        super().__init__(BoardCFR.on_spot(here, VANILLA), settings or MCCFR(), seed)


def _cards(deal: Deal) -> Ints:
    """[hand, 2] the cards of every hand; those of one card have it twice."""
    return np.ascontiguousarray(deal.hands[:, [0, -1]], dtype=np.int32)


def _alias_tables(weights: Sequence[Floats]) -> tuple[Floats, Ints, Ints, list[int]]:
    """For each player the hands with weight, and cells to draw them from in one step (Walker's method)."""
    live = [np.flatnonzero(w > 0.0) for w in weights]
    count = [len(hands) for hands in live]
    chance, other = np.ones((2, max(count))), np.zeros((2, max(count)), dtype=np.int32)
    hands = np.zeros((2, max(count)), dtype=np.int32)
    for p in range(2):
        hands[p, : count[p]] = live[p]
        share = weights[p][live[p]] / weights[p].sum() * count[p]
        small = [i for i in range(count[p]) if share[i] < 1.0]
        large = [i for i in range(count[p]) if share[i] >= 1.0]
        while small and large:
            i, j = small.pop(), large[-1]
            chance[p, i], other[p, i] = share[i], j
            share[j] -= 1.0 - share[i]
            if share[j] < 1.0:
                small.append(large.pop())
    return chance, other, hands, count


def _places(streets: Sequence[StreetBoards], hands: int) -> Ints:
    """[player, board, hand]: place of a hand on a board, boards of all streets one after the other."""
    out = np.full((2, sum(len(boards.cards) for boards in streets), hands), -1, dtype=np.int32)
    first = 0
    for boards in streets:
        for p, own in enumerate(boards.player):
            for b in range(len(boards.cards)):
                pairs = own.pair[b, : own.count[b]]
                out[p, first + b, pairs] = np.arange(len(pairs))
        first += len(boards.cards)
    return out


def _strengths(river: StreetBoards, boards: int) -> Ints:
    """[player, board, place]: group of equal strength, on the river's boards, which come last."""
    out = np.zeros((2, boards, max(own.places for own in river.player)), dtype=np.int32)
    first = boards - len(river.cards)
    for b in range(len(river.cards)):
        groups = river.groups[river.group_start[b] : river.group_start[b + 1]]
        for p, own in enumerate(river.player):
            out[p, first + b, : own.count[b]] = np.searchsorted(groups[:, p], np.arange(own.count[b]), side="right")
    return out


def _dealt(streets: Sequence[StreetBoards]) -> Ints:
    """[board + 1]: the first of the boards that follow each one, boards of all streets one after the other."""
    first = np.cumsum([0, *(len(boards.cards) for boards in streets)])
    following = [first[street + 1] + boards.first_child[:-1] for street, boards in enumerate(streets)]
    return np.concatenate([*following, first[-1:]]).astype(np.int32)
