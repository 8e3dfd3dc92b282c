"""Undiscounted stochastic games: a game whose answer is known, jam/fold by two routes, and what can go wrong."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.games.library.matrix_stages import MatrixStages
from equilibrist.games.stochastic import StageEnd
from equilibrist.games.tournaments.jam_fold import JamFold
from equilibrist.games.tournaments.jam_fold_hands import JamFoldTournament
from equilibrist.solvers.stochastic_games import three_way_stages
from equilibrist.solvers.stochastic_games.evaluation import evaluate, plan_values
from equilibrist.solvers.stochastic_games.jam_fold_stages import SLOTS, HeadsUpStages, JamFoldStages
from equilibrist.solvers.stochastic_games.outer_loops import Method, Search, StochasticSettings
from equilibrist.solvers.stochastic_games.policy_iteration import ex_post_check
from equilibrist.solvers.stochastic_games.solve_stochastic import Reached, search_until
from equilibrist.solvers.stochastic_games.stages import Chain, Stages, unwatched
from equilibrist.solvers.stochastic_games.three_way_stages import ThreeWayStages
from equilibrist.solvers.stochastic_games.tree_stages import TreeStages
from reference.toy_showdowns import toy_joint, toy_showdowns

ROOT = np.sqrt(0.5)


def pays(amount: float) -> StageEnd:
    """One unit is shared."""
    return StageEnd((amount, 1.0 - amount))


def goes(state: int) -> StageEnd:
    return StageEnd((0.0, 0.0), ((state, 1.0),))


def recursive_game() -> MatrixStages:
    """v0 = 1 / (2 - v1) and v1 = v0 / (v0 + 1/2), so that v0 = sqrt(1/2), v1 = 2 - sqrt(2)."""
    first = {(0, 0): goes(1), (0, 1): pays(1.0), (1, 0): pays(1.0), (1, 1): pays(0.0)}
    second = {(0, 0): pays(0.0), (0, 1): goes(0), (1, 0): pays(1.0), (1, 1): pays(0.5)}
    return MatrixStages("recursive", [first, second])


def optimal(stages: TreeStages) -> np.ndarray:
    """Both players' optimal strategies, by hand."""
    v0, v1 = ROOT, 2.0 - np.sqrt(2.0)
    p0 = 1.0 / (2.0 - v1)  # the matrix is symmetric
    p1 = 0.5 / (v0 + 0.5)
    q1 = (v0 - 0.5) / (v0 + 0.5)
    rows = [[p0, 1 - p0, p0, 1 - p0], [p1, 1 - p1, q1, 1 - q1]]
    return stages.plan(
        [TabularPolicy(forest.tree.infosets, np.array(row)) for forest, row in zip(stages.forests, rows, strict=True)]
    )


@pytest.fixture(scope="module")
def recursive() -> TreeStages:
    return TreeStages(recursive_game())


def test_an_exact_equilibrium_passes_the_check(recursive: TreeStages) -> None:
    found = ex_post_check(recursive, optimal(recursive))
    assert found.gain == pytest.approx(0.0, abs=1e-12)
    assert found.values[:, 0] == pytest.approx([ROOT, 2 - np.sqrt(2)], abs=1e-12)
    assert np.allclose(found.values.sum(axis=1), 1.0)


def test_a_bad_profile_fails_the_check(recursive: TreeStages) -> None:
    found = ex_post_check(recursive, recursive.start())
    assert found.settled
    assert found.gain > 0.05
    assert (found.best >= found.values - 1e-12).all()


@pytest.mark.parametrize(("method", "iterations"), [("vi-fp", 12), ("pi-fp", 5), ("fp-mdp", 300)])
def test_methods_find_the_known_answer(recursive: TreeStages, method: Method, iterations: int) -> None:
    search = Search(recursive, method, StochasticSettings(gamma=5e-3, most_sweeps=400))
    for _ in range(iterations):
        search.advance()
    found = search.check()
    assert found.gain < 0.25 * ex_post_check(recursive, recursive.start()).gain
    assert found.values[0, 0] == pytest.approx(ROOT, abs=5e-3)


def test_fewer_iterations_leave_more_to_gain(recursive: TreeStages) -> None:
    gains = []
    search = Search(recursive, "fp-mdp")
    for _ in range(3):
        for _ in range(10 ** len(gains)):
            search.advance()
        gains.append(search.check().gain)
    assert gains[0] > gains[1] > gains[2]


