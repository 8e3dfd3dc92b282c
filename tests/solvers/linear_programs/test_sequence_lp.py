"""The sequence-form linear program against published values, both players' programs, and its refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from equilibrist.core.errors import EquilibristError, NotApplicableError, ParameterError
from equilibrist.core.solution import TabularSolution
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.games.library.matrix import MatrixGame
from equilibrist.games.rules import TERMINAL, Game, State
from equilibrist.solvers.iteration_loop import Progress, Stop
from equilibrist.solvers.linear_programs import highs
from equilibrist.solvers.linear_programs.plan_program import PlanProgram, incidence, payoff_matrix
from equilibrist.solvers.linear_programs.plan_starts import start_basis
from equilibrist.solvers.linear_programs.sequence_lp import SequenceFormLP
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.responses.best_response import best_response
from random_games import RandomGame, random_policy, small_zero_sum_games


def solve(game: str | Game | Compiled, method: str = "choose", **stop: float) -> TabularSolution:
    return SequenceFormLP(method).solve(compiled(game), Stop(**stop))


KNOWN = [
    ("kuhn", -1 / 18),  # Kuhn 1950
    ("one-card-poker", -5 / 78),
    ("nolimit-kuhn", 1 / 35),
    ("leduc", -0.08560642407800),  # recomputed: -0.0856064
    ("leduc(suits=merged)", -0.08560642407800),
    ("leduc(bets=[2,9.75],suits=merged)", -0.160734),  # grid minimum of [Brown20, §4.2.6], recomputed
    ("clairvoyance", 1 / 4),  # [Ganzfried15, §7.2.1]: n / (2 (1 + n)) at stack n
    ("clairvoyance(stack=5,step=0.5)", 5 / 12),
    ("kuhn(cards=50)", -0.0576),  # [Ganzfried15, Figure 11.1], four digits
    ("rps", 0.0),
    ("gift-game", 2.5),  # [Ganzfried15, Figure 13.5]
]


@pytest.mark.parametrize(("name", "value"), KNOWN)
def test_known_values(name: str, value: float) -> None:
    solution = solve(name)
    assert solution.value[0] == pytest.approx(value, abs=5e-5 if name == "kuhn(cards=50)" else 1e-6)
    assert solution.value[1] == pytest.approx(-solution.value[0], abs=1e-12)
    assert solution.exploitability <= 1e-8
    assert solution.converged
    assert solution.extra["status"] == "optimal"


@pytest.mark.parametrize("name", ["kuhn", "one-card-poker", "leduc(suits=merged)", "liars-dice(dice=1,faces=4)"])
def test_both_programs_agree_and_guarantee_the_value(name: str) -> None:
    game = compiled(name)
    mine, theirs = (PlanProgram(game.sequence_form, player).maximise() for player in (0, 1))
    assert mine.guarantee == pytest.approx(-theirs.guarantee, abs=1e-9)
    assert mine.objective == pytest.approx(mine.guarantee, abs=1e-12)
    # Strong duality: each program's multipliers are an equilibrium plan of the other player.
    form = game.sequence_form
    for plans in ([mine.plan, theirs.plan], [mine.plan, mine.opponent], [theirs.opponent, theirs.plan]):
        policy = form.policy(form.behaviour(np.maximum(np.concatenate(plans), 0.0)))
        for player, program in enumerate((mine, theirs)):
            assert best_response(game, policy, 1 - player).value == pytest.approx(-program.guarantee, abs=1e-9)


@pytest.mark.parametrize("name", ["kuhn", "leduc(suits=merged)", "liars-dice(dice=1,faces=4)"])
def test_methods_agree(name: str) -> None:
    by_simplex, by_ipm = solve(name, "simplex"), solve(name, "ipm")
    assert by_simplex.value[0] == pytest.approx(by_ipm.value[0], abs=1e-9)
    assert by_ipm.exploitability <= 1e-8


def test_second_program_steps_in_when_multipliers_are_useless(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = highs.maximise

    def without_multipliers(*args: object, **options: object) -> highs.LinearSolution:
        found = plain(*args, **options)  # type: ignore[arg-type]
        return highs.LinearSolution(
            found.status, found.objective, found.point, 0 * found.multiplier, found.iterations, found.seconds
        )

    monkeypatch.setattr("equilibrist.solvers.linear_programs.plan_program.maximise", without_multipliers)
    solution = solve("kuhn")
    assert solution.extra["programs"] == 2
    assert solution.exploitability <= 1e-9


def test_kuhn_plan_lies_in_the_known_family() -> None:
    # [Ganzfried15, §13.7.1]: every equilibrium has one parameter alpha; player 2's strategy is unique.
    policy = solve("kuhn").policy
    alpha = policy["K"]["b"]
    assert policy["J"]["b"] == pytest.approx(alpha / 3, abs=1e-9)
    assert policy["Q"]["b"] == pytest.approx(0, abs=1e-9)
    assert policy["Q:x:b"]["c"] == pytest.approx((alpha + 1) / 3, abs=1e-9)
    assert policy["J:x:b"]["c"] == pytest.approx(0, abs=1e-9)
    for card, calls, bets in (("J", 0, 1 / 3), ("Q", 1 / 3, 0), ("K", 1, 1)):
        assert policy[f"{card}:b"]["c"] == pytest.approx(calls, abs=1e-9)
        assert policy[f"{card}:x"]["b"] == pytest.approx(bets, abs=1e-9)


def test_kuhn_matrices_of_lu() -> None:
    # [Lu16, §4.2.4]: E and F are 7 x 13, A is 13 x 13 with 30 entries of 1/6 and 1/3.
    form = compiled("kuhn").sequence_form
    infosets = form.infosets
    owner = {int(s): i for i in range(len(infosets)) for s in range(infosets.first_slot[i], infosets.first_slot[i + 1])}
    names = {}
    for sequence, slot in enumerate(form.slot):
        if slot >= 0:
            i = owner[int(slot)]
            names[sequence] = (infosets.keys[i], infosets.actions[i][slot - infosets.first_slot[i]])
    for player in range(2):
        matrix = incidence(form, player).toarray()
        assert matrix.shape == (7, 13)
        assert matrix[0].tolist() == [1.0] + [0.0] * 12
        assert (matrix[1:].max(axis=1) == 1).all()
        assert ((matrix[1:] == -1).sum(axis=1) == 1).all()
    payoff = payoff_matrix(form, 0)
    assert (payoff.shape, payoff.nnz) == ((13, 13), 30)
    rules = {  # (P1 line, P1 action, P2 line, P2 action) -> (amount, depends on who is stronger)
        ("", "x", ":x", "x"): (1 / 6, True),
        (":x:b", "f", ":x", "b"): (-1 / 6, False),
        (":x:b", "c", ":x", "b"): (1 / 3, True),
        ("", "b", ":b", "f"): (1 / 6, False),
        ("", "b", ":b", "c"): (1 / 3, True),
    }
    dense = payoff.toarray()
    for row, column in zip(*payoff.nonzero(), strict=True):
        (mine, my_action), (theirs, their_action) = names[int(row)], names[int(column) + 13]
        amount, signed = rules[mine[1:], my_action, theirs[1:], their_action]
        sign = 1 if not signed or "JQK".index(mine[0]) > "JQK".index(theirs[0]) else -1
        assert dense[row, column] == pytest.approx(sign * amount, abs=1e-15)


@pytest.mark.parametrize(("name", "sequences"), [("leduc(suits=merged)", 337), ("leduc", 1093), ("one-card-poker", 53)])
def test_program_sizes(name: str, sequences: int) -> None:
    # recomputed
    assert compiled(name).sequence_form.sequences == (sequences, sequences)


@settings(max_examples=25, deadline=None)
@given(small_zero_sum_games(), st.integers(0, 2**32 - 1))
def test_random_games_are_solved_and_nobody_guarantees_more(game: RandomGame, seed: int) -> None:
    target = compiled(game)
    solution = solve(target)
    assert solution.exploitability <= 1e-9
    assert PlanProgram(target.sequence_form, 1).maximise().guarantee == pytest.approx(solution.value[1], abs=1e-9)
    policy = random_policy(target.infosets, seed)
    for player in range(2):
        assert -best_response(target, policy, 1 - player).value <= solution.value[player] + 1e-9


def test_unreached_infosets_are_uniform_and_counted() -> None:
    solution = solve("rpst")
    assert solution.extra["unreached"] == 0
    game = compiled("leduc(suits=merged)")
    solution = solve(game)
    form = game.sequence_form
    unreached = form.plan(form.strategy(solution.policy))[form.parent] == 0.0
    assert solution.extra["unreached"] == unreached.sum() > 0
    for i in form.infoset[unreached]:
        assert np.ptp(solution.policy.row(int(i))) == pytest.approx(0.0)


def test_time_limit_gives_an_honest_unconverged_answer() -> None:
    solution = solve("leduc", seconds=0.0)
    assert not solution.converged
    assert solution.extra["status"] == "time limit"
    assert solution.exploitability > 1e-3
    for i in range(len(solution.policy)):
        assert solution.policy.row(i).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["simplex", "ipm"])
def test_interrupt_returns_what_there_is(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highs, "REPORT_SECONDS", 0.005)
    reports: list[Progress] = []

    def press_control_c(report: Progress) -> None:
        reports.append(report)
        if len(reports) == 1:
            raise KeyboardInterrupt

    game = compiled("leduc")
    solution = SequenceFormLP(method).solve(game, Stop(), progress=press_control_c)
    assert solution.interrupted is True
    assert not solution.converged
    assert solve(game).converged  # nothing is left behind


def test_an_interrupted_program_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for a plan alone must not take for the best one what Ctrl-C has left."""
    monkeypatch.setattr(highs, "REPORT_SECONDS", 0.005)

    def press_control_c(iterations: int, seconds: float) -> None:
        raise KeyboardInterrupt

    program = PlanProgram(compiled("leduc").sequence_form, 0)
    with pytest.raises(KeyboardInterrupt):
        program.maximise(watch=press_control_c)
    assert program.maximise().status == "optimal"


