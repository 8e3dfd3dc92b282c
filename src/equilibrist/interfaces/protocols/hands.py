"""PlayedHand: one hand of poker in a neutral form, checked by playing it again under the rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from equilibrist.cards.deck import RANKS, SUITS, Deck
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.core.units import chip_text
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.poker.rules import MOST_CHIPS
from equilibrist.games.rules import CHANCE, TERMINAL

Cards = tuple[int, ...]

_CARD = re.compile(r"([2-9TJQKA])([cdhs])")


@dataclass(frozen=True)
class PlayedHand:
    """Rules, cards and actions of a hand; players in seat order (the first sits left of the button)."""

    game: Poker
    hole: tuple[Cards, ...]  # empty where cards were never seen
    board: Cards
    actions: tuple[str, ...]  # labels of the betting tree in order, without deals
    names: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)  # what else the source said

    def nodes(self) -> list[BettingNode]:
        """Every situation, deals included; refuses an action that the rules do not allow."""
        node = self.game.first
        out = [node]
        for label in self.actions:
            while node.player == CHANCE:
                node = node.after_deal
                out.append(node)
            if node.player == TERMINAL or label not in node.labels:
                raise FormatError(
                    f"The action '{label}' after '{node.line}' is against the rules of '{self.game.name}'"
                    f"{'; the hand was over' if node.player == TERMINAL else ''}."
                )
            node = node.play(label)
            out.append(node)
        return out

    @property
    def last(self) -> BettingNode:
        """Where the hand stands; boards that only remain to be dealt are taken as dealt."""
        node = self.nodes()[-1]
        dealt = len(self.board)
        while node.player == CHANCE and sum(self.game.rules.board[: node.round + 2]) <= dealt:
            node = node.after_deal
        return node

    @property
    def over(self) -> bool:
        return self.last.player == TERMINAL

    def returns(self) -> tuple[float, ...]:
        """Net result of each player; needs all cards that were shown."""
        node = self.last
        if node.player != TERMINAL:
            raise ParameterError("The hand is not over yet, so it has no result.")
        live = [p for p, folded in enumerate(node.folded) if not folded]
        if len(live) > 1 and any(len(self.hole[p]) != self.game.rules.hole for p in live):
            raise ParameterError("The cards of a player at the showdown are not known, so the hand has no result.")
        return PokerState(self.game, node, self.hole, self.board, "").returns()

    def public_line(self) -> str:
        """Betting and board as infosets write it: `r300:c:Td9d6h:x`."""
        rules, node, place = self.game.rules, self.game.first, 0
        out: list[str] = []
        for label in (*self.actions, ""):
            while node.player == CHANCE:
                count = rules.board[node.round + 1]
                if place + count > len(self.board):
                    return ":".join(out)
                out.append(card_text(self.board[place : place + count], rules.deck))
                place, node = place + count, node.after_deal
            if label:
                out.append(label)
                node = node.play(label)
        return ":".join(out)


def hand_from_record(game: Poker, hole: Sequence[Sequence[int]], line: str, names: Sequence[str] = ()) -> PlayedHand:
    """A hand of a match from its cards and its public line."""
    tokens = [token for token in line.split(":") if token]
    actions = tuple(token for token in tokens if token[0] in "fcxbr")
    board: list[int] = []
    for token in tokens:
        if token[0] not in "fcxbr":
            board += read_cards(token, game.rules.deck)
    return PlayedHand(game, tuple(tuple(cards) for cards in hole), tuple(board), actions, tuple(names))


def card_text(cards: Sequence[int], deck: Deck | None = None) -> str:
    return "".join(map((deck or Deck()).label, cards))


def read_cards(text: str, deck: Deck | None = None) -> Cards:
    """`Td9d6h`, also with blanks between; any deck of up to thirteen ranks that keeps suits."""
    found = _CARD.findall(text)
    known = deck or Deck()
    rest = _CARD.sub("", text).strip()
    if rest.strip(" ,[]"):
        raise FormatError(f"Cannot read the cards '{text}': expected such as Td9d6h.")
    labels = {known.label(card): card for card in range(known.size)}
    try:
        return tuple(labels[rank + suit] for rank, suit in found)
    except KeyError as error:
        raise FormatError(f"The card {error} of '{text}' is not in this deck ({RANKS[0]}…, {SUITS}).") from None


def raise_label(node: BettingNode, total: float) -> str:
    """The label of a bet or raise to a total of this round's chips."""
    if not abs(total) <= MOST_CHIPS:
        raise FormatError(
            f"A bet or raise to {total:g} was given, but amounts are numbers of at most {MOST_CHIPS:,} chips."
        )
    for label in (f"b{chip_text(total)}", f"r{chip_text(total)}", "b", "r"):
        if label in node.labels:
            return label
    bounds = node.raise_bounds
    allowed = (
        "no raise is allowed there"
        if bounds is None
        else f"{chip_text(bounds[0])} to {chip_text(bounds[1])} are allowed"
    )
    raise FormatError(f"A bet or raise to {chip_text(total)} after '{node.line}' is against the rules: {allowed}.")
