"""Tic-tac-toe: what it has, what it is worth, and how it ends."""

import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.forms.compiled import compiled
from equilibrist.games.catalogue import load_game
from equilibrist.games.library.tic_tac_toe import TicTacToeState
from equilibrist.games.rules import TERMINAL
from equilibrist.solvers.solve import solve


def play(name: str, *moves: str) -> TicTacToeState:
    state = load_game(name).start()
    for move in moves:
        state = state.child(state.actions().index(move))
    return state


def worth(state: TicTacToeState, known: dict[tuple[int, int], float]) -> float:
    """Minimax over positions."""
    if state.player == TERMINAL:
        return state.returns()[0]
    if state.stones not in known:
        best = max if state.player == 0 else min
        known[state.stones] = best(worth(state.child(a), known) for a in range(len(state.actions())))
    return known[state.stones]


def test_everything_is_seen() -> None:
    state = play("tic-tac-toe", "b2", "a1")
    assert (state.player, state.public()) == (0, "b2:a1")
    assert state.infoset(0) == state.infoset(1) == state.public()
    assert list(state.actions()) == ["b1", "c1", "a2", "c2", "a3", "b3", "c3"]


@pytest.mark.parametrize(
    ("moves", "public", "returns"),
    [
        (("a1", "a2", "b1", "b2", "c1"), "a1:a2:b1:b2:c1 x wins", (1, -1)),
        (("a1", "c1", "a2", "b2", "b1", "a3"), "a1:c1:a2:b2:b1:a3 o wins", (-1, 1)),  # diagonal
        (("a1", "b2", "b1", "c2", "a2", "a3", "b3", "c3", "c1"), "a1:b2:b1:c2:a2:a3:b3:c3:c1 x wins", (1, -1)),
        (("b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3"), "b2:a1:c1:a3:a2:c2:b1:b3:c3 draw", (0, 0)),
    ],
)
def test_endings(moves: tuple[str, ...], public: str, returns: tuple[float, ...]) -> None:
    end = play("tic-tac-toe", *moves)
    assert (end.player, end.public(), end.returns()) == (TERMINAL, public, returns)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tic-tac-toe", 0),
        ("tic-tac-toe(rows=2,columns=4)", 0),
        ("tic-tac-toe(line=2)", 1),
        ("tic-tac-toe(columns=4)", 1),
    ],
)
def test_values(name: str, value: int) -> None:
    known: dict[tuple[int, int], float] = {}
    assert worth(load_game(name).start(), known) == value
    if name == "tic-tac-toe":
        assert len(known) == 4520  # 5,478 positions, 958 of them ends


def test_histories_are_counted_and_solved() -> None:
    game = compiled("tic-tac-toe(rows=2,columns=3)")
    assert len(game.tree.player) == 1885
    assert solve("tic-tac-toe(rows=2,columns=3)", "lp").value[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_histories_of_three_by_three() -> None:
    assert len(compiled("tic-tac-toe").tree.player) == 549_946


def test_boards_that_cannot_be_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"longer side \(3\), but 4"):
        load_game("tic-tac-toe(line=4)")
    with pytest.raises(ParameterError, match="cells"):
        load_game("tic-tac-toe(rows=11,columns=10)")
