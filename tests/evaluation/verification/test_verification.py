"""The second opinion agrees with the solvers where they are right, and says so where a file is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equilibrist as eq
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.core.solution import Evaluation, SolveRecord, TabularSolution
from equilibrist.evaluation.verification.tabular import verify_solution

DATA = Path(__file__).parents[2] / "data"


def saved(game: str, policy: TabularPolicy, evaluation: Evaluation | None) -> TabularSolution:
    return TabularSolution(game, SolveRecord("test", iterations=1), policy, evaluation)


def kuhn_equilibrium(alpha: float) -> TabularPolicy:
    """Kuhn's family of equilibria (Kuhn 1950): the first player bluffs with alpha, 0 <= alpha <= 1/3."""
    policy = eq.compiled("kuhn").infosets.uniform()
    bets = {"J": alpha, "Q": 0.0, "K": 3 * alpha, "J:x": 1 / 3, "Q:x": 0.0, "K:x": 1.0}
    calls = {"J:x:b": 0.0, "Q:x:b": alpha + 1 / 3, "K:x:b": 1.0, "J:b": 0.0, "Q:b": 1 / 3, "K:b": 1.0}
    for key, share in (bets | calls).items():
        policy = policy.with_row(key, [1 - share, share])
    return policy


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_kuhns_equilibria_are_worth_minus_one_eighteenth(alpha: float) -> None:
    result = verify_solution(saved("kuhn", kuhn_equilibrium(alpha), None))
    assert result.recomputed is not None
    assert result.recomputed.value == pytest.approx((-1 / 18, 1 / 18), abs=1e-12)
    assert result.recomputed.exploitability == pytest.approx(0.0, abs=1e-12)
    assert result.agrees
    assert result.stated is None
    assert result.histories == 55  # 1 + 6 deals of 9 betting situations each


def test_uniform_kuhn_by_hand() -> None:
    """Against a uniform opponent in Kuhn a best response wins 1/2 as player 1 and 5/12 as player 2 (OpenSpiel)."""
    result = verify_solution(saved("kuhn", eq.compiled("kuhn").infosets.uniform(), None))
    assert result.recomputed is not None
    assert result.recomputed.best_response_value == pytest.approx((1 / 2, 5 / 12), abs=1e-12)
    assert result.recomputed.value == pytest.approx((1 / 8, -1 / 8), abs=1e-12)


GAMES = [
    "kuhn",
    "kuhn(players=3)",
    "leduc",
    "goofspiel(cards=3,reveal=false)",
    "liars-dice(faces=3)",
    "phantom-tic-tac-toe(columns=4)",
    "coin-toss",
    "two-stage",
    "lemonade(stands=4)",  # three players, not zero-sum
    str(DATA / "kuhn.efg"),
    str(DATA / "three_markets.efg"),
]


@pytest.mark.parametrize("game", GAMES)
def test_agrees_with_the_solvers_own_measure_on_random_profiles(game: str) -> None:
    target = eq.compiled(game)
    infosets = target.infosets
    weights = np.random.default_rng(7).exponential(size=infosets.slots)
    totals = np.add.reduceat(weights, infosets.first_slot[:-1])
    policy = TabularPolicy(infosets, weights / np.repeat(totals, np.diff(infosets.first_slot)))
    result = verify_solution(saved(game, policy, eq.evaluate_policy(target, policy)), target.game)
    assert result.agrees, result.problems
    assert result.difference < 1e-9
    assert result.histories == target.tree.histories


@given(st.lists(st.floats(0.0, 1.0), min_size=12, max_size=12))
@settings(max_examples=40, deadline=None)
def test_any_kuhn_profile(shares: list[float]) -> None:
    game = eq.compiled("kuhn")
    policy = TabularPolicy(game.infosets, np.array([p for share in shares for p in (1.0 - share, share)]))
    result = verify_solution(saved("kuhn", policy, eq.evaluate_policy(game, policy)), game.game)
    assert result.agrees
    assert result.recomputed is not None
    assert result.recomputed.exploitability >= -1e-12


def solved(tmp_path: Path) -> TabularSolution:
    solution = eq.solve("kuhn", iterations=50)
    solution.save(tmp_path / "kuhn.eqb")
    return eq.load_solution(tmp_path / "kuhn.eqb")


