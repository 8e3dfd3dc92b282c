"""OCHS, opponent cluster hand strength: hands are alike if they fare alike against each group of opponents' hole cards.

`AgainstGroups` is the feature, `Ochs` the method: k-means of its rows ([Ganzfried15, chapter 5]).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards._kernels.hands import add_cluster_equities
from equilibrist.abstraction.cards.deals import HandBatch, Streets, complete, hole_columns
from equilibrist.abstraction.cards.features import Feature, Rows, slices
from equilibrist.abstraction.cards.methods import Lloyd, Scene
from equilibrist.cards.evaluator import boards_strengths, pairs
from equilibrist.core.errors import NotApplicableError


@dataclass(frozen=True, eq=False)
class AgainstGroups:
    """Equity against each group of opponents' hole cards (OCHS), averaged over runouts ([Ganzfried15, chapter 5])."""

    group: NDArray[np.int8] = field(repr=False)  # [pair]; group of every pair of hole cards
    sample: int = 0
    seed: int = 0

    @property
    def groups(self) -> int:
        return int(self.group.max()) + 1

    def rows(self, streets: Streets, hands: HandBatch) -> Rows:
        if not hands.boards.shape[1]:
            raise NotApplicableError("Equity against groups is computed with a board; use a histogram before the flop.")
        out = np.empty((len(hands.index), self.groups), np.float32)
        every = np.arange(len(pairs(streets.deck)))
        for start, stop, places in slices(streets, hands, self.sample):
            full, runouts = complete(hands.boards[start:stop], streets, self.sample, self.seed)
            won, met = np.zeros((2, stop - start, len(every), self.groups))
            strengths = boards_strengths(full, streets.deck)
            columns = hole_columns(streets.deck)
            add_cluster_equities(strengths, runouts, every, *columns, self.group, self.groups, won, met)
            at = hands.board[places] - start, hands.pair[places]
            out[places] = np.where(met[at] > 0.0, won[at] / np.maximum(met[at], 1.0), 0.5)
        return out

    def of_scores(self, streets: Streets, scores: NDArray[np.int64]) -> None:
        return None


@dataclass(frozen=True)
class Ochs(Lloyd):
    """k-means of equities against groups of opponents' hole cards ([Ganzfried15, chapter 5])."""

    word: ClassVar[str] = "ochs"
    by_score: ClassVar[bool] = False
    groups: int = 8

    def feature(self, scene: Scene) -> Feature:
        if scene.opponents is None or scene.street == 0:
            raise NotApplicableError("ochs needs a board; use another method before the flop.")
        return AgainstGroups(scene.opponents(self.groups), scene.runouts, scene.seed)
