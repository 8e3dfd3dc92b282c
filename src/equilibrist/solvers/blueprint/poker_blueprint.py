"""PokerBlueprint: a trained strategy as it is played from; one byte per infoset-action, memory-mapped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.abstract_poker import AbstractPoker
from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.solvers.blueprint.plan import BlueprintPlan, plan_from_json

KIND = "poker-blueprint"
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PokerBlueprint:
    """Average strategies on an abstract game."""

    plan: BlueprintPlan
    game: AbstractPoker
    packed: npt.NDArray[np.uint8] = field(repr=False)  # [slots]; 255 in all at every infoset
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def strategy(self, node: int, bucket: int) -> Floats:
        """[actions] at a decision of the betting tree with a hand of this bucket."""
        width = int(self.game.tree.children[node])
        first = int(self.game.first_slot[node]) + bucket * width
        return self.packed[first : first + width] / 255.0

    def strategies(self, node: int, buckets: npt.NDArray[np.integer]) -> Floats:
        """[hand, actions] for hands of these buckets."""
        width = int(self.game.tree.children[node])
        first = int(self.game.first_slot[node])
        table = self.packed[first : first + width * self.game.buckets.sizes[self.game.tree.round[node]]]
        found: Floats = table.reshape(-1, width)[buckets] / 255.0
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        header = {"plan": self.plan.to_json(), "cards": self.game.buckets.hash, "provenance": dict(self.provenance)}
        save_artifact(path, Artifact(KIND, header, {"packed": self.packed}))


def load_blueprint(path: str | os.PathLike[str]) -> PokerBlueprint:
    """Open a trained strategy; the card abstraction it was trained with is made again or found, and must be the same one."""
    artifact = open_artifact(path, KIND)
    try:
        plan = plan_from_json(artifact.header["plan"])
        packed, cards = artifact.arrays["packed"], str(artifact.header["cards"])
        provenance = dict(artifact.header["provenance"])
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"'{path}' is damaged or incomplete ({error}); train it again.") from None
    game = plan.game(beside=os.path.dirname(os.fspath(path)), hash=cards)
    if packed.shape != (game.slots,) or packed.dtype != np.uint8:
        raise FormatError(
            f"'{path}' is damaged: it has {packed.size:,} numbers instead of {game.slots:,}; train it again."
        )
    return PokerBlueprint(plan, game, packed, provenance)
