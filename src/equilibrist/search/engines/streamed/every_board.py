"""Every board of a trained blueprint searched for both players, and what that leaves to an opponent who responds best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.search.engines.streamed.blueprint_trunk import trunk_of, usual_schedule
from equilibrist.search.engines.streamed.board_subgames import BoardSubgames
from equilibrist.search.engines.streamed.boards_at_once import BoardsAtOnce, boards_on_gpu
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.postflop.gpu.device_boards import most_boards
from equilibrist.solvers.postflop.gpu.devices import wants_gpu

Progress = Callable[[float], None]
Search = Callable[[Technique, int, int], tuple[Floats, float]]  # values of boards, and what may have been given away


@dataclass(frozen=True)
class StreamedReport:
    """A blueprint whose boards are all searched again, for both players; chips of a hand."""

    game: str
    technique: Technique
    boards: int
    before: float  # exploitability of the blueprint, exactly
    after: float  # with the searches in its place
    tolerance: float  # what the searches say may have been given away, mean of both players; NaN: nothing is said

    @property
    def safe(self) -> bool:
        return self.after - self.before <= self.tolerance + 1e-4 * max(1.0, abs(self.before))


def search_all_boards(
    blueprint: PokerBlueprint, technique: str | Technique, iterations: int | None = None, *, threads: int = 1, device: str = "cpu",
    progress: Progress = lambda share: None,
) -> StreamedReport:  # fmt: skip
    """Search every board for both players, and what an opponent who responds best gets from the whole strategy.

    On a GPU as many boards as fit are searched at once.
    """
    chosen, trunk = find_technique(technique), trunk_of(blueprint, threads, device)
    many = DEFAULT_ITERATIONS if iterations is None else iterations
    boards, at_once = len(trunk.abstract.last_boards.cards), wants_gpu(device, None, streets=2)
    step = most_boards(trunk.abstract.last, trunk.abstract.last_boards) if at_once else 1
    below = np.zeros((2, trunk.abstract.roots, trunk.abstract.first.hands))
    stated = 0.0
    for first in range(0, boards, step):
        piece = range(first, min(first + step, boards))
        search = _all_of(trunk, piece) if at_once else _one_of(trunk, first)
        for searcher in range(2):
            values, tolerance = search(chosen, searcher, many)
            below[searcher] += values
            stated += tolerance / 2.0
        del search  # before the next boards take memory
        progress(piece.stop / boards)
    after = (trunk.whole_value(1, below[0]) + trunk.whole_value(0, below[1])) / 2.0
    tolerance = stated if chosen.safe else float("nan")
    return StreamedReport(blueprint.game, chosen, boards, trunk.exploitability, after, tolerance)


def _one_of(trunk: Trunk, board: int) -> Search:
    subgames = BoardSubgames(trunk, board, usual_schedule())

    def search(technique: Technique, searcher: int, iterations: int) -> tuple[Floats, float]:
        found = subgames.search(technique, searcher, iterations)
        return found.values, float(found.tolerances.sum())

    return search


def _all_of(trunk: Trunk, boards: range) -> Search:
    side_by_side = BoardsAtOnce(trunk, boards, boards_on_gpu(trunk, boards, usual_schedule()))

    def search(technique: Technique, searcher: int, iterations: int) -> tuple[Floats, float]:
        found = side_by_side.search(technique, searcher, iterations)
        return found.values, found.tolerance

    return search
