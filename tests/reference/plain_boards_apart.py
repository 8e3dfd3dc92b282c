"""Boards that have nothing in common, as `DeviceBoards` has them in one call: a run of the CPU for each, or plain programs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards, deal_boards
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors, factors_of
from equilibrist.solvers.postflop.gpu.device_boards import boards_apart
from equilibrist.solvers.postflop.tables import make_street
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from reference.plain_program import LEARN, RESPOND, VALUE, PlainRun


class PlainBoards:
    """Vectors are those of all boards, board by board and root by root."""

    simultaneous = False
    precision = 2e-6

    def __init__(self, trunk: Trunk, boards: range, schedule: Schedule, xp: Any = np) -> None:
        self.trunk, self.boards, self.schedule, self.xp = trunk, boards, schedule, xp
        self.clear()

    def clear(self) -> None:
        self.runs = [self._run(board) for board in self.boards]

    def _run(self, board: int) -> BoardCFR:
        whole = self.trunk.abstract
        deal = Deal(whole.deal.deck, whole.deal.hole, (whole.last_boards.cards[board],), ())
        everybody = [np.ones(len(deal.hands))] * 2
        return BoardCFR([whole.last], deal, everybody, self.schedule, boards=deal_boards(deal, everybody))

    @property
    def iteration(self) -> int:
        return self.runs[0].iteration

    @iteration.setter
    def iteration(self, t: int) -> None:
        for run in self.runs:
            run.iteration = t

    def keep(self, t: int) -> float:
        return float(factors_of(self.schedule, np.array([float(t)])).keep[0])

    def learn(self, player: int, reach: Any) -> Any:
        parts = np.split(np.asarray(reach), len(self.runs))
        return np.concatenate([run.learn(player, part) for run, part in zip(self.runs, parts, strict=True)])

    def values(self, player: int, *, respond: bool = False, reach: Any = None) -> Any:
        parts = np.split(np.asarray(reach), len(self.runs))
        found = [run.values(player, respond=respond, reach=part) for run, part in zip(self.runs, parts, strict=True)]
        return np.concatenate(found)

    def play(self, player: int, rows: Floats, bucket: Ints) -> None:
        for run, here in zip(self.runs, bucket, strict=True):
            street = run.streets[0]
            _, blocks, slots, size = street.shape(player)
            by_hand = rows[:, here].reshape(slots, blocks, size)
            street.tables[player].average[:] = np.moveaxis(by_hand, 1, 0).ravel()


class ProgramEngine:
    """Any boards of one street by the programs and tables that a GPU follows, in double precision."""

    simultaneous = False
    precision = 2e-6
    xp: Any = np

    def __init__(
        self, forest: StreetForest, boards: StreetBoards, cards: int, schedule: Schedule, predictive: bool = False
    ) -> None:
        self.forest, self.boards, self.schedule = forest, boards, schedule
        street = make_street(forest, boards, 1.0, cards, predictive, 32)
        self.run = PlainRun(SimpleNamespace(streets=[street], forests=[forest], schedule=schedule))
        self.street, self.iteration = self.run.streets[0], 0

    def clear(self) -> None:
        for tables in self.street.tables:
            for table in tables.whole.values():
                table[:] = 0.0
        self.iteration = 0

    def keep(self, t: int) -> float:
        return float(factors_of(self.schedule, np.array([float(t)])).keep[0])

    def learn(self, player: int, reach: Any) -> Any:
        return self._pass(LEARN, player, reach, discount_factors(self.schedule, self.iteration)[0].tolist())

    def values(self, player: int, *, respond: bool = False, reach: Any = None) -> Any:
        return self._pass(RESPOND if respond else VALUE, player, reach, (1.0, 1.0, 1.0))

    def _pass(self, mode: int, me: int, reach: Any, weights: Any) -> Floats:
        them, roots, out = 1 - me, self.forest.roots, list[Floats]()
        counts = [own.count.tolist() for own in self.boards.player]
        parts = np.split(np.asarray(reach), np.cumsum([roots * count for count in counts[them]])[:-1])
        for b, given in enumerate(parts):
            above = np.zeros((roots, self.street.places[them] + 1))
            above[:, : counts[them][b]] = given.reshape(roots, -1)
            out.append(self.run._board(0, b, mode, me, weights, above)[:, : counts[me][b]].ravel())
        return np.concatenate(out)

    def table(self, name: str, player: int) -> Floats:
        """[board, slot, place] slots as in the forest."""
        tables = self.street.tables[player]
        out = np.zeros_like(tables.whole[name])
        out[:, tables.order] = tables.whole[name]
        return out


class ProgramBoards(ProgramEngine):
    """Those of a trunk's game."""

    def __init__(self, trunk: Trunk, boards: range, schedule: Schedule) -> None:
        whole = trunk.abstract
        super().__init__(whole.last, boards_apart(whole.last_boards, boards), whole.deal.deck.size, schedule)

    def play(self, player: int, rows: Floats, bucket: Ints) -> None:
        table, places = self.street.average[player], self.street.places[player]
        at = np.zeros((len(bucket), places), dtype=np.int64)
        kept = min(places, bucket.shape[1])
        at[:, :kept] = bucket[:, :kept]
        table[:] = rows[self.street.program[0].slots[player]][:, at].transpose(1, 0, 2)
