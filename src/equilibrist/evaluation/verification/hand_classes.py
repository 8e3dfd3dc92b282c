"""A second opinion on games of buckets: the betting walked situation by situation, payoffs as whole matrices, plain float64.

Of the solver nothing enters but the strategies that it answers with.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.solution import Evaluation
from equilibrist.evaluation.verification.tabular import Verification
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.bucket_game import BucketPoker
from equilibrist.games.poker.game import settle
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.solvers.hand_classes.bucket_policy import BucketPolicy
from equilibrist.solvers.hand_classes.bucket_solution import BucketSolution

TOLERANCE = 1e-6  # chips

Report = Callable[[int], None]  # betting situations walked


def verify_buckets(solution: BucketSolution, progress: Report | None = None) -> Verification:
    """Recompute value and best responses of a saved solution."""
    begun = time.perf_counter()
    walk = BucketWalk(solution.rules, solution.policy, progress)
    return Verification(
        game=solution.game,
        stated=solution.evaluation,
        recomputed=walk.evaluate(),
        tolerance=TOLERANCE,
        histories=walk.walked,
        seconds=time.perf_counter() - begun,
        walked="betting situations",
    )


def verify_saved(solution: BucketSolution, full: bool, report: Callable[[float | None, str], None]) -> Verification:
    """The route of games of buckets."""
    return verify_buckets(solution, lambda walked: report(None, f"{walked:,} betting situations"))


class BucketWalk:
    """Values of a policy by bucket sequence, once for each player."""

    def __init__(self, game: BucketPoker, policy: BucketPolicy, progress: Report | None = None) -> None:
        self.game, self.policy, self.progress, self.walked = game, policy, progress, 0
        total = game.deals.matrices[0][0].sum()
        self.chance = [deals / total for deals, _ in game.deals.matrices]
        self.balance = game.deals.matrices[-1][1] / total

    def evaluate(self) -> Evaluation:
        found = [self._visit(self.game.first, p, np.ones(self.game.recipe.buckets)) for p in range(2)]
        played, best = zip(*((float(value.sum()), float(top.sum())) for value, top in found), strict=True)
        return Evaluation(played, best)

    def _visit(self, node: BettingNode, player: int, reach: Floats) -> tuple[Floats, Floats]:
        """[own bucket sequence] what own play and best play are worth, given the opponent's reach by its sequences."""
        k = self.game.recipe.buckets
        if node.player == CHANCE:
            value, best = self._visit(node.after_deal, player, np.repeat(reach, k))
            return value.reshape(-1, k).sum(axis=1), best.reshape(-1, k).sum(axis=1)
        self.walked += 1
        if self.progress is not None and self.walked % 256 == 0:
            self.progress(self.walked)
        if node.player == TERMINAL:
            if any(node.folded):
                paid = settle(node, (0, 0))[player] * (self.chance[node.round] @ reach)
            else:
                paid = settle(node, (1, 0))[0] * (self.balance @ reach)
            return paid, paid
        table = self.policy.table(node, node.player)
        if node.player != player:
            parts = [self._visit(node.after(a), player, reach * table[:, a]) for a in range(table.shape[1])]
            return np.sum([part[0] for part in parts], axis=0), np.sum([part[1] for part in parts], axis=0)
        parts = [self._visit(node.after(a), player, reach) for a in range(table.shape[1])]
        played = np.sum([table[:, a] * part[0] for a, part in enumerate(parts)], axis=0)
        return played, np.max([part[1] for part in parts], axis=0)
