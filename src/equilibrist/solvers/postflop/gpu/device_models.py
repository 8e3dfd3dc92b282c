"""Players bound by models, on a GPU: hands that follow one from beginning to end, and decisions at which one is followed in part.

In a share of the hands one player follows a fixed strategy, drawn in secret before the hand (`solvers/postflop/restricted_nash.py`).
The reach of these hands never changes, so it is worked out once for every reach row of a program; a pass adds its share of it to the rows
of the free hands where lines end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats32
from equilibrist.solvers.postflop.gpu.device_cfr import DeviceCFR
from equilibrist.solvers.postflop.gpu.street_plan import StreetPlan
from equilibrist.solvers.postflop.locks.locked_nodes import PlacedLock
from equilibrist.solvers.postflop.restricted_nash import ModelledBoards
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


class DeviceModelled(ModelledBoards, DeviceCFR):
    """`ModelledBoards` with its tables on the device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._whole = self._root_rows(self.bound, self._parts[1][len(self._parts[1]) // 2 :])[0]
        rows = model_rows(self.passes.plans, self.bound, self._whole)
        for street, reach in zip(self.passes.streets, rows, strict=True):
            street.follow_model(self.responder, reach)
        self._set_share(self.share)

    def _set_share(self, share: float) -> None:
        for street in self.passes.streets:
            street.own[self.responder]["model_share"].fill(share)

    def _pass(self, mode: int, me: int, weights: Any, given: Floats32 | None = None) -> Floats32:
        """`given` to the responder are free hands, then hands that follow the model: a share of them all."""
        if me != self.responder or given is None:
            return super()._pass(mode, me, weights, given)
        self._set_share(float(given[len(given) // 2 :].sum() / self._whole.sum()))
        found = super()._pass(mode, me, weights, given)
        self._set_share(self.share)
        return found


class DeviceBound(DeviceCFR):
    """A run whose locks are known when its tables are; `placed` says them."""

    def __init__(self, placed: Callable[[BoardCFR], Sequence[PlacedLock]], **how: Any) -> None:
        self._placed = placed
        super().__init__(**how)

    def _bind(self) -> None:
        self._lock(self._placed(self))


def model_rows(plans: Sequence[StreetPlan], bound: int, whole: Floats32) -> list[Floats32]:
    """By street [board, reach row, place] of the bound player's hands, all of which follow the model, with weights `whole` [root, hand]."""
    first, found = plans[0], list[Floats32]()
    above: Floats32 = np.zeros((first.boards, first.roots, first.places[bound] + 1), dtype=np.float32)
    above[:, :, : whole.shape[1]] = whole
    for plan in plans:
        rows, above = _street(plan, bound, above)
        found.append(rows)
    return found


def _street(plan: StreetPlan, bound: int, above: Floats32) -> tuple[Floats32, Floats32]:
    """Rows of one street, and those of the bound player where cards come [board, root of the next street, place]."""
    program, boards, width = plan.program[1 - bound], plan.street.boards, plan.places[bound]
    starts, model = program.first_rows, _strategy(plan, bound)
    rows: Floats32 = np.zeros((plan.boards, int(starts[-1]), width + 1), dtype=np.float32)
    below: Floats32 = np.zeros((plan.boards, max(plan.deals, 1), width + 1), dtype=np.float32)
    before = boards.parent if plan.above is not None else np.arange(plan.boards)
    own = boards.player[bound]
    order = np.full((plan.boards, width), above.shape[2] - 1)  # the padding points at a zero
    kept = min(width, own.places)
    order[:, :kept] = np.where(np.arange(kept) < own.count[:, None], own.order[:, :kept], order[:, :kept])
    for number, g in enumerate(program.groups.tolist()):
        here = rows[:, starts[number] : starts[number + 1]]
        for k in range(g[1]):
            root = int(program.roots[g[0] + k, 0])
            here[:, k, :width] = above[before[:, None], root, order] * plan.street.factor
        for row, to, n, slot in program.down[program.down_levels[g[2]] : program.down_levels[g[2] + g[3]]].tolist():
            here[:, to : to + n, :width] = here[:, row : row + 1, :width] * model[:, slot : slot + n]
        for root, row, _, _ in program.deals[g[9] : g[9] + g[10]].tolist():
            below[:, root] = here[:, row]
    return np.ascontiguousarray(rows[:, :, :width]), below


def _strategy(plan: StreetPlan, bound: int) -> Floats32:
    """[board, slot, place] what the model does, slots as on the device."""
    number, blocks, slots, size = plan.street.shape(bound)
    host = plan.street.held[bound].model.reshape(number, blocks, slots, size).transpose(0, 2, 1, 3)
    out: Floats32 = np.zeros((number, slots, plan.places[bound]), dtype=np.float32)
    kept = min(plan.places[bound], blocks * size)
    out[:, :, :kept] = host.reshape(number, slots, blocks * size)[:, plan.program[0].slots[bound], :kept]
    return out
