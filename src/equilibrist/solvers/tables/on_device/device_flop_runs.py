"""Heads-up pots of a table played on weighted flops on a GPU: as `FlopRuns`, line for line the same game and the same files.

Lines of the same seats whose betting has one shape are one run. What each is worth beyond checking down needs [line, class] numbers alone,
which is all that goes to the device and back in an iteration.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.allins.classes import CLASSES, combinations
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.forms.boards.compiled_spot import CompiledSpot, bytes_on_boards
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.tables.flop_leaves import FlopLeaves
from equilibrist.games.tables.flop_spots import positions
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop.batches.grouped_spots import shape_of
from equilibrist.solvers.postflop.gpu.cuda_device import Properties, cupy
from equilibrist.solvers.tables.flop_runs import FLOPS_OF_TWO, HANDS_OF_OTHER, LEARN, RESPOND, VALUE, line_spots
from equilibrist.solvers.tables.flop_worth import FLOP_TABLES, folded_chance
from equilibrist.solvers.tables.on_device.checked_down import CheckedDown, amounts_of, check_down, lay_out_checks
from equilibrist.solvers.tables.on_device.lines_together import COPIED_AT_ONCE, DealtFlops, LinesLaidOut, LinesTogether

MODES = {VALUE: "value", RESPOND: "respond"}


@dataclass(frozen=True)
class LineGroup:
    """Lines of the same seats and shape."""

    numbers: tuple[int, ...]  # of the lines, in the order of the table's ends
    seats: tuple[int, int]  # out of position, in position
    amounts: tuple[tuple[float, float], ...]  # [line] stake and tie when it is checked down
    run: LinesTogether
    checked: CheckedDown


@dataclass(frozen=True)
class _PlannedLine:
    """A line before it is grouped."""

    seats: tuple[int, int]
    spot: CompiledSpot  # on the first flop
    bare: CompiledSpot  # the same without bets


class DeviceFlopRuns:
    """All lines of a table that are played on flops."""

    def __init__(self, tree: TableTree, ends: Sequence[int], solver: CFR, team: Team) -> None:
        leaves = tree.table.leaves
        assert isinstance(leaves, FlopLeaves), "asked for only where flops are played"
        cupy()
        self.tree, self.ends = tree, np.array(ends, np.int64)
        self.names = [flop for flop, _ in leaves.flops]
        weights = np.array([weight for _, weight in leaves.flops])
        self._share: Floats = weights / (FLOPS_OF_TWO * HANDS_OF_OTHER * tree.table.big_blind)
        self.worth = np.zeros((2, len(ends), 2, CLASSES))  # [value or best, line, player, class] when last measured
        self.iteration, self._copying = 0, Team(min(team.threads, COPIED_AT_ONCE))
        lines = [_planned(tree, end) for end in ends]
        self._dealt = self._deal(lines, team)
        self.groups = self._start(lines, solver)
        self.memory_bytes = sum(
            bytes_on_boards(lines[number].spot.forests, boards)
            for group in self.groups
            for number in group.numbers
            for boards in group.run.laid.dealt.boards
        )

    def _deal(self, lines: Sequence[_PlannedLine], team: Team) -> dict[Hashable, DealtFlops]:
        """By the hands that both players may have: lines of the same ranges share their boards."""
        out = dict[Hashable, DealtFlops]()
        for line, end in zip(lines, self.ends.tolist(), strict=True):
            if _held(line) not in out:
                out[_held(line)] = DealtFlops.of([spot for spot, _ in line_spots(self.tree, end)], team)
        return out

    def _start(self, lines: Sequence[_PlannedLine], solver: CFR) -> list[LineGroup]:
        """All groups; what does not fit is refused before anything is taken."""
        numbers, raked = dict[Hashable, list[int]](), self.tree.table.rake.rate > 0.0
        for number, line in enumerate(lines):
            numbers.setdefault((line.seats, shape_of(line.spot.forests)), []).append(number)
        laid = [self._lay_out([lines[number] for number in group]) for group in numbers.values()]
        checks = {
            _held(line): lay_out_checks(line.bare.forests, self._dealt[_held(line)], raked=raked) for line in lines
        }
        device = Properties()
        device.refuse_what_does_not_fit(
            max(
                sum(each.bytes for each in laid) + max(each.bytes_in_passing for each in laid),
                *(each.bytes + each.bytes_in_passing for each in checks.values()),
            ),
            "play fewer lines or flops ('flops', 'turns', 'rivers', 'reach' of 'leaves', and sizes of 'postflop'), or leave --device out",
        )
        checked = {held: check_down(each, self._share, solver.schedule) for held, each in checks.items()}
        del checks
        out, share = list[LineGroup](), self._share[:, None] / combinations()
        for group, one in zip(numbers.values(), laid, strict=True):
            first = lines[group[0]]
            amounts = tuple(amounts_of(lines[number].bare.forests) for number in group)
            run = LinesTogether(one, share, solver.schedule)
            out.append(LineGroup(tuple(group), first.seats, amounts, run, checked[_held(first)]))
        return out

    def _lay_out(self, lines: Sequence[_PlannedLine]) -> LinesLaidOut:
        return LinesLaidOut([line.spot.forests for line in lines], self._dealt[_held(lines[0])])

    def learn(self, seat: int, iteration: int, reach: Floats, met: Floats, out: Floats) -> None:
        """As `FlopRuns.learn`."""
        self._add(seat, LEARN, iteration, reach, met, out)

    def measure(self, seat: int, reach: Floats, met: Floats, value: Floats, best: Floats) -> None:
        """As `FlopRuns.measure`."""
        for mode, out in ((VALUE, value), (RESPOND, best)):
            self._add(seat, mode, 0, reach, met, out)

    def _add(self, seat: int, mode: int, iteration: int, reach: Floats, met: Floats, out: Floats) -> None:
        begun = [
            (group, *self._begin(group, group.seats.index(seat), mode, iteration, reach))
            for group in self.groups
            if seat in group.seats
        ]
        for group, theirs, there in begun:  # the device is busy with all of them by now
            player, found = group.seats.index(seat), cupy().asnumpy(there)
            for number, amounts, row, met_there in zip(group.numbers, group.amounts, found, theirs, strict=True):
                total = row - group.checked.worth(player, amounts, met_there)
                if mode != LEARN:
                    self.worth[mode - VALUE, number, player] = total
                end = int(self.ends[number])
                out[end] += total * folded_chance(self.tree, end, met)

    def _begin(self, group: LineGroup, player: int, mode: int, iteration: int, reach: Floats) -> tuple[Floats, Any]:
        """Reach [line, class] of the others, and the values on the device."""
        rows = self.tree.rows[self.ends[list(group.numbers)], group.seats[1 - player]]
        theirs: Floats = reach[rows]
        if mode == LEARN:
            return theirs, group.run.learn(player, iteration, theirs)
        return theirs, group.run.values(player, MODES[mode], theirs)

    def count(self, iteration: int) -> None:
        """So many iterations have been made."""
        self.iteration = iteration

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """As `FlopRuns.state`: the same names and shapes."""
        out: dict[str, npt.NDArray[Any]] = {"flop_ends": self.ends, "flop_worth": self.worth.copy()}
        flops = range(len(self.names))
        jobs = [partial(group.run.tables, line, flop) for _, group, line in self._lines() for flop in flops]
        found = iter(self._copying.run(jobs))
        for number, _, _ in self._lines():
            for name in self.names:
                begin = f"{FLOP_TABLES}{number}.{name}."
                out[f"{begin}iteration"] = np.array([self.iteration])
                out |= {f"{begin}{key}": table for key, table in next(found).items()}
        return out

    def _lines(self) -> list[tuple[int, LineGroup, int]]:
        """Number of each line, its group and its place there."""
        found = [(number, group, line) for group in self.groups for line, number in enumerate(group.numbers)]
        return sorted(found, key=lambda each: each[0])

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for number, group, line in self._lines():
            for flop, name in enumerate(self.names):
                group.run.put(line, flop, state, f"{FLOP_TABLES}{number}.{name}.")
        self.iteration = int(state["iteration"][0])
        self.worth = np.array(state["flop_worth"])


def _planned(tree: TableTree, end: int) -> _PlannedLine:
    [(spot, bare)] = line_spots(tree, end, [0])
    return _PlannedLine(positions(tree.flop_ends[end]), spot, bare)


def _held(line: _PlannedLine) -> Hashable:
    """Which hands both players may have."""
    return tuple(each.tobytes() for each in line.spot.weights)
