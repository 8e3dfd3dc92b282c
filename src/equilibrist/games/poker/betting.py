"""The betting tree: who may do what after which bets, the same for all cards; grown as it is walked."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from equilibrist.core.errors import ParameterError
from equilibrist.core.units import REAL_DIGITS, chip_text, exact
from equilibrist.games.poker.bet_sizes import BettingSituation, Menu
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL

_TINY = 1e-9
_AMOUNT = re.compile(r"\d+(\.\d+)?")


@dataclass(frozen=True, init=False)
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
    acted: tuple[bool, ...] = ()  # who has acted in this round; empty: nobody
    caller: int = field(default=-1, compare=False)  # who ended the round before with a call; -1: nobody

    def __init__(
        self,
        rules: PokerRules,
        player: int,
        round: int,
        paid: tuple[float, ...],
        folded: tuple[bool, ...],
        at_start: tuple[float, ...],
        waiting: int = 0,
        bets: int = 0,
        last_raise: float = 0.0,
        line: str = "",
        acted: tuple[bool, ...] = (),
        caller: int = -1,
    ) -> None:
        """What a frozen class would write, in a third of the time: trees have a hundred thousand of these."""
        self.__dict__.update(
            rules=rules, player=player, round=round, paid=paid, folded=folded, at_start=at_start, waiting=waiting, bets=bets,
            last_raise=last_raise, line=line, acted=acted, caller=caller,
        )  # fmt: skip

    @cached_property
    def facing(self) -> float:
        """Chips that the player to act needs for a call, at most what is behind."""
        paid = self.paid[self.player]
        return exact(min(max(self.paid), self.rules.stack_of(self.player)) - paid, self.rules.digits)

    def behind(self, player: int) -> float:
        """Chips a player still has in front of it."""
        return exact(self.rules.stack_of(player) - self.paid[player], self.rules.digits)

    @cached_property
    def _answers(self) -> tuple[str, ...]:
        return ("f", "c") if self.facing > _TINY else ("x",)

    @cached_property
    def _raised(self) -> Sequence[float]:
        """Legal raise amounts (chips on top of a call), rising; a range where any size may be bet."""
        return self._raises()

    @cached_property
    def labels(self) -> Sequence[str]:
        """All actions; where any size may be bet they are made when looked at."""
        if type(self._raised) is RaiseSteps:
            return OpenLabels(self._answers, self._letter, self._round_base, self._raised)
        return (*self._answers, *(self._raise_label(amount) for amount in self._raised))

    @property
    def raise_bounds(self) -> tuple[float, float] | None:
        """Smallest and largest total of this round's chips that a bet or raise may reach, or None."""
        if not self._raised:
            return None
        digits, base = self.rules.digits, self._round_base
        return round(base + self._raised[0], digits), round(base + self._raised[-1], digits)

    @property
    def pot(self) -> float:
        return exact(sum(self.paid) + self.rules.dead_total, self.rules.digits)

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """Raise of each action as a share of the pot after the call; 0 for folds, checks and calls."""
        raised = (*(0.0 for _ in self._answers), *self._raised)
        return tuple(amount / (self.pot + self.facing) for amount in raised)

    @property
    def state(self) -> tuple[Any, ...]:
        """All that says what may follow, but for rules and menus added to the line."""
        least = self.last_raise if self.rules.raise_at_least_last else 0.0
        counts = (self.player, self.round, self.waiting, self.bets, least, self.caller)
        return (*counts, self.paid, self.folded, self.at_start, self.acted)

    @cached_property
    def _grown(self) -> dict[int, BettingNode]:
        return {}

    def after(self, index: int) -> BettingNode:
        """The situation after the index-th action; made when first asked for, and kept unless the menu is open."""
        node = self._grown.get(index)
        if node is None:
            node = self._make(index)
            if type(self._raised) is not RaiseSteps:
                self._grown[index] = node
        return node

    def play(self, label: str) -> BettingNode:
        """The situation after an action by name."""
        return self.after(self.labels.index(label))

    @property
    def width(self) -> int:
        """Number of actions."""
        return len(self._answers) + len(self._raised)

    def letter(self, index: int) -> str:
        """What kind of action the index-th is: f, x, c, b or r."""
        return self._answers[index] if index < len(self._answers) else self._letter

    def _make(self, index: int) -> BettingNode:
        letter = self.letter(index)
        if letter == "f":
            return self._fold()
        answers = len(self._answers)
        amount = self._raised[index - answers] if index >= answers else 0.0
        return self._pay(self.facing + amount, amount, self.labels[index] if self.rules.names_lines else letter)

    @property
    def options(self) -> list[tuple[str, BettingNode]]:
        """Labelled actions and where they lead."""
        return [(label, self.after(i)) for i, label in enumerate(self.labels)]

    @cached_property
    def after_deal(self) -> BettingNode:
        """The first situation of the next round, for a node where chance deals."""
        return _begin_round(self.rules, self.round + 1, self.paid, self.folded, self.line, self.caller)

    def check_raise(self, token: str) -> None:
        """Refuse a size that would never be on offer here."""
        menu, spot = Menu((token,)), self._spot()
        if spot is None:
            raise ParameterError(f"Nobody can bet or raise after '{self.line}', so '{token}' cannot be added there.")
        if not menu.raises(spot):
            raise ParameterError(
                f"The size '{token}' after '{self.line}' is below the minimum raise of {chip_text(spot.minimum)} chips; give a larger one."
            )

    def _spot(self) -> BettingSituation | None:
        """What a menu may look at; None where nobody could raise or answer a raise."""
        if self.player < 0 or self.bets >= self.rules.caps[self.round]:
            return None
        rules, most = self.rules, max(self.paid)
        stack = rules.stack_of(self.player)
        others = max(rules.stack_of(p) for p in range(rules.players) if p != self.player and not self.folded[p])
        if stack - most <= _TINY or others - most <= _TINY:
            return None  # nobody could answer
        minimum = rules.minimum_bet
        if rules.raise_at_least_last:
            minimum = max(minimum, self.last_raise)
        if self.acted and self.acted[self.player] and self.facing < minimum - _TINY:
            return None  # an all-in for less than a full raise does not open the betting again
        return BettingSituation(
            pot_after_call=self.pot + self.facing,
            facing=self.facing,
            remaining=exact(stack - most, rules.digits),
            minimum=minimum,
            player=self.player,
            bets=self.bets + (self.round == 0 and any(rules.blinds)),
            paid=self.paid[self.player],
            stack=stack,
            bet=self._round_base,
            rounds=sum(cap > 0 for cap in rules.caps[self.round :]),
            unit=rules.bet_unit,
            answerable=exact(others - most, rules.digits),
            called=self.caller == self.player,
        )

    def _raises(self) -> Sequence[float]:
        spot = self._spot()
        if spot is None:
            return ()
        menu = self.rules.menu(self.round, self.line)
        if menu.open_step is not None and math.isfinite(spot.remaining):
            return RaiseSteps(menu.open_step, spot.minimum, spot.remaining)
        return menu.raises(spot)

    @cached_property
    def _letter(self) -> str:
        return "r" if max(self.paid) > max(self.at_start) + _TINY else "b"  # a blind is a bet

    @cached_property
    def _round_base(self) -> float:
        """The bet to be called, in this round's chips."""
        return exact(max(self.paid) - max(self.at_start), self.rules.digits)

    def _raise_label(self, amount: float) -> str:
        """`b` and `r` in limit games; with sizes the bet, or what the raise is to, in this round's chips."""
        return (
            self._letter
            if self.rules.fixed_size(self.round, self.line)
            else f"{self._letter}{chip_text(self._round_base + amount)}"
        )

    def _fold(self) -> BettingNode:
        folded = (*self.folded[: self.player], True, *self.folded[self.player + 1 :])
        return self._next(self.paid, folded, self.waiting - 1, self.bets, self.last_raise, "f")

    def _pay(self, chips: float, raised: float, label: str) -> BettingNode:
        player, rules = self.player, self.rules
        paid = (*self.paid[:player], exact(self.paid[player] + chips, rules.digits), *self.paid[player + 1 :])
        if raised:
            others = 0
            for p in range(rules.players):
                others += not self.folded[p] and p != player and rules.stack_of(p) - paid[p] > _TINY
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
        line = (f"{self.line}:{label}" if self.line else label) if self.rules.names_lines else ""
        players, over = self.rules.players, sum(folded) == self.rules.players - 1
        following, acted = TERMINAL, self.acted or (False,) * players
        if not over and waiting > 0:
            following = (self.player + 1) % players
            while folded[following] or self.rules.stack_of(following) - paid[following] <= _TINY:
                following = (following + 1) % players
            acted = (*acted[: self.player], True, *acted[self.player + 1 :])
        caller = self.caller
        if not over and waiting <= 0:
            caller = self.player if label == "c" else -1
            if _goes_on(self.rules, self.round):
                return _begin_round(self.rules, self.round + 1, paid, folded, line, caller)
            following = _after_round(self.rules, self.round)
        return BettingNode(
            self.rules,
            following,
            self.round,
            paid,
            folded,
            self.at_start,
            waiting,
            bets,
            last_raise,
            line,
            acted,
            caller,
        )


