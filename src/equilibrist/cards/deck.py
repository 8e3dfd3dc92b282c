"""Decks: the highest ranks of `23456789TJQKA`, the first suits of `cdhs`; a card is `4 * rank + suit`."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.core.errors import ParameterError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
MOST_RANKS = 1_000


@dataclass(frozen=True)
class Deck:
    """`ranks` different ranks in `suits` suits; with `merged` suits are not told apart.

    Small decks take the court cards people know: three ranks are J, Q, K. More than 13 ranks are numbered.
    """

    ranks: int = 13
    suits: int = 4
    merged: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.ranks <= MOST_RANKS or not 1 <= self.suits <= 4:
            raise ParameterError(
                f"A deck has 1 to {MOST_RANKS:,} ranks and 1 to 4 suits, but {self.ranks} ranks and {self.suits} suits were given."
            )

    @property
    def size(self) -> int:
        return self.ranks * self.suits

    def rank(self, card: int) -> int:
        return card // self.suits

    def suit(self, card: int) -> int:
        return card % self.suits

    def rank_label(self, rank: int) -> str:
        if self.ranks > 13:
            return str(rank + 1)
        above = RANKS.index("K" if self.ranks <= 3 else "A") + 1
        return RANKS[above - self.ranks + rank]

    def label(self, card: int) -> str:
        """`Ks`, or `K` where suits do not matter."""
        name = self.rank_label(self.rank(card))
        return name if self.merged or self.suits == 1 else name + SUITS[self.suit(card)]
