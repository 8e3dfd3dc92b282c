"""Monte Carlo CFR written down plainly on the rules of a game: dictionaries, recursion, one line per idea.

Where a number is drawn, a `Draws` object decides: `Stream` takes the same random numbers as the kernels do, `Script`
replays given choices, so that `outcomes_of` can go through everything that may happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol, TypeVar

from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

Key = tuple[int, str]
Row = list[float]
T = TypeVar("T")
WORD = (1 << 64) - 1


class Draws(Protocol):
    def chance(self, probabilities: Row) -> int: ...

    def action(self, probabilities: Row) -> int: ...

    def exploring(self, probabilities: Row, exploration: float) -> int: ...

    def pure(self, regrets: list[int]) -> int: ...


class Stream:
    """xoshiro256++ (Blackman and Vigna 2021) on Python integers."""

    def __init__(self, words: list[int]) -> None:
        self.words = list(words)

    def uniform(self) -> float:
        a, b, c, d = self.words
        mixed = (a + d) & WORD
        result = (((mixed << 23) | (mixed >> 41)) + a) & WORD
        c, d = c ^ a, d ^ b
        b, a = b ^ c, a ^ d
        c ^= (self.words[1] << 17) & WORD
        self.words = [a, b, c, ((d << 45) | (d >> 19)) & WORD]
        return (result >> 11) / 2.0**53

    def chance(self, probabilities: Row) -> int:
        u = self.uniform()
        if max(probabilities) - min(probabilities) < 1e-12:
            return int(u * len(probabilities))
        return self.scan(probabilities, u)

    def action(self, probabilities: Row) -> int:
        return self.scan(probabilities, self.uniform())

    def exploring(self, probabilities: Row, exploration: float) -> int:
        u = self.uniform()
        if u < exploration:
            return int(u / exploration * len(probabilities))
        return self.scan(probabilities, (u - exploration) / (1.0 - exploration))

    def pure(self, regrets: list[int]) -> int:
        positive = [max(r, 0) for r in regrets]
        u = self.uniform()
        if not sum(positive):
            return int(u * len(regrets))
        left = int(u * sum(positive))
        return next(i for i, total in enumerate(accumulate(positive)) if total > left)

    @staticmethod
    def scan(probabilities: Row, u: float) -> int:
        return next(i for i, total in enumerate(accumulate(probabilities)) if total > u)


class Script:
    """Replays choices, then takes the first possible one; remembers what else could have happened."""

    def __init__(self, choices: list[int]) -> None:
        self.choices, self.taken = choices, 0
        self.probability = 1.0
        self.open: list[list[int]] = []  # scripts that branch off from this one

    def chance(self, probabilities: Row) -> int:
        possible = [i for i, p in enumerate(probabilities) if p > 0.0]
        if self.taken == len(self.choices):
            self.open += [[*self.choices, i] for i in possible[1:]]
            self.choices = [*self.choices, possible[0]]
        choice = self.choices[self.taken]
        self.taken += 1
        self.probability *= probabilities[choice]
        return choice

    def action(self, probabilities: Row) -> int:
        return self.chance(probabilities)

    def exploring(self, probabilities: Row, exploration: float) -> int:
        return self.chance([exploration / len(probabilities) + (1 - exploration) * p for p in probabilities])

    def pure(self, regrets: list[int]) -> int:
        return self.chance(matched([float(r) for r in regrets]))


def outcomes_of(experiment: Callable[[Draws], T]) -> Iterator[tuple[float, T]]:
    """Every outcome of a random experiment with its probability."""
    waiting: list[list[int]] = [[]]
    while waiting:
        script = Script(waiting.pop())
        result = experiment(script)
        waiting += script.open
        yield script.probability, result


def matched(regrets: Row) -> Row:
    positive = [max(r, 0.0) for r in regrets]
    total = sum(positive)
    return [p / total for p in positive] if total > 0.0 else [1.0 / len(regrets)] * len(regrets)


@dataclass
class Sums:
    """Regrets and strategy sums by infoset, and nodes touched."""

    regret: dict[Key, Row] = field(default_factory=dict)
    average: dict[Key, Row] = field(default_factory=dict)
    nodes: int = 0

    def add(self, where: dict[Key, Row], key: Key, amounts: Row) -> None:
        row = where.setdefault(key, [0 for _ in amounts])
        for a, amount in enumerate(amounts):
            row[a] += amount

    def strategy(self, key: Key, width: int) -> Row:
        return matched(self.regret.get(key, [0.0] * width))


@dataclass
class Walker:
    """One walk by `player` against the profile of `tables`; what it finds goes to `found`."""

    tables: Sums
    found: Sums
    draws: Draws
    player: int
    players: int
    exploration: float = 0.6
    scale: int = 1  # Pure CFR: makes payoffs whole
    drawn: dict[Key, int] = field(default_factory=dict)

    @property
    def averaged(self) -> int:
        """Whose strategy sum the walk adds to."""
        return (self.player + 1) % self.players

    def adds(self, state: State) -> bool:
        """Whether a walk that draws the others' actions adds to the strategy sum here."""
        return self.players == 2 and state.player == self.averaged

    def look(self, state: State) -> tuple[Key, Row]:
        key = (state.player, state.infoset(state.player))
        return key, self.tables.strategy(key, len(state.actions()))

    def after_chance(self, state: State) -> State:
        """The first history after `state` that is not chance; a chain of chance nodes is drawn at once."""
        outcomes = flat_outcomes(state)
        _, passed, chosen = outcomes[self.draws.chance([p for p, _, _ in outcomes])]
        self.found.nodes += passed
        return chosen

    def average(self, state: State, weight: float = 1.0) -> None:
        """A history of its own for the average of the walking player, among three or more; counted by Pure CFR with weight 1."""
        if state.player == CHANCE:
            return self.average(self.after_chance(state), weight)
        self.found.nodes += 1
        if state.player == TERMINAL:
            return None
        key, strategy = self.look(state)
        if state.player == self.player:
            self.found.add(self.found.average, key, [weight * p for p in strategy])
            return self.average(state.child(self.draws.action(strategy)), weight)
        a = self.draws.exploring(strategy, 0.5)
        return self.average(state.child(a), weight / (0.5 / len(strategy) + 0.5 * strategy[a]))

    def count(self, state: State) -> None:
        if state.player == CHANCE:
            return self.count(self.after_chance(state))
        self.found.nodes += 1
        if state.player == TERMINAL:
            return None
        key, width = (state.player, state.infoset(state.player)), len(state.actions())
        if state.player != self.player:
            return self.count(state.child(self.draws.chance([1 / width] * width)))
        a = self.plays(key, width)
        self.found.add(self.found.average, key, [int(b == a) for b in range(width)])
        return self.count(state.child(a))

    def external(self, state: State) -> float:
        if state.player == CHANCE:
            return self.external(self.after_chance(state))
        self.found.nodes += 1
        if state.player == TERMINAL:
            return state.returns()[self.player]
        key, strategy = self.look(state)
        if state.player == self.player:
            values = [self.external(state.child(a)) for a in range(len(strategy))]
            value = sum(p * v for p, v in zip(strategy, values, strict=True))
            self.found.add(self.found.regret, key, [v - value for v in values])
            return value
        if self.adds(state):
            self.found.add(self.found.average, key, strategy)
        return self.external(state.child(self.draws.action(strategy)))

    def outcome(self, state: State, sampled: float = 1.0) -> tuple[float, float]:
        """Payoff / sampling probability, and own probability of what was sampled from here on."""
        if state.player == CHANCE:
            return self.outcome(self.after_chance(state), sampled)
        self.found.nodes += 1
        if state.player == TERMINAL:
            return state.returns()[self.player] / sampled, 1.0
        key, strategy = self.look(state)
        if state.player == self.player:
            a = self.draws.exploring(strategy, self.exploration)
            q = self.exploration / len(strategy) + (1.0 - self.exploration) * strategy[a]
            payoff, tail = self.outcome(state.child(a), sampled * q)
            taken = [1.0 if b == a else 0.0 for b in range(len(strategy))]
            self.found.add(self.found.regret, key, [payoff * tail * (t - strategy[a]) for t in taken])
            return payoff, tail * strategy[a]
        if self.adds(state):
            self.found.add(self.found.average, key, [p / sampled for p in strategy])
        return self.outcome(state.child(self.draws.action(strategy)), sampled)

    def chance(self, state: State, others: float = 1.0, theirs: float = 1.0) -> float:
        if state.player == CHANCE:
            return self.chance(self.after_chance(state), others, theirs)
        self.found.nodes += 1
        if state.player == TERMINAL:
            return state.returns()[self.player]
        key, strategy = self.look(state)
        if state.player == self.averaged:
            self.found.add(self.found.average, key, [theirs * p for p in strategy])
        values = []
        for a, p in enumerate(strategy):
            next_others = others if state.player == self.player else others * p
            next_theirs = theirs * p if state.player == self.averaged else theirs
            skipped = state.player != self.player and p == 0.0 and next_theirs == 0.0
            values.append(0.0 if skipped else self.chance(state.child(a), next_others, next_theirs))
        value = sum(p * v for p, v in zip(strategy, values, strict=True))
        if state.player == self.player:
            self.found.add(self.found.regret, key, [others * (v - value) for v in values])
        return value

    def pure(self, state: State) -> int:
        if state.player == CHANCE:
            return self.pure(self.after_chance(state))
        self.found.nodes += 1
        if state.player == TERMINAL:
            return round(self.scale * state.returns()[self.player])
        key, width = (state.player, state.infoset(state.player)), len(state.actions())
        if state.player == self.player:
            values = [self.pure(state.child(a)) for a in range(width)]
            value = values[self.plays(key, width)]
            self.found.add(self.found.regret, key, [v - value for v in values])
            return value
        a = self.plays(key, width)
        if self.adds(state):
            self.found.add(self.found.average, key, [int(b == a) for b in range(width)])
        return self.pure(state.child(a))

    def plays(self, key: Key, width: int) -> int:
        """The one action of an infoset in this walk."""
        if key not in self.drawn:
            self.drawn[key] = self.draws.pure(self.tables.regret.get(key, [0] * width))  # type: ignore[arg-type]
        return self.drawn[key]

    def public_chance(self, root: State) -> None:
        self.public([Seat(root, 1.0, tuple(1.0 for _ in range(self.players)))])

    def public(self, seats: list[Seat]) -> list[float]:
        """Counterfactual value of each history of a public state for the walking player, chance and others included."""
        acting = seats[0].state.player
        reach = {seat.state.infoset(self.averaged): seat.reach[self.averaged] for seat in seats}
        self.found.nodes += sum(len({s.state.infoset(p) for s in seats}) for p in range(self.players))
        if not any(reach.values()):
            return [0.0] * len(seats)
        if acting == TERMINAL:
            return [seat.payoff(self.player) for seat in seats]
        if acting == self.averaged:
            for text, r in reach.items():
                width = next(len(s.state.actions()) for s in seats if s.state.infoset(acting) == text)
                strategy = self.tables.strategy((acting, text), width)
                self.found.add(self.found.average, (acting, text), [r * p for p in strategy])
        groups: dict[str, list[tuple[int, int, Seat]]] = {}
        for h, seat in enumerate(seats):
            for a, below in enumerate(seat.children(self)):
                groups.setdefault(below.state.public(), []).append((h, a, below))
        if acting == CHANCE and len(groups) > 1:
            groups = self.draw_group(groups)
        by_action: list[dict[int, float]] = [{} for _ in seats]
        for members in groups.values():
            for (h, a, _), value in zip(members, self.public([m[2] for m in members]), strict=True):
                by_action[h][a] = value
        if acting == self.player:
            return self.decide(seats, by_action)
        return [sum(values.values()) for values in by_action]

    def draw_group(self, groups: dict[str, list[tuple[int, int, Seat]]]) -> dict[str, list[tuple[int, int, Seat]]]:
        """One public outcome of chance, with all weights divided by the probability of drawing it."""
        weights = [sum(seat.weight * seat.scale for _, _, seat in members) for members in groups.values()]
        shares = [weight / sum(weights) for weight in weights]
        index = self.draws.action(shares)
        text = list(groups)[index]
        for _, _, seat in groups[text]:
            seat.weight /= shares[index]
            seat.scale *= shares[index]
        return {text: groups[text]}

    def decide(self, seats: list[Seat], by_action: list[dict[int, float]]) -> list[float]:
        values = []
        totals: dict[Key, Row] = {}
        for seat, of in zip(seats, by_action, strict=True):
            key, strategy = self.look(seat.state)
            row = totals.setdefault(key, [0.0] * len(strategy))
            for a, amount in of.items():
                row[a] += amount
            values.append(sum(strategy[a] * amount for a, amount in of.items()))
        for key, row in totals.items():
            value = sum(p * v for p, v in zip(self.tables.strategy(key, len(row)), row, strict=True))
            self.found.add(self.found.regret, key, [v - value for v in row])
        return values


