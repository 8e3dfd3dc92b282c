"""Is search safe? Every subgame is solved again, and exact best responses are compared before and after.

The best responses are those of `solvers/responses/best_response.py` on the game tree, which shares nothing with the public
layouts that search works on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled
from equilibrist.search.blueprint import Blueprint
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS, DEFAULT_SOLVER, search_everywhere
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.responses.best_response import evaluate_policy

ROUNDING = 1e-9  # per unit of payoff


@dataclass(frozen=True)
class SafetyReport:
    """What search did to a blueprint."""

    technique: Technique
    before: Evaluation
    after: Evaluation
    tolerance: tuple[
        float, float
    ]  # per searcher, what its solver says the opponent may have gained; NaN: nothing is said
    policy: TabularPolicy
    slack: float  # rounding
    solved: tuple[int, int] = (0, 0)  # per searcher, how many subgames were solved again

    @property
    def rise(self) -> tuple[float, float]:
        """Per searcher: by how much the opponent's best response has risen; negative is an improvement."""
        before, after = self.before.best_response_value, self.after.best_response_value
        assert before is not None
        assert after is not None
        return after[1] - before[1], after[0] - before[0]

    @property
    def safe(self) -> bool:
        """No best response rose by more than its solver said; never true of techniques that promise nothing."""
        return all(rise <= allowed + self.slack for rise, allowed in zip(self.rise, self.tolerance, strict=True))


def check_search(
    game: Compiled,
    policy: TabularPolicy,
    roots: Sequence[int | str],
    technique: str | Technique,
    *,
    abstraction: Blueprint | None = None,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
) -> SafetyReport:
    """Search all these subgames for both players and measure the whole strategies exactly."""
    blueprint = Blueprint(game.public_tree, policy) if abstraction is None else abstraction
    searched, found = search_everywhere(blueprint, roots, technique, solver=solver, iterations=iterations)
    stated = {result.searcher: result.tolerance for result in found}
    count = {result.searcher: len(result.subgame.roots) for result in found}
    largest = float(abs(game.public_tree.returns).max(initial=1.0))
    return SafetyReport(
        technique=find_technique(technique),
        before=evaluate_policy(game, blueprint.policy),
        after=evaluate_policy(game, searched),
        tolerance=(stated.get(0, 0.0), stated.get(1, 0.0)),
        policy=searched,
        slack=ROUNDING * largest,
        solved=(count.get(0, 0), count.get(1, 0)),
    )
