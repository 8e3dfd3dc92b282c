"""Lines through a blueprint with one deal of board cards: before the board, to it, and on one board up to suits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError, suggest
from equilibrist.forms.boards.street_betting import IP, StreetForest
from equilibrist.search.engines.streamed.trunk import Trunk


@dataclass(frozen=True)
class StreamedPlace:
    """A decision: on the first street (0), on all boards before they are known, or on one board."""

    street: int
    root: int  # of the street: the line that led to it
    node: int
    board: int | None = None  # up to suits
    suits: tuple[int, ...] = ()  # how the board's suits were renamed

    @property
    def on_board(self) -> int:
        assert self.board is not None, "a place on a board"
        return self.board


def find_place(trunk: Trunk, line: str) -> StreamedPlace:
    """The place of a line such as `r300`, `r300:c` or `r300:c:7h6d2c:x`."""
    deck, forests = trunk.abstract.deal.deck, trunk.abstract.forests
    number = {deck.label(card): card for card in range(deck.size)}
    words = [word for word in line.split(":") if word]
    dealt = [place for place, word in enumerate(words) if word[:2] in number]
    roots = [":".join(each.strip("/").split("/")) for each in forests[1].before]
    if not dealt:
        if line in roots:
            root = roots.index(line)
            return StreamedPlace(1, root, _acting(forests[1], root, line))
        return StreamedPlace(0, 0, _acting(forests[0], _follow(forests[0], 0, words, line), line))
    before, cards, after = words[: dealt[0]], words[dealt[0]], words[dealt[0] + 1 :]
    if ":".join(before) not in roots:
        raise UnknownNameError(f"No board comes after '{':'.join(before)}'.{suggest(':'.join(before), roots)}")
    _, board, suits = find_board(trunk, cards)
    root = roots.index(":".join(before))
    node = _acting(forests[1], _follow(forests[1], root, after, line), line)
    return StreamedPlace(1, root, node, board, suits)


def find_board(trunk: Trunk, text: str) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
    """The cards of a board such as `7h6d2c`, its number up to suits, and the suit there of each suit here."""
    deck = trunk.abstract.deal.deck
    number = {deck.label(card): card for card in range(deck.size)}
    cards = [number.get(text[k : k + 2], -1) for k in range(0, len(text), 2)]
    if -1 in cards or len(set(cards)) != len(cards) or len(cards) != trunk.abstract.deal.streets[0]:
        raise ParameterError(
            f"The board of this game is {trunk.abstract.deal.streets[0]} cards of its deck, but '{text}' was given."
        )
    return tuple(cards), *_up_to_suits(trunk, cards)


def _follow(forest: StreetForest, node: int, words: Sequence[str], line: str) -> int:
    for word in words:
        if forest.kind[node] > IP or word not in forest.labels(node):
            raise UnknownNameError(f"There is no action '{word}' in '{line}'; check its betting.")
        node = forest.child(node, word)
    return node


def _acting(forest: StreetForest, node: int, line: str) -> int:
    if forest.kind[node] > IP:
        raise NotApplicableError(f"Nobody acts after '{line}'; give a line to a player's decision.")
    return node


def _up_to_suits(trunk: Trunk, board: list[int]) -> tuple[int, tuple[int, ...]]:
    """The board among those that are looked at, and the suit there of each suit here."""
    deck = trunk.abstract.deal.deck
    known = {tuple(sorted(cards)): index for index, cards in enumerate(trunk.abstract.boards[1].cards)}
    for suits in permutations(range(deck.suits)):
        renamed = tuple(sorted(card // deck.suits * deck.suits + suits[card % deck.suits] for card in board))
        if renamed in known:
            return known[renamed], suits
    raise AssertionError("every board is one of the known ones up to suits")


def hand_label(trunk: Trunk, hand: int, suits: tuple[int, ...]) -> str:
    """A hand's name with the suits that the line was given in."""
    deck, back = trunk.abstract.deal.deck, {there: here for here, there in enumerate(suits)}
    cards = [int(card) for card in trunk.abstract.deal.hands[hand]]
    named = sorted((card // deck.suits * deck.suits + back[card % deck.suits] for card in cards), reverse=True)
    return "".join(map(deck.label, named))


def class_label(trunk: Trunk, hand: int) -> str:
    """All hands that differ from this one by suits only: `KK`, `KQs`, `KQo`."""
    deck = trunk.abstract.deal.deck
    high, low = sorted((int(card) for card in trunk.abstract.deal.hands[hand]), reverse=True)
    ranks = deck.label(high)[0] + deck.label(low)[0]
    if deck.rank(high) == deck.rank(low):
        return ranks
    return ranks + ("s" if deck.suit(high) == deck.suit(low) else "o")
