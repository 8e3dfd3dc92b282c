"""GameShrink, verified: solve the game of classes, play its solution in the game of cards, and say what that loses."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.abstraction.information.raise_caps import ReplyRule
from equilibrist.core.solution import Evaluation
from equilibrist.forms.hand_classes.classes import HandClasses
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.solvers.hand_classes.passes import RoundStrategy
from equilibrist.solvers.hand_classes.raise_cap_play import lift_capped
from equilibrist.solvers.hand_classes.solve_classes import RoundSolution


@dataclass(frozen=True, eq=False)
class VerifiedShrink:
    """Classes with a solution of their game, and its worth among all cards."""

    classes: HandClasses
    solution: RoundSolution  # in the game of classes
    lifted: RoundStrategy  # the same play with all cards told apart
    evaluation: Evaluation  # of `lifted`

    @property
    def loss(self) -> float:
        """Exploitability among all cards beyond what the solution has in its own game, chips."""
        return self.evaluation.exploitability - self.solution.exploitability

    @property
    def nemesis(self) -> float:
        """What the solution earns, both seats averaged, against opponents who answer it best; 0 for an equilibrium."""
        return -self.evaluation.exploitability

    def lossless(self, tolerance: float) -> bool:
        """Whether no more than `tolerance` chips are lost; the merging was then harmless as far as this solution goes."""
        return self.loss <= tolerance


def verify_strategy(solution: RoundSolution, full: KroneckerForm, reply: ReplyRule | None = None) -> VerifiedShrink:
    """What a solution is worth in a game of finer classes; `reply` answers raises that a model with a lower cap lacks."""
    played = solution.strategy
    lifted = played.lifted(full) if played.form.rules == full.rules else lift_capped(played, full, reply)
    return VerifiedShrink(solution.strategy.form.hand_classes(0), solution, lifted, lifted.evaluate())