def test_a_search_goes_on_from_its_state(recursive: TreeStages) -> None:
    for method in ("pi-fp", "ftpl-mdp"):
        whole, first, second = (Search(recursive, method, StochasticSettings(seed=3)) for _ in range(3))  # type: ignore[arg-type]
        for _ in range(4):
            whole.advance()
        first.advance()
        first.advance()
        second.restore(first.state())
        second.advance()
        second.advance()
        assert np.array_equal(second.plan, whole.plan)


def three_iterations(search: Search, stop_at: int = 0) -> int:
    """Passes over the states that were begun; the one of that number is interrupted."""
    passes = 0

    def watch(done: int, states: int) -> None:
        nonlocal passes
        passes += 1
        if passes == stop_at:
            raise KeyboardInterrupt

    search.stages.watch = watch
    try:
        while search.iteration < 3:
            search.advance()
    except KeyboardInterrupt:
        pass
    finally:
        search.stages.watch = unwatched
    return passes


@pytest.mark.parametrize("method", ["pi-fp", "vi-fp"])
def test_an_interrupted_iteration_goes_on_sweep_by_sweep(method: Method, tmp_path: Path) -> None:
    """Wherever it is left, what was kept comes to the same bits, and nothing but the pass that was left is done twice."""

    def search() -> Search:
        return Search(both(3)[0], method, StochasticSettings(gamma=0.01), values=SMALL[3].guess())

    whole = search()
    passes = three_iterations(whole)
    assert passes > 10
    for at in range(1, passes + 1):
        first, second = search(), search()
        assert three_iterations(first, at) == at
        Checkpoints(tmp_path, "k").save("search", first.state())
        kept = Checkpoints(tmp_path, "k").load("search")
        assert kept is not None
        second.restore(kept)
        assert three_iterations(second) == passes - at + 1
        assert np.array_equal(second.plan, whole.plan)
        assert np.array_equal(second.values, whole.values)
        assert (second.sweeps, second.change) == (whole.sweeps, whole.change)


def interrupted(when: Callable[[str], bool]) -> tuple[Reached, list[Reached], list[str]]:
    """A search with Ctrl-C whenever its report says so."""
    told: list[str] = []
    unmeasured: list[Reached] = []

    def report(text: str, share: float | None) -> None:
        told.append(text)
        if when(text):
            signal.raise_signal(signal.SIGINT)

    search = Search(both(3)[0], "pi-fp", StochasticSettings(gamma=0.02), values=SMALL[3].guess())
    return search_until(search, 1e-9, 5, report=report, unmeasured=unmeasured.append), unmeasured, told


def test_ctrl_c_answers_with_the_sweeps_of_the_first_iteration() -> None:
    found, unmeasured, told = interrupted(lambda text: "iteration 1, sweep 4" in text)
    assert told[0].startswith("iteration 1, sweep 1, 0 of ")
    assert any("best deviation" in text for text in told)
    assert found.interrupted
    assert found.gain == ex_post_check(both(3)[0], found.plan).gain
    (rough,) = unmeasured
    assert np.isnan(rough.gain)
    assert np.isnan(rough.values).all()
    assert np.array_equal(rough.plan, found.plan)
    again, _, _ = interrupted(lambda text: "iteration 1, sweep 4" in text or "after iteration 0" in text)
    assert np.isnan(again.gain)
    assert np.array_equal(again.plan, found.plan)


def test_ctrl_c_later_answers_with_the_last_iteration_and_its_gain() -> None:
    found, unmeasured, told = interrupted(lambda text: "iteration 3, sweep 2" in text)
    assert found.interrupted
    assert not unmeasured  # it was checked
    assert f"largest gain {found.gain:.3g}" in told[-1]
    assert found.gain == ex_post_check(both(3)[0], found.plan).gain


def test_ctrl_c_before_the_first_sweep_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(lambda text: "sweep 1" in text)


def test_play_that_never_ends_is_worth_nothing() -> None:
    from scipy.sparse import csr_matrix

    step = csr_matrix(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.25]]))
    assert evaluate(Chain(step, np.array([0.0, 0.0, 3.0]))) == pytest.approx([0.0, 0.0, 4.0])
    with pytest.raises(NotApplicableError, match="never ends"):
        evaluate(Chain(step, np.array([1.0, 0.0, 3.0])))


def test_unknown_methods_and_unfinished_tables_are_refused(recursive: TreeStages) -> None:
    with pytest.raises(ParameterError, match="no method 'q'"):
        Search(recursive, "q")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="2 x 2 choices, but has 3"):
        MatrixStages("bad", [{(0, 0): pays(0), (0, 1): pays(0), (1, 0): pays(0)}])