def test_until_decides_convergence() -> None:
    assert solve("kuhn", exploitability=1e-9).converged
    assert solve("leduc", exploitability=10.0, seconds=0.0).converged


def test_progress_ends_at_one() -> None:
    reports: list[Progress] = []
    SequenceFormLP().solve(compiled("kuhn"), Stop(), progress=reports.append)
    assert reports[-1].fraction == 1.0
    assert reports[-1].exploitability == pytest.approx(0.0, abs=1e-9)


def test_large_and_small_payoffs_keep_their_digits() -> None:
    for scale in (1e-6, 1.0, 1e6):
        game = MatrixGame("scaled", [[3 * scale, 2 * scale, 10 * scale], [2 * scale, 3 * scale, 0]])
        solution = solve(game)
        assert solution.value[0] == pytest.approx(2.5 * scale, rel=1e-12)
        assert solution.exploitability <= 1e-12 * scale


class Forgetful(State):
    """Player 1 moves twice and does not remember its first move."""

    __slots__ = ("history", "player")

    def __init__(self, history: tuple[int, ...]) -> None:
        self.history = history
        self.player = (0, 0, 1, TERMINAL)[len(history)]

    def actions(self) -> list[str]:
        return ["l", "r"]

    def child(self, index: int) -> Forgetful:
        return Forgetful((*self.history, index))

    def infoset(self, player: int) -> str:
        return f"{player}:{len(self.history)}"

    def public(self) -> str:
        return str(len(self.history))

    def returns(self) -> tuple[float, float]:
        return (1.0, -1.0) if sum(self.history) == 2 else (0.0, 0.0)


