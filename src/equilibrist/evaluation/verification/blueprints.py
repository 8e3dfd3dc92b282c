"""A blueprint measured by the rules of its game, where that is small enough to be walked; over all flops where betting ends there."""

from __future__ import annotations

import time

from equilibrist.compute.machine import cores
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError, UnknownNameError
from equilibrist.core.solution import Evaluation, TabularSolution
from equilibrist.evaluation.verification.tabular import Verification, verify_solution
from equilibrist.evaluation.verification.verify import Report
from equilibrist.games.catalogue import recorded_game
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.values.flop_values import FlopWalk, flop_values

MOST_HISTORIES = 2_000_000
QUICK_FLOPS = 150  # that are walked without being asked to; a full deck has 1,755


def verify_saved(solution: PokerBlueprint, full: bool, report: Report) -> Verification:
    """Value and exploitability of a blueprint, which its file does not state."""
    game = recorded_game(solution.game)
    size = game.histories()
    if size is None or size > MOST_HISTORIES:
        return _over_flops(solution, full, report)
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


def _over_flops(solution: PokerBlueprint, full: bool, report: Report) -> Verification:
    """Exact values and best responses with the blueprint's own bets, where nobody bets after the flop."""
    begun = time.perf_counter()
    try:
        flops = FlopWalk([solution]).flops
    except NotApplicableError:
        raise NotApplicableError(
            f"'{solution.game}' is too large for an exact best response to a blueprint; 'equilibrist evaluate' measures it by "
            "local best response, by learning against it (--learn) and in matches."
        ) from None
    if flops > QUICK_FLOPS and not full:
        raise TooLargeError(f"'{solution.game}' has {flops:,} flops that differ; give --full to wait for all of them.")
    found = flop_values([solution], threads=cores(), report=lambda text, share: report(share, text))
    value, best = float(found.value[0, 0]), found.response[:, 0]
    return Verification(
        game=solution.game,
        stated=None,
        recomputed=Evaluation((value, -value), (float(best[0]), float(best[1]))),
        tolerance=0.0,
        histories=flops,
        seconds=time.perf_counter() - begun,
        walked="flops",
        route="over all flops",
    )
