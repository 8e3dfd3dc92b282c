"""Searches over histories and dictionaries: CFR that stops after some moves, one update of each player in turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

Reach = dict[tuple[int, str], float]  # own reach by player and infoset key
LeafValue = Callable[[list[tuple[State, float]], int, str, Reach, Reach], float]  # beliefs, and reach now


def uniform_value(state: State, player: int) -> float:
    """Both play evenly to the end."""
    if state.player == TERMINAL:
        return state.returns()[player]
    if state.player == CHANCE:
        return sum(share * uniform_value(state.child(i), player) for i, (_, share) in enumerate(state.chance()))
    width = len(state.actions())
    return sum(uniform_value(state.child(i), player) for i in range(width)) / width


def uniform_leaf(histories: list[tuple[State, float]], player: int, key: str, beliefs: Reach, reach: Reach) -> float:
    """What even play is worth to one hand against the opponent's belief; 0 where the opponent never gets."""
    total = mass = 0.0
    for state, chance in histories:
        if state.infoset(player) == key:
            weight = chance * reach[1 - player, state.infoset(1 - player)]
            total += weight * uniform_value(state, player)
            mass += weight
    return total / mass if mass > 0.0 else 0.0


def leaning_leaf(histories: list[tuple[State, float]], player: int, key: str, beliefs: Reach, reach: Reach) -> float:
    """Even play for stakes that grow with the beliefs in the first hand of either player."""
    stakes = 1.0
    for p in range(2):
        held: dict[str, float] = defaultdict(float)
        for state, chance in histories:
            held[state.infoset(p)] += chance * beliefs[p, state.infoset(p)]
        if not sum(held.values()):  # nobody gets there: chance alone
            for state, chance in histories:
                held[state.infoset(p)] += chance
        stakes += (p + 1) * held[min(held)] / sum(held.values())
    return stakes * uniform_leaf(histories, player, key, beliefs, reach)


