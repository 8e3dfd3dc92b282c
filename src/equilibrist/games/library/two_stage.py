"""Two matrix games in a row: the moves of the first are shown before the second; payoffs add up."""

from __future__ import annotations

from collections.abc import Sequence

from equilibrist.games.rules import TERMINAL, Game, GameEntry, State

ROW, COLUMN = 0, 1
STAGES = (((4.0, 5.0), (1.0, 0.0)), ((8.0, 10.0), (2.0, 0.0)))  # to the row player, [Ganzfried15, §13.6.3]
LABELS = ((("U", "D"), ("L", "R")), (("u", "d"), ("l", "r")))  # [stage][player]


class TwoStageState(State):
    """`moves` are the actions so far: row, column, row, column."""

    __slots__ = ("moves", "player")

    def __init__(self, moves: tuple[int, ...]) -> None:
        self.moves = moves
        self.player = len(moves) % 2 if len(moves) < 4 else TERMINAL

    def actions(self) -> Sequence[str]:
        return LABELS[len(self.moves) // 2][self.player]

    def child(self, index: int) -> TwoStageState:
        return TwoStageState((*self.moves, index))

    def infoset(self, player: int) -> str:
        stage = len(self.moves) >= 2
        hidden = self.moves[2:] if stage else self.moves
        return self._shown() + _seen(player, hidden, LABELS[stage])

    def public(self) -> str:
        stage = len(self.moves) >= 2
        hidden = len(self.moves) - 2 if stage else len(self.moves)
        return self._shown() + ("start", "row moved", "both moved")[hidden]

    def returns(self) -> tuple[float, ...]:
        a, b, c, d = self.moves
        total = STAGES[0][a][b] + STAGES[1][c][d]
        return total, -total

    def _shown(self) -> str:
        if len(self.moves) < 2:
            return ""
        return f"{LABELS[0][ROW][self.moves[0]]}{LABELS[0][COLUMN][self.moves[1]]}:"


def _seen(player: int, hidden: tuple[int, ...], labels: tuple[tuple[str, ...], ...]) -> str:
    """What one player knows of the moves of the current stage."""
    if player == ROW:
        if not hidden:
            return "row"
        return f"row:{labels[ROW][hidden[0]]}" + (":end" if len(hidden) == 2 else "")
    if len(hidden) == 2:
        return f"column:{labels[COLUMN][hidden[1]]}"
    return "column" if hidden else "column:wait"


class TwoStage(Game):
    """Worth 12 to the row player: U and u dominate. A column player that was shown D may risk what it has gained."""

    name = "two-stage"
    players = 2

    def start(self) -> TwoStageState:
        return TwoStageState(())

    def histories(self) -> float:
        return 1 + 2 + 4 + 8 + 16


ENTRIES = [
    GameEntry("two-stage", "two matrix games in a row, the first one shown", TwoStage, {}, "[Ganzfried15, §13.6.3]")
]
