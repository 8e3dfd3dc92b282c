"""FlopTexture: what kind of flop it is, by suits, pairs, straights and the highest card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equilibrist.cards.deck import RANKS

SUITS = ("rainbow", "two-tone", "monotone")
PAIRS = ("unpaired", "paired", "trips")
STRAIGHTS = ("no straight", "straight")
HIGH = tuple(reversed(RANKS))  # from the ace down
TEXTURES = tuple(f"{suits} {pairs}" for pairs in PAIRS for suits in SUITS)  # not all of them exist

_ACE = 12


@dataclass(frozen=True)
class FlopTexture:
    """Words for a flop."""

    suits: str  # rainbow, two-tone or monotone
    pairs: str  # unpaired, paired or trips
    straights: str  # whether two more cards can make a straight with all three
    high: str  # rank of the highest card

    @property
    def texture(self) -> str:
        """Suits and pairs together: `two-tone unpaired`."""
        return f"{self.suits} {self.pairs}"


KINDS = {"texture": TEXTURES, "suits": SUITS, "pairs": PAIRS, "straights": STRAIGHTS, "high": HIGH}  # what to group by


def flop_texture(cards: Sequence[int]) -> FlopTexture:
    """The texture of three cards (4 × rank + suit)."""
    ranks, suits = sorted(card // 4 for card in cards), {card % 4 for card in cards}
    return FlopTexture(
        suits=SUITS[3 - len(suits)],
        pairs=PAIRS[3 - len(set(ranks))],
        straights=STRAIGHTS[_straight(ranks)],
        high=RANKS[ranks[-1]],
    )


def _straight(ranks: Sequence[int]) -> bool:
    """Whether three different ranks lie within five that follow each other; the ace is also below the two."""
    if len(set(ranks)) < 3:
        return False
    low = sorted(-1 if rank == _ACE else rank for rank in ranks)
    return ranks[-1] - ranks[0] <= 4 or low[-1] - low[0] <= 4
