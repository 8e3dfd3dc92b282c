"""Undominated and quasi-perfect equilibria, safe best responses, gifts ([Ganzfried15, §10.7 and chapter 13])."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.linear_programs.refinements import (
    QuasiPerfect,
    Undominated,
    best_equilibrium,
    gift_exists,
    quasi_perfect_equilibrium,
    safe_best_response,
    undominated_equilibrium,
)
from equilibrist.solvers.linear_programs.sequence_lp import SequenceFormLP
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.responses.best_response import best_response, evaluate_policy
from random_games import RandomGame, random_policy, small_zero_sum_games

RANKS = "23456789TJQKA"
SAFE_GAMES = ["kuhn", "leduc(suits=merged)", "rpst"]


def value(game: Compiled) -> tuple[float, ...]:
    return SequenceFormLP().solve(game, Stop()).value


def mixed_row(target: Compiled, mine: TabularPolicy, theirs: TabularPolicy, player: int) -> TabularPolicy:
    """The rows of `player` from one policy and the others from another."""
    owner = np.repeat(target.infosets.player, np.diff(target.infosets.first_slot))
    return TabularPolicy(target.infosets, np.where(owner == player, mine.probabilities, theirs.probabilities))


# Safe best responses


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", SAFE_GAMES)
def test_safe_response_rises_from_best_equilibrium_to_best_response(name: str, player: int) -> None:
    game = compiled(name)
    worth = value(game)[player]
    for seed in range(2):
        model = random_policy(game.infosets, seed)
        best = best_response(game, model, player)
        risk = worth + best_response(game, best.policy, 1 - player).value  # exploitability of the best response
        steps = np.linspace(0.0, 1.1 * risk, 8)
        answers = [safe_best_response(game, model, player, float(step), worth) for step in steps]
        earned = np.array([answer.value_against_model for answer in answers])
        assert (np.diff(earned) >= -1e-8).all()
        assert (np.diff(earned, 2) <= 1e-8).all()
        assert earned[0] == pytest.approx(best_equilibrium(game, model, player).value_against_model, abs=1e-8)
        assert earned[-1] == pytest.approx(best.value, abs=1e-8)
        for step, answer in zip(steps, answers, strict=True):
            assert answer.guaranteed_value >= worth - step - 1e-8
        assert earned[0] >= worth - 1e-8


@settings(max_examples=20, deadline=None)
@given(small_zero_sum_games(), st.integers(0, 1), st.integers(0, 10**6), st.floats(0, 2))
def test_safe_responses_keep_their_promise(game: RandomGame, player: int, seed: int, epsilon: float) -> None:
    target = compiled(game)
    model = random_policy(target.infosets, seed)
    answer = safe_best_response(target, model, player, epsilon)
    assert answer.guaranteed_value >= answer.game_value - epsilon - 1e-8
    assert answer.game_value - 1e-8 <= answer.value_against_model
    assert answer.value_against_model <= best_response(target, model, player).value + 1e-8
    measured = evaluate_policy(target, answer.policy)
    assert measured.value[player] == pytest.approx(answer.value_against_model, abs=1e-12)
    assert measured.best_response_value[1 - player] == pytest.approx(-answer.guaranteed_value, abs=1e-12)
    opponent = np.repeat(target.infosets.player != player, np.diff(target.infosets.first_slot))
    assert (answer.policy.probabilities[opponent] == model.probabilities[opponent]).all()


def test_best_equilibrium_bets_the_king_against_a_caller() -> None:
    # [Ganzfried15, §13.7.1]: calling with the jack is a gift that alpha = 1 takes; checking the king behind one for
    # alpha = 0.
    game = compiled("kuhn")
    model = SequenceFormLP().solve(game, Stop()).policy
    calls = best_equilibrium(game, model.with_row("J:b", [0.0, 1.0]), 0)
    assert calls.policy["K"]["b"] == pytest.approx(1.0, abs=1e-9)
    assert calls.policy["J"]["b"] == pytest.approx(1 / 3, abs=1e-9)
    # King bet with probability 1, jack dealt to the opponent in 1/6 of all deals, called for 1 chip more.
    assert calls.value_against_model == pytest.approx(-1 / 18 + 1 / 6, abs=1e-9)
    bluffs = best_equilibrium(game, model.with_row("Q:x", [0.0, 1.0]), 0)
    assert bluffs.policy["K"]["b"] == pytest.approx(0.0, abs=1e-9)


def test_safe_response_refusals() -> None:
    game = compiled("kuhn")
    uniform = game.infosets.uniform()
    with pytest.raises(ParameterError, match=r"epsilon >= 0, but -0\.1"):
        safe_best_response(game, uniform, 0, -0.1)
    with pytest.raises(ParameterError, match="epsilon >= 0, but nan"):
        safe_best_response(game, uniform, 0, float("nan"))
    with pytest.raises(ParameterError, match="player is 0 or 1"):
        safe_best_response(game, uniform, 2, 0.0)
    with pytest.raises(ParameterError, match=r"No strategy of player 1 in 'kuhn' guarantees 0\.1"):
        safe_best_response(game, uniform, 0, 0.0, value=0.1)
    with pytest.raises(NotApplicableError, match="two players"):
        safe_best_response("kuhn(players=3)", uniform, 0, 0.0)


def test_a_model_with_infosets_in_another_order_is_accepted() -> None:
    infosets = compiled("kuhn").infosets
    model = random_policy(infosets, 3)
    order = range(len(infosets))[::-1]
    backwards = InfosetIndex(
        keys=tuple(infosets.keys[i] for i in order),
        player=infosets.player[::-1],
        actions=tuple(infosets.actions[i] for i in order),
    )
    same = TabularPolicy(backwards, np.concatenate([model.row(i) for i in order]))
    first, second = (safe_best_response("kuhn", policy, 1, 0.05) for policy in (model, same))
    assert first.value_against_model == second.value_against_model


GIFTS = [
    ("rps", 0, False),  # [Ganzfried15, §13.2 and §13.3]
    ("rpst", 0, True),
    ("gift-game", 0, True),
    ("no-gift-game", 0, False),
    ("matching-pennies", 1, False),
    ("kuhn", 0, True),  # [Ganzfried15, §13.7.1] lists player 2's gifts
    ("kuhn", 1, True),  # player 1 may fold the king
]


@pytest.mark.parametrize(("name", "player", "expected"), GIFTS)
def test_gifts(name: str, player: int, expected: bool) -> None:
    assert gift_exists(name, player) is expected


def test_gift_game_earns_five_from_the_gift() -> None:
    # [Ganzfried15, Figure 13.5]: value 2.5, and the equilibrium earns 5 when the column player plays R.
    game = compiled("gift-game")
    model = game.infosets.uniform().with_row("column", [0.0, 0.0, 1.0])
    answer = best_equilibrium(game, model, 0)
    assert answer.game_value == pytest.approx(2.5, abs=1e-12)
    assert answer.value_against_model == pytest.approx(5.0, abs=1e-9)


# Undominated equilibria


def test_undominated_equilibrium_of_one_card_poker() -> None:
    # [Ganzfried15, §10.7.3], recomputed.
    game = compiled("one-card-poker")
    solution = undominated_equilibrium(game)
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
        policy = undominated_equilibrium(game).policy
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
    solution = undominated_equilibrium(game)
    assert solution.exploitability <= 1e-8
    assert solution.converged
    for player in range(2):
        earned = evaluate_policy(game, mixed_row(game, solution.policy, uniform, player)).value[player]
        rivals = [SequenceFormLP(method).solve(game, Stop()).policy for method in ("simplex", "ipm")]
        rivals += [best_equilibrium(game, random_policy(game.infosets, seed), player).policy for seed in range(2)]
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
    solution = quasi_perfect_equilibrium(game, epsilon)
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
    policy = quasi_perfect_equilibrium(target, epsilon).policy
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
    policy = quasi_perfect_equilibrium(game, epsilon).policy
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
    found = [quasi_perfect_equilibrium("kuhn", epsilon).exploitability for epsilon in (0.1, 0.01, 0.001, 1e-4)]
    assert sorted(found, reverse=True) == found
    assert found[-1] < 1e-4


def test_quasi_perfect_refusals() -> None:
    with pytest.raises(ParameterError, match=r"'leduc' acts up to 4 times, and 0\.001\^4 .* 0\.006 or more"):
        quasi_perfect_equilibrium("leduc")
    assert QuasiPerfect(0.006).solve(compiled("leduc(suits=merged)"), Stop()).converged
    with pytest.raises(ParameterError, match=r"With 3 actions .* 0\.333 at most, but 0\.5"):
        quasi_perfect_equilibrium("rps", 0.5)
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
