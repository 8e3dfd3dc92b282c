"""A second opinion on flops that are played inside a table: values and best responses of their strategies, in double precision.

Of the solver nothing enters but the strategies of the spots: hands meet one by one, passes are those of 64 bits, and reach comes from the
walk over the betting. A file without the tables of its flops leaves only what it states of them.
"""

from __future__ import annotations

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, combinations
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats
from equilibrist.games.tables.betting import Situation
from equilibrist.games.tables.flop_leaves import FlopLeaves
from equilibrist.games.tables.flop_spots import positions
from equilibrist.solvers.postflop._kernels import layout as kernels
from equilibrist.solvers.postflop.double_precision.exact_passes import ExactPasses
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.tables.flop_runs import FLOPS_OF_TWO, HANDS_OF_OTHER, FlopRuns
from equilibrist.solvers.tables.solve_table import table_solver
from equilibrist.solvers.tables.table_solution import TableSolution


class PlayedFlops:
    """What betting after the flop is worth at the ends of a table."""

    def __init__(self, solution: TableSolution) -> None:
        tree, leaves = solution.tree, solution.table.leaves
        assert isinstance(leaves, FlopLeaves), "asked for only where flops are played"
        self.stated = solution.flop_worth
        self.number = {
            tree.flop_ends[end].line: number for number, end in enumerate(solution.flop_ends.tolist())
        }  # by line
        self.weights = [weight for _, weight in leaves.flops]
        self.runs = None
        if not solution.without_flops:
            self.runs = FlopRuns(tree, solution.flop_ends.tolist(), table_solver(solution.solver), Team(1))
            self.runs.restore(solution.state)

    def worth(self, end: Situation, seat: int, reach: Floats) -> tuple[Floats, Floats]:
        """[class] of the strategies and of a best response, times the chance to meet the opponent's `reach` [class]."""
        number, player = self.number[end.line], positions(end).index(seat)
        if self.runs is None:
            assert self.stated is not None, "a file of flops states what they are worth"
            return self.stated.value[number, player], self.stated.best[number, player]
        line = self.runs.lines[number]
        found = np.zeros((2, CLASSES))
        for weight, spot, bare in zip(self.weights, line.spots, line.checked, strict=True):
            nothing = _by_class(bare, kernels.VALUE, player, reach)
            share = weight / FLOPS_OF_TWO
            found[0] += share * (_by_class(spot, kernels.VALUE, player, reach) - nothing)
            found[1] += share * (_by_class(spot, kernels.RESPOND, player, reach) - nothing)
        scale = combinations() * HANDS_OF_OTHER * end.table.big_blind
        return found[0] / scale, found[1] / scale


def _by_class(run: BoardCFR, mode: int, player: int, reach: Floats) -> Floats:
    """[class] counterfactual values of a player's hands, added up."""
    cell = hands_of(STANDARD).cell
    own, theirs = (run.streets[0].boards.player[p] for p in (player, 1 - player))
    weights = np.zeros(theirs.places + 1)
    weights[: theirs.count[0]] = reach[cell[theirs.pair[0, : theirs.count[0]]]]
    values = ExactPasses(run.streets, run.deal.chances, {}).values(mode, player, weights)
    sums = np.zeros(CLASSES)
    np.add.at(sums, cell[own.pair[0, : own.count[0]]], values[: own.count[0]])
    return sums
