"""CFR on a family of games: regrets as functions of the parameters, so that the past can be replayed at another point.

Payoffs are affine in theta, counterfactual values are linear in payoffs, so R(I, a) = R_0 + sum_d theta_d R_d ([Brown20, §4.2.1]).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.forms.history_tree.infoset_forest import grow_forest
from equilibrist.forms.sequence_form.sequence_form import payoff_coefficients, sequence_form
from equilibrist.solvers.bet_sizing._kernels import affine_cfr
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.responses.best_response import evaluate_policy


class AffineRun(ABC):
    """Regret matching without discounts at one point of a family; `weight` is the number of iterations the tables count as."""

    first_check = 4
    check_growth = 1.1

    def __init__(
        self, tree: GameTree, entries: int, first: npt.NDArray[np.int32], actions: npt.NDArray[np.int32]
    ) -> None:
        self.tree, self.iteration, self.weight = tree, 0, 0.0
        self.first, self.actions = first, actions  # [I] where the infosets' entries lie
        self.point = np.concatenate([[1.0], tree.parameters])
        self.regret = np.zeros((entries, len(self.point)))  # coefficients
        self.average_sum = np.zeros(entries)
        self.strategy = np.ones(entries)
        self._match()

    @property
    def theta(self) -> Floats:
        return self.point[1:].copy()

    def regrets(self, theta: Sequence[float] | Floats | None = None) -> Floats:
        """[entries] as they stand, or as they would stand had all iterations been played at theta."""
        point = self.point if theta is None else np.concatenate([[1.0], np.asarray(theta, dtype=np.float64)])
        out: Floats = self.regret @ point
        return out

    def move(self, theta: Sequence[float] | Floats, weight: float = 1.0) -> None:
        """Go on at another point of the family, the past counted with a weight from 0 to 1."""
        self.tree = self.tree.at([float(x) for x in theta])
        self.point[1:] = self.tree.parameters
        self.regret *= weight
        self.average_sum *= weight
        self.weight *= weight
        self._match()

    def advance(self, iterations: int) -> None:
        self._advance(iterations)
        self.iteration += iterations
        self.weight += iterations

    def evaluate(self) -> Evaluation:
        return evaluate_policy(Compiled(self.tree.game, self.tree), self.average())

    def values(self) -> tuple[float, ...]:
        """Of the average profile, for each player."""
        return self.evaluate().value

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "iteration": np.array([self.iteration]),
            "weight": np.array([self.weight]),
            "point": self.point.copy(),
            "regret": self.regret.copy(),
            "average": self.average_sum.copy(),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        for array, name in ((self.regret, "regret"), (self.average_sum, "average"), (self.point, "point")):
            if state[name].shape != array.shape:
                raise ValueError(f"{name} has {state[name].size} entries instead of {array.size}")
            array[:] = state[name]
        self.iteration, self.weight = int(state["iteration"][0]), float(state["weight"][0])
        self.tree = self.tree.at(self.theta.tolist())
        self._match()

    def _match(self) -> None:
        affine_cfr.match_all_at(self.point, self.regret, self.first, self.actions, self.strategy)

    @abstractmethod
    def _advance(self, iterations: int) -> None:
        """Run the kernel."""

    @abstractmethod
    def average(self) -> TabularPolicy:
        """The average strategy."""

    @abstractmethod
    def last(self) -> TabularPolicy:
        """The current strategy."""


class SequenceAffineRun(AffineRun):
    """Full traversals on the sequence form: two players."""

    def __init__(self, tree: GameTree) -> None:
        form = self.form = sequence_form(tree)
        self.coefficient = payoff_coefficients(tree, form)
        super().__init__(tree, int(form.offset[2]), form.first_sequence, form.actions)
        self.q, self.value = np.zeros_like(self.regret), np.zeros(len(self.point))

    def _match(self) -> None:
        super()._match()
        self.plan = self.form.plan(self.strategy)

    def _advance(self, iterations: int) -> None:
        affine_cfr.run_affine_cfr(
            iterations,
            self.point,
            self.form.treeplex,
            self.form.payoff.rows._replace(value=self.coefficient),
            self.strategy,
            self.plan,
            self.regret,
            self.average_sum,
            self.value,
            self.q,
        )

    def values(self) -> tuple[float, ...]:
        """One product per player instead of best responses too."""
        form, payoff = self.form, self.form.payoff
        plan = form.plan(form.behaviour(self.average_sum))
        found = []
        for p in range(2):
            begin, end = int(form.offset[p]), int(form.offset[p + 1])
            affine_cfr.affine_gradient(begin, end, payoff.start, payoff.column, self.coefficient, plan, self.q)
            found.append(float(plan[begin:end] @ (self.q[begin:end] @ self.point)))
        return tuple(found)

    def average(self) -> TabularPolicy:
        return self.form.policy(self.form.behaviour(self.average_sum))

    def last(self) -> TabularPolicy:
        return self.form.policy(self.strategy)


class SampledAffineRun(AffineRun):
    """Chance sampling on the game tree: as many deals per iteration as players, and all of them learn from each."""

    first_check = 1000
    check_growth = 1.3

    def __init__(self, tree: GameTree, seed: int = 0) -> None:
        grow_forest(tree, "Regret transfer")  # averages of walks need perfect recall
        infosets = tree.infosets
        super().__init__(tree, infosets.slots, infosets.first_slot[:-1], np.diff(infosets.first_slot))
        self.random = random_state(seed)
        self.payoff = np.ascontiguousarray(tree.payoff)
        self.scratch = affine_cfr.WalkScratch(
            walk=np.zeros(tree.histories, dtype=np.int32),
            below=np.zeros(tree.histories, dtype=np.int32),
            reach=np.zeros((tree.histories, tree.players)),
            values=np.zeros((tree.histories, tree.players, len(self.point))),
        )

    def _advance(self, iterations: int) -> None:
        affine_cfr.run_sampled_affine_cfr(
            iterations,
            self.point,
            self.random,
            self.tree.nodes,
            self.payoff,
            self.strategy,
            self.regret,
            self.average_sum,
            self.scratch,
        )

    def average(self) -> TabularPolicy:
        return normalise(self.tree.infosets, self.average_sum)

    def last(self) -> TabularPolicy:
        return TabularPolicy(self.tree.infosets, self.strategy.copy())

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return super().state() | {"random": self.random.copy()}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(state)
        self.random[:] = state["random"]


SAMPLINGS = ("none", "chance")


def start_affine_run(tree: GameTree, sampling: str = "none", seed: int = 0) -> AffineRun:
    """A run at iteration 0."""
    if sampling == "chance":
        return SampledAffineRun(tree, seed)
    if tree.players != 2:
        raise NotApplicableError(
            f"Full traversals of a family are for two players, but '{tree.game.name}' has {tree.players}; sample chance instead."
        )
    return SequenceAffineRun(tree)
