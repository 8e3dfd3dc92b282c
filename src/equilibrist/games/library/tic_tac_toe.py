"""Tic-tac-toe: stones in turn, everything seen. Three in a row on 3x3, or any m,n,k-game.

Whoever has `line` stones in a row (across, down or diagonally) wins; a full board is a draw. `b2:a1` is x in the middle, o in a corner.
"""

from __future__ import annotations

from collections.abc import Sequence

from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name
from equilibrist.games.library.phantom import DRAW, MARKS, MOST_CELLS, MOST_COLUMNS, winning_lines
from equilibrist.games.rules import TERMINAL, Game, GameEntry, State


class TicTacToeState(State):
    """Stones of both as bit sets, and the moves so far as text."""

    __slots__ = ("game", "moves", "player", "stones", "winner")

    def __init__(
        self, game: TicTacToe, player: int, stones: tuple[int, int], moves: tuple[str, ...], winner: int = DRAW
    ) -> None:
        self.game = game
        self.player = player
        self.stones = stones
        self.moves = moves
        self.winner = winner  # at the end

    def actions(self) -> Sequence[str]:
        return [self.game.names[cell] for cell in self._free()]

    def _free(self) -> list[int]:
        taken = self.stones[0] | self.stones[1]
        return [cell for cell in range(len(self.game.names)) if not taken >> cell & 1]

    def child(self, index: int) -> TicTacToeState:
        game, mover, cell = self.game, self.player, self._free()[index]
        own, other = self.stones[mover] | 1 << cell, self.stones[1 - mover]
        stones, moves = (own, other) if mover == 0 else (other, own), (*self.moves, game.names[cell])
        if any(own & line == line for line in game.lines_through[cell]):
            return TicTacToeState(game, TERMINAL, stones, moves, mover)
        over = own | other == game.board
        return TicTacToeState(game, TERMINAL if over else 1 - mover, stones, moves)

    def infoset(self, player: int) -> str:
        return self.public()

    def public(self) -> str:
        text = ":".join(self.moves)
        if self.player != TERMINAL:
            return text
        return f"{text} draw" if self.winner == DRAW else f"{text} {MARKS[self.winner]} wins"

    def returns(self) -> tuple[float, ...]:
        return ((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))[self.winner]


class TicTacToe(Game):
    """A board of `rows` by `columns`; x moves first. The winner gets 1, the loser -1; 3x3 is a draw and has 549,946 histories."""

    players = 2

    def __init__(self, rows: int = 3, columns: int = 3, line: int = 3) -> None:
        _check(rows, columns, line)
        given = {"rows": rows, "columns": columns, "line": line}
        self.name = str(Name("tic-tac-toe", {key: value for key, value in given.items() if value != 3}))
        self.names = [f"{chr(ord('a') + c)}{r + 1}" for r in range(rows) for c in range(columns)]
        self.board = (1 << rows * columns) - 1
        lines = winning_lines(rows, columns, line)
        self.lines_through = [[bits for bits in lines if bits >> cell & 1] for cell in range(rows * columns)]

    def start(self) -> TicTacToeState:
        return TicTacToeState(self, 0, (0, 0), ())


def _check(rows: int, columns: int, line: int) -> None:
    if not (rows >= 1 and 1 <= columns <= MOST_COLUMNS and 2 <= rows * columns <= MOST_CELLS):
        raise ParameterError(
            f"A board of 'tic-tac-toe' has 2 to {MOST_CELLS} cells in at most {MOST_COLUMNS} columns, but "
            f"rows={rows}, columns={columns} were given."
        )
    if not 2 <= line <= max(rows, columns):
        raise ParameterError(
            f"The parameter 'line' of 'tic-tac-toe' is 2 to the longer side ({max(rows, columns)}), but {line} was given."
        )


ENTRIES = [
    GameEntry(
        "tic-tac-toe",
        "stones in a row, everything seen",
        TicTacToe,
        {"rows": 3, "columns": 3, "line": 3},
        "folklore",
        bounds={"rows": (1, MOST_CELLS), "columns": (1, MOST_COLUMNS), "line": (2, MOST_CELLS)},
    )
]
