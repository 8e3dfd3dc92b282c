"""ExactModelled: values of runs in which one player follows a model in a share of the hands, in double precision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.solvers.postflop.double_precision.exact_passes import ExactPasses, Memory
from equilibrist.solvers.postflop.tables import Street


class ExactModelled(ExactPasses):
    """The bound player's reach has two parts, one behind the other: that of free hands, and that of hands that follow the model.

    Where the other player is paid only their sum counts; going down each follows its own tables.
    """

    def __init__(self, streets: Sequence[Street], chances: Sequence[float], bound: int) -> None:
        super().__init__(streets, chances, {})
        self.bound = bound
        self._held = [tables[bound]._replace(average=tables[bound].model) for tables in self.tables]

    def memory(self) -> Memory:
        found = Memory(self.streets)
        for both in found.next_reach:
            both[self.bound] = np.zeros(2 * len(both[self.bound]))
        return found

    def _down(self, memory: Memory, depth: int, board: int, player: int, reach: Floats) -> None:
        if player != self.bound:
            super()._down(memory, depth, board, player, reach)
            return
        both, rows = memory.next_reach[depth][player], memory.reach[depth][player]
        half, middle, held = len(both) // 2, len(reach) // 2, np.zeros_like(rows)
        self._follow(self.tables[depth][player], depth, board, player, reach[:middle], rows, both[:half])
        self._follow(self._held[depth], depth, board, player, reach[middle:], held, both[half:])
        rows += held
