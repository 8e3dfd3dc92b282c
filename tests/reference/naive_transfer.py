"""Regrets of one game's CFR strategies replayed in another game of the same shape, on dictionaries."""

from __future__ import annotations

from equilibrist.games.rules import CHANCE, TERMINAL, Game
from reference.naive_cfr import NaivePolicy, Node, play, unfold

Regrets = dict[tuple[int, str, int], float]


def naive_replay(first: Game, second: Game, iterations: int) -> Regrets:
    """CFR on `first`, players in turn; the regrets that the same strategies have in `second`."""
    here, there = unfold(first), unfold(second)
    regrets: Regrets = {}
    elsewhere: Regrets = {}
    for _ in range(iterations):
        for player in range(first.players):
            policy = _matched(here, regrets)
            _visit(here, player, 1.0, policy, regrets)
            _visit(there, player, 1.0, policy, elsewhere)
    return elsewhere


def _matched(root: Node, regrets: Regrets) -> NaivePolicy:
    policy: NaivePolicy = {}
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        if node.key is not None:
            positive = [max(regrets.get((*node.key, a), 0.0), 0.0) for a in range(len(node.children))]
            total = sum(positive)
            policy[node.key] = [p / total for p in positive] if total > 0 else [1 / len(positive)] * len(positive)
    return policy


def _visit(node: Node, player: int, others: float, policy: NaivePolicy, regrets: Regrets) -> float:
    if node.player == TERMINAL:
        return node.returns[player]
    chances = play(node, policy)
    if node.player != player or node.player == CHANCE:
        return sum(
            p * _visit(child, player, others * p, policy, regrets)
            for p, child in zip(chances, node.children, strict=True)
        )
    values = [_visit(child, player, others, policy, regrets) for child in node.children]
    mean = sum(p * v for p, v in zip(chances, values, strict=True))
    assert node.key is not None
    for a, value in enumerate(values):
        place = (*node.key, a)
        regrets[place] = regrets.get(place, 0.0) + others * (value - mean)
    return mean
