"""A solved table before the flop, walked along its lines: classes of hands on the grid, with what every action is worth."""

from __future__ import annotations

import math

import numpy as np

from equilibrist.cards.allins.classes import NAMES
from equilibrist.core.arrays import Floats
from equilibrist.interfaces.web.data.walks import WalkedInfoset, WalkStep
from equilibrist.solvers.tables.table_node import TableNode
from equilibrist.solvers.tables.table_solution import TableSolution


class ClassWalk:
    """Decisions of the seats of a table; fulfils `StrategyWalk`."""

    grid = True
    weighted = True

    def __init__(self, solution: TableSolution) -> None:
        self.solution = solution

    def first(self, line: str) -> str:
        return self.solution.at(line.strip()).line

    def path(self, line: str) -> list[tuple[str, str | None]]:
        here: TableNode = self.solution.at(line)
        out: list[tuple[str, str | None]] = [(here.line, None)]
        while (before := here.before) is not None:
            out.append((before.line, here.line[len(before.line) :].strip(":").partition(":")[0]))
            here = before
        return out[::-1]

    def step(self, line: str) -> WalkStep:
        node = self.solution.at(line)
        if node.is_over:
            return WalkStep(line, "over", note=_ending(node), pot=node.pot, stacks=node.stacks)
        following = {label: [node.play(label).line] for label in node.labels}
        return WalkStep(
            line, "decision", node.seat(), "", node.labels, tuple(node.frequencies.tolist()), following, note=_unplayed(node),
            words=node.actions, pot=node.pot, stacks=node.stacks,
        )  # fmt: skip

    def values(self, line: str) -> list[float | None]:
        """What each seat expects at a place; nothing where it would have to be worked out anew for every look."""
        node = self.solution.at(line)
        if node.is_over or not node.values_kept:
            return []
        return [_known(node.range_ev(player)) for player in node.players]

    def rows(self, line: str, offset: int, limit: int) -> tuple[int, list[WalkedInfoset]]:
        node = self.solution.at(line)
        if node.is_over:
            return 0, []
        seat, reach, strategy = node.seat(), node.reach(), node.strategy
        ev, values = node.ev(), node.ev_by_action
        chosen = range(len(NAMES))[offset : offset + limit]
        return len(NAMES), [
            WalkedInfoset(
                f"{NAMES[c]}:{node.line}" if node.line else NAMES[c], NAMES[c], seat, node.labels, tuple(strategy[c].tolist()),
                float(reach[c]), _known(ev[c]), _all_known(values[c]),
            )
            for c in chosen
        ]  # fmt: skip


def _ending(node: TableNode) -> str:
    """What happens where the betting is over."""
    staying = [node.players[seat] for seat in node.situation.staying]
    if len(staying) == 1:
        return f"{staying[0]} wins {node.pot:g}."
    return f"{', '.join(staying)} show their cards for {node.pot:g}."


def _unplayed(node: TableNode) -> str:
    absent = node.absent
    return (
        f"This line is never reached: {' and '.join(absent)} never play so. What stands here was not learned."
        if absent
        else ""
    )


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _all_known(values: Floats) -> tuple[float | None, ...]:
    return tuple(map(_known, np.asarray(values).tolist()))
