"""Repeated games the obvious way: envelopes by chords, best responses by trying every plan, play by plain loops."""

from __future__ import annotations

from itertools import product

import numpy as np

from equilibrist.experiments.gilpin.equilibria.repeated_play import Greedy, Mixing
from equilibrist.games.library.repeated import RepeatedGame
from equilibrist.solvers.linear_programs.support_enumeration import support_enumeration
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.mccfr._kernels.sampling import draw_action, uniform
from equilibrist.solvers.repeated_games.repeated_games import InformedStrategy, UninformedStrategy


def value_at(game: RepeatedGame, belief: np.ndarray) -> float:
    """v(q) by support enumeration."""
    average = sum(q * matrix for q, matrix in zip(belief, game.payoffs, strict=True))
    return support_enumeration(average)[0].value


def envelope_at(game: RepeatedGame, steps: int) -> float:
    """cav v at the prior of a game with two states: the highest chord between grid beliefs on both sides of it."""
    p = game.prior[0]
    grid = sorted({*np.linspace(0.0, 1.0, steps + 1), p})
    values = {q: value_at(game, np.array([q, 1.0 - q])) for q in grid}
    best = values[p]
    for left, right in product([q for q in grid if q < p], [q for q in grid if q > p]):
        best = max(best, values[left] + (values[right] - values[left]) * (p - left) / (right - left))
    return best


def best_response(game: RepeatedGame, strategy: InformedStrategy, stages: int) -> float:
    """The informed player's mean payoff if the uninformed player picks the best column after every history."""
    states, rows, columns = game.shape
    draws = range(len(strategy.weights))
    weights = {(k, d): game.prior[k] * strategy.lottery[k, d] for k in range(states) for d in draws}

    def least(weights: dict[tuple[int, int], float], left: int) -> float:
        if left == 0 or not any(weights.values()):
            return 0.0
        options = []
        for column in range(columns):
            total = 0.0
            for row in range(rows):
                after = {(k, d): w * strategy.rows[d, row] for (k, d), w in weights.items()}
                total += sum(w * game.payoffs[k, row, column] for (k, _), w in after.items()) + least(after, left - 1)
            options.append(total)
        return min(options)

    return least(weights, stages) / stages


def play(strategy: UninformedStrategy, opponent: Mixing | Greedy, stages: int, seed: int) -> np.ndarray:
    """Mean payoffs [state] of the uninformed player's strategy, with the random numbers of the kernel."""
    game, random = strategy.game, random_state(seed)
    payoffs: list[np.ndarray] = []
    for _ in range(stages):
        average = np.mean(payoffs, axis=0) if payoffs else None
        column = strategy.mix(average)
        if isinstance(opponent, Mixing):
            row = draw_action(opponent.mix, 0, game.shape[1], uniform(random))
        else:
            excess = np.zeros(game.shape[0]) if average is None else np.maximum(average - strategy.target, 0.0)
            weights = excess if opponent.pushing and excess.any() else opponent.weights
            got = np.einsum("k,kij,j->i", weights, game.payoffs, column)
            row = int(np.flatnonzero(got >= got.max() - 1e-12)[0])
        payoffs.append(game.payoffs[:, row, draw_action(column, 0, game.shape[2], uniform(random))])
    return np.mean(payoffs, axis=0)
