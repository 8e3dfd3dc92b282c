"""Coin Toss against the numbers of [Brown20, §5.1]."""

import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.forms.history_tree.game_tree import compile_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.rules import CHANCE
from equilibrist.solvers.solve import solve
from reference.naive_cfr import naive_best_response_value


@pytest.mark.parametrize(
    ("guess", "expected"),
    [  # P2 in the subgame (H, T, forfeit) and P1's best value of the whole game
        ([0.5, 0.25, 0.25], 0.5),
        ([1, 0, 0], 0.75),
        ([5 / 8, 3 / 8, 0], 0.375),
        ([0.5, 0.5, 0], 0.25),
        ([0.25, 0.75, 0], 0),
    ],
)
@pytest.mark.parametrize("subgames", [1, 2])
def test_best_values_of_the_table(guess: list[float], expected: float, subgames: int) -> None:
    game = load_game(f"coin-toss(subgames={subgames})")
    policy = {(1, key): guess for key in ("play", "play:S1", "play:S2")}
    assert naive_best_response_value(game, policy, 0) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "heads"), [("coin-toss", 0.25), ("coin-toss(swapped=true)", 0.75), ("coin-toss(subgames=2)", None)]
)
def test_equilibrium(name: str, heads: float | None) -> None:
    solution = solve(name, solver="lp")
    assert solution.value[0] == pytest.approx(0, abs=1e-9)
    if heads is not None:
        assert list(solution.policy["play"].values()) == pytest.approx([heads, 1 - heads, 0], abs=1e-9)
    else:  # the subgames may differ as long as their average is the optimum
        both = [solution.policy[key]["heads"] for key in ("play:S1", "play:S2")]
        assert sum(both) / 2 == pytest.approx(0.25, abs=1e-9)


def test_terminal_payoffs() -> None:
    heads = load_game("coin-toss").start().child(0)
    assert heads.child(0).returns() == (0.5, -0.5)
    assert [heads.child(1).child(i).returns()[0] for i in range(3)] == [-1, 1, 1]
    tails = load_game("coin-toss").start().child(1)
    assert tails.child(0).returns() == (-0.5, 0.5)
    assert [tails.child(1).child(i).returns()[0] for i in range(3)] == [1, -1, 1]
    assert load_game("coin-toss(swapped=true)").start().child(0).child(0).returns() == (-0.5, 0.5)


def test_only_player_1_sees_the_coin() -> None:
    states = [load_game("coin-toss").start().child(i).child(1) for i in range(2)]
    assert {state.infoset(1) for state in states} == {"play"} == {state.public() for state in states}
    assert [state.infoset(0) for state in states] == ["H:play", "T:play"]


def test_several_subgames_follow_a_public_draw() -> None:
    draw = load_game("coin-toss(subgames=2)").start().child(0).child(1)
    assert draw.player == CHANCE
    assert draw.chance() == (("S1", 0.5), ("S2", 0.5))
    assert draw.child(1).public() == "play:S2"
    assert compile_tree(load_game("coin-toss(subgames=2)")).histories == 23


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="is 1 to 100,000"):
        load_game("coin-toss(subgames=0)")
    with pytest.raises(ParameterError, match="true or false"):
        load_game("coin-toss(swapped=1)")
