"""A blueprint measured by the rules of its game, where that game is small enough to be walked."""

from __future__ import annotations

from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError
from equilibrist.core.solution import TabularSolution
from equilibrist.evaluation.verification.tabular import Verification, verify_solution
from equilibrist.evaluation.verification.verify import Report
from equilibrist.games.catalogue import recorded_game
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

MOST_HISTORIES = 2_000_000


def verify_saved(solution: PokerBlueprint, full: bool, report: Report) -> Verification:
    """Value and exploitability of a blueprint, which its file does not state."""
    game = recorded_game(solution.game)
    size = game.histories()
    if size is None or size > MOST_HISTORIES:
        raise NotApplicableError(
            f"'{solution.game}' is too large for an exact best response to a blueprint; 'equilibrist evaluate' measures it by "
            "local best response and matches."
        )
    try:
        policy = solution.tabular()
    except (ParameterError, UnknownNameError, KeyError) as error:
        raise NotApplicableError(
            f"This blueprint knows other bets than '{solution.game}', so it cannot be written out for it ({error}); "
            "'equilibrist evaluate' measures it at the table."
        ) from None
    written = TabularSolution(solution.game, solution.record, policy, None)
    return verify_solution(
        written, game, progress=lambda walked: report(min(1.0, walked / size), f"{walked:,} histories")
    )