def _goes_on(rules: PokerRules, number: int) -> bool:
    """Another round of betting follows without a deal."""
    return number + 1 < len(rules.board) and rules.board[number + 1] == 0


def _after_round(rules: PokerRules, number: int) -> int:
    """Who comes after a round that is over, where none follows at once: a deal or the showdown."""
    return CHANCE if number + 1 < len(rules.board) else TERMINAL


def _begin_round(
    rules: PokerRules, number: int, paid: tuple[float, ...], folded: tuple[bool, ...], line: str, caller: int = -1
) -> BettingNode:
    able = [p for p in range(rules.players) if not folded[p] and rules.stack_of(p) - paid[p] > _TINY]
    at_start, most = paid if number else (rules.ante,) * rules.players, max(paid)
    unmatched = any(most - paid[p] > _TINY for p in able)
    if (
        rules.caps[number] == 0 or len(able) + unmatched < 2
    ):  # nobody, or only one player without a bet to answer, could act
        if _goes_on(rules, number):
            return _begin_round(rules, number + 1, paid, folded, line, caller)
        player = _after_round(rules, number)
    else:
        first = rules.first_to_act(number)
        player = next(p for p in (*range(first, rules.players), *range(first)) if p in able)
    return BettingNode(rules, player, number, paid, folded, at_start, len(able), line=line, caller=caller)


