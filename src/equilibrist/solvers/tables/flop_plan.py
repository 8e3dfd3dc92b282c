"""Which lines of a table are played on flops, what that takes, and the words for it: known before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.core.errors import TooLargeError
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.size_estimate import memory_limit
from equilibrist.games.tables.flop_leaves import FlopLeaves
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.tables.reached import reached
from equilibrist.solvers.tables.table_cfr import TableRun, tree_bytes

FIRST_LOOK = 100  # iterations with flops checked down, after which lines are chosen by how often they come
SECONDS_A_BYTE, SECONDS_A_SPOT = 5e-10, 4e-3  # for one iteration of one thread, about (benchmarks/tables.py --flops)


@dataclass(frozen=True)
class FlopPlan:
    """What will be solved."""

    ends: tuple[int, ...]  # that are played on flops
    flops: int
    bytes: int

    @property
    def seconds(self) -> float:
        """CPU time of one iteration, about."""
        return self.bytes * SECONDS_A_BYTE + len(self.ends) * self.flops * SECONDS_A_SPOT


def plan_flops(tree: TableTree, solver: CFR, *, threads: int = 1) -> FlopPlan | None:
    """Lines that come at least as often as the table asks while flops are checked down; None where no flop is played."""
    leaves = tree.table.leaves
    if not isinstance(leaves, FlopLeaves) or not tree.flop_ends:
        return None
    found = sorted(tree.flop_ends)
    if leaves.reach > 0.0:
        run = TableRun(tree, solver.schedule, threads=threads)
        run.advance(FIRST_LOOK)
        chances = reached(tree, run.average())[1]
        found = [end for end in found if chances[end] >= leaves.reach]
    return plan_of(tree, found)


def plan_of(tree: TableTree, ends: list[int]) -> FlopPlan:
    """The plan for given lines."""
    from equilibrist.solvers.tables.flop_runs import flop_bytes  # late: most tables play no flops

    leaves = tree.table.leaves
    assert isinstance(leaves, FlopLeaves), "asked for only where flops are played"
    return FlopPlan(tuple(ends), len(leaves.flops), flop_bytes(tree, ends))


def refuse_too_large(tree: TableTree, plan: FlopPlan | None) -> None:
    """Before anything is allocated."""
    need = tree_bytes(tree) + (0 if plan is None else plan.bytes)
    if need <= memory_limit():
        return
    table = f"This table needs {need / 1e9:.1f} GB, but {memory_limit() / 1e9:.1f} GB are available; offer fewer sizes, fewer cold calls"
    if plan is None:
        raise TooLargeError(f"{table} or fewer 'players_to_flop'.")
    raise TooLargeError(
        f"{table}, or less after the flop: {len(plan.ends)} lines are played on {plan.flops} flops ('flops', 'turns', 'rivers', 'reach' "
        "of 'leaves', and sizes of 'postflop')."
    )
