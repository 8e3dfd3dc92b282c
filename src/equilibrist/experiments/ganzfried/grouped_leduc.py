"""Leduc in which players tell only groups of cards apart, and after the flop only whether they have a pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.rules import Game, State

ABSTRACTIONS = ("JQK", "JQ.K", "J.QK", "J.Q.K", "full")  # [Ganzfried15, §8.5]


def seen(abstraction: str, key: str, hand: str) -> str:
    """The infoset of a player that sees less: group of the own card, betting, and pair or none instead of the board."""
    if abstraction == "full":
        return key
    group = next(group for group in abstraction.split(".") if hand in group)
    words = key.split(":")[1:]
    return ":".join([group, *(("p" if word == hand else "n") if word in "JQK" else word for word in words)])


class GroupedLeduc(Game):
    """Limit Leduc with one card abstraction for each player."""

    players, perfect_recall, observations = 2, True, False

    def __init__(self, first: str, second: str) -> None:
        for name in (first, second):
            if name not in ABSTRACTIONS:
                raise ParameterError(f"'{name}' is no abstraction of Leduc; expected {', '.join(ABSTRACTIONS)}.")
        self.name, self.abstractions = f"grouped-leduc({first},{second})", (first, second)
        whole = load_game("leduc(suits=merged)")
        assert isinstance(whole, Poker)
        self.whole = whole

    def start(self) -> GroupedState:
        return GroupedState(self, self.whole.start())

    def key(self, state: PokerState, player: int) -> str:
        """What a player sees of a history of Leduc."""
        if not state.hole:
            return "deal"
        hand = self.whole.hole_label(state.hole[player])
        return seen(self.abstractions[player], state.infoset(player), hand)


class GroupedState(State):
    """A history of Leduc, seen through abstractions."""

    __slots__ = ("game", "inner", "player")

    def __init__(self, game: GroupedLeduc, inner: PokerState) -> None:
        self.game, self.inner, self.player = game, inner, inner.player

    def actions(self) -> Sequence[str]:
        return self.inner.actions()

    def chance(self) -> Sequence[tuple[str, float]]:
        return self.inner.chance()

    def child(self, index: int) -> GroupedState:
        return GroupedState(self.game, self.inner.child(index))

    def infoset(self, player: int) -> str:
        return f"{player + 1}|{self.game.key(self.inner, player)}"

    def public(self) -> str:
        return self.inner.public()

    def returns(self) -> tuple[float, ...]:
        return self.inner.returns()


def lift(policy: TabularPolicy, model: GroupedLeduc, tree: GameTree) -> TabularPolicy:
    """The strategy of the model in Leduc itself: every infoset plays what its group plays."""
    rows = []
    for player, key in zip(tree.infosets.player.tolist(), tree.infosets.keys, strict=True):
        bare = key.split("|")[-1]
        found = seen(model.abstractions[player], bare, bare.split(":")[0])
        rows.append(policy.row(policy.infosets.number(f"{player + 1}|{found}")))
    return TabularPolicy(tree.infosets, np.concatenate(rows))
