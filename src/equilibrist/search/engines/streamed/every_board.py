"""Every board of a trained blueprint searched for both players, and what that leaves to an opponent who responds best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equilibrist.search.engines.streamed.blueprint_trunk import trunk_of, usual_schedule
from equilibrist.search.engines.streamed.board_subgames import BoardSubgames
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

Progress = Callable[[float], None]


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
    blueprint: PokerBlueprint, technique: str | Technique, iterations: int | None = None, *, threads: int = 1,
    progress: Progress = lambda share: None,
) -> StreamedReport:  # fmt: skip
    """Search every board for both players, and what an opponent who responds best gets from the whole strategy."""
    chosen, trunk = find_technique(technique), trunk_of(blueprint, threads)
    schedule, many = usual_schedule(), DEFAULT_ITERATIONS if iterations is None else iterations
    boards = len(trunk.abstract.boards[1].cards)
    below = np.zeros((2, trunk.abstract.roots, trunk.abstract.first.hands))
    stated = 0.0
    for board in range(boards):
        subgames = BoardSubgames(trunk, board, schedule)
        for searcher in range(2):
            found = subgames.search(chosen, searcher, many)
            below[searcher] += found.values
            stated += float(found.tolerances.sum()) / 2.0
        progress((board + 1) / boards)
    after = (trunk.whole_value(1, below[0]) + trunk.whole_value(0, below[1])) / 2.0
    tolerance = stated if chosen.safe else float("nan")
    return StreamedReport(blueprint.game, chosen, boards, trunk.exploitability, after, tolerance)
