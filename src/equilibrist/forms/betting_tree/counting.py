"""How large a betting tree is, exactly and before it is built.

Different lines lead to the same chips, so a tree of billions of nodes has few different situations: each is counted once
and its counts are remembered ([Lu16, Table 12], sizes).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.forms.betting_tree.growth import bytes_per_node, grow
from equilibrist.games.poker.bet_menus import RoundMenu
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.game import WIDE_MENU
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.games.size_estimate import memory_limit

Counts = tuple[int, ...]

QUICK_ROOM = 1 << 23  # nodes; trees up to here are counted by growing them, which takes a second or two
MOST_SITUATIONS = 2_000_000  # a minute or two


@dataclass(frozen=True)
class BettingSize:
    """Exact numbers of a betting tree of k players and R rounds."""

    decisions: tuple[tuple[int, ...], ...]  # [R][k] decision nodes
    actions: tuple[tuple[int, ...], ...]  # [R][k] actions of these nodes
    folds: int  # ends of the hand where one player is left
    showdowns: int
    runouts: int  # ends before the last round, with cards still to come

    @property
    def nodes(self) -> int:
        return sum(map(sum, self.decisions)) + self.folds + self.showdowns + self.runouts

    def slots(self, buckets: Sequence[int], player: int | None = None) -> int:
        """(infoset, action) pairs when round r has buckets[r] buckets, of one player or of all."""
        if len(buckets) != len(self.actions) or min(buckets) < 1:
            raise ParameterError(
                f"There are {len(self.actions)} betting rounds: give a number of buckets for each, but {list(buckets)} was given."
            )
        rows = zip(self.actions, buckets, strict=True)
        return sum((sum(row) if player is None else row[player]) * count for row, count in rows)

    def infosets(self, buckets: Sequence[int]) -> int:
        """(decision, bucket) pairs."""
        return sum(sum(row) * count for row, count in zip(self.decisions, buckets, strict=True))


def count_betting(rules: PokerRules) -> BettingSize:
    """Count every node of the betting tree of these rules: small trees by growing them, others situation by situation."""
    grown = None if rules.menus_at else grow(rules, min(QUICK_ROOM, memory_limit() // bytes_per_node(rules.players)))
    return count_situations(rules) if grown is None else _count_grown(rules, grown)


def _count_grown(rules: PokerRules, grown: Mapping[str, npt.NDArray[Any]]) -> BettingSize:
    shape = len(rules.board), rules.players
    kind = np.bincount(grown["kind"], minlength=4).tolist()
    acting = grown["player"] >= 0
    cell = grown["round"][acting].astype(np.int64) * shape[1] + grown["player"][acting]
    decisions = np.bincount(cell, minlength=shape[0] * shape[1])
    actions = np.bincount(cell, weights=grown["children"][acting], minlength=shape[0] * shape[1]).astype(np.int64)
    by_round, with_actions = (tuple(map(tuple, array.reshape(shape).tolist())) for array in (decisions, actions))
    return BettingSize(by_round, with_actions, *kind[1:])


def count_situations(rules: PokerRules) -> BettingSize:
    """The same by a recursion over different situations; needs no memory for the tree, however large it is."""
    players, rounds = rules.players, len(rules.board)
    counts = _Counter(rules).below(first_node(rules))
    cells = rounds * players

    def table(offset: int) -> tuple[tuple[int, ...], ...]:
        return tuple(counts[offset + r * players : offset + (r + 1) * players] for r in range(rounds))

    return BettingSize(table(0), table(cells), *counts[2 * cells :])


class _Counter:
    """Counts below a situation, remembered by what decides about the future: chips, folds and how often was raised."""

    def __init__(self, rules: PokerRules) -> None:
        self.rules = rules
        self.cells = len(rules.board) * rules.players
        self.known: dict[tuple[Any, ...], Counts] = {}
        self.levels = [_levels_that_matter(rules, r) for r in range(len(rules.board))]

    def key(self, node: BettingNode) -> tuple[Any, ...]:
        bets = min(node.bets, self.levels[node.round])
        last = node.last_raise if self.rules.raise_at_least_last else 0.0
        live = tuple(-1.0 if out else chips for chips, out in zip(node.paid, node.folded, strict=True))
        acted = node.acted if self.rules.players > 2 else ()  # of two, whoever raises less than enough is all-in
        return node.round, node.player, live, sum(node.paid), node.waiting, bets, last, acted, _own_lines(node)

    def below(self, root: BettingNode) -> Counts:
        """Depth first without recursion: trees can be deep."""
        stack = [root]
        while stack:
            node = stack[-1]
            key = self.key(node)
            if key in self.known:
                stack.pop()
                continue
            following = _following(node)
            missing = [child for child in following if self.key(child) not in self.known]
            if missing:
                stack.extend(missing)
                continue
            if len(self.known) > MOST_SITUATIONS:
                raise TooLargeError(
                    f"This betting has more than {MOST_SITUATIONS:,} different situations, too many to count; offer fewer sizes, fewer "
                    "raises or shorter stacks."
                )
            self.known[key] = self._sum(node, [self.known[self.key(child)] for child in following])
            stack.pop()
        return self.known[self.key(root)]

    def _sum(self, node: BettingNode, below: list[Counts]) -> Counts:
        total = [sum(column) for column in zip(*below, strict=True)] if below else [0] * (2 * self.cells + 3)
        if node.player == TERMINAL:
            over = node.round + 1 < len(self.rules.board)
            total[2 * self.cells + (0 if sum(node.folded) == self.rules.players - 1 else 2 if over else 1)] += 1
        elif node.player != CHANCE:
            cell = node.round * self.rules.players + node.player
            total[cell] += 1
            total[self.cells + cell] += len(below)
        return tuple(total)


def _following(node: BettingNode) -> list[BettingNode]:
    if node.player == TERMINAL:
        return []
    if node.player == CHANCE:
        return [_last_action(node)]
    if len(node.labels) > WIDE_MENU:
        raise TooLargeError(
            f"There are {len(node.labels):,} actions at one place, too many to count; give a menu such as '50%, 100%, a'."
        )
    return [after for _, after in node.options]


def _last_action(node: BettingNode) -> BettingNode:
    """What follows a deal; where betting is over the hand ends in the round of its last action."""
    after, ended = node, node.round
    while after.player == CHANCE:
        after = after.after_deal
    if after.player != TERMINAL:
        return after
    return BettingNode(after.rules, TERMINAL, ended, after.paid, after.folded, after.at_start)


def _levels_that_matter(rules: PokerRules, round: int) -> int:
    """Bets beyond which another one changes neither the menu nor what the cap allows."""
    menu, cap = rules.menus[round], rules.caps[round]
    levels = max(len(levels) for levels in menu.players) if isinstance(menu, RoundMenu) else 1
    return levels if math.isinf(cap) else max(levels, int(cap))


def _own_lines(node: BettingNode) -> str:
    """Lines matter only where single ones have bets of their own."""
    return node.line if node.rules.menus_at else ""