class NaiveSearch:
    """A search from the first decision, `depth` moves deep; leaves are asked as in CFR-D, CFR-AVG or its modification."""

    def __init__(
        self, game: Game, depth: int, leaf: LeafValue, start: Reach, asking: str = "cfr-d", plain: bool = False
    ) -> None:
        self.depth, self.leaf, self.start, self.asking, self.plain = depth, leaf, start, asking, plain
        self.roots = [(game.start().child(i), share) for i, (_, share) in enumerate(game.start().chance())]
        self.regret: dict[str, list[float]] = {}
        self.average: dict[str, list[float]] = {}
        self.owner: dict[str, int] = {}
        self.root: Reach = defaultdict(float)  # sums of counterfactual values of hands
        self.met: list[Reach] = [defaultdict(float), defaultdict(float)]  # sums of reach, as each player met it
        self.before: dict[tuple[int, str], float] = {}
        self.begun: dict[str, list[float]] = {}
        self.done = 0

    def start_from(self, policy: dict[str, list[float]], iterations: int) -> None:
        """As if a policy had been played for some iterations: regrets of best responses to it, its averages and values."""
        self.begun, self.done = policy, iterations
        weight = iterations if self.plain else iterations * (iterations + 1) / 2
        self.sigma, self.reach, self.leaves = policy, {}, defaultdict(list)
        for state, chance in self.roots:
            self._down(state, chance, [self.start[p, state.infoset(p)] for p in range(2)], self.depth)
        self.total = self.weight = weight
        for player in range(2):
            for place, share in self.reach.items():
                self.met[player][place] = weight * share
            self.found, self.gain = {}, {key: [0.0] * len(row) for key, row in self.regret.items()}
            for state, chance in self.roots:
                other = self.start[1 - player, state.infoset(1 - player)]
                self.root[player, state.infoset(player)] += (
                    weight * chance * self._value(state, player, chance, other, self.depth)
                )
            histories = [(s, chance, self.start[1 - player, s.infoset(1 - player)]) for s, chance in self.roots]
            for key in sorted({s.infoset(player) for s, _, _ in histories}):
                self._best([h for h in histories if h[0].infoset(player) == key], player, self.depth, weight)
            for key, row in policy.items():
                if self.owner[key] == player:
                    self.average[key] = [weight * self.reach[player, key] * share for share in row]

    def _best(self, alike: list[tuple[State, float, float]], player: int, depth: int, weight: float) -> float:
        """Counterfactual value of a best response at one infoset, or at what a player sees where the other acts; regrets on the way."""
        first = alike[0][0]
        if first.player == TERMINAL or depth == 0:
            return sum(chance * self._value(state, player, chance, other, depth) for state, chance, other in alike)
        values = []
        for a in range(len(first.actions())):
            below = [
                (
                    state.child(a),
                    chance,
                    other if first.player == player else other * self._strategy(state.infoset(1 - player))[a],
                )
                for state, chance, other in alike
            ]
            values.append(self._best(below, player, depth - 1, weight))
        if first.player != player:
            return sum(values)
        self.regret[first.infoset(player)] = [weight * (value - max(values)) for value in values]
        return max(values)

    def run(self, iterations: int) -> None:
        for t in range(self.done + 1, iterations + 1):
            weight = 1 if self.plain else t
            for player in range(2):
                self.sigma = {
                    key: self.begun[key] if key in self.begun and max(regrets) <= 0.0 else self._match(regrets)
                    for key, regrets in self.regret.items()
                }
                self.reach: Reach = {}
                self.leaves: dict[str, list[tuple[State, float]]] = defaultdict(list)
                for state, chance in self.roots:
                    self._down(state, chance, [self.start[p, state.infoset(p)] for p in range(2)], self.depth)
                for place, share in self.reach.items():
                    self.met[player][place] += weight * share
                self.found: dict[str, float] = {}
                self.total, self.weight = t if self.plain else t * (t + 1) / 2, weight
                self.gain = {key: [0.0] * len(regrets) for key, regrets in self.regret.items()}
                for state, chance in self.roots:
                    other = self.start[1 - player, state.infoset(1 - player)]
                    value = self._value(state, player, chance, other, self.depth)
                    self.root[player, state.infoset(player)] += weight * chance * value
                for key, gains in self.gain.items():
                    if self.owner[key] == player:
                        for a, gain in enumerate(gains):
                            self.regret[key][a] += weight * gain
                            self.average[key][a] += weight * self.reach[player, key] * self._strategy(key)[a]

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
            return self._leaf(state, player, other)
        key = state.infoset(state.player)
        sigma = self._strategy(key)
        if state.player != player:
            return sum(self._value(state.child(a), player, chance, other * s, depth - 1) for a, s in enumerate(sigma))
        values = [self._value(state.child(a), player, chance, other, depth - 1) for a in range(len(sigma))]
        mean = sum(s * v for s, v in zip(sigma, values, strict=True))
        for a, value in enumerate(values):
            self.gain[key][a] += chance * (value - mean)
        return mean

    def _leaf(self, state: State, player: int, other: float) -> float:
        """Counterfactual value of a hand at a leaf, for one unit of chance."""
        histories, key = self.leaves[state.public()], state.infoset(player)
        mean = {place: share / self.total for place, share in self.met[player].items()}
        if self.asking != "modified-cfr-avg":
            beliefs = self.reach if self.asking == "cfr-d" else mean
            return other * self.leaf(histories, player, key, beliefs, self.reach)
        if key not in self.found:
            alike = [(s, chance) for s, chance in histories if s.infoset(player) == key]
            mass = sum(chance * mean[1 - player, s.infoset(1 - player)] for s, chance in alike)
            now = self.total * mass * self.leaf(histories, player, key, mean, mean)
            gain = (now - self.before.get((player, key), 0.0)) / self.weight
            self.before[player, key] = now
            self.found[key] = gain / sum(chance for _, chance in alike)
        return self.found[key]
