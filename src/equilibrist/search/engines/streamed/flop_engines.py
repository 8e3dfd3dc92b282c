"""Flops that have nothing in common as one engine with tables to read and replace: one by one on the CPU, or at once on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from equilibrist.compute.threads import share_out
from equilibrist.compute.workers import ThreadWorkers
from equilibrist.core.arrays import Floats, Floats32
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, deal_boards
from equilibrist.search.engines.boards import board_engine
from equilibrist.search.gadget_run import GadgetRun
from equilibrist.search.gadgets import Gadget, GadgetInputs
from equilibrist.solvers.cfr.schedules import Schedule, factors_of
from equilibrist.solvers.postflop.gpu.device_boards import DeviceBoards, boards_apart, in_forest_order
from equilibrist.solvers.postflop.gpu.device_cfr import DeviceCFR
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

SINGLE = 2e-6  # relative rounding of sums in single precision


class HostBoards:
    """Vectors are those of all boards, board by board and root by root."""

    simultaneous = False
    precision = SINGLE
    xp: Any = np

    def __init__(
        self, forest: StreetForest, boards: StreetBoards, deal: Deal, schedule: Schedule, threads: int = 1
    ) -> None:
        """`boards` of the street, all with equally many hands; `deal` of the whole game."""
        self.forest, self.schedule, self.workers = forest, schedule, ThreadWorkers(threads)
        self.runs = [self._run(deal, cards) for cards in boards.cards]
        self.spans = [range(*span) for span in share_out(np.arange(len(self.runs) + 1), threads)]

    def _run(self, deal: Deal, cards: tuple[int, ...]) -> BoardCFR:
        here = Deal(deal.deck, deal.hole, (cards,), ())
        everybody = [np.ones(len(here.hands))] * 2
        return BoardCFR([self.forest], here, everybody, self.schedule, boards=deal_boards(here, everybody))

    @property
    def iteration(self) -> int:
        return self.runs[0].iteration

    @iteration.setter
    def iteration(self, t: int) -> None:
        for run in self.runs:
            run.iteration = t

    def keep(self, t: int) -> float:
        return float(factors_of(self.schedule, np.array([float(t)])).keep[0])

    def clear(self) -> None:
        """Forget everything that was learned."""
        for run in self.runs:
            for tables in run.streets[0].tables:
                tables.regret[:] = 0.0
                tables.average[:] = 0.0
        self.iteration = 0

    def learn(self, player: int, reach: Floats) -> Floats:
        return self._each(lambda run, part: run.learn(player, part), reach)

    def values(self, player: int, *, respond: bool = False, reach: Floats | None = None) -> Floats:
        assert reach is not None, "boards that have nothing in common are reached with weights that the caller knows"
        return self._each(lambda run, part: run.values(player, respond=respond, reach=part), reach)

    def _each(self, work: Callable[[BoardCFR, Floats], Floats], reach: Floats) -> Floats:
        parts = reach.reshape(len(self.runs), -1)
        return self._shared(lambda board: work(self.runs[board], parts[board]))

    def _shared(self, work: Callable[[int], Floats]) -> Floats:
        """Vectors of all boards, one span of boards for each thread."""
        spans = self.workers.map(lambda span: [work(board) for board in span], self.spans)
        return np.concatenate([found for span in spans for found in span])

    def table(self, name: str, player: int) -> Floats32:
        """[board, slot, place] a copy of a player's regrets or averages."""
        out = []
        for run in self.runs:
            street = run.streets[0]
            out.append(_by_slot(getattr(street.tables[player], name), street.shape(player)))
        return np.concatenate(out)

    def put(self, name: str, player: int, table: Floats32) -> None:
        """Replace a player's regrets or averages by those of `table` [board, slot, place]."""
        for run, rows in zip(self.runs, table, strict=True):
            street = run.streets[0]
            _, blocks, slots, size = street.shape(player)
            held = getattr(street.tables[player], name)
            held[:] = np.moveaxis(rows.reshape(slots, blocks, size), 1, 0).ravel()

    def search(self, searcher: int, gadget: Gadget, inputs: GadgetInputs, held: Floats, iterations: int) -> Floats:
        """Solve all boards again; the counterfactual values of the opponent's best response."""
        self.clear()
        number = len(self.runs)
        parts = {name: getattr(inputs, name).reshape(number, -1) for name in ("mass", "reach", "alternative")}
        group, ranges = inputs.group.reshape(number, -1), held.reshape(number, -1)

        def work(board: int) -> Floats:
            here = GadgetInputs(group=group[board] - group[board].min(), **{k: v[board] for k, v in parts.items()})
            run = GadgetRun(board_engine(self.runs[board]), searcher, gadget, here, ranges[board])
            run.advance(iterations)
            found: Floats = run.answer()
            return found

        return self._shared(work)


def _by_slot(table: Floats32, shape: tuple[int, int, int, int]) -> Floats32:
    """[board, slot, place] from [board, block, slot, hand of the block]."""
    boards, blocks, slots, size = shape
    return np.moveaxis(table.reshape(shape), 1, 2).reshape(boards, slots, blocks * size)


class GpuFlops(DeviceBoards):
    """All flops on the device, searched in one run."""

    def search(self, searcher: int, gadget: Gadget, inputs: GadgetInputs, held: Any, iterations: int) -> Any:
        """As on the CPU."""
        self.clear()
        run = GadgetRun(self, searcher, gadget, inputs, held)
        run.advance(iterations)
        return run.answer()


def flop_engine(
    forest: StreetForest, boards: StreetBoards, deal: Deal, schedule: Schedule, *, gpu: bool, threads: int = 1
) -> HostBoards | GpuFlops:
    """All boards of a street, each by itself."""
    if not gpu:
        return HostBoards(forest, boards, deal, schedule, threads)
    return GpuFlops(forest, boards_apart(boards, range(len(boards.cards))), deal.deck.size, schedule)


def flop_averages(run: BoardCFR, player: int) -> Any:
    """[board, slot, place] what a run of two streets has added up on the second, where its tables are."""
    if isinstance(run, DeviceCFR):
        return in_forest_order(run.passes.streets[1], "average", player)
    street = run.streets[1]
    return _by_slot(street.tables[player].average, street.shape(player))
