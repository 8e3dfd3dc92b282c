"""`verify`: a second opinion on any solution, recomputed from the rules alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import Solution
from equilibrist.evaluation.verification.tabular import Verification, verify_solution

if TYPE_CHECKING:
    from equilibrist.evaluation.verification.spots import SpotVerification
    from equilibrist.games.rules import Game


def verify(solution: Any, game: Game | None = None, *, full: bool = False) -> Verification | SpotVerification:
    """Recompute value and exploitability by code that the solver does not use; `.agrees` says whether they are as stated.

    `game` is found by the solution's name unless given. `full` also walks what takes minutes: a flop, a game with many boards.
    """
    from equilibrist.evaluation.verification.boards import verify_boards
    from equilibrist.evaluation.verification.hand_classes import verify_buckets
    from equilibrist.evaluation.verification.spots import verify_spot
    from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

    if isinstance(solution, Solution):
        return verify_solution(solution, game)
    if game is not None:
        raise NotApplicableError("This solution holds its own game; leave 'game' out.")
    if isinstance(solution, BucketSolution):
        return verify_buckets(solution)
    if isinstance(solution, BoardSolution):
        return verify_boards(solution, full=full)
    if isinstance(solution, SpotSolution):
        return verify_spot(solution, full=full)
    raise NotApplicableError(f"Only solutions can be verified, but {type(solution).__name__!r} was given.")
