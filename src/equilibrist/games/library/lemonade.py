"""Lemonade stands: three sellers choose a spot on a circle, unseen by each other; buyers walk to the nearest.

A seller earns the distances to its neighbours on both sides (in steps; the circle is handed out twice). Two on one
spot share what one of them would earn there; three share everything.
"""

from __future__ import annotations

from collections.abc import Sequence

from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name
from equilibrist.games.rules import TERMINAL, Game, GameEntry, State

SELLERS = 3
MOST_STANDS = 10_000


class LemonadeState(State):
    """The spots chosen so far, in seat order."""

    __slots__ = ("game", "player", "spots")

    def __init__(self, game: Lemonade, spots: tuple[int, ...]) -> None:
        self.game = game
        self.spots = spots
        self.player = len(spots) if len(spots) < SELLERS else TERMINAL

    def actions(self) -> Sequence[str]:
        return self.game.labels

    def child(self, index: int) -> LemonadeState:
        return LemonadeState(self.game, (*self.spots, index))

    def infoset(self, player: int) -> str:
        chosen = len(self.spots)
        if chosen == player:
            return f"seller {player + 1}"
        if chosen < player:
            return f"seller {player + 1}:{chosen} chosen"
        return f"seller {player + 1}@{self.spots[player] + 1}:{chosen} chosen"

    def public(self) -> str:
        return f"{len(self.spots)} chosen"

    def returns(self) -> tuple[float, ...]:
        return earnings(self.spots, len(self.game.labels))


def earnings(spots: tuple[int, ...], stands: int) -> tuple[float, ...]:
    """Steps to the next occupied spot on either side, shared by those on one spot."""
    taken = sorted(set(spots))
    earned: dict[int, float] = {}
    for i, spot in enumerate(taken):
        after = (taken[(i + 1) % len(taken)] - spot) % stands or stands
        before = (spot - taken[i - 1]) % stands or stands
        earned[spot] = (before + after) / spots.count(spot)
    return tuple(earned[spot] for spot in spots)


class Lemonade(Game):
    """Constant-sum (twice the number of stands) for three players, so not zero-sum."""

    players = SELLERS
    zero_sum = False

    def __init__(self, stands: int = 12) -> None:
        if not 2 <= stands <= MOST_STANDS:
            raise ParameterError(
                f"The parameter 'stands' of 'lemonade' is 2 to {MOST_STANDS:,}, but {stands} was given."
            )
        self.labels = tuple(str(i + 1) for i in range(stands))
        self.name = "lemonade" if stands == 12 else str(Name("lemonade", {"stands": stands}))

    def start(self) -> LemonadeState:
        return LemonadeState(self, ())

    def histories(self) -> float:
        stands = float(len(self.labels))
        return 1 + stands + stands**2 + stands**3


ENTRIES = [
    GameEntry(
        "lemonade",
        "three sellers choose spots on a circle",
        Lemonade,
        {"stands": 12},
        "[Brown20, Figure 2.1]",
        bounds={"stands": (2, MOST_STANDS)},
    )
]
