"""Undominated and quasi-perfect equilibria ([Ganzfried15, §10.7])."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.exploit.responses.responses import best_equilibrium_answer
from equilibrist.exploit.seat import side
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.linear_programs.refinements import (
    QuasiPerfect,
    Undominated,
)
from equilibrist.solvers.linear_programs.sequence_lp import SequenceFormLP
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.responses.best_response import evaluate_policy
from random_games import RandomGame, random_policy, small_zero_sum_games

RANKS = "23456789TJQKA"


def value(game: Compiled) -> tuple[float, ...]:
    return SequenceFormLP().solve(game, Stop()).value


def mixed_row(target: Compiled, mine: TabularPolicy, theirs: TabularPolicy, player: int) -> TabularPolicy:
    """The rows of `player` from one policy and the others from another."""
    owner = np.repeat(target.infosets.player, np.diff(target.infosets.first_slot))
    return TabularPolicy(target.infosets, np.where(owner == player, mine.probabilities, theirs.probabilities))


# Undominated equilibria


def test_undominated_equilibrium_of_one_card_poker() -> None:
    # [Ganzfried15, §10.7.3], recomputed.
    game = compiled("one-card-poker")
    solution = Undominated().solve(compiled(game), Stop())
    policy = solution.policy
    assert solution.value[0] == pytest.approx(-5 / 78, abs=1e-9)
    assert solution.exploitability <= 1e-8
    for card in RANKS:
        bets = card in "239TJQKA"
        assert policy[f"{card}:x"]["b"] == pytest.approx(float(bets), abs=1e-6), card
        assert policy[f"{card}:b"]["c"] == pytest.approx(float(card in "789TJQKA"), abs=1e-6), card
    calls = {"6": 0.25} | dict.fromkeys("2345", 0.0) | dict.fromkeys("789TJQKA", 1.0)
    checked = [card for card in RANKS if policy[card]["x"] > 1e-6]
    assert {"5", "6", "7", "8"} <= set(checked)
    for card in checked:
        assert policy[f"{card}:x:b"]["c"] == pytest.approx(calls[card], abs=1e-6), card


def test_dominated_calls_of_one_card_poker() -> None:
    # [Ganzfried15, §10.7.1]: moving calls from the 5 to the 8 is at least as good against everything.
    game = compiled("one-card-poker")
    form = game.sequence_form

    def conceded(calls: dict[str, float]) -> np.ndarray:
        policy = Undominated().solve(compiled(game), Stop()).policy
        for card, share in calls.items():
            policy = policy.with_row(f"{card}:b", [1 - share, share])
        return form.payoff.gradient(0, form.plan(form.strategy(policy))[form.offset[1] :])

    printed = conceded({"5": 0.251, "6": 0.408, "7": 0.583, "8": 0.759})
    better = conceded({"5": 0.01, "6": 0.408, "7": 0.583, "8": 1.0})
    assert (better <= printed + 1e-12).all()
    assert (better < printed - 1e-6).any()


@pytest.mark.parametrize("name", ["kuhn", "leduc(suits=merged)", "rpst", "liars-dice(dice=1,faces=4)"])
def test_undominated_is_an_equilibrium_and_the_best_one_against_uniform(name: str) -> None:
    game = compiled(name)
    uniform = game.infosets.uniform()
    solution = Undominated().solve(compiled(game), Stop())
    assert solution.exploitability <= 1e-8
    assert solution.converged
    for player in range(2):
        earned = evaluate_policy(game, mixed_row(game, solution.policy, uniform, player)).value[player]
        rivals = [SequenceFormLP(method).solve(game, Stop()).policy for method in ("simplex", "ipm")]
        rivals += [
            best_equilibrium_answer(side(game, player), random_policy(game.infosets, seed)).policy for seed in range(2)
        ]
        for rival in rivals:
            other = evaluate_policy(game, mixed_row(game, rival, uniform, player)).value[player]
            assert earned >= other - 1e-7


def test_undominated_stopped_early_says_so() -> None:
    solution = Undominated().solve(compiled("leduc"), Stop(seconds=0.0))
    assert not solution.converged
    assert solution.extra["status"] == "time limit"


# Quasi-perfect equilibria


@pytest.mark.parametrize(
    ("name", "epsilon"), [("kuhn", 1e-3), ("kuhn", 0.1), ("one-card-poker", 1e-3), ("leduc(suits=merged)", 0.01)]
)
def test_quasi_perfect_plans_keep_their_bounds_and_the_bound_on_exploitability(name: str, epsilon: float) -> None:
    game = compiled(name)
    solution = QuasiPerfect(epsilon).solve(compiled(game), Stop())
    form = game.sequence_form
    plan = form.plan(form.strategy(solution.policy))
    length = np.zeros(len(plan))
    for i in range(len(form.infoset)):
        first = form.first_sequence[i]
        length[first : first + form.actions[i]] = length[form.parent[i]] + 1
    assert (plan >= epsilon**length * (1 - 1e-4)).all()
    largest = np.abs(game.tree.returns).max()
    assert 0 < solution.exploitability <= epsilon * form.actions.max() * largest  # [Ganzfried15, §10.7.2]
    assert solution.extra["unreached"] == 0
    assert solution.converged


@settings(max_examples=15, deadline=None)
@given(small_zero_sum_games(), st.sampled_from([0.02, 0.1, 0.3]))
def test_nobody_gains_by_other_plans_that_tremble_as_much(game: RandomGame, epsilon: float) -> None:
    target = compiled(game)
    form = target.sequence_form
    policy = QuasiPerfect(epsilon).solve(compiled(target), Stop()).policy
    value = evaluate_policy(target, policy).value
    plan = form.plan(form.strategy(policy))
    for player in range(2):
        other = slice(form.offset[1 - player], form.offset[2 - player])
        worth, least = np.zeros(len(plan)), np.ones(len(plan))
        worth[form.offset[player] : form.offset[player + 1]] = form.payoff.gradient(player, plan[other])
        infosets = range(form.first_infoset[player], form.first_infoset[player + 1])
        spare = {}  # what is left to place freely at each infoset after the trembles
        for i in infosets:
            own = slice(form.first_sequence[i], form.first_sequence[i] + form.actions[i])
            least[own] = least[form.parent[i]] * epsilon
            spare[i] = least[form.parent[i]] * (1 - epsilon * form.actions[i])
        mine = slice(form.offset[player], form.offset[player + 1])
        best = float(worth[mine] @ least[mine])
        for i in reversed(infosets):  # the free part goes to the best action and on from there
            top = worth[form.first_sequence[i] : form.first_sequence[i] + form.actions[i]].max()
            worth[form.parent[i]] += top
            best += spare[i] * top
        assert best == pytest.approx(value[player], abs=1e-8)


def test_trembling_replies_of_kuhn_by_brute_force() -> None:
    game, epsilon = compiled("kuhn"), 0.05
    policy = QuasiPerfect(epsilon).solve(compiled(game), Stop()).policy
    base = evaluate_policy(game, policy).value
    form = game.sequence_form
    for player in range(2):
        gradient = form.payoff.gradient(
            player, form.plan(form.strategy(policy))[form.offset[1 - player] : form.offset[2 - player]]
        )
        # Every infoset of Kuhn has two actions and at most two own moves: try all corners of the bounds.
        best = -np.inf
        infosets = range(form.first_infoset[player], form.first_infoset[player + 1])
        for corner in range(2 ** len(infosets)):
            plan, length = np.ones(form.sequences[player]), np.zeros(form.sequences[player])
            for bit, i in enumerate(infosets):
                first, parent = form.first_sequence[i] - form.offset[player], form.parent[i] - form.offset[player]
                length[first : first + 2] = length[parent] + 1
                low, high = (0, 1) if corner >> bit & 1 else (1, 0)
                plan[first + low] = epsilon ** length[first]
                plan[first + high] = plan[parent] - plan[first + low]
            best = max(best, float(gradient @ plan))
        assert best == pytest.approx(base[player], abs=1e-9)


def test_quasi_perfect_approaches_an_equilibrium() -> None:
    found = [
        QuasiPerfect(epsilon).solve(compiled("kuhn"), Stop()).exploitability for epsilon in (0.1, 0.01, 0.001, 1e-4)
    ]
    assert sorted(found, reverse=True) == found
    assert found[-1] < 1e-4


def test_quasi_perfect_refusals() -> None:
    with pytest.raises(ParameterError, match=r"'leduc' acts up to 4 times, and 0\.001\^4 .* 0\.006 or more"):
        QuasiPerfect().solve(compiled("leduc"), Stop())
    assert QuasiPerfect(0.006).solve(compiled("leduc(suits=merged)"), Stop()).converged
    with pytest.raises(ParameterError, match=r"With 3 actions .* 0\.333 at most, but 0\.5"):
        QuasiPerfect(0.5).solve(compiled("rps"), Stop())
    for wrong in (0.0, -1.0, 1.0, float("nan")):
        with pytest.raises(ParameterError, match="between 0 and 1"):
            QuasiPerfect(wrong)


@pytest.mark.parametrize(
    "name",
    ["undominated", "undominated(method=simplex)", "quasi-perfect", "quasi-perfect(epsilon=0.01,method=ipm)"],
)
def test_names(name: str) -> None:
    solver = make_solver(name)
    assert solver.name == name
    assert solver.solve(compiled("kuhn"), Stop()).solver == name