def first_node(rules: PokerRules) -> BettingNode:
    """The betting situation right after the forced bets and the first deal."""
    paid = tuple(rules.forced(p) for p in range(rules.players))
    node = _begin_round(rules, 0, paid, (False,) * rules.players, "")
    if rules.blinds and node.player >= 0:
        node = replace(node, last_raise=max(rules.blinds))
    return node


class RaiseSteps(Sequence[float]):
    """Raise amounts that are multiples of a step, from the minimum on, and all-in, without a list of them."""

    __slots__ = ("all_in", "first", "last", "length", "step")

    def __init__(self, step: float, minimum: float, behind: float) -> None:
        self.step, self.all_in = step, behind
        self.first = max(1, math.ceil(minimum / step - _TINY))
        self.last = math.ceil(behind / step - _TINY) - 1  # the last multiple short of all-in
        self.length = max(self.last - self.first + 1, 0) + 1

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -self.length <= index < self.length:
            raise IndexError(index)
        place = index % self.length
        return self.all_in if place == self.length - 1 else exact((self.first + place) * self.step, REAL_DIGITS)

    def place(self, amount: float) -> int:
        """Where an amount would stand, if it is one of these."""
        if abs(amount - self.all_in) < self.step / 2 and (self.length == 1 or amount > self[-2] + _TINY):
            return self.length - 1
        return round(amount / self.step) - self.first


class OpenLabels(Sequence[str]):
    """Labels of a node where any size may be bet: fold, call or check, then one label per raise amount."""

    __slots__ = ("answers", "base", "letter", "raised")

    def __init__(self, answers: tuple[str, ...], letter: str, base: float, raised: RaiseSteps) -> None:
        self.answers, self.letter, self.base, self.raised = answers, letter, base, raised

    def __len__(self) -> int:
        return len(self.answers) + len(self.raised)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        place = index + len(self) if index < 0 else index
        if place < len(self.answers):
            return self.answers[place]
        return f"{self.letter}{chip_text(self.base + self.raised[place - len(self.answers)])}"

    def __contains__(self, label: object) -> bool:
        return isinstance(label, str) and self._place(label) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(str.__eq__, self, other))

    def __hash__(self) -> int:
        return hash((self.answers, self.letter, self.base, len(self.raised)))

    def index(self, label: str, start: int = 0, stop: int | None = None) -> int:
        place = self._place(label)
        if place is None or not start <= place < (len(self) if stop is None else stop):
            raise ValueError(f"{label!r} is not an action here")
        return place

    def _place(self, label: str) -> int | None:
        if label in self.answers:
            return self.answers.index(label)
        if label[:1] != self.letter or not _AMOUNT.fullmatch(label, 1):
            return None
        place = self.raised.place(float(label[1:]) - self.base)
        if not 0 <= place < len(self.raised):
            return None
        return len(self.answers) + place if chip_text(self.base + self.raised[place]) == label[1:] else None
