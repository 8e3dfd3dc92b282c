"""PokerBlueprint: a trained strategy as it is played from; one byte per infoset-action or less, memory-mapped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan, plan_from_json
from equilibrist.solvers.blueprint.pure_choices import PureChoices, mixed_slots, purified

KIND = "poker-blueprint"
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PokerBlueprint:
    """Average strategies on an abstract game."""

    plan: BlueprintPlan
    game: AbstractPoker
    packed: npt.NDArray[np.uint8] = field(repr=False)  # [slots]; 255 in all at every infoset
    provenance: Mapping[str, Any] = field(default_factory=dict)
    pure: PureChoices | None = field(default=None, repr=False)  # from a round on; `packed` then holds the rounds before

    def strategy(self, node: int, bucket: int) -> Floats:
        """[actions] at a decision of the betting tree with a hand of this bucket."""
        return np.asarray(self.strategies(node, np.array([bucket]))[0])

    def strategies(self, node: int, buckets: npt.NDArray[np.integer]) -> Floats:
        """[hand, actions] for hands of these buckets."""
        width = int(self.game.tree.children[node])
        if self.pure is not None and self.game.tree.round[node] >= self.pure.first_round:
            chosen = self.pure.at(int(self._first_bit[node]), width, buckets)
            return np.asarray(np.eye(width)[chosen])
        first = int(self._first_slot[node])
        table = self.packed[first : first + width * self.game.buckets.sizes[self.game.tree.round[node]]]
        found: Floats = table.reshape(-1, width)[buckets] / 255.0
        return found

    @cached_property
    def _first_slot(self) -> npt.NDArray[np.int64]:
        return self.game.first_slot if self.pure is None else mixed_slots(self.game, self.pure.first_round)

    @cached_property
    def _first_bit(self) -> npt.NDArray[np.int64]:
        assert self.pure is not None
        return self.pure.first_bit(self.game)

    @property
    def nbytes(self) -> int:
        """Of the strategies themselves."""
        return self.packed.nbytes + (0 if self.pure is None else self.pure.bits.nbytes)

    def purified(self, first_round: int = 0) -> PokerBlueprint:
        """The likeliest action of every infoset from a round on, in ceil(log2 actions) bits."""
        if self.pure is not None:
            raise ParameterError("This blueprint is purified already; purify the one that it was made from.")
        packed, pure = purified(self.game, self.packed, first_round)
        return replace(self, packed=packed, pure=pure)

    def save(self, path: str | os.PathLike[str]) -> None:
        header: dict[str, Any] = {
            "plan": self.plan.to_json(),
            "cards": self.game.buckets.hash,
            "provenance": dict(self.provenance),
        }
        arrays: dict[str, npt.NDArray[Any]] = {"packed": self.packed}
        if self.pure is not None:
            header["pure_from"] = self.pure.first_round
            arrays["choices"] = self.pure.bits
        save_artifact(path, Artifact(KIND, header, arrays))


def load_blueprint(path: str | os.PathLike[str]) -> PokerBlueprint:
    """Open a trained strategy; the card abstraction it was trained with is made again or found, and must be the same one."""
    artifact = open_artifact(path, KIND)
    try:
        plan = plan_from_json(artifact.header["plan"])
        packed, cards = artifact.arrays["packed"], str(artifact.header["cards"])
        provenance = dict(artifact.header["provenance"])
        first = artifact.header.get("pure_from")
        pure = None if first is None else PureChoices(int(first), artifact.arrays["choices"])
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"'{path}' is damaged or incomplete ({error}); train it again.") from None
    game = plan.game(beside=os.path.dirname(os.fspath(path)), hash=cards)
    slots = game.slots if pure is None else int(mixed_slots(game, pure.first_round)[-1])
    if packed.shape != (slots,) or packed.dtype != np.uint8:
        raise FormatError(f"'{path}' is damaged: it has {packed.size:,} numbers instead of {slots:,}; train it again.")
    if pure is not None and (pure.bits.dtype != np.uint8 or pure.bits.size != -(-int(pure.first_bit(game)[-1]) // 8)):
        raise FormatError(f"'{path}' is damaged: its purified actions do not fit its game; train it again.")
    return PokerBlueprint(plan, game, packed, provenance, pure)
