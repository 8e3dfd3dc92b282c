"""Coin Toss ([Brown20, §5.1.1]): player 1 sees a coin and sells it or plays; player 2 then guesses or forfeits."""

from __future__ import annotations

from collections.abc import Sequence

from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.core.names import Name
from equilibrist.games.rules import CHANCE, TERMINAL, Game, GameEntry, State

TOSS = (("H", 0.5), ("T", 0.5))
OFFER = ("sell", "play")
GUESS = ("heads", "tails", "forfeit")
MOST_SUBGAMES = 100_000


class CoinTossState(State):
    """`line` is all that both players have seen since the toss."""

    __slots__ = ("coin", "game", "line", "player", "result")

    def __init__(self, game: CoinToss, player: int, coin: str, line: str, result: float = 0.0) -> None:
        self.game = game
        self.player = player
        self.coin = coin
        self.line = line
        self.result = result  # of player 1, at the end

    def actions(self) -> Sequence[str]:
        return OFFER if self.player == 0 else GUESS

    def chance(self) -> Sequence[tuple[str, float]]:
        return self.game.subgame_chance if self.coin else TOSS

    def child(self, index: int) -> CoinTossState:
        game, coin, line = self.game, self.coin, self.line
        if not coin:
            return CoinTossState(game, 0, TOSS[index][0], "")
        if self.player == 0:
            if index == 0:
                return CoinTossState(game, TERMINAL, coin, "sell", game.price[coin])
            return CoinTossState(game, CHANCE if game.subgames > 1 else 1, coin, "play")
        if self.player == CHANCE:
            return CoinTossState(game, 1, coin, f"{line}:{game.subgame_chance[index][0]}")
        guessed = GUESS[index] == ("heads" if coin == "H" else "tails")
        return CoinTossState(game, TERMINAL, coin, f"{line}:{GUESS[index]}", -1.0 if guessed else 1.0)

    def infoset(self, player: int) -> str:
        if player == 1 or not self.coin:
            return self.public()
        return f"{self.coin}:{self.line}" if self.line else self.coin

    def public(self) -> str:
        return self.line or ("tossed" if self.coin else "start")

    def returns(self) -> tuple[float, ...]:
        return self.result, -self.result


class CoinToss(Game):
    """With several subgames, Play leads through a public draw to one of them; they differ only in name."""

    players = 2

    def __init__(self, subgames: int = 1, swapped: bool = False) -> None:
        if subgames < 1:
            raise ParameterError(f"The parameter 'subgames' of 'coin-toss' is at least 1, but {subgames} was given.")
        if subgames > MOST_SUBGAMES:
            raise TooLargeError(f"'coin-toss' has at most {MOST_SUBGAMES:,} subgames, but {subgames} was given.")
        self.subgames = subgames
        self.price = {"H": -0.5, "T": 0.5} if swapped else {"H": 0.5, "T": -0.5}
        self.subgame_chance = tuple((f"S{i + 1}", 1.0 / subgames) for i in range(subgames))
        given = {"subgames": (subgames, 1), "swapped": (swapped, False)}
        self.name = str(Name("coin-toss", {key: value for key, (value, usual) in given.items() if value != usual}))

    def start(self) -> CoinTossState:
        return CoinTossState(self, CHANCE, "", "")

    def histories(self) -> float:
        played = 1 + len(GUESS) if self.subgames == 1 else 1 + self.subgames * (1 + len(GUESS))
        return 1 + len(TOSS) * (2 + played)


ENTRIES = [
    GameEntry(
        "coin-toss",
        "sell a coin or let the opponent guess it",
        CoinToss,
        {"subgames": 1, "swapped": False},
        "[Brown20, §5.1.1]",
        bounds={"subgames": (1, MOST_SUBGAMES)},
    )
]