# -- jam/fold ------------------------------------------------------------------------------------------------------

SMALL = {3: JamFold(chips=1500), 2: JamFold(1000, 100, (200, 400), (1.0, 0.0))}


@cache
def both(players: int) -> tuple[JamFoldStages, TreeStages]:
    """The same tournament by contractions and written out."""
    rules, (ranks, showdowns) = SMALL[players], toy_showdowns(players)
    fused = ThreeWayStages(rules, toy_joint()) if players == 3 else HeadsUpStages(rules, showdowns)
    return fused, TreeStages(JamFoldTournament(rules, ranks, showdowns))


def written_out(fused: JamFoldStages, trees: TreeStages, plan: np.ndarray) -> np.ndarray:
    """A profile of one in the other."""
    policies = []
    for state, forest in enumerate(trees.forests):
        jams, infosets = fused.jams(plan)[state], forest.tree.infosets
        rows = []
        for key in infosets.keys:
            seat, hand, line = key.split(":")
            jam = jams[SLOTS[fused.rules.players].index(line), int(hand)]
            assert len(line) == int(seat)
            rows += [1.0 - jam, jam]
        policies.append(TabularPolicy(infosets, np.array(rows)))
    return trees.plan(policies)


@pytest.mark.parametrize("players", [2, 3])
def test_contractions_and_trees_agree(players: int) -> None:
    fused, trees = both(players)
    rng = np.random.default_rng(1)
    plan = fused._obeying(rng.random((fused.rules.state_count, fused.slots, fused.hands)), slice(None))
    other = written_out(fused, trees, plan)
    values = rng.random((fused.rules.state_count, players))
    here, there = fused.against(plan), trees.against(other)
    mine, theirs = fused.ends.payoffs(values), trees.ends.payoffs(values)
    assert here.values(plan, mine) == pytest.approx(there.values(other, theirs), abs=1e-6)
    assert here.answer(mine)[1] == pytest.approx(there.answer(theirs)[1], abs=1e-6)
    found, again = ex_post_check(fused, plan), ex_post_check(trees, other)
    assert found.values == pytest.approx(again.values, abs=1e-5)
    assert found.best == pytest.approx(again.best, abs=1e-5)
    assert found.gain > 0.01 * max(fused.rules.payouts)


@pytest.mark.parametrize("players", [2, 3])
def test_prize_money_is_conserved_under_any_profile(players: int) -> None:
    fused, _ = both(players)
    plan = fused._obeying(np.random.default_rng(2).random((fused.rules.state_count, fused.slots, 3)), slice(None))
    values = plan_values(fused.ends, fused.against(plan, exact=True).probabilities(plan))
    assert values.sum(axis=1) == pytest.approx(sum(fused.rules.payouts), rel=1e-6)


def test_precisions_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    fused, _ = both(3)
    jams = fused.jams(fused.start())
    monkeypatch.setattr(three_way_stages, "FEW_HANDS", 0)
    single, double = fused.weights(jams, exact=False), fused.weights(jams, exact=True)
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    assert single == pytest.approx(double, abs=1e-6)


def test_arrays_of_another_library_are_brought_back() -> None:
    """Whatever stands for NumPy makes the arrays, and gives them back."""
    brought: list[int] = []

    class Elsewhere:
        asarray, empty = staticmethod(np.asarray), staticmethod(np.empty)

        @staticmethod
        def asnumpy(array: np.ndarray) -> np.ndarray:
            brought.append(len(array))
            return array

    fused, _ = both(3)
    jams = fused.jams(fused.start())
    there = ThreeWayStages(fused.rules, toy_joint(), Elsewhere)
    assert there.weights(jams, exact=True) == pytest.approx(fused.weights(jams, exact=True), abs=1e-15)
    assert brought == [len(jams)]


def test_values_above_all_prizes_lead_value_iteration_astray() -> None:
    """[Ganzfried15, §9.3.2]: started from 100 for everybody VI-FP folds for ever, and the check tells; PI-FP recovers."""
    stages: Stages = both(3)[0]
    high = np.full((stages.ends.states, 3), 100.0)
    gains = {}
    for method in ("vi-fp", "pi-fp"):
        search = Search(stages, method, values=high.copy())  # type: ignore[arg-type]
        for _ in range(6):
            search.advance()
        gains[method] = search.check().gain
    assert gains["vi-fp"] > 1.0
    assert gains["pi-fp"] < 0.05
