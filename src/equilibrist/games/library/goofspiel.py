"""Goofspiel: one prize after another, each player bids one of its cards in secret, the higher bid takes the prize.

Keys list the rounds: `1:3-2 2:?` is player 1 to bid for prize 2 after bids of 3 and 2 for prize 1, `1:3-2 2:*-?` is
player 2 to bid while player 1's card lies face down. With hidden bids only the winner is told: `1:3> 2:?` (3 has won).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from equilibrist.core.errors import ParameterError, suggest
from equilibrist.core.names import Name
from equilibrist.games.rules import CHANCE, TERMINAL, Game, GameEntry, State

ORDERS = ("ascending", "descending", "random")
RETURNS = ("points", "win")
MOST_CARDS = 16

Texts = tuple[str, str, str]  # what player 1, player 2 and everybody have seen


class GoofspielState(State):
    """Hands and prizes left as bit sets; `bid` is player 1's card while it lies face down, else -1."""

    __slots__ = ("bid", "first", "game", "lead", "player", "prize", "prizes", "second", "texts")

    def __init__(
        self,
        game: Goofspiel,
        player: int,
        texts: Texts,
        first: int,
        second: int,
        prizes: int,
        prize: int,
        bid: int,
        lead: int,
    ) -> None:
        self.game = game
        self.player = player
        self.texts = texts
        self.first = first
        self.second = second
        self.prizes = prizes
        self.prize = prize  # on the table, counted from 0 as cards are
        self.bid = bid
        self.lead = lead  # points of player 1 less points of player 2

    def actions(self) -> Sequence[str]:
        return self.game.labels(self.first if self.player == 0 else self.second)

    def chance(self) -> Sequence[tuple[str, float]]:
        names = self.game.labels(self.prizes)
        return [(name, 1.0 / len(names)) for name in names]

    def child(self, index: int) -> GoofspielState:
        game = self.game
        if self.player == CHANCE:
            return game.show(
                self.texts, self.first, self.second, self.prizes, game.cards_in(self.prizes)[index], self.lead
            )
        one, two, seen = self.texts
        if self.player == 0:
            bid = game.cards_in(self.first)[index]
            texts = (f"{one[:-1]}{bid + 1}-?", two[:-1] + "*-?", seen[:-1] + "*-?")
            left = self.first & ~(1 << bid)
            return GoofspielState(game, 1, texts, left, self.second, self.prizes, self.prize, bid, self.lead)
        answer = game.cards_in(self.second)[index]
        bid, points = self.bid, self.prize + 1
        lead = self.lead + (points if bid > answer else -points if bid < answer else 0)
        texts = game.close_round(seen[:-3], one, two, bid, answer)
        return game.next_round(texts, self.first, self.second & ~(1 << answer), self.prizes, lead)

    def infoset(self, player: int) -> str:
        return self.texts[player] or "start"

    def public(self) -> str:
        return self.texts[2] or "start"

    def returns(self) -> tuple[float, ...]:
        lead = float(self.lead)
        if self.game.returns == "win" and lead:
            lead = math.copysign(1.0, lead)
        return lead, 0.0 - lead  # 0 - 0 has no sign


class Goofspiel(Game):
    """Cards and prizes 1..n; the last cards are forced but still played; equal bids win nothing."""

    players = 2

    def __init__(self, cards: int = 5, order: str = "ascending", reveal: bool = True, returns: str = "points") -> None:
        _check(cards, order, returns)
        self.cards, self.order, self.reveal, self.returns = cards, order, reveal, returns
        given: dict[str, tuple[Any, Any]] = {
            "cards": (cards, 5),
            "order": (order, ORDERS[0]),
            "reveal": (reveal, True),
            "returns": (returns, RETURNS[0]),
        }
        self.name = str(Name("goofspiel", {key: value for key, (value, usual) in given.items() if value != usual}))
        self._cards_in: dict[int, tuple[int, ...]] = {}
        self._labels: dict[int, tuple[str, ...]] = {}

    def start(self) -> GoofspielState:
        everything = (1 << self.cards) - 1
        return self.next_round(("", "", ""), everything, everything, everything, 0)

    def next_round(self, texts: Texts, first: int, second: int, prizes: int, lead: int) -> GoofspielState:
        """The next prize by the order of the game, or the end."""
        if not prizes:
            return GoofspielState(self, TERMINAL, texts, first, second, prizes, -1, -1, lead)
        if self.order == "random":
            return GoofspielState(self, CHANCE, texts, first, second, prizes, -1, -1, lead)
        prize = self.cards_in(prizes)[0 if self.order == "ascending" else -1]
        return self.show(texts, first, second, prizes, prize, lead)

    def show(self, texts: Texts, first: int, second: int, prizes: int, prize: int, lead: int) -> GoofspielState:
        """A prize lies on the table and player 1 is to bid."""
        one, two, seen = texts
        shown = f" {prize + 1}:?" if seen else f"{prize + 1}:?"
        texts = (one + shown, two + shown, seen + shown)
        return GoofspielState(self, 0, texts, first, second, prizes & ~(1 << prize), prize, -1, lead)

    def close_round(self, seen: str, one: str, two: str, bid: int, answer: int) -> Texts:
        """What each has seen once both cards are down; `seen` ends where this round's bids begin."""
        if self.reveal:
            seen = f"{seen}{bid + 1}-{answer + 1}"
            return seen, seen, seen
        result = ">" if bid > answer else "<" if bid < answer else "="
        return one[:-2] + result, f"{two[:-3]}{result}{answer + 1}", seen + result

    def cards_in(self, hand: int) -> tuple[int, ...]:
        found = self._cards_in.get(hand)
        if found is None:
            found = self._cards_in[hand] = tuple(card for card in range(self.cards) if hand >> card & 1)
        return found

    def labels(self, hand: int) -> tuple[str, ...]:
        found = self._labels.get(hand)
        if found is None:
            found = self._labels[hand] = tuple(str(card + 1) for card in self.cards_in(hand))
        return found

    def histories(self) -> float:
        total, rounds = 0.0, 1.0  # `rounds`: histories in which so many rounds are over
        for left in range(self.cards, 0, -1):
            if self.order == "random":
                total += rounds
                rounds *= left
            total += rounds + rounds * left
            rounds *= left * left
        return total + rounds


def _check(cards: int, order: str, returns: str) -> None:
    if not 1 <= cards <= MOST_CARDS:
        raise ParameterError(f"The parameter 'cards' of 'goofspiel' is 1 to {MOST_CARDS}, but {cards} was given.")
    for key, value, known in (("order", order, ORDERS), ("returns", returns, RETURNS)):
        if value not in known:
            raise ParameterError(
                f"The parameter '{key}' of 'goofspiel' is one of {', '.join(known)}, but {value!r} was given."
                f"{suggest(str(value), known)}"
            )


ENTRIES = [
    GameEntry(
        "goofspiel",
        "secret bids for a row of prizes",
        Goofspiel,
        {"cards": 5, "order": "ascending", "reveal": True, "returns": "points"},
        "[Brown20, §2.4.5]",
        bounds={"cards": (1, MOST_CARDS)},
    )
]
