"""Matrix games as trees: the row player moves in secret, then the column player; nothing is shown afterwards."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.core.names import Name
from equilibrist.games.rules import TERMINAL, Game, GameEntry, State

Matrix = tuple[tuple[float, ...], ...]

ROW, COLUMN = 0, 1

PAYOFFS = (-1e100, 1e100)  # beyond, no digits are left to compute with
SMALL = 100_000  # entries that are not worth asking whether they fit
BYTES_PER_ENTRY = 100  # while a matrix is made
MOST_ENTRIES = 4_000_000  # of a random matrix


class MatrixState(State):
    """Nobody, the row player or both have moved; -1 marks a move not made yet."""

    __slots__ = ("column", "game", "player", "row")

    def __init__(self, game: MatrixGame, player: int, row: int, column: int) -> None:
        self.game = game
        self.player = player
        self.row = row
        self.column = column

    def actions(self) -> Sequence[str]:
        return self.game.row_labels if self.player == ROW else self.game.column_labels

    def child(self, index: int) -> MatrixState:
        if self.player == ROW:
            return MatrixState(self.game, COLUMN, index, -1)
        return MatrixState(self.game, TERMINAL, self.row, index)

    def infoset(self, player: int) -> str:
        if player == ROW:
            if self.player == ROW:
                return "row"
            move = "row:" + self.game.row_labels[self.row]
            return move if self.player == COLUMN else move + ":end"
        if self.player == TERMINAL:
            return "column:" + self.game.column_labels[self.column]
        return "column" if self.player == COLUMN else "column:wait"

    def public(self) -> str:
        return "start" if self.player == ROW else "row moved" if self.player == COLUMN else "both moved"

    def returns(self) -> tuple[float, ...]:
        own = self.game.payoffs[self.row][self.column]
        other = self.game.column_payoffs
        return own, 0.0 - own if other is None else other[self.row][self.column]  # 0 - 0 has no sign


class MatrixGame(Game):
    """Payoffs to the row player; the column player gets the opposite unless it has a matrix of its own."""

    players = 2

    def __init__(
        self,
        name: str,
        payoffs: Sequence[Sequence[float]],
        column_payoffs: Sequence[Sequence[float]] | None = None,
        *,
        row_labels: Sequence[str] | None = None,
        column_labels: Sequence[str] | None = None,
    ) -> None:
        self.name = name
        self.payoffs = checked_matrix(payoffs, name)
        self.column_payoffs = None if column_payoffs is None else checked_matrix(column_payoffs, name)
        self.zero_sum = column_payoffs is None
        rows, columns = len(self.payoffs), len(self.payoffs[0])
        if self.column_payoffs and (len(self.column_payoffs), len(self.column_payoffs[0])) != (rows, columns):
            raise ParameterError(f"Both payoff matrices of '{name}' must have {rows} rows and {columns} columns.")
        self.row_labels = checked_labels(row_labels, rows, "r", name)
        self.column_labels = checked_labels(column_labels, columns, "c", name)

    def start(self) -> MatrixState:
        return MatrixState(self, ROW, -1, -1)

    def histories(self) -> float:
        rows = len(self.row_labels)
        return 1 + rows + rows * len(self.column_labels)


def checked_matrix(rows: Any, name: str) -> Matrix:
    """Nested sequences as a rectangular tuple of finite numbers, or a refusal."""
    shape = f"The payoffs of '{name}' are rows of equal length such as [[1,0],[0,2]]"
    if not isinstance(rows, tuple | list) or not rows or not all(isinstance(row, tuple | list) and row for row in rows):
        raise ParameterError(f"{shape}, but {rows!r} was given.")
    if len({len(row) for row in rows}) != 1:
        raise ParameterError(f"{shape}, but rows of {', '.join(str(len(row)) for row in rows)} entries were given.")
    for entry in (entry for row in rows for entry in row):
        if isinstance(entry, bool) or not isinstance(entry, int | float) or not math.isfinite(entry):
            raise ParameterError(f"{shape}, with finite numbers, but {entry!r} was given.")
    return tuple(tuple(float(entry) + 0.0 for entry in row) for row in rows)  # + 0 removes the sign of -0


def checked_labels(labels: Sequence[str] | None, count: int, letter: str, name: str) -> tuple[str, ...]:
    """The given labels, or numbered ones."""
    if labels is None:
        return tuple(f"{letter}{i + 1}" for i in range(count))
    if len(labels) != count or len(set(labels)) != count:
        raise ParameterError(f"'{name}' needs {count} different action labels, but {list(labels)} were given.")
    return tuple(labels)


def rps() -> MatrixGame:
    return MatrixGame("rps", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]], row_labels="RPS", column_labels="RPS")


def rpst() -> MatrixGame:
    rows = [[0, -1, 1, 4], [1, 0, -1, 3], [-1, 1, 0, 3]]
    return MatrixGame("rpst", rows, row_labels="RPS", column_labels="RPST")


def rps_plus() -> MatrixGame:
    return MatrixGame("rps-plus", [[0, -1, 2], [1, 0, -2], [-2, 2, 0]], row_labels="RPS", column_labels="RPS")


def matching_pennies() -> MatrixGame:
    return MatrixGame("matching-pennies", [[1, -1], [-1, 1]], row_labels="HT", column_labels="HT")


def gift_game() -> MatrixGame:
    return MatrixGame("gift-game", [[3, 2, 10], [2, 3, 0]], row_labels="UD", column_labels="LMR")


def no_gift_game() -> MatrixGame:
    return MatrixGame("no-gift-game", [[0, 0], [-2, 1]], row_labels="UD", column_labels="LR")


def purification_game(k: float = 1.0) -> MatrixGame:
    """Column R punishes U by 3k + 1; an abstraction without it makes U look good."""
    if not math.isfinite(k) or k <= 0 or float(k) != k:
        raise ParameterError(
            f"The parameter 'k' of 'purification-game' is a positive number that a float can hold, but {k} was given."
        )
    name = "purification-game" if k == 1 else str(Name("purification-game", {"k": plain(((float(k),),))[0][0]}))
    return MatrixGame(name, [[2, 0, -3 * k - 1], [0, 1, -1]], row_labels="UD", column_labels="LMR")


def slow_cfr_plus() -> MatrixGame:
    return MatrixGame("slow-cfr-plus", [[1, 0.9], [-0.7, 1]], row_labels="UD", column_labels="LR")


def random_matrix(rows: int = 4, columns: int = 4, seed: int = 0) -> MatrixGame:
    """Independent entries, uniform in [-1, 1]; the same seed gives the same game everywhere."""
    for key, size in (("rows", rows), ("columns", columns)):
        if size < 1:
            raise ParameterError(f"The parameter '{key}' of 'random-matrix' is at least 1, but {size} was given.")
    if rows * columns > MOST_ENTRIES:
        raise TooLargeError(
            f"A matrix of {rows} by {columns} is too large; give at most {MOST_ENTRIES:,} entries in all."
        )
    if rows * columns > SMALL:
        from equilibrist.games.size_estimate import check_memory

        check_memory(f"A matrix of {rows} by {columns}", rows * columns * BYTES_PER_ENTRY)
    if seed < 0:
        raise ParameterError(f"The parameter 'seed' of 'random-matrix' is 0 or more, but {seed} was given.")
    given = {"rows": (rows, 4), "columns": (columns, 4), "seed": (seed, 0)}
    name = str(Name("random-matrix", {key: value for key, (value, default) in given.items() if value != default}))
    rng = random.Random(seed)
    return MatrixGame(name, [[2.0 * rng.random() - 1.0 for _ in range(columns)] for _ in range(rows)])


def given_matrix(rows: Any = ((1, 0), (0, 2)), columns: Any = "opposite") -> MatrixGame:
    """The user's own game; `columns` are the column player's payoffs, in the same rows, where they are not the opposite."""
    payoffs = checked_matrix(rows, "matrix")
    others = None if columns == "opposite" else checked_matrix(columns, "matrix")
    given = {} if payoffs == ((1.0, 0.0), (0.0, 2.0)) else {"rows": plain(payoffs)}
    name = str(Name("matrix", given if others is None else given | {"columns": plain(others)}))
    return MatrixGame(name, payoffs, others)


def bandit(payoffs: Any = (0, 1, -1000000)) -> MatrixGame:
    """One decision: the second player has a single, forced action, so that two-player solvers run it."""
    column = checked_matrix([payoffs], "bandit")[0]
    name = "bandit" if column == (0.0, 1.0, -1e6) else str(Name("bandit", {"payoffs": plain((column,))[0]}))
    labels = [f"a{i + 1}" for i in range(len(column))]
    return MatrixGame(name, [[entry] for entry in column], row_labels=labels, column_labels=["watch"])


def plain(matrix: Matrix) -> Any:
    """Whole numbers without a decimal point, for names."""
    return tuple(tuple(int(entry) if entry.is_integer() else entry for entry in row) for row in matrix)


ENTRIES = [
    GameEntry("rps", "Rock-Paper-Scissors with hidden moves", rps, {}, "[Ganzfried15, Figure 13.3]"),
    GameEntry("rpst", "Rock-Paper-Scissors with a fourth, losing column T", rpst, {}, "[Ganzfried15, Figure 13.4]"),
    GameEntry("rps-plus", "Rock-Paper-Scissors where Scissors counts double", rps_plus, {}, "[Brown20, §5.2.1]"),
    GameEntry("matching-pennies", "two coins, equal or not", matching_pennies, {}, "folklore"),
    GameEntry("gift-game", "a column that is a gift though undominated", gift_game, {}, "[Ganzfried15, Figure 13.5]"),
    GameEntry("no-gift-game", "no column is a gift", no_gift_game, {}, "[Ganzfried15, Figure 13.6]"),
    GameEntry(
        "purification-game",
        "2x3 game behind purification bounds",
        purification_game,
        {"k": 1.0},
        "[Ganzfried15, Figure 8.2]",
        bounds={"k": (1e-100, 1e100)},
    ),
    GameEntry("slow-cfr-plus", "2x2 game on which CFR+ is slow", slow_cfr_plus, {}, "[Brown20, §2.3.7]"),
    GameEntry(
        "random-matrix",
        "independent uniform payoffs in [-1, 1]",
        random_matrix,
        {"rows": 4, "columns": 4, "seed": 0},
        "[Ganzfried15, §8.4]; [Brown20, §3.2.5]",
        bounds={"rows": (1, MOST_ENTRIES), "columns": (1, MOST_ENTRIES), "seed": (0, 2**63 - 1)},
    ),
    GameEntry(
        "matrix",
        "payoffs given in the name",
        given_matrix,
        {"rows": ((1, 0), (0, 2)), "columns": "opposite"},
        "[Brown20, §3.2.2]",
        also={"columns": (tuple,)},
        bounds={"rows": PAYOFFS, "columns": PAYOFFS},
    ),
    GameEntry(
        "bandit",
        "one decision with given payoffs",
        bandit,
        {"payoffs": (0, 1, -1000000)},
        "[Brown20, §3.1.2]",
        bounds={"payoffs": PAYOFFS},
    ),
]
