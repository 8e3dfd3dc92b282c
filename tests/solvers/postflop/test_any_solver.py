"""Spots by every solver: solved, saved, opened, resumed, verified; what cannot be done is said in one sentence."""

import numpy as np
import pytest

from equilibrist import Spot, load_solution, solve, verify
from equilibrist.core.errors import EquilibristError

RIVER = Spot(
    board="KhTd7c4s2h",
    pot=60.0,
    stack=90.0,
    range={"oop": "AA,KQs,T9s,65s", "ip": "KK,AKo,JTs,A5s,98s:0.5"},
    bets={"bet": "50%, a", "raise": "a"},
)
SOLVERS = (
    "cfr(minimiser=hedge)",
    "cfr(updates=simultaneous)",
    "cfr-br",
    "fp",
    "flop",
    "egt",
    "mirror-prox",
    "cfr(pruning=rbp,skip=5)",
    "es-mccfr",
    "os-mccfr",
)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_journey(tmp_path, solver):
    """Command's way: solve, save, open, look, verify, go on."""
    iterations = 4000 if "mccfr" in solver else 60
    first = solve(RIVER, solver, iterations=iterations)
    first.save(tmp_path / "river.eqb")
    opened = load_solution(tmp_path / "river.eqb")
    assert opened.solver == solver
    assert np.allclose(opened.at("").strategy, first.at("").strategy, atol=1e-6)
    assert verify(opened).agrees
    on = solve(RIVER, solver, iterations=iterations + iterations // 2, resume=opened)
    whole = solve(RIVER, solver, iterations=iterations + iterations // 2)
    assert on.iterations == whole.iterations
    assert on.ev == pytest.approx(whole.ev, abs=1e-3)
    assert on.exploitability == pytest.approx(whole.exploitability, abs=1e-3)


def test_all_agree_on_the_value():
    exact = solve(RIVER, until="0.05%")
    for solver in ("fp", "flop", "egt", "mirror-prox", "cfr(updates=simultaneous)"):
        found = solve(RIVER, solver, iterations=800)
        assert found.ev[0] == pytest.approx(exact.ev[0], abs=2.0 * (found.exploitability + exact.exploitability))


@pytest.mark.parametrize(
    ("solver", "how", "words"),
    [
        ("undominated", {}, "not by 'undominated'"),
        ("fp", {"threads": 2}, "one thread"),
        ("fp", {"bits": 16}, "32 bits"),
        ("es-mccfr", {"threads": 2}, "one thread"),
        ("cs-mccfr", {}, "sampled externally"),
        ("cfr(minimiser=hedge)", {"bits": 16}, "16 bits"),
        ("cfr(pruning=partial)", {}, "pruning is offered as"),
        ("cfr(on=tree)", {}, "leave 'on' out"),
    ],
)
def test_refusals(solver, how, words):
    with pytest.raises(EquilibristError, match=words):
        solve(RIVER, solver, iterations=3, **how)


def test_plans_know_no_rake_and_no_locks():
    with pytest.raises(EquilibristError, match="raked"):
        solve(RIVER.changed(rake={"rate": 0.05, "cap": 3.0}), "fp", iterations=3)
    locked = RIVER.changed(lock=[{"line": "", "strategy": {"x": 1.0}}])
    with pytest.raises(EquilibristError, match="no locks"):
        solve(locked, "fp", iterations=3)
