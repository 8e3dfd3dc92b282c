"""Duplicate deals of limit hold'em between players that differ before the turn, each deal in expectation over all actions.

From the turn on both play one and the same blueprint, so what a deal is worth there is computed once for all pairs of players. Nothing is
sampled but the cards: a deal is walked through the whole betting tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards.deals import hole_columns
from equilibrist.abstraction.information._kernels.board_hands import add_outcomes
from equilibrist.cards.evaluator import FULL_DECK, boards_strengths, evaluate, hand_index
from equilibrist.core.arrays import Floats, Longs
from equilibrist.experiments.gilpin.gs.phase_one import PhaseStrategy
from equilibrist.experiments.gilpin.gs.simulated_round import OPPONENTS, WIDTH, ActionTable, smoothed_table
from equilibrist.forms.betting_tree.betting_tree import DECISION, BettingTree
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

TURN, RIVER = 2, 3
Choices = Callable[[int], Floats]  # node -> [deals, actions] of whoever acts there


@dataclass(frozen=True, eq=False)
class Deals:
    """N complete deals; player 1's cards stand first."""

    flop: Longs  # [N] number of the flop
    hands: Longs  # [N, 2] hole cards of both players, places among all pairs
    cards: NDArray[np.int8]  # [N, 2, 7] hole cards and board as each player sees them
    strength: Longs  # [N, 2]

    def __len__(self) -> int:
        return len(self.flop)


def draw_deals(flops: Longs, count: int, rng: np.random.Generator) -> Deals:
    """Deals whose flop is one of `flops` [F, 3], evenly; all other cards are drawn from what is left."""
    flop = rng.integers(0, len(flops), count)
    order = rng.random((count, FULL_DECK.size))
    np.put_along_axis(order, flops[flop], 2.0, axis=1)
    rest = np.argsort(order, axis=1)[:, :6]  # two hands, turn, river
    board = np.concatenate([flops[flop], rest[:, 4:]], axis=1)
    cards = np.stack([np.concatenate([np.sort(rest[:, 2 * p : 2 * p + 2]), board], axis=1) for p in range(2)], axis=1)
    hands = np.stack([hand_index(cards[:, p, :2]) for p in range(2)], axis=1)
    strength = np.stack([evaluate(cards[:, p].astype(np.uint8)) for p in range(2)], axis=1)
    return Deals(flop, hands, cards.astype(np.int8), strength.astype(np.int64))


def blueprint_choices(blueprint: PokerBlueprint, deals: Deals) -> Choices:
    """What a blueprint plays with the cards of whoever acts."""
    seen, tree = (2, 5, 6, 7), blueprint.abstract.tree
    bucket = [
        [blueprint.abstract.buckets.bucket(r, np.ascontiguousarray(deals.cards[:, p, : seen[r]])) for p in range(2)]
        for r in range(4)
    ]
    return lambda node: blueprint.strategies(node, bucket[int(tree.round[node])][int(tree.player[node])])


def phase_choices(tree: BettingTree, pair: tuple[PhaseStrategy, PhaseStrategy], deals: Deals) -> Choices:
    """What two first-phase strategies play before the turn, one for each seat."""
    classes = [
        (each.classes.preflop[deals.hands[:, p]], each.classes.flop[deals.flop, deals.hands[:, p]])
        for p, each in enumerate(pair)
    ]

    def choose(node: int) -> Floats:
        player = int(tree.player[node])
        return pair[player].lines[tree.line(node)][classes[player][int(tree.round[node])]]

    return choose


def worth(tree: BettingTree, node: int, deals: Deals, choose: Choices, known: dict[int, Floats]) -> Floats:
    """[deals] expected chips of player 1 from a node on; `known` nodes are not looked into."""
    if node in known:
        return known[node]
    if tree.kind[node] != DECISION:
        paid = float(tree.paid[node].min())
        if tree.folded[node]:
            return np.full(len(deals), paid if tree.folded[node] == 2 else -paid)
        return np.asarray(paid * np.sign(deals.strength[:, 0] - deals.strength[:, 1]))
    first, chances = int(tree.first_child[node]), choose(node)
    total = np.zeros(len(deals))
    for action in range(int(tree.children[node])):
        total += chances[:, action] * worth(tree, first + action, deals, choose, known)
    return total


def turn_starts(tree: BettingTree) -> list[int]:
    """Nodes where the betting of the turn begins: 63 in limit hold'em."""
    first = tree.decisions[tree.round[tree.decisions] == TURN]
    return [int(node) for node in first if tree.round[tree.parent[node]] < TURN]


def turn_worths(tree: BettingTree, deals: Deals, choose: Choices) -> dict[int, Floats]:
    """What each deal is worth at the beginning of every turn when both play the same way from there on."""
    return {node: worth(tree, node, deals, choose, {}) for node in turn_starts(tree)}


def duplicate(
    tree: BettingTree, ours: PhaseStrategy, theirs: PhaseStrategy, deals: Deals, after: dict[int, Floats]
) -> Floats:
    """[deals] chips a hand that the first strategy wins when every deal is played twice, seats exchanged."""
    one = worth(tree, 0, deals, phase_choices(tree, (ours, theirs), deals), after)
    other = worth(tree, 0, deals, phase_choices(tree, (theirs, ours), deals), after)
    return np.asarray((one - other) / 2.0)


def river_table(tree: BettingTree, deals: Deals, choose: Choices, values: Floats) -> ActionTable:
    """How a player acts on the river by value of its hand [deals, 2], all earlier betting lumped together (expected numbers)."""
    buckets = 2 * int(np.ceil(OPPONENTS / WIDTH)) + 1
    place = np.clip(np.floor(values / WIDTH + 0.5).astype(np.int64) + buckets // 2, 0, buckets - 1)
    counts: dict[str, Floats] = {}

    def visit(node: int, reach: Floats, line: str) -> None:
        if tree.kind[node] != DECISION:
            return
        chances, first = choose(node), int(tree.first_child[node])
        if tree.round[node] == RIVER:
            table = counts.setdefault(line, np.zeros((buckets, chances.shape[1])))
            np.add.at(table, place[:, int(tree.player[node])], reach[:, None] * chances)
        for action, label in enumerate(tree.actions(node)):
            after = "" if tree.round[node] < RIVER else f"{line}:{label}" if line else label
            visit(first + action, reach * chances[:, action], after)

    visit(0, np.ones(len(deals)), "")
    return smoothed_table(counts)


def river_values(deals: Deals) -> Floats:
    """[deals, 2] w - l + d/2 of both players' hands against all hands that the board leaves."""
    strengths = boards_strengths(deals.cards[:, 0, 2:].astype(np.uint8))
    out = np.empty((len(deals), 2))
    for n in range(len(deals)):
        outcomes = np.zeros((1, strengths.shape[1], 3), np.int64)
        add_outcomes(strengths[n : n + 1], np.zeros((1, 1), np.int64), *hole_columns(FULL_DECK), outcomes)
        wins, ties, losses = outcomes[0, deals.hands[n]].T
        out[n] = wins - losses + ties / 2.0
    return out
