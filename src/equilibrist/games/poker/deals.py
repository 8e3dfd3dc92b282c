"""Dealing: outcomes of the chance nodes by number, so that huge decks need no lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from math import comb
from typing import overload

from equilibrist.core.errors import TooLargeError
from equilibrist.games.poker.rules import PokerRules

Cards = tuple[int, ...]

SMALL_DECK = 26  # cards; with more, trees are not built and lists of next cards not kept
MOST_LISTED = 1_000_000  # deals of private cards with merged suits
KEPT_DEALS = 20_000  # situations whose next cards are remembered


class Dealer:
    """Numbers the ways to deal private cards and boards; with merged suits equal ranks are one outcome."""

    def __init__(self, rules: PokerRules) -> None:
        self.rules, self.deck = rules, rules.deck
        self._next: dict[Cards, tuple[list[Cards], list[tuple[str, float]]]] = {}

    # -- private cards -------------------------------------------------------------------------------------------

    @cached_property
    def hole_count(self) -> int:
        if self.deck.merged:
            return self._merged_count(self.rules.players)
        count, left = 1, self.deck.size
        for _ in range(self.rules.players):
            count *= comb(left, self.rules.hole)
            left -= self.rules.hole
        return count

    @cached_property
    def hole_outcomes(self) -> Sequence[tuple[str, float]]:
        """All deals of private cards at once, with probabilities."""
        if self.deck.merged:
            return [(self.deal_label(hole), probability) for hole, probability in self._merged_holes]
        return UniformOutcomes(self.hole_count, lambda i: self.deal_label(self.hole_cards(i)))

    def hole_cards(self, index: int) -> tuple[Cards, ...]:
        if self.deck.merged:
            return self._merged_holes[index][0]
        left = list(range(self.deck.size))
        dealt = []
        for _ in range(self.rules.players):
            index, which = divmod(index, comb(len(left), self.rules.hole))
            hand = unrank(left, self.rules.hole, which)
            dealt.append(hand)
            left = [card for card in left if card not in hand]
        return tuple(dealt)

    @cached_property
    def _merged_holes(self) -> list[tuple[tuple[Cards, ...], float]]:
        """One representative card per rank; the n-th card of a rank stands for any of them."""
        if self.hole_count > MOST_LISTED:
            raise TooLargeError(
                f"With suits=merged all {self.hole_count:.3g} deals of private cards are listed, but {MOST_LISTED:,} are the most; "
                "choose fewer ranks or players, or suits that are told apart."
            )
        out: list[tuple[tuple[Cards, ...], float]] = []

        def deal(hands: tuple[Cards, ...], used: Cards, probability: float) -> None:
            if len(hands) == self.rules.players:
                out.append((hands, probability))
                return
            for (card,), share in self._merged_cards(used):
                deal((*hands, (card,)), (*used, card), probability * share)

        deal((), (), 1.0)
        return out

    def _merged_count(self, cards: int) -> int:
        """Rows of so many ranks in which none comes more often than there are suits."""
        rows = [1] + [0] * cards  # by length, of the ranks so far
        for _ in range(self.deck.ranks):
            rows = [
                sum(comb(length, own) * rows[length - own] for own in range(min(self.deck.suits, length) + 1))
                for length in range(cards + 1)
            ]
        return rows[cards]

    def _merged_cards(self, used: Cards) -> list[tuple[Cards, float]]:
        taken = [self.deck.rank(card) for card in used]
        left = self.deck.size - len(used)
        out: list[tuple[Cards, float]] = []
        for rank in range(self.deck.ranks):
            free = self.deck.suits - taken.count(rank)
            if free > 0:
                out.append(((rank * self.deck.suits,), free / left))
        return out

    def deal_label(self, hands: tuple[Cards, ...]) -> str:
        return " ".join("".join(map(self.deck.label, reversed(hand))) for hand in hands)

    # -- boards --------------------------------------------------------------------------------------------------

    def board_count(self, cards: int, on_board: int) -> int:
        return comb(self.deck.size - self.rules.players * self.rules.hole - on_board, cards)

    def board_outcomes(self, seen: Cards, cards: int) -> Sequence[tuple[str, float]]:
        if self.deck.merged or cards == 1:
            return self._single_cards(seen)[1]
        left = [card for card in range(self.deck.size) if card not in seen]
        return UniformOutcomes(comb(len(left), cards), lambda i: self._label(unrank(left, cards, i)))

    def board_cards(self, seen: Cards, cards: int, index: int) -> Cards:
        if self.deck.merged or (cards == 1 and self.deck.size <= SMALL_DECK):
            return self._single_cards(seen)[0][index]
        return unrank([card for card in range(self.deck.size) if card not in seen], cards, index)

    def _single_cards(self, seen: Cards) -> tuple[list[Cards], list[tuple[str, float]]]:
        """All next cards, kept for small games, which ask for them at every history."""
        known = self._next.get(seen)
        if known is None:
            if self.deck.merged:
                dealt = self._merged_cards(seen)
            else:
                left = [card for card in range(self.deck.size) if card not in seen]
                dealt = [((card,), 1.0 / len(left)) for card in left]
            known = ([hand for hand, _ in dealt], [(self._label(hand), share) for hand, share in dealt])
            if len(self._next) < KEPT_DEALS:
                self._next[seen] = known
        return known

    def _label(self, cards: Cards) -> str:
        return "".join(map(self.deck.label, cards))

    # -- counting ------------------------------------------------------------------------------------------------

    @cache  # noqa: B019 (a dealer lives as long as its game)
    def deals(self, round_number: int) -> float:
        """Ways to deal all cards seen by the betting of a round."""
        if self.deck.merged:
            return float(self._merged_count(self.rules.players + sum(self.rules.board[: round_number + 1])))
        total, on_board = float(self.hole_count), 0
        for cards in self.rules.board[: round_number + 1]:
            total *= self.board_count(cards, on_board)
            on_board += cards
        return total


class UniformOutcomes(Sequence[tuple[str, float]]):
    """Equally likely outcomes, labelled when looked at: a heads-up deal of hold'em has 1.6 million."""

    def __init__(self, count: int, label: Callable[[int], str]) -> None:
        self._count, self._label = count, label

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> tuple[str, float]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, float]]: ...

    def __getitem__(self, index: int | slice) -> tuple[str, float] | list[tuple[str, float]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._label(index % self._count), 1.0 / self._count


def unrank(items: Sequence[int], size: int, index: int) -> Cards:
    """The index-th combination of `size` items in lexicographic order."""
    out = []
    start = 0
    for left in range(size, 0, -1):
        while True:
            below = comb(len(items) - start - 1, left - 1)
            if index < below:
                break
            index -= below
            start += 1
        out.append(items[start])
        start += 1
    return tuple(out)
