"""Phantom tic-tac-toe: hidden stones, lost turns, and values by LP."""

import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.forms.history_tree.game_tree import compile_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.library.phantom import PhantomState, winning_lines
from equilibrist.games.rules import TERMINAL
from equilibrist.solvers.solve import solve


def play(name: str, *moves: str) -> PhantomState:
    state = load_game(name).start()
    for move in moves:
        state = state.child(state.actions().index(move))
    return state


def test_stones_are_unseen() -> None:
    state = play("phantom-tic-tac-toe", "c1", "a1")
    assert (state.player, state.public()) == (0, "@2")
    assert (state.infoset(0), state.infoset(1)) == ("x c1 @2", "o a1 @2")
    assert state.actions() == ("a1", "b1", "d1", "e1")  # its own stone is known, o's is not


def test_a_taken_cell_costs_the_turn_and_is_known_afterwards() -> None:
    state = play("phantom-tic-tac-toe", "c1", "c1")
    assert state.player == 0
    assert state.infoset(0) == "x c1 @2"
    assert state.infoset(1) == "o c1! @2"
    after = state.child(0)
    assert (after.player, after.infoset(1)) == (1, "o c1! @3")
    assert "c1" not in after.actions()


@pytest.mark.parametrize(
    ("name", "moves", "public", "returns"),
    [
        ("phantom-tic-tac-toe", ("c1", "c1", "b1", "b1", "a1"), "@5 x wins", (1, -1)),
        ("phantom-tic-tac-toe", ("a1", "b1", "e1", "c1", "c1", "d1"), "@6 o wins", (-1, 1)),
        ("phantom-tic-tac-toe", ("a1", "b1", "c1", "d1", "e1"), "@5 draw", (0, 0)),
        ("phantom-tic-tac-toe(rows=2,columns=2,line=2)", ("a1", "b1", "b2"), "@3 x wins", (1, -1)),  # diagonal
        ("phantom-tic-tac-toe(rows=3,columns=2,line=2)", ("a1", "a3", "b1"), "@3 x wins", (1, -1)),
    ],
)
def test_endings(name: str, moves: tuple[str, ...], public: str, returns: tuple[float, ...]) -> None:
    end = play(name, *moves)
    assert (end.player, end.public(), end.returns()) == (TERMINAL, public, returns)


def test_lines() -> None:
    assert len(winning_lines(3, 3, 3)) == 8  # as in ordinary tic-tac-toe
    assert len(winning_lines(2, 4, 2)) == 6 + 4 + 3 + 3
    assert winning_lines(1, 5, 3) == [0b00111, 0b01110, 0b11100]


def test_two_by_two() -> None:
    # By symmetry x starts anywhere and wins with its second stone unless it hits o's cell (1/3 if o avoided x's
    # cell); LP and naive CFR agree on 2/3.
    assert solve("phantom-tic-tac-toe(rows=2,columns=2,line=2)", solver="lp").value[0] == pytest.approx(2 / 3, abs=1e-9)


def test_the_default_is_small_and_not_trivial() -> None:
    tree = compile_tree(load_game("phantom-tic-tac-toe"))
    assert tree.histories == 16_077
    by_lp = solve("phantom-tic-tac-toe", solver="lp").value[0]
    assert by_lp == pytest.approx(51 / 152, abs=1e-9)  # recomputed; no published value
    by_cfr = solve("phantom-tic-tac-toe", solver="cfr+", until=1e-3)
    assert by_cfr.value[0] == pytest.approx(by_lp, abs=2e-3)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ("rows=0", "is 1 to 100"),
        ("columns=27", "is 1 to 26"),
        ("line=6", "2 to the longer side"),
        ("line=1", "2 to"),
    ],
)
def test_refusals(parameters: str, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        load_game(f"phantom-tic-tac-toe({parameters})")
