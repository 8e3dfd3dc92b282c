"""The clairvoyance game: player 1 knows who would win and bets any size of a grid; player 2 calls or folds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name
from equilibrist.games.rules import CHANCE, TERMINAL, Game, GameEntry, State

DEAL = (("win", 0.5), ("lose", 0.5))
REPLY = ("f", "c")
ANTE = 0.5  # each, so that the pot is 1
MOST_SIZES = 1_000_000
CHIPS = (1e-6, 10**9)


class ClairvoyanceState(State):
    """`hand` is what player 1 holds: -1 before the deal, else an index into DEAL."""

    __slots__ = ("game", "hand", "line", "player", "size", "won")

    def __init__(self, game: Clairvoyance, player: int, hand: int, line: str, size: float, won: float = 0.0) -> None:
        self.game = game
        self.player = player
        self.hand = hand
        self.line = line
        self.size = size  # of the bet
        self.won = won  # by player 1, at the end

    def actions(self) -> Sequence[str]:
        return self.game.labels if self.player == 0 else REPLY

    def chance(self) -> Sequence[tuple[str, float]]:
        return DEAL

    def child(self, index: int) -> ClairvoyanceState:
        game, hand = self.game, self.hand
        if self.player == CHANCE:
            return ClairvoyanceState(game, 0, index, "", 0.0)
        if self.player == 0:
            line = game.labels[index]
            if index == 0:  # a check shows the hand at once
                return ClairvoyanceState(game, TERMINAL, hand, line, 0.0, _signed(hand, ANTE))
            return ClairvoyanceState(game, 1, hand, line, game.sizes[index])
        won = ANTE if index == 0 else _signed(hand, ANTE + self.size)
        return ClairvoyanceState(game, TERMINAL, hand, f"{self.line}:{REPLY[index]}", self.size, won)

    def infoset(self, player: int) -> str:
        if player == 1 or self.hand < 0:
            return self.public()
        return f"{DEAL[self.hand][0]}:{self.line}" if self.line else DEAL[self.hand][0]

    def public(self) -> str:
        return self.line or ("start" if self.hand < 0 else "dealt")

    def returns(self) -> tuple[float, ...]:
        return self.won, -self.won


def _signed(hand: int, chips: float) -> float:
    return chips if hand == 0 else -chips


class Clairvoyance(Game):
    """Antes of 0.5; bets 0, step, 2 step … stack, where a bet of 0 is the check `x`. Worth n/(2(1+n)) at stack n."""

    players = 2
    pot = 2 * ANTE

    def __init__(self, stack: float = 1.0, step: float = 0.1) -> None:
        if not (math.isfinite(stack) and math.isfinite(step) and 0 < step <= stack):
            raise ParameterError(
                f"'clairvoyance' needs 0 < step <= stack, but step={step} and stack={stack} were given."
            )
        count = round(stack / step)
        if count > MOST_SIZES:
            raise ParameterError(
                f"'clairvoyance' has at most {MOST_SIZES:,} bet sizes, but {count:,} steps were given."
            )
        if abs(count * step - stack) > 1e-9 * stack:
            raise ParameterError(
                f"The stack of 'clairvoyance' is a multiple of its step, but {stack} is not of {step}."
            )
        self.sizes = (*(round(k * step, 9) for k in range(count)), float(stack))
        self.labels = ("x", *(f"b{size:.10g}" for size in self.sizes[1:]))
        given = {"stack": (stack, 1.0), "step": (step, 0.1)}
        chosen = {key: _plain(value) for key, (value, usual) in given.items() if value != usual}
        self.name = str(Name("clairvoyance", chosen))

    def start(self) -> ClairvoyanceState:
        return ClairvoyanceState(self, CHANCE, -1, "", 0.0)

    def histories(self) -> float:
        return 1 + len(DEAL) * (2 + 3 * (len(self.sizes) - 1))


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() else number


ENTRIES = [
    GameEntry(
        "clairvoyance",
        "player 1 knows whether it wins and bets; player 2 calls or folds",
        Clairvoyance,
        {"stack": 1.0, "step": 0.1},
        "[Ganzfried15, §7.2.1]; [Lu16, §3.3.4]",
        bounds={"stack": CHIPS, "step": CHIPS},
    )
]
