"""Liar's Dice: hidden dice, rising public bids on all dice together, until somebody calls the last bidder a liar.

The highest face is wild: it counts for every bid. A bid on the wild face itself counts wild dice only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement, product

from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name
from equilibrist.games.rules import CHANCE, TERMINAL, Game, GameEntry, State

Hand = tuple[int, ...]

MOST_HANDS = 1_000  # all pairs of hands are listed at the one chance node
MOST_BIDS = 200


class LiarsDiceState(State):
    """Dice of both players, the bids so far as text, and the number of the last bid (-1: none)."""

    __slots__ = ("deal", "game", "last", "line", "player")

    def __init__(self, game: LiarsDice, player: int, deal: int, last: int, line: str) -> None:
        self.game = game
        self.player = player
        self.deal = deal
        self.last = last  # at the end: plus the number of bids if player 2 called
        self.line = line

    def actions(self) -> Sequence[str]:
        return self.game.actions_after[self.last]

    def chance(self) -> Sequence[tuple[str, float]]:
        return self.game.rolls

    def child(self, index: int) -> LiarsDiceState:
        game, player, last = self.game, self.player, self.last
        if player == CHANCE:
            return LiarsDiceState(game, 0, index, -1, ":")
        bid = last + 1 + index
        line = self.line + game.steps_after[last][index]
        if bid == game.bids:  # calling comes after the highest bid
            return LiarsDiceState(game, TERMINAL, self.deal, last + player * bid, line)
        return LiarsDiceState(game, 1 - player, self.deal, bid, line)

    def infoset(self, player: int) -> str:
        return self.game.hands_of[player][self.deal] + self.line if self.line else "start"

    def public(self) -> str:
        return self.line or "start"

    def returns(self) -> tuple[float, ...]:
        caller, bid = divmod(self.last, self.game.bids)
        return (1.0, -1.0) if self.game.holds(self.deal, bid) == (caller == 1) else (-1.0, 1.0)


class LiarsDice(Game):
    """`dice` dice of `faces` faces each; player 1 bids first; the winner gets 1, the loser -1."""

    players = 2

    def __init__(self, dice: int = 1, faces: int = 6, ordered: bool = False) -> None:
        self.bids = 2 * dice * faces
        _check(dice, faces, ordered)
        given = {"dice": (dice, 1), "faces": (faces, 6), "ordered": (ordered, False)}
        self.name = str(Name("liars-dice", {key: value for key, (value, usual) in given.items() if value != usual}))
        self._list_bids(faces)
        self._list_deals(dice, faces, ordered)

    def _list_bids(self, faces: int) -> None:
        self.quantity = [bid // faces + 1 for bid in range(self.bids)]
        names = tuple(f"{bid // faces + 1}x{bid % faces + 1}" for bid in range(self.bids))
        after = [(*names[last + 1 :], "liar") for last in range(self.bids)]
        # The last entries answer for last = -1, the first move, which cannot be a call.
        self.actions_after = [*after, names]
        self.steps_after = [*(tuple("," + name for name in actions) for actions in after), names]

    def _list_deals(self, dice: int, faces: int, ordered: bool) -> None:
        """Hands are multisets, or ordered rolls of one probability each."""
        sides = range(1, faces + 1)
        hands: list[Hand] = list(product(sides, repeat=dice) if ordered else combinations_with_replacement(sides, dice))
        texts = ["-".join(map(str, hand)) for hand in hands]
        ways = [1 if ordered else arrangements(hand) for hand in hands]
        total = float(faces**dice)
        self.matching = [[_matching(hand, bid % faces + 1, faces) for bid in range(self.bids)] for hand in hands]
        self.rolls = tuple(
            (f"{one}/{two}", (a / total) * (b / total))
            for one, a in zip(texts, ways, strict=True)
            for two, b in zip(texts, ways, strict=True)
        )
        self.hands_of = ([text for text in texts for _ in texts], [text for _ in texts for text in texts])

    def holds(self, deal: int, bid: int) -> bool:
        """Whether at least as many dice as bid show the face or are wild."""
        one, two = divmod(deal, len(self.matching))
        return self.matching[one][bid] + self.matching[two][bid] >= self.quantity[bid]

    def start(self) -> LiarsDiceState:
        return LiarsDiceState(self, CHANCE, -1, -1, "")

    def histories(self) -> float:
        return 1.0 + len(self.rolls) * (2.0 ** (self.bids + 1) - 1.0)  # every set of bids, called or not yet


def _check(dice: int, faces: int, ordered: bool) -> None:
    if dice < 1 or faces < 2:
        raise ParameterError(f"'liars-dice' needs dice >= 1 and faces >= 2, but dice={dice}, faces={faces} were given.")
    hands = faces**dice if ordered else math.comb(faces + dice - 1, dice)
    if hands > MOST_HANDS or 2 * dice * faces > MOST_BIDS:
        raise ParameterError(
            f"'liars-dice' has at most {MOST_HANDS:,} hands and {MOST_BIDS} bids, but dice={dice}, faces={faces} makes "
            f"{hands:,} hands and {2 * dice * faces} bids; choose fewer dice or faces."
        )


def _matching(hand: Hand, face: int, wild: int) -> int:
    return sum(die in (face, wild) for die in hand)


def arrangements(hand: Hand) -> int:
    """In how many orders these dice can fall."""
    return math.factorial(len(hand)) // math.prod(math.factorial(n) for n in Counter(hand).values())


ENTRIES = [
    GameEntry(
        "liars-dice",
        "bluffing bids on hidden dice, highest face wild",
        LiarsDice,
        {"dice": 1, "faces": 6, "ordered": False},
        "[Brown20, §2.4.6]",
        bounds={"dice": (1, 50), "faces": (2, 100)},
    )
]