class ForgetfulGame(Game):
    name = "forgetful"
    players = 2
    perfect_recall = False

    def start(self) -> Forgetful:
        return Forgetful(())


def test_refusals_name_the_reason() -> None:
    with pytest.raises(NotApplicableError, match="program is for two players, but 'kuhn\\(players=3\\)' has 3"):
        solve("kuhn(players=3)")
    with pytest.raises(NotApplicableError, match="do not sum to zero"):
        solve(MatrixGame("dilemma", [[3, 0], [5, 1]], [[3, 5], [0, 1]]))
    with pytest.raises(NotApplicableError, match="perfect recall, but in 'forgetful' the infoset '0:1'"):
        solve(ForgetfulGame())
    with pytest.raises(ParameterError, match=r"'simplx' is not one of .* Did you mean 'simplex'"):
        SequenceFormLP("simplx")
    with pytest.raises(NotApplicableError, match="in one go"):
        SequenceFormLP().solve(compiled("kuhn"), Stop(), resume=solve("kuhn"))


def test_contradicting_and_unbounded_programs_are_errors() -> None:
    one, free = np.ones(1), np.full(1, np.inf)
    matrix = sparse.csc_array(np.ones((1, 1)))
    with pytest.raises(highs.InfeasibleError, match="a test has no solution"):
        highs.maximise(highs.LinearProgram(one, matrix, 2 * one, 2 * one, -free, one), "a test")
    with pytest.raises(EquilibristError, match="a test"):
        highs.maximise(highs.LinearProgram(one, matrix, one, free, -free, free), "a test")


