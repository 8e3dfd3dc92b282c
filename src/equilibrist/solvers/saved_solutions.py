"""`load_solution`: whatever was saved, by what the file says it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from equilibrist.core import solution as tabular
from equilibrist.core.artifact import artifact_kind

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution


def load_solution(path: str | os.PathLike[str]) -> Solution | BoardSolution | BucketSolution | SpotSolution:
    """A saved solution of a game or a spot; foreign, damaged and inconsistent files are refused."""
    kind = artifact_kind(path)
    if kind == "boards":
        from equilibrist.solvers.postflop.solutions.game_solution import load_board_solution

        return load_board_solution(path)
    if kind == "buckets":
        from equilibrist.solvers.hand_classes.bucket_solution import load_bucket_solution

        return load_bucket_solution(path)
    if kind == "spot-solution":
        from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

        return load_spot_solution(path)
    return tabular.load_solution(path)
