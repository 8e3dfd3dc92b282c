"""Fictitious play and its relatives, and CFR against a best responder."""

import numpy as np
import pytest

from equilibrist import compiled, make_solver, solve
from equilibrist.core.errors import ParameterError

LEDUC = compiled("leduc(suits=merged)")


def naive_fictitious_play(A, iterations, linear=False, optimistic=False):
    """Matrix games, players in turn, straight from the definitions ([Brown20, §5.3.8])."""
    n, m = A.shape
    average = [np.full(n, 1 / n), np.full(m, 1 / m)]
    latest = [a.copy() for a in average]
    for t in range(1, iterations + 1):
        weight = 2 / (t + 2) if linear else 1 / (t + 1)
        extra = 2 / (t + 2) if optimistic else 0.0
        for p in range(2):
            met = (1 - extra) * average[1 - p] + extra * latest[1 - p]
            payoff = A @ met if p == 0 else -(A.T @ met)
            latest[p] = np.eye(len(payoff))[int(np.argmax(payoff))]
            average[p] = (1 - weight) * average[p] + weight * latest[p]
    return average


@pytest.mark.parametrize(("solver", "linear", "optimistic"), [("fp", 0, 0), ("linear-fp", 1, 0), ("flop", 1, 1)])
def test_equals_the_definition_on_matrix_games(solver, linear, optimistic):
    game = compiled("random-matrix(rows=4,columns=3,seed=7)")
    run = make_solver(solver).start(game)
    run.advance(37)
    form = game.sequence_form
    A = np.zeros(form.sequences)
    row, column, value = form.payoff.coordinates(0)
    A[row, column] = value
    expected = naive_fictitious_play(A[1:, 1:], 37, bool(linear), bool(optimistic))
    assert run.plan[1 : form.offset[1]] == pytest.approx(expected[0])
    assert run.plan[form.offset[1] + 1 :] == pytest.approx(expected[1])


def test_order_on_leduc():
    """FLOP is ahead of linear and plain fictitious play, CFR+ ahead of all ([Brown20, §5.3.8])."""
    gaps = {name: solve(LEDUC, name, iterations=1000).exploitability for name in ("fp", "linear-fp", "flop", "cfr+")}
    assert gaps["cfr+"] < gaps["flop"] < min(gaps["fp"], gaps["linear-fp"])
    assert max(gaps.values()) < 0.05


def test_cfr_br_converges_slower_than_self_play():
    """[Brown20, §3.3.1]: the responder has no regret, the learner more than in self-play."""
    against = [solve(LEDUC, "cfr-br", iterations=n).exploitability for n in (100, 1000)]
    alone = solve(LEDUC, "cfr", iterations=1000).exploitability
    assert alone < against[1] < 0.4 * against[0]
    assert solve(LEDUC, "cfr-br", iterations=4000).value[0] == pytest.approx(-0.0856, abs=0.03)


def test_cfr_br_takes_other_learners():
    assert solve("kuhn", "cfr-br(learner=cfr+)", iterations=2000).exploitability < 5e-3
    with pytest.raises(ParameterError, match="CFR family"):
        make_solver("cfr-br(learner=lp)")


def test_current_strategies_of_cfr_br_get_less_exploitable():
    """The learner's current strategy itself is headed for the optimum, not only the average ([Johanson12])."""
    run = make_solver("cfr-br").start(compiled("kuhn"))
    from equilibrist import evaluate_policy

    run.advance(2000)
    recent = []
    for _ in range(50):
        run.advance(1)
        recent.append(evaluate_policy("kuhn", run.last()).exploitability)
    assert np.mean(recent) < 0.1
