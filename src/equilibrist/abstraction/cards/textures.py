"""Buckets that know the board: intervals of strength, for boards of each texture apart.

A texture counts cards of one suit, equal ranks, and ranks that stand close together: little, some or much of each. What a share of
random hands beaten is worth depends on the hands that go on, and these are others on boards of other textures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards._kernels.textures import KINDS, textures
from equilibrist.abstraction.cards.deals import HandBatch, Streets
from equilibrist.abstraction.cards.features import Feature, Rows, Strength
from equilibrist.abstraction.cards.methods import Clusters, EhsEqual, Help, Labels, Scene
from equilibrist.cards.deck import Deck
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError

TEXTURES = KINDS**3
KIND, LOWEST = 2, 3  # columns: the texture, and in centres the lowest strength of the class


def board_textures(boards: NDArray[np.integer], deck: Deck) -> Longs:
    """[N] of boards [N, cards], in any order."""
    out = np.empty(len(boards), np.int64)
    textures(np.ascontiguousarray(boards, np.int8), deck.suits, deck.ranks, out)
    return out


@dataclass(frozen=True)
class BoardStrength:
    """E[HS] and E[HS²] as `Strength` or its sums have them, and the texture of the board."""

    strength: Feature

    def rows(self, streets: Streets, hands: HandBatch) -> Rows:
        found = board_textures(hands.boards, streets.deck)[hands.board]
        return np.column_stack([self.strength.rows(streets, hands), found]).astype(np.float32)

    def of_scores(self, streets: Streets, scores: NDArray[np.int64]) -> Rows | None:
        """All scores on boards of each texture in turn."""
        rows = self.strength.of_scores(streets, scores)
        if rows is None:
            return None
        kinds = np.repeat(np.arange(TEXTURES), len(scores))
        return np.column_stack([np.tile(rows, (TEXTURES, 1)), kinds]).astype(np.float32)


@dataclass(frozen=True)
class TextureEqual(EhsEqual):
    """Intervals that hold equally many deals, on boards of each texture apart."""

    word: ClassVar[str] = "texture-equal"
    textures: ClassVar[int] = TEXTURES

    def feature(self, scene: Scene) -> Feature:
        if scene.street == 0:
            raise NotApplicableError("texture-equal needs a board; use another method before the flop.")
        return BoardStrength(Strength(scene.runouts, scene.seed))

    def fit(self, rows: Rows, weight: Floats, size: int, scene: Scene, help: Help) -> Clusters:
        kinds = np.unique(rows[:, KIND]).astype(np.int64)
        if size < len(kinds):
            raise ParameterError(
                f"Boards of the {scene.streets.names[scene.street]} have {len(kinds)} textures, so there are at least as many buckets, but "
                f"{size} were asked for."
            )
        mass = np.array([weight[rows[:, KIND] == kind].sum() for kind in kinds])
        centres = []
        for kind, share in zip(kinds.tolist(), shares(mass, size).tolist(), strict=True):
            here = rows[:, KIND] == kind
            found = super().fit(rows[here][:, :KIND], weight[here], share, scene, help)
            lowest = np.concatenate([[-1.0], found.cuts])
            centres.append(np.column_stack([found.centres, np.full(found.size, kind), lowest]))
        return Clusters(np.concatenate(centres).astype(np.float32))

    def assign(self, rows: Rows, clusters: Clusters, scene: Scene) -> Labels:
        values = rows[:, self.column].astype(np.float64)
        kinds, first = np.unique(clusters.centres[:, KIND], return_index=True)
        place = np.minimum(np.searchsorted(kinds, rows[:, KIND]), len(kinds) - 1)  # never fitted: as one like it
        ends, out = np.append(first, clusters.size), np.empty(len(rows), np.int64)
        for n in range(len(kinds)):
            here, lowest = place == n, clusters.centres[ends[n] : ends[n + 1], LOWEST].astype(np.float64)
            out[here] = ends[n] + np.searchsorted(lowest[1:], values[here], side="right")
        return out


def shares(mass: Floats, size: int) -> Longs:
    """Buckets of each texture, at least one: in proportion to the root of how often it is met, since rare boards need fewer."""
    wanted = np.sqrt(mass) / np.sqrt(mass).sum() * (size - len(mass))
    out: Longs = 1 + np.floor(wanted).astype(np.int64)
    out[np.argsort(-(wanted % 1.0), kind="stable")[: size - int(out.sum())]] += 1
    return out
