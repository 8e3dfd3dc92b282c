"""CFR-D over histories and dictionaries: linear CFR that stops after some moves, one update of each player in turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

Reach = dict[tuple[int, str], float]  # own reach by player and infoset key
LeafValue = Callable[[list[tuple[State, float]], int, str, Reach], float]


def uniform_value(state: State, player: int) -> float:
    """Both play evenly to the end."""
    if state.player == TERMINAL:
        return state.returns()[player]
    if state.player == CHANCE:
        return sum(share * uniform_value(state.child(i), player) for i, (_, share) in enumerate(state.chance()))
    width = len(state.actions())
    return sum(uniform_value(state.child(i), player) for i in range(width)) / width


def uniform_leaf(histories: list[tuple[State, float]], player: int, key: str, reach: Reach) -> float:
    """What even play is worth to one hand against the opponent's belief; 0 where the opponent never gets."""
    total = mass = 0.0
    for state, chance in histories:
        if state.infoset(player) == key:
            weight = chance * reach[1 - player, state.infoset(1 - player)]
            total += weight * uniform_value(state, player)
            mass += weight
    return total / mass if mass > 0.0 else 0.0


class NaiveCFRD:
    """A search from the first decision, `depth` moves deep."""

    def __init__(self, game: Game, depth: int, leaf: LeafValue, start: Reach) -> None:
        self.depth, self.leaf, self.start = depth, leaf, start
        self.roots = [(game.start().child(i), share) for i, (_, share) in enumerate(game.start().chance())]
        self.regret: dict[str, list[float]] = {}
        self.average: dict[str, list[float]] = {}
        self.owner: dict[str, int] = {}
        self.root: Reach = defaultdict(float)  # sums of counterfactual values of hands

    def run(self, iterations: int) -> None:
        for t in range(1, iterations + 1):
            for player in range(2):
                self.sigma = {key: self._match(regrets) for key, regrets in self.regret.items()}
                self.reach: Reach = {}
                self.leaves: dict[str, list[tuple[State, float]]] = defaultdict(list)
                for state, chance in self.roots:
                    self._down(state, chance, [self.start[p, state.infoset(p)] for p in range(2)], self.depth)
                self.gain = {key: [0.0] * len(regrets) for key, regrets in self.regret.items()}
                for state, chance in self.roots:
                    other = self.start[1 - player, state.infoset(1 - player)]
                    value = self._value(state, player, chance, other, self.depth)
                    self.root[player, state.infoset(player)] += t * chance * value
                for key, gains in self.gain.items():
                    if self.owner[key] == player:
                        for a, gain in enumerate(gains):
                            self.regret[key][a] += t * gain
                            self.average[key][a] += t * self.reach[player, key] * self._strategy(key)[a]

    def _match(self, regrets: list[float]) -> list[float]:
        total = sum(max(r, 0.0) for r in regrets)
        return [max(r, 0.0) / total if total > 0.0 else 1.0 / len(regrets) for r in regrets]

    def _strategy(self, key: str) -> list[float]:
        return self.sigma.get(key) or [1.0 / len(self.regret[key])] * len(self.regret[key])

    def _down(self, state: State, chance: float, reach: list[float], depth: int) -> None:
        if state.player == TERMINAL:
            return
        for player in range(2):
            self.reach[player, state.infoset(player)] = reach[player]
        if depth == 0:
            self.leaves[state.public()].append((state, chance))
            return
        key, mover = state.infoset(state.player), state.player
        self.owner[key] = mover
        self.regret.setdefault(key, [0.0] * len(state.actions()))
        self.average.setdefault(key, [0.0] * len(state.actions()))
        for a, share in enumerate(self._strategy(key)):
            self._down(state.child(a), chance, [r * share if p == mover else r for p, r in enumerate(reach)], depth - 1)

    def _value(self, state: State, player: int, chance: float, other: float, depth: int) -> float:
        """Expected payoff of one history, times the opponent's reach."""
        if state.player == TERMINAL:
            return other * state.returns()[player]
        if depth == 0:
            return other * self.leaf(self.leaves[state.public()], player, state.infoset(player), self.reach)
        key = state.infoset(state.player)
        sigma = self._strategy(key)
        if state.player != player:
            return sum(self._value(state.child(a), player, chance, other * s, depth - 1) for a, s in enumerate(sigma))
        values = [self._value(state.child(a), player, chance, other, depth - 1) for a in range(len(sigma))]
        mean = sum(s * v for s, v in zip(sigma, values, strict=True))
        for a, value in enumerate(values):
            self.gain[key][a] += chance * (value - mean)
        return mean