def test_a_wrong_number_is_found(tmp_path: Path) -> None:
    solution = solved(tmp_path)
    stated = solution.evaluation
    assert stated is not None
    assert stated.best_response_value is not None
    assert verify_solution(solution).agrees
    first, second = stated.best_response_value
    flattering = replace(solution, evaluation=Evaluation(stated.value, (first - 1e-4, second)))
    assert not verify_solution(flattering).agrees
    assert verify_solution(flattering).difference == pytest.approx(1e-4, rel=1e-6)
    for value in ((stated.value[0] + 1e-4, stated.value[1]), (float("nan"), 0.0), (0.0, 0.0, 0.0)):
        wrong = replace(solution, evaluation=Evaluation(value, stated.best_response_value))
        assert not verify_solution(wrong).agrees
    harmless = replace(solution, evaluation=Evaluation(stated.value, (first - 1e-10, second)))
    assert verify_solution(harmless).agrees  # within 1e-9 of the largest payoff


def test_a_changed_policy_is_found(tmp_path: Path) -> None:
    solution = solved(tmp_path)
    changed = replace(solution, policy=solution.policy.with_row("Q:b", [0.1, 0.9]))
    assert not verify_solution(changed).agrees


def changed_index(infosets: InfosetIndex, **changes: object) -> InfosetIndex:
    return replace(infosets, **changes)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda i: {"keys": (*i.keys[:-1], "Z:b")}, "says nothing about the infoset"),
        (lambda i: {"actions": (("x", "bet"), *i.actions[1:])}, "the rules offer"),
        (lambda i: {"player": 1 - i.player}, "says nothing about the infoset"),
        (lambda i: {"player": i.player + 5}, "there are 2 players"),
    ],
)
def test_a_policy_for_other_rules_is_found(tmp_path: Path, change: object, problem: str) -> None:
    solution = solved(tmp_path)
    infosets = changed_index(solution.policy.infosets, **change(solution.policy.infosets))  # type: ignore[operator]
    result = verify_solution(replace(solution, policy=TabularPolicy(infosets, solution.policy.probabilities)))
    assert not result.agrees
    assert any(problem in text for text in result.problems)
    assert result.recomputed is None


def test_an_infoset_too_many_is_found() -> None:
    larger = eq.compiled("kuhn(cards=4)").infosets.uniform()
    result = verify_solution(saved("kuhn", larger, None))
    assert not result.agrees
    assert any("which the rules do not have" in text for text in result.problems)


@pytest.mark.parametrize("row", [[0.7, 0.7], [1.5, -0.5], [float("nan"), 1.0]])
def test_probabilities_that_are_no_distribution_are_found(tmp_path: Path, row: list[float]) -> None:
    solution = solved(tmp_path)
    probabilities = solution.policy.probabilities.copy()
    probabilities[:2] = row
    result = verify_solution(replace(solution, policy=TabularPolicy(solution.policy.infosets, probabilities)))
    assert not result.agrees
    assert any("no distribution" in text for text in result.problems)


def test_imperfect_recall_compares_values_only() -> None:
    """The driver who forgets exits with 1/3: (1/3)·0 + (2/9)·4 + (4/9)·1 = 4/3 (Piccione and Rubinstein 1997)."""
    game = eq.load_game(str(DATA / "absent_minded_driver.efg"))
    policy = eq.compiled(game).infosets.uniform().with_row("a junction", [1 / 3, 2 / 3])
    result = verify_solution(saved(game.name, policy, Evaluation((4 / 3,), None)), game)
    assert result.agrees
    assert result.recomputed is not None
    assert result.recomputed.best_response_value is None
    boast = saved(game.name, policy, Evaluation((4 / 3,), (4 / 3,)))  # nobody can know a best response here
    assert not verify_solution(boast, game).agrees


def test_progress_is_told() -> None:
    told: list[int] = []
    solution = saved("liars-dice(faces=4)", eq.compiled("liars-dice(faces=4)").infosets.uniform(), None)
    result = verify_solution(solution, progress=told.append)
    assert told == [20_000 * n for n in range(1, result.histories // 20_000 + 1)]


def test_a_deep_game_needs_no_deep_stack() -> None:
    from equilibrist.games.rules import TERMINAL, Game, State

    class Ladder(State):
        __slots__ = ("height", "player")

        def __init__(self, height: int) -> None:
            self.height, self.player = height, TERMINAL if height >= 3_000 else 0

        def actions(self) -> tuple[str, ...]:
            return ("up",)

        def child(self, index: int) -> Ladder:
            return Ladder(self.height + 1)

        def infoset(self, player: int) -> str:
            return str(self.height)

        def public(self) -> str:
            return str(self.height)

        def returns(self) -> tuple[float, ...]:
            return (float(self.height),)

    class Climb(Game):
        name, players, zero_sum = "climb", 1, False

        def start(self) -> Ladder:
            return Ladder(0)

    game = Climb()
    result = verify_solution(saved("climb", eq.compiled(game).infosets.uniform(), None), game)
    assert result.recomputed == Evaluation((3000.0,), (3000.0,))
