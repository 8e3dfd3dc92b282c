"""Quantal response equilibria by plain recursion and a solver of equations: each action in proportion to exp(value / temperature)."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import numpy.typing as npt
from scipy.optimize import root

from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

Key = tuple[int, str]
Strategy = dict[Key, list[float]]


def infosets_of(state: State, found: dict[Key, int]) -> dict[Key, int]:
    """How many actions each infoset below a history has."""
    if state.player == TERMINAL:
        return found
    if state.player == CHANCE:
        width = len(state.chance())
    else:
        width = found[state.player, state.infoset(state.player)] = len(state.actions())
    for index in range(width):
        infosets_of(state.child(index), found)
    return found


def worth(state: State, strategy: Strategy, player: int) -> float:
    """What a history is worth to a player."""
    if state.player == TERMINAL:
        return state.returns()[player]
    if state.player == CHANCE:
        shares = [p for _, p in state.chance()]
    else:
        shares = strategy[state.player, state.infoset(state.player)]
    return sum(p * worth(state.child(index), strategy, player) for index, p in enumerate(shares))


def action_values(game: Game, strategy: Strategy) -> Strategy:
    """What each action is worth where its infoset was reached: histories weighted by what chance and the others did."""
    weight: dict[Key, float] = defaultdict(float)
    total: dict[Key, list[float]] = {key: [0.0] * len(row) for key, row in strategy.items()}

    def visit(state: State, reach: tuple[float, ...]) -> None:
        if state.player == TERMINAL:
            return
        if state.player == CHANCE:
            for index, (_, p) in enumerate(state.chance()):
                visit(state.child(index), tuple(r * p for r in reach))
            return
        key = state.player, state.infoset(state.player)
        weight[key] += reach[state.player]
        for index, p in enumerate(strategy[key]):
            child = state.child(index)
            total[key][index] += reach[state.player] * worth(child, strategy, state.player)
            visit(child, tuple(r if q == state.player else r * p for q, r in enumerate(reach)))

    visit(game.start(), (1.0,) * game.players)
    return {key: [value / weight[key] for value in row] for key, row in total.items()}


def softmax(values: list[float]) -> list[float]:
    heights = [math.exp(value - max(values)) for value in values]
    return [height / sum(heights) for height in heights]


def quantal_response(game: Game, temperature: float) -> Strategy:
    """Followed from even play down to the temperature, each time with the last solution as the guess."""
    widths = infosets_of(game.start(), {})
    point = np.concatenate([np.full(width, 1.0 / width) for width in widths.values()])

    def unpack(numbers: npt.NDArray[np.float64]) -> Strategy:
        rows = iter(numbers.tolist())
        return {key: [next(rows) for _ in range(width)] for key, width in widths.items()}

    def miss(numbers: npt.NDArray[np.float64], heat: float) -> npt.NDArray[np.float64]:
        values = action_values(game, unpack(np.maximum(numbers, 1e-12)))
        return numbers - np.concatenate([softmax([v / heat for v in row]) for row in values.values()])

    for heat in np.geomspace(10.0, temperature, 6):
        found = root(miss, point, args=(float(heat),), tol=1e-12)
        point = found.x
        assert abs(found.fun).max() < 1e-9, "no solution"
    return unpack(point)