@pytest.mark.parametrize("name", ["lp", "lp(method=simplex)", "lp(method=ipm)", "lp(method=primal,eliminate=true)"])
def test_names(name: str) -> None:
    assert make_solver(name).name == name


@pytest.mark.slow
def test_bl26_value() -> None:
    # recomputed: bracket of 1,500 CFR+ iterations.
    solution = solve("bl26")
    assert -0.09283 <= solution.value[0] <= -0.09249
    assert solution.exploitability <= 1e-8


# -- stopped at any time -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "player"), [("primal", 0), ("dual", 1)])
@pytest.mark.parametrize("name", ["kuhn", "leduc(suits=merged)", "liars-dice(dice=1,faces=4)"])
def test_a_stopped_search_holds_a_plan_and_what_it_guarantees(method: str, player: int, name: str) -> None:
    """[Gilpin09, §5.6.2]: the primal method keeps one player's plan feasible, the dual the other's; both improve."""
    game = compiled(name)
    exact = solve(game).value[player]
    before = -np.inf
    for iterations in (1, 10, 100, 100_000):
        found = PlanProgram(game.sequence_form, 0).maximise(
            method=method, iterations=iterations, start=start_basis(PlanProgram(game.sequence_form, 0), keep=method)
        )
        solution = SequenceFormLP(method).solve(game, Stop(iterations=iterations))
        assert solution.extra["feasible_player"] == player + 1
        low, high = solution.extra["bracket"]
        guaranteed = low if player == 0 else -high
        assert guaranteed == pytest.approx(found.objective if player == 0 else -found.objective, abs=1e-8)
        assert before - 1e-9 <= guaranteed <= exact + 1e-9
        before = guaranteed
    assert solution.extra["status"] == "optimal"
    assert before == pytest.approx(exact, abs=1e-9)


def test_iteration_limit_is_told() -> None:
    solution = solve_stopped("leduc", "primal", iterations=5)
    assert solution.extra["status"] == "iteration limit"
    assert solution.iterations == 5
    assert not solution.converged
    low, high = solution.extra["bracket"]
    assert low <= -0.0856064 <= high


def solve_stopped(name: str, method: str, iterations: int) -> TabularSolution:
    return SequenceFormLP(method).solve(compiled(name), Stop(iterations=iterations))


@pytest.mark.parametrize("keep", ["primal", "dual"])
def test_starting_bases_are_square(keep: str) -> None:
    for name in ("kuhn", "leduc"):
        program = PlanProgram(compiled(name).sequence_form, 1)
        start = start_basis(program, keep)
        rows = program.own.shape[0] + program.other.shape[1]
        assert int(start.columns.sum() + start.rows.sum()) == rows


@settings(max_examples=15, deadline=None)
@given(small_zero_sum_games())
def test_all_methods_agree_on_random_games(game: RandomGame) -> None:
    target = compiled(game)
    values = [SequenceFormLP(method).solve(target, Stop()).value[0] for method in ("choose", "primal", "dual", "ipm")]
    assert values == pytest.approx([values[0]] * 4, abs=1e-8)
