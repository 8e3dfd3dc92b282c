"""Spots go on from other solutions of themselves, by any member of the family with regret matching."""

import pytest

from equilibrist import Spot, load_solution, solve
from equilibrist.core.errors import EquilibristError

TURN = Spot(
    board="KhTd7c4s",
    pot=60.0,
    stack=90.0,
    range={"oop": "AA,KQs,T9s,65s", "ip": "KK,AKo,JTs,A5s,98s:0.5"},
    bets={"bet": "50%, a", "raise": "a"},
)


@pytest.mark.parametrize("bits", [32, 16])
def test_a_profile_saves_most_of_the_way(tmp_path, bits):
    solve(TURN, iterations=60, bits=bits).save(tmp_path / "turn.eqb")
    profile = load_solution(tmp_path / "turn.eqb")
    warm = solve(TURN, "cfr", warm_start=profile, warm_iterations=60, iterations=80)
    cold = solve(TURN, "cfr", iterations=80)
    assert warm.iterations == 80
    assert warm.exploitability < 0.5 * cold.exploitability
    exact = solve(TURN, until="0.1%")
    later = solve(TURN, "cfr", warm_start=profile, warm_iterations=60, iterations=600)
    assert later.ev[0] == pytest.approx(exact.ev[0], abs=later.exploitability + exact.exploitability)
    assert later.exploitability < warm.exploitability


def test_how_long_a_profile_stands_for_is_estimated():
    found = solve(TURN, "dcfr", warm_start=solve(TURN, iterations=60), iterations=1000)
    assert found.exploitability < 0.003 * TURN.pot


def test_refusals():
    profile = solve(TURN, iterations=20)
    for spot, how, words in (
        (TURN.changed(pot=70.0), {}, "another spot"),
        (TURN.changed(rake={"rate": 0.05, "cap": 3.0}), {}, "another spot"),
        (TURN, {"solver": "pcfr+"}, "plain regret matching"),
        (TURN, {"bits": 16}, "16 bits"),
        (TURN, {"resume": profile}, "'resume' or 'warm_start'"),
        (TURN, {"warm_start": solve("kuhn", iterations=10)}, "solution of the same spot"),
    ):
        with pytest.raises(EquilibristError, match=words):
            solve(spot, **{"iterations": 30, "warm_start": profile, "warm_iterations": 20, **how})
