"""Fewer raises than the game allows: limit poker modelled with a lower cap, and what real betting means to the model ([Gilpin09, §7.3]).

Real and modelled betting are walked side by side. A raise that the model lacks counts as the call that ends the modelled round;
until the real round ends the model stays there, and later rounds go on from it. What a player does meanwhile is a `ReplyRule`.
The text does not say how its players replied; `CallBeyondCap` is the rule that gives its numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL

CALL, FOLD = "c", "f"


def with_cap(rules: PokerRules, cap: int) -> PokerRules:
    """The same game with at most `cap` bets and raises in each round."""
    if cap < 1:
        raise ParameterError(f"A model allows at least one bet in each round, but the cap {cap} was given.")
    return replace(rules, caps=tuple(min(cap, each) for each in rules.caps))


@dataclass(frozen=True)
class Lookup:
    """Where one real infoset finds its behaviour: a line of the model, whole or for folding and calling alone; no line: call."""

    line: str | None
    fold_or_call: bool = False


class ReplyRule(Protocol):
    """How a player answers raises that its model lacks."""

    @property
    def name(self) -> str: ...

    def reply(self, player: int, start: BettingNode) -> Lookup:
        """`start` is where the modelled round began."""
        ...


@dataclass(frozen=True)
class CallBeyondCap:
    """Never fold to what cannot be foreseen."""

    name = "call"

    def reply(self, player: int, start: BettingNode) -> Lookup:
        return Lookup(None)


@dataclass(frozen=True)
class LikeLastRaise:
    """Fold or call as often as against the last raise that the round's model has, raising left out."""

    name = "model"

    def reply(self, player: int, start: BettingNode) -> Lookup:
        facing = [node for node in _round_nodes(start) if node.player == player and CALL in node.labels]
        if not facing:
            return Lookup(None)
        return Lookup(max(facing, key=lambda node: node.bets).line, fold_or_call=True)


REPLY_RULES: dict[str, ReplyRule] = {rule.name: rule for rule in (CallBeyondCap(), LikeLastRaise())}


def look_ups(real: PokerRules, model: PokerRules, rule: ReplyRule) -> dict[tuple[int, str], Lookup]:
    """For every (player, real betting line): what the model says there."""
    if replace(real, caps=model.caps) != model or any(a < b for a, b in zip(real.caps, model.caps, strict=True)):
        raise NotApplicableError("A model with a lower cap has the rules of the real game in all but its caps.")
    start = first_node(model)
    found: dict[tuple[int, str], Lookup] = {}
    stack: list[tuple[BettingNode, BettingNode, BettingNode]] = [(first_node(real), start, start)]
    while stack:
        node, modelled, begin = stack.pop()
        if node.player == TERMINAL:
            continue
        if node.player == CHANCE:
            after = modelled.after_deal if modelled.player == CHANCE else modelled
            stack.append((node.after_deal, after, after))
            continue
        beyond = not (modelled.player == node.player and modelled.round == node.round)
        found[node.player, node.line] = rule.reply(node.player, begin) if beyond else Lookup(modelled.line)
        for action, label in enumerate(node.labels):
            stack.append((node.after(action), modelled if beyond else _modelled(modelled, label), begin))
    return found


def _modelled(model: BettingNode, label: str) -> BettingNode:
    """The model after a real action: the same one, or a call in place of a raise that it lacks."""
    known = label if label in model.labels else CALL
    return model.after(model.labels.index(known))


def _round_nodes(start: BettingNode) -> Iterator[BettingNode]:
    stack = [start]
    while stack:
        node = stack.pop()
        if node.player >= 0 and node.round == start.round:
            yield node
            stack.extend(node.after(action) for action in range(len(node.labels)))
