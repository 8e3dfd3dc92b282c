"""Lines of one shape of betting on all flops of a table, side by side on a GPU: vectors are those of the classes of hands.

Line after line, each with all flops; a line is what `which` says of a batch (`device_batch.py`): its amounts. Reach by class is spread over
hands on the device, and values of hands are added up by class there, always in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.joined_boards import join_boards
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, PlayerBoards, StreetBoards
from equilibrist.solvers.cfr.schedules import Schedule, discount_factors
from equilibrist.solvers.postflop.gpu.cuda_device import Properties, cupy, on_device
from equilibrist.solvers.postflop.gpu.device_passes import WINDOW, DevicePasses, plan_streets
from equilibrist.solvers.postflop.gpu.hand_tables import HandTables, device_places, hand_tables
from equilibrist.solvers.postflop.gpu.street_plan import StreetPlan, device_bytes
from equilibrist.solvers.postflop.gpu.synced_street import SyncedStreet
from equilibrist.solvers.postflop.tables import make_street

KINDS = ("regret", "average")
COPIES, COPIED_AT_ONCE = 4, 4  # of a table of one flop while it is copied, and how many threads copy


@dataclass(frozen=True)
class DealtFlops:
    """The boards of all flops for two players' hands, and those hands as the device wants them."""

    deal: Deal  # of any flop
    boards: Sequence[Sequence[StreetBoards]]  # [flop][street]
    hands: Sequence[tuple[HandTables, HandTables]]  # [street] of all flops joined

    @classmethod
    def of(cls, spots: Sequence[CompiledSpot], team: Team) -> DealtFlops:
        """Of one spot for each flop; flops are shared by the threads."""
        boards = team.run([lambda spot=spot: spot.boards for spot in spots])  # type: ignore[misc]
        joined, hands = join_boards(boards), list[tuple[HandTables, HandTables]]()
        before = [device_places(own) for own in joined[0].player]
        for street in joined:
            hands.append((hand_tables(street, 0, before[0]), hand_tables(street, 1, before[1])))
            before = [device_places(own) for own in street.player]
        return cls(spots[0].deal, boards, hands)

    def repeated(self, times: int) -> list[tuple[HandTables, HandTables]]:
        """[street] the hands of so many lines, line after line."""
        return [(_repeated(first, times), _repeated(second, times)) for first, second in self.hands]


def _repeated(hands: HandTables, times: int) -> HandTables:
    def again(array: Any) -> Any:
        return np.concatenate([array] * times) if times > 1 else array

    return HandTables(
        again(hands.places),
        again(hands.entries),
        hands.lanes,
        again(hands.starts),
        again(hands.low),
        again(hands.order),
    )


class LinesLaidOut:
    """What goes to the device, planned and with nothing taken there; `betting` [line][street], of one shape (`shape_of`)."""

    def __init__(self, betting: Sequence[Sequence[StreetForest]], dealt: DealtFlops) -> None:
        self.dealt, self.lines, self.flops = dealt, len(betting), len(dealt.boards)
        self.betting = list(zip(*betting, strict=True))  # [street][line]
        self.which: Longs = np.repeat(np.arange(self.lines), self.flops)
        self.boards = join_boards([*dealt.boards] * self.lines)
        self.streets = [
            SyncedStreet.of(make_street(each[0], here, chance, dealt.deal.deck.size, False, 32, elsewhere=True))
            for each, here, chance in zip(self.betting, self.boards, dealt.deal.chances, strict=True)
        ]

    @cached_property
    def starts(self) -> list[list[int]]:
        """[street][flop] the first of a flop's boards among those of one line, and how many they are."""
        streets = zip(*self.dealt.boards, strict=True)
        return [list(accumulate((len(each.cards) for each in street), initial=0)) for street in streets]

    @cached_property
    def _plans(self) -> list[StreetPlan]:
        return plan_streets(self.streets, self.betting, Properties(), self.which)

    @property
    def bytes(self) -> int:
        """That the run will take on the device."""
        return device_bytes(self._plans, WINDOW) + sum(16 * self._sum_entries(p) + 8 * self._hands(p) for p in range(2))

    @property
    def bytes_in_passing(self) -> int:
        """While values are added up, or tables copied."""
        adding = 20 * self.lines * max(self._sum_entries(p) for p in range(2)) + 16 * max(map(self._hands, range(2)))
        boards = [max(np.diff(starts).tolist()) for starts in self.starts]
        tables = [
            4 * most * each.slots * max(each.width, self.boards[depth].player[p].places)
            for depth, (most, plan) in enumerate(zip(boards, self._plans, strict=True))
            for p, each in enumerate(plan.tables)
        ]
        return max(adding, COPIES * COPIED_AT_ONCE * max(tables))

    def _hands(self, player: int) -> int:
        """Places of all games."""
        hands: int = self.boards[0].player[player].count.max().item()
        return len(self.which) * hands

    def _sum_entries(self, player: int) -> int:
        return int(self.places_of_classes(player).size)

    def places_of_classes(self, player: int) -> Longs:
        """[class, entry] flop x width of a row of values + place of each hand of a class, in one order; -1 in the padding."""
        cell = self.cells(player)[: self.flops]
        width = device_places(self.boards[0].player[player])
        flop, place = np.nonzero(cell < CLASSES)
        owner = cell[flop, place]
        order = np.argsort(owner, kind="stable")
        counts = np.bincount(owner, minlength=CLASSES)
        out = np.full((CLASSES, int(counts.max(initial=1))), -1, np.int64)
        inside = np.arange(out.shape[1]) < counts[:, None]
        out[inside] = (flop * width + place)[order]
        return out

    def cells(self, player: int) -> Longs:
        """[game, place] the class of each hand, `CLASSES` in the padding."""
        own = self.boards[0].player[player]
        pair = own.pair[:, : int(own.count.max())]
        found: Longs = np.where(pair >= 0, hands_of(STANDARD).cell.astype(np.int64)[pair], CLASSES)
        return found


