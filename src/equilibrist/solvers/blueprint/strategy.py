"""PokerBlueprint: a trained strategy as it is played from; one byte per infoset-action or less, memory-mapped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.artifact import Artifact
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import BaseSolution, SolveRecord, read_record, read_solution
from equilibrist.forms.betting_tree.betting_tree import DECISION
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan, plan_from_json
from equilibrist.solvers.blueprint.pure_choices import PureChoices, mixed_slots, purified
from equilibrist.solvers.written_out import written_out

if TYPE_CHECKING:
    from equilibrist.solvers.blueprint.policy import BlueprintPolicy

WHOLE = 255  # in all at every infoset
SOME_NODES = 256  # decisions that are looked at whenever a blueprint is opened; `verify` looks at all
SOLVER = "blueprint-mccfr"  # Monte Carlo CFR on an abstract game, as `equilibrist train` runs it


@dataclass(frozen=True, eq=False, repr=False)
class PokerBlueprint(BaseSolution):
    """Average strategies on an abstract game."""

    kind: ClassVar[str] = "poker-blueprint"

    plan: BlueprintPlan
    abstract: AbstractPoker
    packed: npt.NDArray[np.uint8] = field(repr=False)  # [slots]; 255 in all at every infoset
    record: SolveRecord = field(default_factory=lambda: SolveRecord(SOLVER))
    pure: PureChoices | None = field(default=None, repr=False)  # from a round on; `packed` then holds the rounds before

    @property
    def game(self) -> str:
        """The game that was trained for."""
        return self.plan.game_name

    @property
    def evaluation(self) -> None:
        """Not measured: these games are too large."""
        return None

    @cached_property
    def policy(self) -> BlueprintPolicy:
        """The strategies by infoset of the game, at the bets that the blueprint knows."""
        from equilibrist.solvers.blueprint.policy import BlueprintPolicy

        return BlueprintPolicy(self)

    @property
    def infosets(self) -> int:
        return self.abstract.infosets

    @property
    def state(self) -> Mapping[str, npt.NDArray[Any]]:
        """Nothing: a training goes on from its folder (`equilibrist train resume FOLDER`)."""
        return {}

    def tabular(self) -> TabularPolicy:
        """The policy of every infoset by name; only where the game is small enough to be laid out."""
        return written_out(self.game, self.policy)

    def strategy(self, node: int, bucket: int) -> Floats:
        """[actions] at a decision of the betting tree with a hand of this bucket."""
        return np.asarray(self.strategies(node, np.array([bucket]))[0])

    def strategies(self, node: int, buckets: npt.NDArray[np.integer]) -> Floats:
        """[hand, actions] for hands of these buckets."""
        width = int(self.abstract.tree.children[node])
        if self.pure is not None and self.abstract.tree.round[node] >= self.pure.first_round:
            chosen = self.pure.at(int(self._first_bit[node]), width, buckets)
            return np.asarray(np.eye(width)[chosen])
        first = int(self._first_slot[node])
        table = self.packed[first : first + width * self.abstract.buckets.sizes[self.abstract.tree.round[node]]]
        found: Floats = table.reshape(-1, width)[buckets] / 255.0
        return found

    @cached_property
    def _first_slot(self) -> npt.NDArray[np.int64]:
        return self.abstract.first_slot if self.pure is None else mixed_slots(self.abstract, self.pure.first_round)

    @cached_property
    def _first_bit(self) -> npt.NDArray[np.int64]:
        assert self.pure is not None
        return self.pure.first_bit(self.abstract)

    @property
    def nbytes(self) -> int:
        """Of the strategies themselves."""
        return self.packed.nbytes + (0 if self.pure is None else self.pure.bits.nbytes)

    def purified(self, first_round: int = 0) -> PokerBlueprint:
        """The likeliest action of every infoset from a round on, in ceil(log2 actions) bits."""
        if self.pure is not None:
            raise ParameterError("This blueprint is purified already; purify the one that it was made from.")
        packed, pure = purified(self.abstract, self.packed, first_round)
        return replace(self, packed=packed, pure=pure)

    def to_artifact(self) -> Artifact:
        told: dict[str, Any] = {"plan": self.plan.to_json(), "cards": self.abstract.buckets.hash}
        arrays: dict[str, npt.NDArray[Any]] = {"packed": self.packed}
        if self.pure is not None:
            told["pure_from"] = self.pure.first_round
            arrays["choices"] = self.pure.bits
        return Artifact(self.kind, self.header(**told), arrays)

    @classmethod
    def from_artifact(cls, artifact: Artifact, path: str) -> PokerBlueprint:
        """What a file holds; the card abstraction it was trained with is made again or found, and must be the same one."""
        header = artifact.header
        trained = {"solver": SOLVER, "iterations": header["provenance"].get("iterations", 0), **header}
        plan, packed = plan_from_json(header["plan"]), artifact.arrays["packed"]
        first = header.get("pure_from")
        pure = None if first is None else PureChoices(int(first), artifact.arrays["choices"])
        game = plan.game(beside=os.path.dirname(path), hash=str(header["cards"]))
        if game.buckets.hash != header["cards"]:
            raise FormatError(f"it was trained with other buckets ({header['cards']}, not {game.buckets.hash})")
        slots = game.slots if pure is None else int(mixed_slots(game, pure.first_round)[-1])
        if packed.shape != (slots,) or packed.dtype != np.uint8:
            raise FormatError(f"it has {packed.size:,} numbers instead of {slots:,}")
        if pure is not None and (
            pure.bits.dtype != np.uint8 or pure.bits.size != -(-int(pure.first_bit(game)[-1]) // 8)
        ):
            raise FormatError("its purified actions do not fit its game")
        found = cls(plan, game, packed, read_record(trained), pure)
        wrong = found.broken_node(SOME_NODES)
        if wrong is not None:
            raise FormatError(f"the strategy after '{game.tree.line(wrong)}' is no distribution over actions")
        return found

    def broken_node(self, most: int | None = None) -> int | None:
        """A decision with a row that is no distribution, if there is one; with `most`, of so many decisions all over the tree."""
        nodes = np.flatnonzero(self.abstract.tree.kind == DECISION)
        if self.pure is not None:
            nodes = nodes[self.abstract.tree.round[nodes] < self.pure.first_round]
        if most is not None and len(nodes) > most:
            nodes = nodes[np.linspace(0, len(nodes) - 1, most).astype(np.int64)]
        for node in nodes.tolist():
            width = int(self.abstract.tree.children[node])
            first, rows = int(self._first_slot[node]), self.abstract.buckets.sizes[self.abstract.tree.round[node]]
            if (
                self.packed[first : first + width * rows].reshape(-1, width).sum(axis=1, dtype=np.int64) != WHOLE
            ).any():
                return int(node)
        return None


def load_blueprint(path: str | os.PathLike[str]) -> PokerBlueprint:
    """A trained strategy."""
    return read_solution(path, PokerBlueprint, again="train it again")
