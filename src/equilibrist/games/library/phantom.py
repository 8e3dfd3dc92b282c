"""Phantom tic-tac-toe: stones in turn, each unseen by the other; trying a taken cell loses the turn ("abrupt").

Whoever has `line` stones in a row (across, down or diagonally) wins; a full board is a draw. Everybody knows how many
turns are over and that play goes on. `x a1 b2! @4`: x holds a1, found b2 taken, four turns are over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name
from equilibrist.games.rules import TERMINAL, Game, GameEntry, State

T = TypeVar("T")

MARKS = ("x", "o")
MOST_COLUMNS = 26
MOST_CELLS = 100
DRAW = 2


class PhantomState(State):
    """Stones and known cells of both as bit sets, and what each has done as text."""

    __slots__ = ("done", "game", "known", "player", "stones", "turns", "winner")

    def __init__(
        self,
        game: Phantom,
        player: int,
        turns: int,
        stones: tuple[int, int],
        known: tuple[int, int],
        done: tuple[str, str],
        winner: int = DRAW,
    ) -> None:
        self.game = game
        self.player = player
        self.turns = turns
        self.stones = stones
        self.known = known  # own stones and cells found taken
        self.done = done
        self.winner = winner  # at the end

    def actions(self) -> Sequence[str]:
        return self.game.labels(self.known[self.player])

    def child(self, index: int) -> PhantomState:
        game, mover, turns = self.game, self.player, self.turns + 1
        cell = game.cells_outside(self.known[mover])[index]
        bit = 1 << cell
        own, other = self.stones[mover], self.stones[1 - mover]
        taken = bool(other & bit)
        text = f"{self.done[mover]} {game.names[cell]}{'!' if taken else ''}"
        known = _replaced(self.known, mover, self.known[mover] | bit)
        done = _replaced(self.done, mover, text)
        if taken:
            return PhantomState(game, 1 - mover, turns, self.stones, known, done)
        own |= bit
        stones = _replaced(self.stones, mover, own)
        for line in game.lines_through[cell]:
            if own & line == line:
                return PhantomState(game, TERMINAL, turns, stones, known, done, mover)
        over = own | other == game.board
        return PhantomState(game, TERMINAL if over else 1 - mover, turns, stones, known, done)

    def infoset(self, player: int) -> str:
        return f"{self.done[player]} {self.public()}"

    def public(self) -> str:
        if self.player == TERMINAL:
            return f"@{self.turns} draw" if self.winner == DRAW else f"@{self.turns} {MARKS[self.winner]} wins"
        return f"@{self.turns}"

    def returns(self) -> tuple[float, ...]:
        return ((1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))[self.winner]


def _replaced(pair: tuple[T, T], which: int, value: T) -> tuple[T, T]:
    return (value, pair[1]) if which == 0 else (pair[0], value)


class Phantom(Game):
    """A board of `rows` by `columns`; x moves first. The winner gets 1, the loser -1.

    Trees grow fast: 16,077 histories for three in a strip of five (the default, worth about 1/3 to x), 66,537 for two
    in a row on 2x4, 493,663 for three in a row on 2x3.
    """

    players = 2

    def __init__(self, rows: int = 1, columns: int = 5, line: int = 3) -> None:
        _check(rows, columns, line)
        given = {"rows": (rows, 1), "columns": (columns, 5), "line": (line, 3)}
        chosen = {key: value for key, (value, usual) in given.items() if value != usual}
        self.name = str(Name("phantom-tic-tac-toe", chosen))
        self.names = [f"{chr(ord('a') + c)}{r + 1}" for r in range(rows) for c in range(columns)]
        self.board = (1 << rows * columns) - 1
        lines = winning_lines(rows, columns, line)
        self.lines_through = [[bits for bits in lines if bits >> cell & 1] for cell in range(rows * columns)]
        self._cells: dict[int, tuple[int, ...]] = {}
        self._labels: dict[int, tuple[str, ...]] = {}

    def start(self) -> PhantomState:
        return PhantomState(self, 0, 0, (0, 0), (0, 0), MARKS)

    def cells_outside(self, known: int) -> tuple[int, ...]:
        """Cells a player may still try."""
        found = self._cells.get(known)
        if found is None:
            found = self._cells[known] = tuple(i for i in range(len(self.names)) if not known >> i & 1)
        return found

    def labels(self, known: int) -> tuple[str, ...]:
        found = self._labels.get(known)
        if found is None:
            found = self._labels[known] = tuple(self.names[i] for i in self.cells_outside(known))
        return found


def winning_lines(rows: int, columns: int, line: int) -> list[int]:
    """Bit sets of `line` neighbouring cells in any of the four directions."""
    found = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for r in range(rows):
            for c in range(columns):
                last_r, last_c = r + down * (line - 1), c + right * (line - 1)
                if last_r < rows and 0 <= last_c < columns:
                    found.append(sum(1 << (r + down * i) * columns + c + right * i for i in range(line)))
    return found


def _check(rows: int, columns: int, line: int) -> None:
    if not (rows >= 1 and 1 <= columns <= MOST_COLUMNS and 2 <= rows * columns <= MOST_CELLS):
        raise ParameterError(
            f"A board of 'phantom-tic-tac-toe' has 2 to {MOST_CELLS} cells in at most {MOST_COLUMNS} columns, but "
            f"rows={rows}, columns={columns} were given."
        )
    if not 2 <= line <= max(rows, columns):
        raise ParameterError(
            f"The parameter 'line' of 'phantom-tic-tac-toe' is 2 to the longer side ({max(rows, columns)}), "
            f"but {line} was given."
        )


ENTRIES = [
    GameEntry(
        "phantom-tic-tac-toe",
        "stones in a row, the opponent's unseen",
        Phantom,
        {"rows": 1, "columns": 5, "line": 3},
        "ours, with the abrupt rule of dark hex",
        bounds={"rows": (1, MOST_CELLS), "columns": (1, MOST_COLUMNS), "line": (2, MOST_CELLS)},
    )
]
