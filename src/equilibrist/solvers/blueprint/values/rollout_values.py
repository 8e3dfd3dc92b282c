"""What every action is worth to one hand when both players follow a blueprint afterwards: sampled deals, played to their end.

Deals are drawn from the other player's range with both players' cards out of the way, and are the same for all actions, so that differences
between actions are known better than their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.cards.evaluator import all_hands
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.blueprint._kernels import blueprint as trees
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.values._kernels import rollout_values as kernels

DEALS = 100_000  # a quarter of a second


@dataclass(frozen=True)
class ActionWorths:
    """Chips of each action of a node, folding now being 0, and how surely each falls short of the best."""

    mean: tuple[float, ...]
    loss_error: tuple[float, ...]  # standard error of the difference to the best action


def action_worths(
    blueprint: PokerBlueprint,
    node: int,
    hole: Sequence[int],
    board: Sequence[int],
    weights: Floats,  # [hand] of the other player
    *,
    deals: int = DEALS,
    seed: int = 0,
) -> ActionWorths:
    """The worth of every action at a decision of a two-player blueprint to the hand that acts there."""
    game, tree = blueprint.abstract, blueprint.abstract.tree
    if tree.players != 2 or blueprint.pure is not None:
        raise NotApplicableError("Hands are played out by blueprints for two players that mix their actions.")
    me = int(tree.player[node])
    rng = np.random.default_rng(seed)
    cards = _deals(blueprint, hole, board, weights, deals, rng)
    held = [cards[:, 2:] if p == me else np.concatenate([cards[:, :2], cards[:, 4:]], axis=1) for p in range(2)]
    bucket = np.zeros((deals, 2, tree.rounds), dtype=np.int64)
    seen = 2 + np.cumsum(game.rules.board)
    for player in range(2):
        for number in range(int(tree.round[node]), tree.rounds):
            bucket[:, player, number] = game.buckets.bucket(number, held[player][:, : seen[number]])
    strength = np.stack([game.buckets.strength(each) for each in held], axis=1).astype(np.int64)
    arrays = trees.Tree(
        tree.player, tree.kind, tree.round, tree.first_child, tree.children, tree.folded, tree.paid, game.first_slot,
        tree.rounds,
    )  # fmt: skip
    first, width = int(tree.first_child[node]), int(tree.children[node])
    random = rng.integers(1, 2**63, 4, dtype=np.uint64)
    worth = np.empty((width, deals))
    for action in range(width):
        kernels.play_out(first + action, me, arrays, bucket, strength, blueprint.packed, random, worth[action])
    mean = worth.mean(axis=1) + float(tree.paid[node, me])
    short = worth[int(mean.argmax())] - worth
    return ActionWorths(tuple(mean.tolist()), tuple((short.std(axis=1) / np.sqrt(deals)).tolist()))


def _deals(
    blueprint: PokerBlueprint,
    hole: Sequence[int],
    board: Sequence[int],
    weights: Floats,
    deals: int,
    rng: np.random.Generator,
) -> npt.NDArray[np.int8]:
    """[deal, 2 + 2 + board] the other player's cards, the own ones, and a whole board."""
    rules = blueprint.abstract.rules
    hands = all_hands(rules.deck, rules.hole).astype(np.int64)
    gone = [*hole, *board]
    free = np.where(np.isin(hands, gone).any(axis=1), 0.0, weights)
    if not free.sum() > 0.0:
        raise NotApplicableError("The other player has no hand left that it would have played like this.")
    theirs = hands[rng.choice(len(hands), size=deals, p=free / free.sum())]
    missing = sum(rules.board) - len(board)
    order = rng.random((deals, rules.deck.size))
    order[:, gone] = 2.0  # cards that lie elsewhere come last
    np.put_along_axis(order, theirs, 2.0, axis=1)
    rest = np.argpartition(order, missing, axis=1)[:, :missing] if missing else np.empty((deals, 0), dtype=np.int64)
    known = np.broadcast_to(np.array([*hole, *board]), (deals, len(gone)))
    return np.concatenate([theirs, known, rest], axis=1).astype(np.int8)
