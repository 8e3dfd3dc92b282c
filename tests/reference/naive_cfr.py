"""CFR, expected values and best responses written down plainly, on dictionaries, for any game with perfect recall.

A policy here is a dictionary from (player, infoset text) to a list of probabilities; what is missing is uniform.
"""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

Key = tuple[int, str]
NaivePolicy = dict[Key, list[float]]


@dataclass
class Node:
    player: int
    key: Key | None
    children: list[Node]
    chance: list[float]
    returns: tuple[float, ...]


def unfold(game: Game) -> Node:
    """The whole tree as objects."""
    return _node(game.start())


def _node(state: State) -> Node:
    if state.player == TERMINAL:
        return Node(TERMINAL, None, [], [], tuple(state.returns()))
    if state.player == CHANCE:
        chance = [probability for _, probability in state.chance()]
        return Node(CHANCE, None, [_node(state.child(i)) for i in range(len(chance))], chance, ())
    key = (state.player, state.infoset(state.player))
    return Node(state.player, key, [_node(state.child(i)) for i in range(len(state.actions()))], [], ())


def play(node: Node, policy: NaivePolicy) -> list[float]:
    """Probability of each child."""
    if node.player == CHANCE:
        return node.chance
    assert node.key is not None
    return policy.get(node.key) or [1.0 / len(node.children)] * len(node.children)


def naive_cfr(game: Game, iterations: int, plus: bool = False) -> NaivePolicy:
    """Average policy of CFR (or CFR+ with linear averaging), players updated in turn."""
    root = unfold(game)
    regrets: dict[Key, list[float]] = {}
    sums: dict[Key, list[float]] = {}
    for t in range(1, iterations + 1):
        for player in range(game.players):
            current = {key: match(regret) for key, regret in regrets.items()}
            _visit(root, player, 1.0, 1.0, current, regrets, sums, float(t) if plus else 1.0)
            if plus:
                for key, regret in regrets.items():
                    if key[0] == player:
                        regrets[key] = [max(r, 0.0) for r in regret]
    return {key: [x / sum(row) for x in row] for key, row in sums.items() if sum(row) > 0}


def match(regret: list[float]) -> list[float]:
    positive = [max(r, 0.0) for r in regret]
    total = sum(positive)
    return [p / total for p in positive] if total > 0 else [1.0 / len(regret)] * len(regret)


def _visit(
    node: Node,
    player: int,
    own: float,
    others: float,
    current: NaivePolicy,
    regrets: dict[Key, list[float]],
    sums: dict[Key, list[float]],
    weight: float,
) -> float:
    if node.player == TERMINAL:
        return node.returns[player]
    probabilities = play(node, current)
    if node.player != player:
        return sum(
            p * _visit(child, player, own, others * p, current, regrets, sums, weight)
            for child, p in zip(node.children, probabilities, strict=True)  # also p = 0: the average needs the visit
        )
    assert node.key is not None
    values = [
        _visit(child, player, own * p, others, current, regrets, sums, weight)
        for child, p in zip(node.children, probabilities, strict=True)
    ]
    value = sum(p * v for p, v in zip(probabilities, values, strict=True))
    regret = regrets.setdefault(node.key, [0.0] * len(values))
    total = sums.setdefault(node.key, [0.0] * len(values))
    for a, p in enumerate(probabilities):
        regret[a] += others * (values[a] - value)
        total[a] += weight * own * p
    return value


def naive_values(game: Game, policy: NaivePolicy) -> list[float]:
    """Expected payoff of every player."""

    def value(node: Node) -> list[float]:
        if node.player == TERMINAL:
            return list(node.returns)
        out = [0.0] * game.players
        for child, p in zip(node.children, play(node, policy), strict=True):
            if p > 0:
                for i, v in enumerate(value(child)):
                    out[i] += p * v
        return out

    return value(unfold(game))


def naive_best_response_value(game: Game, policy: NaivePolicy, player: int) -> float:
    """The most `player` can get when all others follow `policy`."""

    def best(frontier: list[tuple[Node, float]]) -> float:
        total, groups = 0.0, {}
        while frontier:
            node, weight = frontier.pop()
            if node.player == TERMINAL:
                total += weight * node.returns[player]
            elif node.player == player:
                groups.setdefault(node.key, []).append((node, weight))
            else:
                frontier += [(c, weight * p) for c, p in zip(node.children, play(node, policy), strict=True)]
        for group in groups.values():
            width = len(group[0][0].children)
            total += max(best([(node.children[a], weight) for node, weight in group]) for a in range(width))
        return total

    return best([(unfold(game), 1.0)])


def naive_exploitability(game: Game, policy: NaivePolicy) -> float:
    """NashConv / players: what the players could gain on average by deviating alone."""
    values = naive_values(game, policy)
    gains = [naive_best_response_value(game, policy, p) - values[p] for p in range(game.players)]
    return sum(gains) / game.players
