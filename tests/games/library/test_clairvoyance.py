"""The clairvoyance game against its closed forms ([Ganzfried15, §7.2.1]; [Lu16, §3.3.4])."""

import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.games.catalogue import load_game
from equilibrist.games.rules import TERMINAL
from equilibrist.solvers.solve import solve


@pytest.mark.parametrize(("stack", "step"), [(1, 0.1), (3, 0.5), (10, 0.5), (0.3, 0.1)])
def test_value_and_equilibrium(stack: float, step: float) -> None:
    solution = solve(f"clairvoyance(stack={stack},step={step})", solver="lp")
    assert solution.value[0] == pytest.approx(stack / (2 * (1 + stack)), abs=1e-9)
    allin = f"b{stack}"
    assert solution.policy["win"][allin] == pytest.approx(1, abs=1e-7)
    assert solution.policy["lose"][allin] == pytest.approx(stack / (1 + stack), abs=1e-7)
    assert solution.policy[allin]["c"] == pytest.approx(1 / (1 + stack), abs=1e-7)
    for size in (step, 2 * step):  # calling less often than 1/(1+x) invites bluffs, more often than this value bets
        most = min(stack / (size * (1 + stack)), 1)
        assert 1 / (1 + size) - 1e-7 <= solution.policy[f"b{size:g}"]["c"] <= most + 1e-7


def test_bet_sizes_and_payoffs() -> None:
    start = load_game("clairvoyance").start()
    win, lose = start.child(0), start.child(1)
    assert win.actions() == ("x", *(f"b0.{k}" for k in range(1, 10)), "b1")
    assert (win.child(0).player, win.child(0).returns()) == (TERMINAL, (0.5, -0.5))
    assert lose.child(0).returns() == (-0.5, 0.5)
    bet = lose.child(4)
    assert (bet.public(), bet.infoset(0), bet.infoset(1)) == ("b0.4", "lose:b0.4", "b0.4")
    assert bet.child(0).returns() == (0.5, -0.5)
    assert bet.child(1).returns() == pytest.approx((-0.9, 0.9))
    assert win.child(4).child(1).returns() == pytest.approx((0.9, -0.9))


def test_names_and_units() -> None:
    assert load_game("clairvoyance(stack=1,step=0.1)").name == "clairvoyance"
    assert load_game("clairvoyance(stack=3.0,step=0.5)").name == "clairvoyance(stack=3,step=0.5)"
    assert load_game("clairvoyance").pot == 1


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ("stack=0", "is 1e-06 to 1,000,000,000"),
        ("step=-1", "is 1e-06 to 1,000,000,000"),
        ("stack=1,step=0.3", "multiple"),
        ("stack=inf", "is 1e-06 to 1,000,000,000"),
        ("stack=1,step=0.0000001", "is 1e-06 to 1,000,000,000"),
    ],
)
def test_refusals(parameters: str, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        load_game(f"clairvoyance({parameters})")
