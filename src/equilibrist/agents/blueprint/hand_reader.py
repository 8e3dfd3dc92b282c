"""Reading a real hand in terms of a betting tree: real chips and abstract node side by side ([Ganzfried15, chapter 7]; [Lu16, §3.3.4]).

Bets that the tree does not know are translated as shares of the pot; chance, where a mapping uses it, is drawn from a salt and the public
line, so that the same hand is always read the same way.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from equilibrist.abstraction.bets.translation import Translation
from equilibrist.cards.evaluator import all_hands
from equilibrist.core.arrays import Floats
from equilibrist.forms.betting_tree.betting_tree import CALLED, DECISION, FOLDED, RAISED, BettingTree
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

_TINY = 1e-9


@dataclass(frozen=True)
class ReadAction:
    """One action of a hand: who did it, where the tree stood, which of its actions it was read as."""

    player: int
    round: int
    node: int  # of the tree, before the action; -1: the tree had ended already
    action: int
    label: str  # as it was done


@dataclass(frozen=True)
class Reading:
    """A public line in terms of a tree."""

    steps: tuple[ReadAction, ...]
    node: int  # where the tree stands now; -1: it knows no decision here
    real: BettingNode


def public_words(public_state: str) -> list[str]:
    """Betting words of a public line, without cards."""
    return [word for word in public_state.split(":") if word and word[0] in "fcxbr"]


class HandReader:
    """Reads lines of one table with one tree."""

    def __init__(self, tree: BettingTree, table: PokerRules, mapping: Translation) -> None:
        self.tree, self.table, self.mapping = tree, table, mapping
        self._read = lru_cache(maxsize=4096)(self._follow)

    def read(self, public_state: str, salt: str) -> Reading:
        """Where a hand stands after a public line."""
        return self._read(tuple(public_words(public_state)), salt)

    def _follow(self, words: tuple[str, ...], salt: str) -> Reading:
        if not words:
            return Reading((), self._decision(0), first_node(self.table))
        before = self._read(words[:-1], salt)
        real = before.real
        while real.player == CHANCE:
            real = real.after_deal
        label, node = words[-1], before.node
        if node >= 0 and int(self.tree.player[node]) != real.player:
            node = -1
        action = -1 if node < 0 else self._action(real, node, label, random.Random(f"{salt}|{':'.join(words)}"))
        following = -1 if node < 0 else self._decision(int(self.tree.first_child[node]) + action)
        after = real.play(label)
        while after.player == CHANCE:
            after = after.after_deal
        step = ReadAction(real.player, real.round, node, action, label)
        if following >= 0 and (
            after.player != int(self.tree.player[following]) or after.round != int(self.tree.round[following])
        ):
            following = -1  # the tree thinks that the round, or the hand, goes on differently
        return Reading((*before.steps, step), following, after)

    def _decision(self, node: int) -> int:
        return node if self.tree.kind[node] == DECISION else -1

    def _action(self, real: BettingNode, node: int, label: str, rng: random.Random) -> int:
        """Which action of a tree node a real action is read as."""
        tree = self.tree
        first, width = int(tree.first_child[node]), int(tree.children[node])
        kinds: list[int] = tree.step[first : first + width].tolist()
        if label[0] in "fxc":
            wanted = FOLDED if label[0] == "f" else CALLED
            return int(kinds.index(wanted if wanted in kinds else CALLED))
        raises = [a for a, kind in enumerate(kinds) if kind == RAISED]
        if not raises:
            return int(kinds.index(CALLED))
        after = real.play(label)
        if after.behind(real.player) <= _TINY:  # all-in is all-in, whatever its size
            return raises[-1]
        share = (max(after.paid) - max(real.paid)) / (real.pot + real.facing)
        shares = [share_of(tree, first + a) for a in raises]
        places = self.mapping.read(share, shares)
        draw = rng.random()
        for place, chance in places:
            draw -= chance
            if draw < 0.0:
                return raises[place]
        return raises[places[-1][0]]


def action_chances(blueprint: PokerBlueprint, step: ReadAction, whole_board: Sequence[int]) -> Floats:
    """[hand] how likely a blueprint does what was done in a step."""
    rules = blueprint.abstract.rules
    hands = all_hands(rules.deck, rules.hole).astype(np.int8)
    board = np.array(whole_board[: int(np.cumsum(rules.board)[step.round])], dtype=np.int8)
    free = ~np.isin(hands, board).any(axis=1)
    cards = np.concatenate([hands[free], np.broadcast_to(board, (int(free.sum()), len(board)))], axis=1)
    rows = blueprint.strategies(step.node, blueprint.abstract.buckets.bucket(step.round, cards))
    out = np.zeros(len(hands))
    out[free] = rows[:, step.action]
    return out


def share_of(tree: BettingTree, child: int) -> float:
    """A raise of the tree as a share of the pot after the call."""
    above = int(tree.parent[child])
    paid = tree.paid[above]
    facing = paid.max() - paid[int(tree.player[above])]
    return float((tree.paid[child].max() - paid.max()) / (paid.sum() + facing))


def is_all_in(tree: BettingTree, child: int) -> bool:
    """Whether a raise of the tree puts everything in."""
    actor = int(tree.player[int(tree.parent[child])])
    return bool(tree.rules.stack_of(actor) - tree.paid[child, actor] <= _TINY)


def same_table(tree: PokerRules, table: PokerRules) -> bool:
    """Whether chips and cards are the same, so that only bet sizes may differ."""
    names = ("deck", "board", "players", "hole", "ante", "blinds", "first", "stack")
    return all(getattr(tree, name) == getattr(table, name) for name in names) and np.isfinite(
        table.stack
    ) == np.isfinite(tree.stack)