class LinesTogether:
    """A run of such lines; `weights` [flop, class] are what a flop's values of a class count."""

    @on_device
    def __init__(self, laid: LinesLaidOut, weights: Floats, schedule: Schedule) -> None:
        cp, self.laid, self.schedule = cupy(), laid, schedule
        self.passes = DevicePasses(laid.streets, laid.betting, schedule, laid.which, laid.dealt.repeated(laid.lines))
        self._spread, self._places, self._weights = list[Any](), list[Any](), list[Any]()
        for player in range(2):
            cells = laid.cells(player) + (CLASSES + 1) * laid.which[:, None]
            self._spread.append(cp.asarray(cells))
            places = laid.places_of_classes(player)
            flop = np.maximum(places, 0) // self.passes.root_values(player).shape[-1]
            weighed = np.where(places >= 0, weights[flop, np.arange(CLASSES)[:, None]], 0.0)
            self._places.append(cp.asarray(np.maximum(places, 0)))
            self._weights.append(cp.asarray(weighed))

    @on_device
    def learn(self, player: int, iteration: int, reach: Floats) -> Any:
        """[line, class] on the device: what a player's classes are worth while it learns, against reach [line, class] of the other's."""
        self._set_reach(1 - player, reach)
        self.passes.learn(player, discount_factors(self.schedule, iteration)[0].tolist(), 0)
        return self._by_class(player)

    @on_device
    def values(self, player: int, mode: str, reach: Floats) -> Any:
        """The same by average strategies ("value"), or best responses to them ("respond")."""
        self._set_reach(1 - player, reach)
        self.passes.launch(mode, player)
        return self._by_class(player)

    def _set_reach(self, player: int, reach: Floats) -> None:
        rows = np.zeros((self.laid.lines, CLASSES + 1), np.float32)
        rows[:, :CLASSES] = reach
        spread = self._spread[player]
        self.passes.root[player][:, 0, : spread.shape[1]] = cupy().asarray(rows).ravel()[spread]

    def _by_class(self, player: int) -> Any:
        rows = self.passes.root_values(player).reshape(self.laid.lines, -1)
        found = cupy().take(rows, self._places[player], axis=1).astype(np.float64)
        return (found * self._weights[player]).sum(axis=2)

    @on_device
    def tables(self, line: int, flop: int) -> dict[str, npt.NDArray[Any]]:
        """The tables of one spot by name, as `BoardCFR.state` has them; laid out on the device."""
        out = dict[str, npt.NDArray[Any]]()
        for depth, here in enumerate(self.laid.dealt.boards[flop]):
            for player, own in enumerate(here.player):
                for kind in KINDS:
                    out[f"{kind}.{depth}.{player}"] = self._table(
                        kind, depth, self._boards(depth, line, flop), player, own
                    )
        return out

    def _table(self, kind: str, depth: int, at: slice, player: int, own: PlayerBoards) -> npt.NDArray[Any]:
        """[board x block x slot x hand] some boards of a table, slots as in the forest, nothing in the padding."""
        cp, tables = cupy(), self.passes.streets[depth].tables[player]
        held = tables.arrays[kind][at]
        boards, slots, width = held.shape
        kept = min(width, own.places)
        inside = cp.asarray(np.arange(kept) < own.count[:, None, None])
        rows = cp.zeros((boards, slots, own.places), np.float32)
        rows[:, cp.asarray(tables.order), :kept] = cp.where(inside, held[:, :, :kept], np.float32(0.0))
        parted = rows.reshape(boards, slots, own.blocks, own.block).transpose(0, 2, 1, 3)
        out: npt.NDArray[Any] = cp.asnumpy(cp.ascontiguousarray(parted)).ravel()
        return out

    @on_device
    def put(self, line: int, flop: int, state: Mapping[str, npt.NDArray[Any]], begin: str) -> None:
        """Take such tables over, whose names begin so."""
        cp = cupy()
        for depth, here in enumerate(self.laid.dealt.boards[flop]):
            street, at = self.passes.streets[depth], self._boards(depth, line, flop)
            for player, own in enumerate(here.player):
                order = street.tables[player].order
                shape = (len(here.cards), own.blocks, len(order), own.block)
                for kind in KINDS:
                    given, held = state[f"{begin}{kind}.{depth}.{player}"], street.tables[player].arrays[kind]
                    if given.size != np.prod(shape):
                        raise ValueError(f"{kind} has {given.size} entries instead of {np.prod(shape)}")
                    rows = given.reshape(shape).transpose(0, 2, 1, 3).reshape(shape[0], shape[2], own.places)
                    kept = min(own.places, held.shape[2])
                    held[at, :, :kept] = cp.asarray(np.ascontiguousarray(rows[:, order, :kept]))

    def _boards(self, depth: int, line: int, flop: int) -> slice:
        """A spot's boards of a street among those of all."""
        starts = self.laid.starts[depth]
        before = line * starts[-1]
        return slice(before + starts[flop], before + starts[flop + 1])
