"""Random small games for property tests: hidden signals, then moves that are public or hidden, any payoffs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from equilibrist.games.rules import CHANCE, TERMINAL, Game, State


@dataclass(frozen=True)
class RandomGame(Game):
    """Each player draws a signal; `depth` moves follow in turn; everything else is drawn from the seed."""

    seed: int
    players: int = 2
    signals: int = 2
    depth: int = 3
    zero_sum: bool = True

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"random-{self.seed}-{self.players}-{self.signals}-{self.depth}"

    def start(self) -> RandomState:
        return RandomState(self, (), ())

    def draw(self, *key: object) -> random.Random:
        return random.Random(f"{self.seed}/{key}")

    def width(self, ply: int) -> int:
        return self.draw("width", ply).choice([2, 2, 3])

    def hidden(self, ply: int) -> bool:
        return self.draw("hidden", ply).random() < 0.4


class RandomState(State):
    __slots__ = ("game", "moves", "player", "signals")

    def __init__(self, game: RandomGame, signals: tuple[int, ...], moves: tuple[int, ...]) -> None:
        self.game, self.signals, self.moves = game, signals, moves
        if not signals:
            self.player = CHANCE
        else:
            self.player = TERMINAL if self._over() else len(moves) % game.players

    def _over(self) -> bool:
        """At full depth, or early when a public move was the last choice of its ply (so trees are uneven)."""
        if len(self.moves) >= self.game.depth:
            return True
        if not self.moves or self.game.hidden(len(self.moves) - 1):
            return False
        public = tuple(m for ply, m in enumerate(self.moves) if not self.game.hidden(ply))
        return self.game.draw("end", public, len(self.moves)).random() < 0.25

    def _deals(self) -> list[tuple[tuple[int, ...], float]]:
        deals = [()]
        for _ in range(self.game.players):
            deals = [(*d, s) for d in deals for s in range(self.game.signals)]
        weights = [self.game.draw("deal", d).random() + 0.1 for d in deals]
        return [(d, w / sum(weights)) for d, w in zip(deals, weights, strict=True)]

    def chance(self) -> Sequence[tuple[str, float]]:
        return [("".join(map(str, deal)), probability) for deal, probability in self._deals()]

    def actions(self) -> Sequence[str]:
        return [f"a{i}" for i in range(self.game.width(len(self.moves)))]

    def child(self, index: int) -> RandomState:
        if not self.signals:
            return RandomState(self.game, self._deals()[index][0], ())
        return RandomState(self.game, self.signals, (*self.moves, index))

    def _seen(self, player: int | None) -> str:
        own = [
            "?" if self.game.hidden(ply) and ply % self.game.players != player else str(move)
            for ply, move in enumerate(self.moves)
        ]
        return "".join(own)

    def infoset(self, player: int) -> str:
        return f"s{self.signals[player]}:{self._seen(player)}" if self.signals else "start"

    def public(self) -> str:
        return f":{self._seen(None)}" if self.signals else "start"

    def returns(self) -> tuple[float, ...]:
        rng = self.game.draw("payoff", self.signals, self.moves)
        amounts = [round(rng.uniform(-2, 2), 3) for _ in range(self.game.players)]
        if self.game.zero_sum:
            amounts[-1] = -sum(amounts[:-1])
        return tuple(amounts)


def small_zero_sum_games() -> st.SearchStrategy[RandomGame]:
    """Two players, zero-sum, perfect recall."""
    return st.builds(RandomGame, seed=st.integers(0, 10**6), signals=st.integers(1, 3), depth=st.integers(1, 4))


def small_games() -> st.SearchStrategy[RandomGame]:
    """Two or three players, general-sum."""
    return st.builds(
        RandomGame,
        seed=st.integers(0, 10**6),
        players=st.integers(2, 3),
        signals=st.integers(1, 2),
        depth=st.integers(1, 4),
        zero_sum=st.booleans(),
    )


def random_policy(infosets, seed: int = 0):
    """A fully mixed policy."""
    import numpy as np

    from equilibrist.core.policy import normalise

    return normalise(infosets, np.random.default_rng(seed).random(infosets.slots) + 0.01)