@dataclass
class Seat:
    """One history of a public state: chance weight (corrected for draws) and everybody's reach."""

    state: State
    weight: float
    reach: tuple[float, ...]
    scale: float = 1.0  # product of the probabilities of draws, to get the true chance weight back

    def payoff(self, player: int) -> float:
        value = self.weight * self.state.returns()[player]
        for p, r in enumerate(self.reach):
            value *= r if p != player else 1.0
        return value

    def children(self, walker: Walker) -> list[Seat]:
        if self.state.player == CHANCE:
            outcomes = enumerate(self.state.chance())
            return [Seat(self.state.child(i), self.weight * p, self.reach, self.scale) for i, (_, p) in outcomes]
        _, strategy = walker.look(self.state)
        acting = self.state.player
        return [
            Seat(
                self.state.child(a),
                self.weight,
                tuple(r * p if q == acting else r for q, r in enumerate(self.reach)),
                self.scale,
            )
            for a, p in enumerate(strategy)
        ]


def flat_outcomes(state: State, probability: float = 1.0, passed: int = 1) -> list[tuple[float, int, State]]:
    """Probability, chance nodes passed and history behind every outcome of a chain of chance nodes.

    In the order in which a compiled tree numbers them: siblings come before what is below them.
    """
    steps = [(probability * p, state.child(i)) for i, (_, p) in enumerate(state.chance())]
    flat = [(p, passed, below) for p, below in steps if below.player != CHANCE]
    for p, below in steps:
        if below.player == CHANCE:
            flat += flat_outcomes(below, p, passed + 1)
    return flat


def walk(game: Game, sampling: str, tables: Sums, draws: Draws, player: int, found: Sums, scale: int = 1) -> None:
    """One walk by one player; `tables` stays as it is. Where others are drawn and there are more than two, its average comes first."""
    walker = Walker(tables, found, draws, player, game.players, scale=scale)
    if game.players > 2:
        average(walker, sampling, game)
    getattr(walker, sampling.replace("-", "_"))(game.start())


def average(walker: Walker, sampling: str, game: Game) -> None:
    """A walk of its own for the average, where the sampling needs one."""
    if sampling in ("external", "outcome"):
        walker.average(game.start())
    elif sampling == "pure":
        walker.count(game.start())


def iterate(
    game: Game, sampling: str, tables: Sums, draws: Draws, iterations: int, traversals: int = 1, scale: int = 1
) -> None:
    """Iterations of `traversals` walks per player; tables change after each player's walks."""
    for _ in range(iterations):
        for player in range(game.players):
            found = Sums()
            for _ in range(traversals):
                walk(game, sampling, tables, draws, player, found, scale)
            for key, row in found.regret.items():
                tables.add(tables.regret, key, row)
            for key, row in found.average.items():
                tables.add(tables.average, key, row)
            tables.nodes += found.nodes
