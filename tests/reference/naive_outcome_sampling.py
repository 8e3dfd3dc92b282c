"""Outcome sampling with values of histories written down plainly on a game tree: recursion, one line per idea."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.games.rules import CHANCE, TERMINAL
from reference.naive_mccfr import Draws

Floats = npt.NDArray[np.float64]


def children(tree: GameTree, n: int) -> list[int]:
    return list(range(tree.first_child[n], tree.first_child[n] + tree.children[n]))


def slots(tree: GameTree, n: int) -> slice:
    first = tree.infosets.first_slot
    return slice(int(first[tree.infoset[n]]), int(first[tree.infoset[n] + 1]))


def behind_chance(tree: GameTree, n: int) -> list[tuple[float, int]]:
    """Probability and number of every first history after a chain of chance nodes, in the order of numbers."""
    out = []
    for child in children(tree, n):
        p = float(tree.chance_probability[child])
        out += [(p * q, m) for q, m in behind_chance(tree, child)] if tree.player[child] == CHANCE else [(p, child)]
    return sorted(out, key=lambda each: each[1])


def value_of(tree: GameTree, n: int, strategy: Floats) -> float:
    """What player 0 expects."""
    if tree.player[n] == TERMINAL:
        return float(tree.returns[tree.terminal[n], 0])
    below = [value_of(tree, child, strategy) for child in children(tree, n)]
    if tree.player[n] == CHANCE:
        return sum(float(tree.chance_probability[c]) * v for c, v in zip(children(tree, n), below, strict=True))
    return float(np.dot(strategy[slots(tree, n)], below))


def reach_of(tree: GameTree, n: int, strategy: Floats, who: set[int]) -> float:
    """Probability that those players (chance: -1) play towards a history."""
    above = int(tree.parent[n])
    if above < 0:
        return 1.0
    reach = reach_of(tree, above, strategy, who)
    if int(tree.player[above]) not in who:
        return reach
    if tree.player[above] == CHANCE:
        return reach * float(tree.chance_probability[n])
    return reach * float(strategy[slots(tree, above)][n - tree.first_child[above]])


def counterfactual_regrets(tree: GameTree, strategy: Floats, player: int) -> Floats:
    """[S] by the definition."""
    out = np.zeros(tree.infosets.slots)
    sign = 1.0 - 2.0 * player
    for n in np.flatnonzero(tree.player == player):
        value = value_of(tree, n, strategy)
        reach = reach_of(tree, n, strategy, {CHANCE, 1 - player})
        gains = [value_of(tree, child, strategy) - value for child in children(tree, n)]
        out[slots(tree, n)] += sign * reach * np.array(gains)
    return out


@dataclass
class Play:
    """One play in which `player` explores; `q` [N] is what player 0 expects from the step into each history."""

    tree: GameTree
    player: int
    strategy: Floats
    q: Floats
    exploration: float
    importance: bool
    draws: Draws
    total: Floats = field(init=False)
    weight: Floats = field(init=False)
    met: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    landed: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = np.zeros(self.tree.infosets.slots)
        self.weight = np.zeros(len(self.tree.infosets))
        self.walk(0, 1.0, False)

    def walk(self, n: int, reach: float, stepped: bool) -> float:
        tree, sign = self.tree, 1.0 - 2.0 * self.player
        if tree.player[n] == CHANCE:
            below = behind_chance(tree, n)
            return self.walk(below[self.draws.chance([p for p, _ in below])][1], reach, stepped)
        if stepped:
            self.landed.append(n)
        if tree.player[n] == TERMINAL:
            return sign * float(tree.returns[tree.terminal[n], 0])
        here = slots(tree, n)
        probabilities = self.strategy[here].tolist()
        if tree.player[n] == self.player:
            self.own.append(n)
            a = self.draws.exploring(probabilities, self.exploration)
            drawn = self.exploration / len(probabilities) + (1.0 - self.exploration) * probabilities[a]
            below_reach = reach * drawn
        else:
            self.met.append(int(tree.infoset[n]))
            a = self.draws.action(probabilities)
            drawn, below_reach = probabilities[a], reach
        values = sign * self.q[children(tree, n)]
        values[a] += (self.walk(children(tree, n)[a], below_reach, True) - values[a]) / drawn
        value = float(np.dot(probabilities, values))
        if tree.player[n] == self.player:
            w = 1.0 / reach if self.importance else 1.0
            self.total[here] += w * (values - value)
            self.weight[tree.infoset[n]] += w
        return value


def own_reaches(tree: GameTree, strategy: Floats) -> Floats:
    """[S] probability that the player of a slot plays towards its infoset and takes it."""
    out = np.zeros(tree.infosets.slots)
    for n in np.flatnonzero(tree.player >= 0):
        out[slots(tree, n)] = reach_of(tree, n, strategy, {int(tree.player[n])}) * strategy[slots(tree, n)]
    return out
