"""`solver="auto"`: which solver suits a game, and why; the measurements behind it are in docs/solvers/comparison.md."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.core.errors import TooLargeError
from equilibrist.forms.compiled import Compiled
from equilibrist.games.rules import CHANCE
from equilibrist.games.size_estimate import BYTES_PER_HISTORY, estimate_histories, memory_limit

AUTO = "auto"
EXACT_BELOW = 2_000  # histories up to which the linear program answers at once


@dataclass(frozen=True)
class SolverChoice:
    """A solver's name and one sentence that says why."""

    solver: str
    reason: str


def choose_solver(game: Compiled, *, until: float | None = None) -> SolverChoice:
    """By players, recall, size and structure of a game; `until` is the exploitability wanted, if any."""
    rules = game.game
    if rules.players != 2:
        return SolverChoice(
            "cfr+", f"{rules.players} players: no method is guaranteed to converge; CFR+ is the usual choice"
        )
    if not rules.perfect_recall:
        return SolverChoice("cfr", "imperfect recall: CFR on the game tree is the only one that applies")
    histories = estimate_histories(rules)
    if "buckets" in rules.solved_on and histories * BYTES_PER_HISTORY > memory_limit():
        return SolverChoice(
            "dcfr", f"buckets with {histories:.2g} histories: solved by matrices of them, without a tree"
        )
    if "boards" in rules.solved_on and histories > EXACT_BELOW:
        if histories * BYTES_PER_HISTORY > memory_limit():
            return SolverChoice("dcfr", f"poker with {histories:.2g} histories: solved on its boards, without a tree")
        return SolverChoice("dcfr", "poker: mistakes of very different size, which discounting forgets soonest")
    if histories * BYTES_PER_HISTORY > memory_limit():
        raise TooLargeError(
            f"'{rules.name}' has about {histories:.2g} histories, too many for any solver here; choose smaller parameters."
        )
    if not game.sequence_form.zero_sum:
        return SolverChoice("cfr+", "payoffs do not add up to zero: no method is guaranteed to converge")
    if histories <= EXACT_BELOW:
        return SolverChoice("lp", f"{histories:.0f} histories: the linear program is exact and takes no time")
    if until is not None and until <= 1e-9:
        return SolverChoice("lp", "an exact answer was asked for")
    if rules.start().player == CHANCE:
        return SolverChoice("dcfr", "chance moves first: discounting closes the gap fastest")
    return SolverChoice("pcfr+", "players move at once: predictive CFR+ closes the gap fastest")
