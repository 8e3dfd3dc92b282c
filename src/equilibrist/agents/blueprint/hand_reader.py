"""Reading a real hand in terms of a betting tree: real chips and abstract node side by side ([Ganzfried15, chapter 7]; [Lu16, §3.3.4]).

Bets that the tree does not know are translated as shares of the pot, with a check or call as size 0; chance, where a mapping uses it, is
drawn from a salt and the public line, so that the same hand is always read the same way. A small bet that is read as the check that ends a
round leaves the tree ahead of the hand: it waits until the bet has been called. A small raise is no call where a call ends the round.
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
from equilibrist.games.rules import CHANCE, TERMINAL
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
    ahead: int = -1  # where the tree waits, a round later, for a small bet to be called; -1: it does not wait


def public_words(public_state: str) -> list[str]:
    """Betting words of a public line, without cards."""
    return [word for word in public_state.split(":") if word and word[0] in "fcxbr"]


@dataclass(frozen=True)
class OwnSizes:
    """The seat whose bets are those of the tree, times a factor."""

    seat: int = -1  # nobody's
    factor: float = 1.0


class HandReader:
    """Reads lines of one table with one tree."""

    def __init__(self, tree: BettingTree, table: PokerRules, mapping: Translation) -> None:
        self.tree, self.table, self.mapping = tree, table, mapping
        self._read = lru_cache(maxsize=4096)(self._follow)

    def read(self, public_state: str, salt: str, own: OwnSizes = OwnSizes()) -> Reading:
        """Where a hand stands after a public line."""
        return self._read(tuple(public_words(public_state)), salt, own)

    def _follow(self, words: tuple[str, ...], salt: str, own: OwnSizes) -> Reading:
        if not words:
            return Reading((), self._decision(0), first_node(self.table))
        before = self._read(words[:-1], salt, own)
        real = before.real
        while real.player == CHANCE:
            real = real.after_deal
        label, node = words[-1], before.node
        if node >= 0 and int(self.tree.player[node]) != real.player:
            node = -1
        factor = own.factor if real.player == own.seat else 1.0
        rng = random.Random(f"{salt}|{':'.join(words)}")
        action = -1 if node < 0 else self._action(real, node, label, factor, rng)
        following = before.ahead if label[0] in "xc" else -1
        if node >= 0:
            following = self._decision(int(self.tree.first_child[node]) + action)
        after = real.play(label)
        while after.player == CHANCE:
            after = after.after_deal
        step = ReadAction(real.player, real.round, node, action, label)
        here, ahead = self._where(following, after)
        return Reading((*before.steps, step), here, after, ahead)

    def _where(self, node: int, real: BettingNode) -> tuple[int, int]:
        """A tree node as the decision that a hand stands at, or as one of a later round that waits for it; -1 and -1: neither."""
        if node < 0 or real.player == TERMINAL:
            return -1, -1
        if int(self.tree.round[node]) > real.round:
            return -1, node
        same = int(self.tree.player[node]) == real.player and int(self.tree.round[node]) == real.round
        return (node if same else -1), -1  # otherwise the tree thinks that the round goes on differently

    def _decision(self, node: int) -> int:
        return node if self.tree.kind[node] == DECISION else -1

    def _action(self, real: BettingNode, node: int, label: str, factor: float, rng: random.Random) -> int:
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
        pot = real.pot + real.facing
        share = (max(after.paid) - max(real.paid)) / (pot * factor)
        sizes = [share_of(tree, first + a) for a in raises]
        nearest = min(range(len(sizes)), key=lambda place: abs(sizes[place] - share))
        if abs(sizes[nearest] - share) * pot <= 0.5 * self.table.unit + _TINY:
            return raises[nearest]  # up to rounding to chips
        options = raises
        if self._may_pass(real, node, first + kinds.index(CALLED)):  # a check or call is size 0
            options, sizes = [kinds.index(CALLED), *raises], [0.0, *sizes]
        places = self.mapping.read(share, sizes)
        draw = rng.random()
        for place, chance in places:
            draw -= chance
            if draw < 0.0:
                return int(options[place])
        return int(options[places[-1][0]])

    def _may_pass(self, real: BettingNode, node: int, passed: int) -> bool:
        """Whether a small bet may be read as a check or call: the first of a round, or where somebody still acts in it after the call.

        A raise that is read as the call that ends a round would be called with every hand.
        """
        opening = not real.bets and (real.round > 0 or not any(self.table.blinds))
        return opening or (self.tree.kind[passed] == DECISION and self.tree.round[passed] == self.tree.round[node])


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
