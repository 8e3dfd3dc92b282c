"""What a training learns: game, method, iterations and seed, as `plan.json` keeps them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from equilibrist.core.errors import EquilibristError, FormatError, ParameterError
from equilibrist.core.reading import parse_json, read_bytes
from equilibrist.core.writing import write_text

PLAN = "plan.json"
MOST_ITERATIONS = 10**9


@dataclass(frozen=True)
class LearningOrder:
    """Everything in `plan.json`."""

    game: str  # by name, such as leduc(ranks=5)
    method: str  # by name, such as sd-cfr(traversals=500)
    iterations: int
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.iterations <= MOST_ITERATIONS:
            raise ParameterError(
                f"A training takes 1 to {MOST_ITERATIONS:,} iterations, but {self.iterations:,} was given."
            )
        if not 0 <= self.seed < 2**62:
            raise ParameterError(f"A seed is a whole number from 0 to 2^62 - 1, but {self.seed} was given.")

    def save(self, folder: Path) -> None:
        write_text(folder / PLAN, json.dumps({"version": 1, "kind": "learning"} | asdict(self), indent=1))


class _Order(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    kind: str
    game: str
    method: str
    iterations: int
    seed: int


def read_learning_order(folder: Path) -> LearningOrder:
    """What a folder learns; refuses what is no folder of a training."""
    path = folder / PLAN
    if not path.exists():
        raise FormatError(
            f"'{folder}' is no folder of a training: it has no {PLAN}; start one with 'equilibrist learn start'."
        )
    if b'"learning"' not in (data := read_bytes(path, "The plan")):
        raise FormatError(f"'{folder}' is no folder of learning; go on with 'equilibrist train resume {folder}'.")
    try:
        read = parse_json(data, "it", "a plan was expected", _Order)
        return LearningOrder(read.game, read.method, read.iterations, read.seed)
    except (msgspec.MsgspecError, EquilibristError) as error:
        raise FormatError(f"'{path}' is damaged ({error}); start the training again in a new folder.") from None
