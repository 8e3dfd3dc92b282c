"""The betting tree: who may do what after which bets, the same for all cards; grown as it is walked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from equilibrist.games.poker.menu import Spot
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL

_TINY = 1e-9


@dataclass(frozen=True)
class BettingNode:
    """One public betting situation. `player` acts, or CHANCE deals the next round, or TERMINAL ends the hand."""

    rules: PokerRules
    player: int
    round: int
    paid: tuple[float, ...]  # chips in the pot from each player
    folded: tuple[bool, ...]
    at_start: tuple[float, ...]  # `paid` at the start of the round
    waiting: int = 0  # players still to act if nobody raises
    bets: int = 0  # bets and raises in this round
    last_raise: float = 0.0
    line: str = field(default="", compare=False)  # betting so far, without cards, for menus added to a line

    @cached_property
    def _moves(self) -> tuple[tuple[str, float, float], ...]:
        """Label, chips put in and how much of them is a raise; a fold puts in nothing (label f)."""
        facing = max(self.paid) - self.paid[self.player]
        call = min(facing, self._behind(self.player))  # a short stack calls with what it has
        moves = [("f", 0.0, 0.0), ("c", call, 0.0)] if facing > _TINY else [("x", 0.0, 0.0)]
        moves += [(self._raise_label(amount), facing + amount, amount) for amount in self._raises(facing)]
        return tuple(moves)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(label for label, _, _ in self._moves)

    @cached_property
    def _grown(self) -> dict[int, BettingNode]:
        return {}

    def after(self, index: int) -> BettingNode:
        """The situation after the index-th action; made when first asked for, since menus can be wide."""
        node = self._grown.get(index)
        if node is None:
            label, chips, raised = self._moves[index]
            node = self._fold() if label == "f" else self._pay(chips, raised, label)
            self._grown[index] = node
        return node

    @property
    def options(self) -> list[tuple[str, BettingNode]]:
        """Labelled actions and where they lead."""
        return [(label, self.after(i)) for i, label in enumerate(self.labels)]

    @cached_property
    def after_deal(self) -> BettingNode:
        """The first situation of the next round, for a node where chance deals."""
        return _begin_round(self.rules, self.round + 1, self.paid, self.folded, self.line)

    def _behind(self, player: int) -> float:
        return self.rules.stack_of(player) - self.paid[player]

    def _raises(self, facing: float) -> list[float]:
        rules = self.rules
        if self.bets >= rules.caps[self.round]:
            return []
        others = [p for p in range(rules.players) if p != self.player and not self.folded[p]]
        if all(self._behind(p) <= _TINY for p in others):
            return []  # nobody could answer
        minimum = rules.minimum_bet
        if rules.raise_at_least_last:
            minimum = max(minimum, self.last_raise)
        stack = rules.stack_of(self.player)
        behind = min(stack, max(rules.stack_of(p) for p in others)) - max(self.paid)  # what somebody could call
        if behind <= _TINY:
            return []
        bets = self.bets + (self.round == 0 and any(rules.blinds))
        spot = Spot(sum(self.paid) + facing, facing, behind, minimum, self.player, bets, self.paid[self.player], stack)
        return rules.menus[self.round].raises(spot, rules.extra_actions.get(self.line, ()))

    def _raise_label(self, amount: float) -> str:
        """`b` and `r` in limit games; with sizes the bet, or what the raise is to, in this round's chips."""
        letter = "r" if max(self.paid) > max(self.at_start) + _TINY else "b"  # a blind is a bet
        if self.rules.one_size(self.round):
            return letter
        to = max(self.paid) + amount - max(self.at_start)
        return f"{letter}{_chips(to)}"

    def _fold(self) -> BettingNode:
        folded = tuple(self.folded[p] or p == self.player for p in range(self.rules.players))
        return self._next(self.paid, folded, self.waiting - 1, self.bets, self.last_raise, "f")

    def _pay(self, chips: float, raised: float, label: str) -> BettingNode:
        paid = tuple(round(x + chips, 9) if p == self.player else x for p, x in enumerate(self.paid))
        if raised:
            others = sum(
                not self.folded[p] and p != self.player and self.rules.stack_of(p) - paid[p] > _TINY
                for p in range(self.rules.players)
            )
            return self._next(paid, self.folded, others, self.bets + 1, max(raised, self.last_raise), label)
        waiting = 0 if self.rules.half_street and label == "x" else self.waiting - 1
        return self._next(paid, self.folded, waiting, self.bets, self.last_raise, label)

    def _next(
        self,
        paid: tuple[float, ...],
        folded: tuple[bool, ...],
        waiting: int,
        bets: int,
        last_raise: float,
        label: str,
    ) -> BettingNode:
        line = f"{self.line}:{label}" if self.line else label
        node = BettingNode(
            self.rules, TERMINAL, self.round, paid, folded, self.at_start, waiting, bets, last_raise, line
        )
        if sum(folded) == self.rules.players - 1:
            return node
        if waiting <= 0:
            return _end_round(node)
        following = (self.player + 1) % self.rules.players
        while folded[following] or self.rules.stack_of(following) - paid[following] <= _TINY:
            following = (following + 1) % self.rules.players
        return _replace_player(node, following)


def _replace_player(node: BettingNode, player: int) -> BettingNode:
    return BettingNode(
        node.rules,
        player,
        node.round,
        node.paid,
        node.folded,
        node.at_start,
        node.waiting,
        node.bets,
        node.last_raise,
        node.line,
    )


def _end_round(node: BettingNode) -> BettingNode:
    if node.round + 1 == len(node.rules.board):
        return node  # showdown
    if node.rules.board[node.round + 1] == 0:
        return _begin_round(node.rules, node.round + 1, node.paid, node.folded, node.line)
    return _replace_player(node, CHANCE)


def _begin_round(
    rules: PokerRules, number: int, paid: tuple[float, ...], folded: tuple[bool, ...], line: str
) -> BettingNode:
    able = [p for p in range(rules.players) if not folded[p] and rules.stack_of(p) - paid[p] > _TINY]
    at_start = paid if number else (rules.ante,) * rules.players
    node = BettingNode(rules, TERMINAL, number, paid, folded, at_start, len(able), line=line)
    unmatched = any(max(paid) - paid[p] > _TINY for p in able)
    if rules.caps[number] == 0 or len(able) + unmatched < 2:
        return _end_round(node)  # nobody, or only one player without a bet to answer, could act
    order = [(rules.first_to_act(number) + k) % rules.players for k in range(rules.players)]
    return _replace_player(node, next(p for p in order if p in able))


def first_node(rules: PokerRules) -> BettingNode:
    """The betting situation right after the forced bets and the first deal."""
    paid = tuple(rules.forced(p) for p in range(rules.players))
    node = _begin_round(rules, 0, paid, (False,) * rules.players, "")
    if rules.blinds and node.player >= 0:
        last = max(rules.blinds)
        node = BettingNode(
            rules, node.player, 0, paid, node.folded, (rules.ante,) * rules.players, node.waiting, 0, last, ""
        )
    return node


def _chips(amount: float) -> str:
    return f"{round(amount, 6):g}"
