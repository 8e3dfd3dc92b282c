"""What a street will take on the device, before anything is taken: every array by name, shape and type."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats, Floats32, Ints, Longs
from equilibrist.forms.boards.street_betting import DEAL, SHOWDOWN, StreetForest
from equilibrist.forms.boards.street_boards import PlayerBoards
from equilibrist.solvers.postflop.gpu.cuda_device import Properties
from equilibrist.solvers.postflop.gpu.device_tables import Planned, TableShape
from equilibrist.solvers.postflop.gpu.hand_tables import device_places, hand_shapes
from equilibrist.solvers.postflop.gpu.street_shape import Shape, cut_to_device, fits_in_place, most_actions
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet
from equilibrist.solvers.postflop.gpu.tree_program import group_roots, roots_of, tree_program

UNIT = 512  # CuPy takes memory in pieces of so many bytes
PLAYED_OUT = 64  # hands of the other in a matrix of called all-ins that cost about what a board below does


def bytes_of(arrays: Planned) -> int:
    """What arrays take."""
    sizes = (math.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in arrays.values())
    return sum(-(-max(size, 1) // UNIT) * UNIT for size in sizes)


class StreetPlan:
    """One street; `betting` is that of its game, or in a batch the different ones, of which each game has the one that `which` says."""

    def __init__(
        self,
        street: SyncedStreet,
        betting: Sequence[StreetForest],
        above: StreetPlan | None,
        last: bool,
        device: Properties,
        which: Longs | None = None,
    ) -> None:
        self.street, self.betting, self.above, self.last, self.device = street, betting[0], above, last, device
        self.different, self.which, boards = betting, which, street.boards
        self.boards, self.roots = len(boards.cards), self.betting.roots
        self.deals = int((self.betting.kind == DEAL).sum())
        self.places = [device_places(own) for own in boards.player]
        self.before = above.places if above is not None else self.places
        # both players all-in: one matrix for each board before will do; where there is one such board alone, it costs more than it saves
        # it knows no models, whose reach is not that of the street before
        self.modelled = [held.shared for held in street.held]
        several = above is not None and above.boards > 1 and not any(self.modelled) and self._worth_a_matrix(above)
        unraked = (self.amounts("tie")[:, : self.roots] == 0.0).all(axis=0)
        shown = np.flatnonzero((self.betting.kind[: self.roots] == SHOWDOWN) & unraked)
        self.called: list[int] = shown.tolist() if last and several else []
        self.played = sorted(set(range(self.roots)) - set(self.called))
        widest = int(np.bincount(roots_of(self.betting), minlength=self.roots).max())
        self.groups = group_roots(self.betting, widest, self.called)
        self.in_place = [last and fits_in_place(boards.player, me) for me in range(2)]
        self.program = [tree_program(self.betting, self.groups, me, in_place=self.in_place[me]) for me in range(2)]
        self.packed = [program.packed() for program in self.program]
        self.tables = [TableShape.of(street, p, self.places[p]) for p in range(2)]
        self.bits, self.predictive = self.tables[0].bits, self.tables[0].predictive
        self.locked = any(held.locked for held in street.held)
        flags = {"predictive": self.predictive, "batch": which is not None, "locked": self.locked}
        self.shape: list[Shape] = [
            cut_to_device(
                boards.player, self.tables, self.betting, self.program[me], me, last, device,
                flags | {"modelled": self.modelled[1 - me], "in_place": self.in_place[me]},
            )
            for me in range(2)
        ]  # fmt: skip

    def _worth_a_matrix(self, above: StreetPlan) -> bool:
        """Few boards below one before, as of sampled cards, are sooner played out than so many pairs of hands are read."""
        return max(self.before) * above.boards <= PLAYED_OUT * self.boards

    def amounts(self, name: str) -> Floats:
        """[betting, node] of `win`, `lose` or `tie`."""
        return np.stack([np.asarray(getattr(each, name), dtype=np.float64) for each in self.different])

    def of_each(self, rows: Floats32) -> Floats32:
        """[game, …] from rows of the different betting."""
        return rows if self.which is None else rows[self.which]

    def nodes_of_slots(self, player: int) -> Ints:
        """[slot] the node whose first slot it is, slots as on the device."""
        out = np.zeros(max(self.tables[player].slots, 1), dtype=np.int32)
        came, acting = np.argsort(self.program[0].slots[player]), np.flatnonzero(self.betting.kind == player)
        out[came[self.betting.slot[acting]]] = acting
        return out

    @property
    def items(self) -> int:
        """Pieces of work of a pass."""
        return self.boards * len(self.groups)

    def far_blocks(self, me: int) -> int:
        """Blocks of threads that have rows in global memory."""
        shape = self.shape[me]
        return min(self.items, self.device.multiprocessors * shape.resident) if shape.room else 0

    def arrays(self) -> Planned:
        """Of the whole street."""
        out: Planned = {
            "share": ((self.boards,), np.float32),
            "parent": ((self.boards,), np.int32),
            "first_child": (self.street.boards.first_child.shape, np.int32),
            "first_image": (self.street.boards.first_image.shape, np.int32),
            "played": ((len(self.played),), np.int32),
            "game": ((self.boards,), np.int32),
            "listed": ((self.boards,), np.int32),
            "number": ((1,), np.int32),
        }
        if self.which is not None:
            out["marks"] = ((self.boards + 1,), np.int32)
        if self.bits == 16:
            out["noise"] = (self.street.held[0].noise.shape, np.float32)
        if self.called:
            out["called"] = ((len(self.called),), np.int32)
            out["stake"] = ((self._games, len(self.called)), np.float32)
        return out

    @property
    def _games(self) -> int:
        return len(self.different) if self.which is None else len(self.which)

    def arrays_of(self, player: int) -> Planned:
        """Of one player: tables, reach and values, hands, locks, and what its own passes read."""
        program, shape, own = self.program[player], self.shape[player], self.street.boards.player[player]
        boards, deals = (1, 1) if self.last else (self.boards, max(self.deals, 1))  # nothing follows the last street
        width, folds = self.places[player], 1 if self.last else max(program.folds, 1)
        out: Planned = {
            **self.tables[player].planned(),
            "nodes": ((max(self.tables[player].slots, 1),), np.int32),
            "reach_below": ((boards, deals, width + 4), np.float32),
            "value_above": ((self.boards, self.roots, self.before[player]), np.float32),
            "value_below": ((boards, deals, width), np.float32),
            **self._hands(player, own),
            **self._locks(player),
            "program": (self.packed[player][0].shape, np.int32),
            "begin": (self.packed[player][1].shape, np.int32),
            "coefficients": ((self._games, len(program.terms)), np.float32),
            "fold_value": ((boards, folds, width), np.float32),
            "far_rows": ((max(self.far_blocks(player) * shape.room, 1),), np.float32),
        }
        if self.modelled[1 - player]:
            out["model"] = ((self.boards, int(program.first_rows[-1]), self.places[1 - player]), np.float32)
            out["model_rows"] = ((len(self.groups) + 1,), np.int32)
            out["model_share"] = ((1,), np.float32)
        if self.called:
            assert self.above is not None
            out["allin"] = ((self.above.boards, self.before[1 - player], self.before[player]), np.float32)
        return out

    def _hands(self, player: int, own: PlayerBoards) -> Planned:
        shapes: Planned = dict(hand_shapes(self.street.boards, player).items())
        return shapes | {
            "count": ((self.boards,), np.int32),
            "images": ((max(len(own.images), 1), self.places[player]), np.int16),
        }

    def _locks(self, player: int) -> Planned:
        held, width = self.street.held[player], self.places[player]
        locks = len(held.lock_start) if held.locked else 0
        return {
            "lock": ((self.boards, self.tables[player].slots) if self.locked else (1,), np.int32),
            "bound": ((locks, width) if locks else (1,), np.float32),
            "fixed": ((locks, most_actions(self.betting), width) if locks else (1,), np.float32),
        }

    def in_passing(self) -> Planned:
        """What is taken while the matrix of called all-ins of one player is made."""
        if not self.called:
            return {}
        assert self.above is not None
        ranks: Planned = {f"ranks{p}": ((self.boards, self.before[p]), np.int16) for p in range(2)}
        return ranks | {f"cards{p}": ((self.above.boards, self.before[p]), np.uint64) for p in range(2)}

    @property
    def bytes(self) -> int:
        """That stay taken."""
        return bytes_of(self.arrays()) + sum(bytes_of(self.arrays_of(p)) for p in range(2))


def root_arrays(first: StreetPlan, window: int) -> Planned:
    """What the passes take besides their streets: ranges, values of whole games, weights of so many iterations."""
    out: Planned = {"weights": ((window + 1, 4), np.float32), "count": ((1,), np.int32)}
    for p, width in enumerate(first.places):
        out[f"root{p}"] = ((first.boards, first.roots, width + 4), np.float32)
        out[f"own{p}"] = ((first.boards, first.roots, width), np.float32)
    return out | {"weighed": ((first.boards, 2), np.float64)}


def device_bytes(plans: Sequence[StreetPlan], window: int) -> int:
    """Bytes that passes over these streets will take on the device, with room to make them and to copy their tables."""
    staying = bytes_of(root_arrays(plans[0], window)) + sum(plan.bytes for plan in plans)
    copying = max(table.copied_bytes() for plan in plans for table in plan.tables)
    return staying + max(copying, *(bytes_of(plan.in_passing()) for plan in plans))


def make(cp: Any, planned: Planned, name: str, filled: Any = None) -> Any:
    """An array of the plan on the device, empty or filled; anything else would be memory that nobody knew of."""
    shape, dtype = planned[name]
    out = cp.zeros(shape, dtype) if filled is None else cp.asarray(filled)
    assert (out.shape, out.dtype) == (shape, dtype), (name, out.shape, out.dtype, shape, dtype)
    return out
