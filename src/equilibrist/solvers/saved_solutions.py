"""`load_solution`: whatever was saved, by what the file says it is."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any, cast

from equilibrist.core.artifact import artifact_kind
from equilibrist.core.errors import FormatError
from equilibrist.core.solution import Solution, read_solution

# where the class of each kind lives, so that opening one does not import the others
KINDS: Mapping[str, tuple[str, str]] = {
    "solution": ("core.solution", "TabularSolution"),
    "boards": ("solvers.postflop.solutions.game_solution", "BoardSolution"),
    "buckets": ("solvers.hand_classes.bucket_solution", "BucketSolution"),
    "spot-solution": ("solvers.postflop.solutions.spot_solution", "SpotSolution"),
    "table-solution": ("solvers.tables.table_solution", "TableSolution"),
    "three-way-solution": ("solvers.three_way.three_way_solution", "ThreeWaySolution"),
    "poker-blueprint": ("solvers.blueprint.strategy", "PokerBlueprint"),
}


def load_solution(path: str | os.PathLike[str]) -> Solution:
    """A saved solution of a game or a spot, or a blueprint; foreign, damaged and inconsistent files are refused."""
    if os.path.isdir(path):
        raise FormatError(f"'{path}' is a folder; give the path of a solution file (.eqb).")
    found = cast(Any, solution_class(artifact_kind(path)))
    return cast(Solution, read_solution(path, found))


def solution_class(kind: str | None) -> type[Solution]:
    """The class of a kind of file; of other kinds the tabular one, which says what is wrong with them."""
    module, name = KINDS.get(kind or "", KINDS["solution"])
    return cast(type[Solution], getattr(importlib.import_module(f"equilibrist.{module}"), name))
