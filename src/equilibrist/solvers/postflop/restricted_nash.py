"""Restricted Nash on boards: in a share of the hands one player follows a model, drawn in secret before the hand ([JZB07]).

The other player meets p times the model's reach and 1 - p times that of the free hands; only free hands learn. Exploitability is that
of this restricted game, in which the bound player chooses nothing in a share p of the hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.compute.lanes import aligned
from equilibrist.core.arrays import Floats, Floats32
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.solution import Evaluation, sound_evaluation
from equilibrist.forms.boards.compiled_spot import CompiledSpot, compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.board_runs import DealtBoards
from equilibrist.solvers.postflop.double_precision.exact_modelled import ExactModelled
from equilibrist.solvers.postflop.double_precision.exact_passes import ExactPasses
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.locks.locked_nodes import bind
from equilibrist.solvers.postflop.solve_spot import DEFAULT_SPOT_SOLVER, spot_solver
from equilibrist.solvers.postflop.tables import Street
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


@dataclass(frozen=True)
class BoardModel:
    """A strategy of one player for a whole spot: its tables by street, [board, block, slot, hand] flat."""

    player: int
    tables: tuple[Floats32, ...]
    isomorphism: bool  # the boards it is written for
    by_street: bool = False  # how they are merged, as of `Deal.holdem`

    @classmethod
    def of_run(cls, run: BoardCFR, player: int) -> BoardModel:
        """What a run's average strategy does, with its locks."""
        tables = tuple(_played(street, player) for street in run.streets)
        return cls(player, tables, run.isomorphism, run.deal.by_street)

    def on_its_boards(self, spot: Spot | CompiledSpot) -> CompiledSpot:
        """A spot without locks whose boards are those that the model is written for."""
        here = compile_spot(spot, isomorphism=self.isomorphism)
        return here.dealt_by_street(self.by_street and len(here.spot.board) > 3).with_locks(())


def _played(street: Street, player: int) -> Floats32:
    """What every hand does on one street."""
    boards, blocks, slots, size = street.shape(player)
    tables, nodes = street.tables[player], len(street.forest.kind)
    out: Floats32 = aligned(boards * blocks * slots * size)
    view = out.reshape(boards, blocks, slots, size)
    for board in range(boards):
        rows = street.strategies(board, player)
        for node in np.flatnonzero(street.forest.kind == player) if tables.locked else ():
            part = slice(first := int(street.forest.slot[node]), first + int(street.forest.children[node]))
            rows[part] = bind(tables, board, int(node), nodes, rows[part])
        view[board] = np.moveaxis(rows.reshape(slots, blocks, size), 1, 0)
    return out


class ModelledBoards(BoardCFR):
    """A run on any boards in which `model.player` follows the model with probability `share`, once drawn for the whole hand."""

    def __init__(self, solver: CFR, model: BoardModel, share: float, *, threads: int = 1, **parts: Any) -> None:
        """`parts` as `BoardCFR` names what it is made of."""
        if not 0.0 <= share <= 1.0:
            raise ParameterError(f"The share p of hands that follow the model is from 0 to 1, but {share} was given.")
        self.bound, self.share, self._model = model.player, share, model.tables
        super().__init__(
            schedule=solver.schedule, predictive=solver.minimiser != "rm", threads=threads, **(parts | {"locks": ()})
        )

    def _bind(self) -> None:
        self._follow(self._model)
        whole = self.root_weights[self.bound]
        self._parts = [self._split(free * whole, held * whole) for free, held in ((1.0, 0.0), (0.0, 1.0))]
        self.root_weights[self.bound] = self._split((1.0 - self.share) * whole, self.share * whole)

    def _follow(self, model: Sequence[Floats32]) -> None:
        """Put the model into the tables of the bound player."""
        for street, table in zip(self.streets, model, strict=True):
            tables: list[Any] = list(street.tables)
            if tables[self.bound].average.shape != table.shape:
                raise ParameterError("The model was made for another spot: its tables do not fit.")
            tables[self.bound] = tables[self.bound]._replace(shared=True, model=table)
            street.tables = (tables[0], tables[1])

    @staticmethod
    def _split(free: Floats32, held: Floats32) -> Floats32:
        return np.concatenate([free, held]).astype(np.float32)

    @property
    def responder(self) -> int:
        return 1 - self.bound

    def payoff(self) -> float:
        """What the responder's average strategy gets from the model, net of half the pot."""
        return self._against(self._parts[1])

    def _against(self, reach: Floats32) -> float:
        weights = kernels.Weights(*np.ones(3, dtype=np.float32))
        found = self._pass(kernels.VALUE, self.responder, weights, reach)
        return self._average(self.responder, self._at_root(self.responder, found))

    def _best_responses(self) -> tuple[float, float]:
        """Of the bound player's two parts only the free one responds; its weights at the root are those of that part."""
        best = list(super()._best_responses())
        best[self.bound] -= self.share * self.payoff()
        return best[0], best[1]

    @property
    def exact(self) -> bool:
        """Whether what is stated is found in double precision."""
        return self.precision.needs_double

    def evaluate(self) -> Evaluation:
        """Values and best responses of the restricted game."""
        if self.exact:
            mine, best = self._exact_evaluation()
        else:
            mine, best = self.expected_value(self.responder), self._best_responses()
        value = (mine, -mine) if self.responder == 0 else (-mine, mine)
        return sound_evaluation(value, best, self.error)

    def _exact_passes(self) -> ExactPasses:
        return ExactModelled(self.streets, self.deal.chances, self.bound)

    def _exact_weights(self, p: int) -> Floats:
        """Of the bound player those of free hands, then those of hands that follow the model."""
        return self._shared_weights(1.0 - self.share, self.share) if p == self.bound else super()._exact_weights(p)

    def _shared_weights(self, free: float, held: float) -> Floats:
        whole = super()._exact_weights(self.bound)
        return np.concatenate([free * whole, held * whole])

    def _exact_evaluation(self) -> tuple[float, tuple[float, float]]:
        """The responder's value, and what each player can get."""
        passes, mine = self._exact_passes(), self._exact_weights(self.responder)

        def against(mode: int, met: Floats) -> float:
            return float(mine @ passes.values(mode, self.responder, met, self._pool)) / self.normaliser

        both, modelled = self._exact_weights(self.bound), self._shared_weights(0.0, 1.0)
        free = passes.values(kernels.RESPOND, self.bound, mine, self._pool)
        best = [0.0, 0.0]
        best[self.responder] = against(kernels.RESPOND, both)
        best[self.bound] = float(both[: len(free)] @ free) / self.normaliser - self.share * against(
            kernels.VALUE, modelled
        )
        return against(kernels.VALUE, both), (best[0], best[1])


def modelled_kind(on_gpu: bool) -> type[ModelledBoards]:
    """Runs of which device."""
    if on_gpu:
        from equilibrist.solvers.postflop.gpu.device_models import DeviceModelled

        return DeviceModelled
    return ModelledBoards


def restricted_nash(
    spot: Spot | CompiledSpot,
    model: BoardModel,
    share: float,
    solver: str = DEFAULT_SPOT_SOLVER,
    *,
    threads: int = 1,
    device: str = "cpu",
) -> ModelledBoards:
    """The same on a spot, whose locks are left out."""
    here = model.on_its_boards(spot)
    if here.spot.rake.rate:
        raise NotApplicableError("Gain and risk are measured against each other, which rake breaks; leave it out.")
    kind = modelled_kind(wants_gpu(device, None, streets=len(here.forests)))
    return kind(spot_solver(solver), model, share, threads=threads, **DealtBoards.of_spot(here).parts)
