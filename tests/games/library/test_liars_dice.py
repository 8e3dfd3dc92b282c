"""Liar's Dice: rules by hand, sizes, recomputed values, and OpenSpiel as a second opinion."""

import math

import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.forms.history_tree.game_tree import compile_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.library.liars_dice import LiarsDiceState
from equilibrist.solvers.solve import solve
from reference.naive_cfr import naive_best_response_value, naive_values


def play(name: str, roll: str, *moves: str) -> LiarsDiceState:
    state = load_game(name).start()
    state = state.child([label for label, _ in state.chance()].index(roll))
    for move in moves:
        state = state.child(state.actions().index(move))
    return state


@pytest.mark.parametrize(
    ("roll", "moves", "winner"),
    [
        ("2/5", ("1x2", "liar"), 0),  # player 1 bid and holds it
        ("2/5", ("1x3", "liar"), 1),
        ("6/5", ("1x3", "liar"), 0),  # the 6 is wild
        ("6/3", ("2x3", "liar"), 0),
        ("6/6", ("2x3", "liar"), 0),
        ("3/3", ("1x6", "liar"), 1),  # but a bid on 6 counts only sixes
        ("6/3", ("2x6", "liar"), 1),
        ("2/5", ("1x3", "1x5", "liar"), 1),  # player 2 bid and holds it
        ("2/4", ("1x3", "1x5", "liar"), 0),
        ("1/6", ("1x3", "2x1", "2x6", "liar"), 1),
    ],
)
def test_who_wins(roll: str, moves: tuple[str, ...], winner: int) -> None:
    assert play("liars-dice", roll, *moves).returns() == ((1, -1) if winner == 0 else (-1, 1))


def test_bids_rise_and_the_first_move_is_a_bid() -> None:
    assert "liar" not in play("liars-dice(faces=3)", "1/1").actions()
    assert play("liars-dice(faces=3)", "1/1", "1x3").actions() == ("2x1", "2x2", "2x3", "liar")
    assert play("liars-dice(faces=3)", "1/1", "2x3").actions() == ("liar",)


def test_each_sees_only_its_own_dice() -> None:
    state = play("liars-dice(dice=2,faces=3)", "1-3/2-2", "2x2", "3x1")
    assert (state.player, state.public()) == (0, ":2x2,3x1")
    assert (state.infoset(0), state.infoset(1)) == ("1-3:2x2,3x1", "2-2:2x2,3x1")


@pytest.mark.parametrize(("dice", "faces", "hands"), [(1, 4, 4), (1, 5, 5), (2, 2, 3), (2, 3, 6)])
def test_sizes(dice: int, faces: int, hands: int) -> None:
    # 2^(bids+1) - 1 public nodes, terminal ones included
    game = load_game(f"liars-dice(dice={dice},faces={faces})")
    tree = compile_tree(game)
    bids = 2 * dice * faces
    assert tree.histories == 1 + hands**2 * (2 ** (bids + 1) - 1) == game.histories()
    assert len(tree.infosets) == hands * 2**bids


def test_1x6_has_294877_histories() -> None:
    assert load_game("liars-dice").histories() == 294_877
    assert load_game("liars-dice(dice=1,faces=6)").name == "liars-dice"


@pytest.mark.parametrize(
    ("name", "value", "half_width"),
    [  # recomputed, half-width of the best-response bracket
        ("liars-dice(faces=4)", 0.0622, 0.0004),
        ("liars-dice(faces=5)", 0.0080, 0.0005),
        ("liars-dice", -0.0267, 0.0010),
        ("liars-dice(dice=2,faces=3)", 0.0615, 0.0008),
    ],
)
@pytest.mark.sampled(2)
def test_published_values(name: str, value: float, half_width: float) -> None:
    solution = solve(name, solver="cfr+", until=2e-4)
    assert solution.exploitability <= 2e-4
    assert solution.value[0] == pytest.approx(value, abs=half_width + 4e-4)


def test_ordered_dice_are_the_same_game() -> None:
    plain = solve("liars-dice(dice=2,faces=2)", solver="lp").value[0]
    assert solve("liars-dice(dice=2,faces=2,ordered=true)", solver="lp").value[0] == pytest.approx(plain, abs=1e-9)
    assert math.fsum(p for _, p in load_game("liars-dice(dice=2,faces=2)").start().chance()) == pytest.approx(1)
    assert ("1-2/1-2", 0.25) in load_game("liars-dice(dice=2,faces=2)").start().chance()


def test_openspiel_agrees_about_uniform_play() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    theirs = pyspiel.load_game("liars_dice(numdice=1,dice_sides=4)")
    expected = exploitability.nash_conv(theirs, policy.UniformRandomPolicy(theirs))
    ours = load_game("liars-dice(faces=4)")
    gains = [naive_best_response_value(ours, {}, p) - naive_values(ours, {})[p] for p in (0, 1)]
    assert sum(gains) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ("dice=0", "is 1 to 50"),
        ("faces=1", "is 2 to 100"),
        ("dice=9", "choose fewer"),
        ("faces=100,dice=2", "choose fewer"),
    ],
)
def test_refusals(parameters: str, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        load_game(f"liars-dice({parameters})")
