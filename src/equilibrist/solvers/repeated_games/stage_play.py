"""The strategies of an infinitely repeated game, played for finitely many stages: a solver for games `repeated(…)`.

The informed player draws its belief once and then plays by it; at a decision it plays the mean of what its possible draws would do, by
Bayes' rule. The uninformed player keeps the mean payoff of every state at its target. So the first gets the value of the infinite game
in any number of stages, and the second concedes O(1/sqrt(stages)) more ([Gilpin09, §11.5]).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.names import Name, Value, readable
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import EXACT, Solution, SolveRecord, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.games.library.repeated import INFORMED, UNINFORMED, FiniteRepetition, RepetitionState
from equilibrist.solvers.iteration_loop import Progress, ProgressCallback, Stop
from equilibrist.solvers.registry import SolverEntry
from equilibrist.solvers.repeated_games.repeated_games import (
    InformedStrategy,
    RepeatedSolution,
    UninformedStrategy,
    check_accuracy,
    solve_repeated,
)
from equilibrist.solvers.responses.best_response import evaluate_policy
from equilibrist.version import __version__

DEFAULTS: dict[str, Value] = {"epsilon": 1e-6, "method": "adaptive"}


@dataclass(frozen=True)
class ConcavificationSolver:
    """Solve the infinite game to within `epsilon` of the payoff range, and play its strategies in the finite one."""

    epsilon: float = 1e-6
    method: str = "adaptive"

    def __post_init__(self) -> None:
        check_accuracy(self.epsilon, self.method)

    def __repr__(self) -> str:
        return readable(self)

    @property
    def name(self) -> str:
        given: dict[str, Value] = {"epsilon": self.epsilon, "method": self.method}
        return str(Name("concavification", {key: value for key, value in given.items() if value != DEFAULTS[key]}))

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        """Solve at once; `stop.exploitability` only decides whether the answer counts as converged."""
        rules = game.game
        if not isinstance(rules, FiniteRepetition):
            raise NotApplicableError(
                f"'{self.name}' solves repeated games with lack of information on one side, but '{rules.name}' is none; "
                "give 'repeated(states=…,stages=…)' or another solver."
            )
        if resume is not None:
            raise NotApplicableError(f"'{self.name}' solves in one go, so a saved run cannot be resumed; solve anew.")
        begin, cpu = time.perf_counter(), time.process_time()
        found = solve_repeated(rules.base, self.epsilon, self.method)
        policy = stage_policy(game, found)
        evaluation = evaluate_policy(game, policy)
        seconds = time.perf_counter() - begin
        if progress is not None:
            progress(Progress(found.games, seconds, evaluation.exploitability, 1.0, 0.0))
        goal = stop.exploitability
        return TabularSolution(
            game=rules.name,
            record=SolveRecord(
                solver=self.name,
                iterations=found.games,
                seconds=seconds,
                converged=found.converged if goal is None else evaluation.exploitability <= goal,
                cpu_seconds=time.process_time() - cpu,
                settings={**stop.to_json(), "seed": seed, "epsilon": self.epsilon, "method": self.method},
                provenance={"version": __version__, "exploitability": EXACT},
                extra=_facts(rules, found),
            ),
            policy=policy,
            evaluation=evaluation,
            unit=rules.unit,
        )


def _facts(rules: FiniteRepetition, found: RepeatedSolution) -> dict[str, Any]:
    """What is known of the infinite game."""
    informed, conceded = found.informed, found.uninformed.guarantee(rules.stages)
    return {
        "infinite_value": [found.lower, found.upper],
        "beliefs": informed.beliefs.tolist(),
        "weights": informed.weights.tolist(),
        "targets": found.uninformed.target.tolist(),
        "remarks": [
            f"Repeated for ever it is worth {found.lower:.6g} to player 1 (to within {found.error:.1g}), which this strategy of "
            f"player 1 gets in any number of stages; that of player 2 concedes at most {conceded:.4g} in {rules.stages}."
        ],
    }


def stage_policy(game: Compiled, found: RepeatedSolution) -> TabularPolicy:
    """Both strategies at every infoset of the finite game."""
    rules = game.game
    assert isinstance(rules, FiniteRepetition)
    infosets = game.infosets
    out = infosets.uniform().probabilities.copy()
    for moves in _histories(rules):
        hidden = RepetitionState(rules, int(rules.base.possible[0]), (*moves, 0)).infoset(UNINFORMED)
        mixes = {hidden: uninformed_mix(found.uninformed, moves)}
        for world in map(int, rules.base.possible):
            own = RepetitionState(rules, world, moves).infoset(INFORMED)
            mixes[own] = informed_mix(found.informed, world, moves[::2])
        for key, mix in mixes.items():
            slot = int(infosets.first_slot[infosets.number(key)])
            out[slot : slot + len(mix)] = mix
    return TabularPolicy(infosets, out)


def _histories(rules: FiniteRepetition) -> Iterator[tuple[int, ...]]:
    """Moves of all complete stages before the last one."""
    _, rows, columns = rules.base.shape
    pairs = list(product(range(rows), range(columns)))
    for stages in range(rules.stages):
        for played in product(pairs, repeat=stages):
            yield tuple(move for pair in played for move in pair)


def informed_mix(strategy: InformedStrategy, world: int, rows: tuple[int, ...]) -> Floats:
    """What the informed player does after its own rows: the mean over its draws, given that it has played so."""
    chance = strategy.lottery[world] * strategy.rows[:, list(rows)].prod(axis=1)
    if not chance.sum() > 0.0:  # rows that the strategy never plays
        chance = strategy.lottery[world]
    return np.asarray(chance @ strategy.rows / chance.sum())


def uninformed_mix(strategy: UninformedStrategy, moves: tuple[int, ...]) -> Floats:
    """What the uninformed player does after complete stages."""
    if not moves:
        return strategy.mix(None)
    return strategy.mix(strategy.game.payoffs[:, list(moves[::2]), list(moves[1::2])].mean(axis=1))


ENTRIES = [
    SolverEntry(
        "concavification",
        "repeated games with lack of information on one side, by the value of the infinite game",
        ConcavificationSolver,
        DEFAULTS,
        "Gilpin09",
        "the value of the infinite game to within epsilon; exploitability O(1/sqrt(stages)) in the finite one",
    ),
]
