"""DREAM, ESCHER, VR-DeepDCFR+ and VR-DeepPDCFR+: what every learner keeps to, and what each method says of itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import EquilibristError  # noqa: E402
from equilibrist.core.policy import normalise  # noqa: E402
from equilibrist.forms.compiled import Compiled, compiled  # noqa: E402
from equilibrist.learning.catalogue import load_method  # noqa: E402
from equilibrist.learning.outcome_sampling.fitting import RowNet  # noqa: E402
from equilibrist.learning.outcome_sampling.histories import read_histories  # noqa: E402
from equilibrist.learning.outcome_sampling.sampled_learner import SampledLearner  # noqa: E402
from equilibrist.learning.outcome_sampling.vr_deep import VRDeep  # noqa: E402
from equilibrist.learning.regression.experience import strategies_of  # noqa: E402
from equilibrist.learning.regression.fitting import FitPlan  # noqa: E402
from equilibrist.solvers.responses.best_response import evaluate_policy  # noqa: E402
from learning.contract import check_learner, scaled  # noqa: E402
from reference.naive_outcome_sampling import counterfactual_regrets, own_reaches, reach_of, slots  # noqa: E402

Floats = npt.NDArray[np.float64]
KUHN = compiled("kuhn")
QUICK = {"plays": "60", "steps": "20", "value_steps": "60", "width": "16", "depth": "2", "memory": "500"}
METHODS = ("dream", "escher", "vr-deep-dcfr+", "vr-deep-pdcfr+")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def start(name: str, more: str = "", game: Compiled = KUHN, seed: int = 1) -> SampledLearner:
    settings = QUICK | dict(part.split("=") for part in more.split(",") if part)
    text = ",".join(f"{key}={value}" for key, value in settings.items())
    learner = load_method(f"{name}({text})").start(game, seed=seed, device="cpu")
    assert isinstance(learner, SampledLearner)
    return learner


def advanced(learner: SampledLearner, iterations: int) -> SampledLearner:
    for _ in range(iterations):
        learner.advance()
    return learner


def same_state(one: SampledLearner, other: SampledLearner) -> None:
    for mine, yours in ((one.small_state(), other.small_state()), (one.memories(), other.memories())):
        assert mine.keys() == yours.keys()
        for key, value in mine.items():
            np.testing.assert_array_equal(value, yours[key], err_msg=key)


@pytest.mark.parametrize("name", METHODS)
def test_untrained_nets_play_evenly(name: str) -> None:
    learner = start(name)
    np.testing.assert_array_equal(learner.policy().probabilities, KUHN.infosets.uniform().probabilities)
    learner._match(0)
    learner._match(1)
    np.testing.assert_array_equal(learner.last().probabilities, KUHN.infosets.uniform().probabilities)


@pytest.mark.parametrize("average", ["exact", "net"])
@pytest.mark.parametrize("name", METHODS)
def test_asking_for_the_policy_changes_nothing(name: str, average: str) -> None:
    more = f"average={average},policy_steps=20"
    asked, silent = start(name, more), start(name, more)
    for _ in range(2):
        asked.advance()
        silent.advance()
        first, again = asked.policy().probabilities, asked.policy().probabilities
        np.testing.assert_array_equal(first, again)
    same_state(asked, silent)
    np.testing.assert_array_equal(silent.policy().probabilities, asked.policy().probabilities)


@pytest.mark.parametrize("more", ["", "average=net,reservoir=100,policy_steps=20", "advantages=table,values=exact"])
@pytest.mark.parametrize("name", METHODS)
def test_a_restored_learner_goes_on_bit_for_bit(name: str, more: str) -> None:
    whole = advanced(start(name, more), 4)
    half = advanced(start(name, more), 2)
    small, memories = half.small_state(), half.memories()
    advanced(half, 1)  # what was taken is a copy
    other = start(name, more, seed=99)
    other.restore(small, memories)
    advanced(other, 2)
    same_state(whole, other)
    np.testing.assert_array_equal(whole.policy().probabilities, other.policy().probabilities)


@pytest.mark.parametrize("name", ["dream", "escher"])
def test_nets_may_start_anew(name: str) -> None:
    anew, going_on = start(name, "restart=true,restart_values=true"), start(name)
    other = start(name, "restart=true,restart_values=true", seed=99)
    advanced(anew, 2)
    other.restore(anew.small_state(), anew.memories())
    same_state(advanced(anew, 1), advanced(other, 1))
    assert not np.array_equal(anew.tables, advanced(going_on, 3).tables)


@pytest.mark.parametrize("name", METHODS)
def test_without_memories_it_goes_on_from_its_nets(name: str) -> None:
    more = "plays=600,steps=50,value_steps=50,memory=20000,rate=0.01"
    learner = advanced(start(name, more), 12)
    before = evaluate_policy(KUHN, learner.policy()).exploitability
    other = start(name, more)
    other.restore(learner.small_state(), None)
    assert evaluate_policy(KUHN, other.policy()).exploitability == before
    np.testing.assert_array_equal(other.strategy, learner.strategy)
    advanced(other, 8)
    assert evaluate_policy(KUHN, other.policy()).exploitability < max(1.5 * before, 0.05)


@pytest.mark.parametrize("name", METHODS)
def test_what_every_learner_must_fulfil(name: str) -> None:
    check_learner(load_method(f"{name}(plays=60,steps=20,value_steps=60,width=16,depth=2,memory=500)"), "kuhn")


@pytest.mark.parametrize("name", METHODS)
def test_payoffs_in_another_unit_change_nothing(name: str) -> None:
    one, other = advanced(start(name), 3), advanced(start(name, game=scaled(KUHN, 8.0)), 3)
    np.testing.assert_array_equal(one.policy().probabilities, other.policy().probabilities)
    same_state(one, other)


@pytest.mark.parametrize("name", METHODS)
def test_the_small_state_is_small(name: str) -> None:
    learner = load_method(f"{name}(plays=10,steps=1,value_steps=1)").start(compiled("leduc"), seed=0, device="cpu")
    learner.advance()
    assert sum(array.nbytes for array in learner.small_state().values()) < 1_000_000
    assert load_method(name).memory_bytes(compiled("leduc")) < 10_000_000


@pytest.mark.parametrize("name", METHODS)
def test_it_comes_near_the_equilibrium_of_kuhn(name: str) -> None:
    learner = load_method(f"{name}(plays=1000,steps=60,value_steps=50,rate=0.003)").start(KUHN, seed=0, device="cpu")
    for _ in range(15):
        learner.advance()
    assert evaluate_policy(KUHN, learner.policy()).exploitability < 0.06
    counts = learner.counts()
    assert counts["episodes"] == 15 * 2 * 1000
    assert counts["nodes"] > 3 * counts["episodes"]


def test_a_net_for_the_average_comes_near_the_exact_one() -> None:
    learner = advanced(start("vr-deep-dcfr+", "plays=2000,average=net,policy_steps=400,width=32,rate=0.003"), 8)
    exact = normalise(KUHN.infosets, learner.average.sums)
    reach = own_reaches(KUHN.tree, exact.probabilities)
    assert np.abs(learner.policy().probabilities - exact.probabilities)[reach > 0.05].max() < 0.1


# -- the average ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "gamma"), [("dream", 1.0), ("vr-deep-dcfr+", 2.0)])
def test_the_average_is_exact(name: str, gamma: float) -> None:
    """Every strategy played, by own reach and iteration^gamma: the other player's before it improves, the own one after."""
    learner = start(name)
    total = np.zeros(KUHN.infosets.slots)
    played: list[tuple[int, Floats]] = []
    remember = learner._remember

    def spy(player: int) -> None:
        played.append((player, learner.strategy.copy()))
        remember(player)

    learner._remember = spy
    advanced(learner, 3)
    assert [player for player, _ in played] == [1, 0] * 3
    owner = np.repeat(KUHN.infosets.player, np.diff(KUHN.infosets.first_slot))
    for number, (player, strategy) in enumerate(played):
        total += np.where(owner == player, (number // 2 + 1) ** gamma * own_reaches(KUHN.tree, strategy), 0.0)
    np.testing.assert_allclose(learner.average.sums, total, atol=1e-12)
    np.testing.assert_allclose(learner.policy().probabilities, normalise(KUHN.infosets, total).probabilities)


def levels_of(game: Compiled) -> list[npt.NDArray[np.int64]]:
    """Histories other than the first, less 1, by the number of steps to them."""
    level = np.zeros(game.tree.histories, dtype=np.int64)
    for n in range(1, game.tree.histories):
        level[n] = level[game.tree.parent[n]] + 1
    return [np.flatnonzero(level[1:] == d) for d in range(1, int(level.max()) + 1)]


def sampled_reaches(
    game: Compiled, levels: list[npt.NDArray[np.int64]], strategy: Floats, player: int
) -> tuple[Floats, Floats]:
    """[N] own reach of the exploring player, and how likely plays are to come by if it plays evenly."""
    tree = game.tree
    own, sampled = np.ones(tree.histories), np.ones(tree.histories)
    below = np.arange(1, tree.histories)
    above = tree.parent[below]
    slot = game.infosets.first_slot[tree.infoset[above]] + below - tree.first_child[above]
    decided, mine = tree.player[above] >= 0, tree.player[above] == player
    p = np.where(decided, strategy[np.where(decided, slot, 0)], 1.0)
    step = np.where(mine, 1.0 / tree.children[above], p * tree.chance_probability[below])
    for here in levels:
        own[below[here]] = own[above[here]] * np.where(mine, p, 1.0)[here]
        sampled[below[here]] = sampled[above[here]] * step[here]
    return own, sampled


def importance_average(learner: SampledLearner, iterations: int) -> float:
    """Exploitability if own reach x strategy / sampling reach at the exploring player's sampled histories were averaged instead."""
    game, total = learner.game, np.zeros(learner.game.infosets.slots)
    play, levels = learner._play, levels_of(game)

    def spy(player: int, **told: float) -> object:
        strategy = learner.strategy.copy()
        found = play(player, **told)
        own, sampled = sampled_reaches(game, levels, strategy, player)
        above, slot = learner.plays.above, learner.plays.slot
        weight = (found.visits * own / np.where(sampled > 0.0, sampled, 1.0))[above] * strategy[slot]
        total[:] += np.bincount(slot, weights=weight, minlength=len(total))
        return found

    learner._play = spy
    advanced(learner, iterations)
    return float(evaluate_policy(game, normalise(game.infosets, total)).exploitability)


def test_importance_weights_in_the_average_would_hide_the_method() -> None:
    """[McAleer23, Fig. 3] averages so and has a NashConv of 0.54 where exact averages have 0.10."""
    settings = "plays=100,advantages=table,values=exact,linear=false,gamma=0"
    learner = load_method(f"escher({settings})").start(compiled("leduc"), seed=0, device="cpu")
    assert isinstance(learner, SampledLearner)
    sampled = importance_average(learner, 300)
    assert evaluate_policy(learner.game, learner.policy()).exploitability < 0.4 * sampled


# -- advantages -------------------------------------------------------------------------------------------------------------------------


def test_regrets_are_matched_over_legal_actions() -> None:
    game = compiled("leduc")
    learner = start("dream", game=game)
    legal = learner.encoding.legal
    table = np.random.default_rng(0).normal(size=legal.shape) + 5.0 * ~legal
    table[0] = np.where(legal[0], -1.0 - np.arange(legal.shape[1]), 9.0)
    learner.tables[0] = table
    learner._match(0)
    learner._match(1)
    for infoset in range(0, len(game.infosets), 7):
        row = learner.encoding.row[infoset]
        given = np.maximum(table[row][legal[row]], 0.0)
        expected = given / given.sum() if given.sum() else np.eye(len(given))[table[row][legal[row]].argmax()]
        order = learner.encoding.output[slice(*game.infosets.first_slot[infoset : infoset + 2])]
        np.testing.assert_allclose(learner.last().row(infoset), expected[np.searchsorted(np.sort(order), order)])


def test_the_loss_never_sees_illegal_actions() -> None:
    features = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32)
    weight = np.ones((40, 3))
    weight[::2, 1] = 0.0
    wanted = np.random.default_rng(1).normal(size=(40, 3))
    spoiled = np.where(weight > 0.0, wanted, 1e6)
    for batch in (64, 16):
        for shares in (False, True):
            tables = []
            for target in (wanted, spoiled):
                net = RowNet(features, 3, 8, 2, torch.device("cpu"), 3)
                net.fit(target, weight, FitPlan(30, batch, 1e-2, True), 4, shares=shares)
                tables.append(net.table())
            np.testing.assert_array_equal(*tables)


@pytest.mark.parametrize("name", METHODS)
def test_methods_give_illegal_actions_no_weight(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = start(name, game=compiled("leduc"))
    seen: list[tuple[RowNet, Floats]] = []
    fit = RowNet.fit

    def spy(net: RowNet, wanted: Floats, weight: Floats, *rest: object, **more: bool) -> None:
        seen.append((net, weight))
        fit(net, wanted, weight, *rest, **more)

    monkeypatch.setattr(RowNet, "fit", spy)
    learner.advance()
    for number, net in enumerate(learner.advantage):
        legal = learner.encoding.legal[learner.rows[number // learner.nets_per_player]]
        mine = [weight for which, weight in seen if which is net]
        assert mine
        assert all((weight[~legal] == 0.0).all() for weight in mine)


def test_small_batches_come_to_the_same_as_all_rows() -> None:
    random = np.random.default_rng(2)
    features = np.eye(30, dtype=np.float32)
    wanted, weight = random.normal(size=(30, 2)), np.repeat(random.random((30, 1)) + 0.5, 2, axis=1)
    for batch in (64, 10):
        net = RowNet(features, 2, 64, 2, torch.device("cpu"), 0)
        net.fit(wanted, weight, FitPlan(1500, batch, 3e-3, True), 0)
        assert np.abs(net.table() - wanted).max() < 0.05


def test_batches_weigh_rows_once() -> None:
    """Rows that a net cannot tell apart: it finds their weighted mean."""
    wanted, weight = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat([[1.0], [3.0]], 10, axis=0)
    for batch in (64, 8):
        net = RowNet(np.ones((20, 2), dtype=np.float32), 1, 8, 1, torch.device("cpu"), 0)
        net.fit(wanted, weight, FitPlan(800, batch, 1e-2, True), 0)
        assert net.table()[0, 0] == pytest.approx(0.75, abs=0.04)


def test_shares_are_of_legal_actions_alone() -> None:
    """An output that is never an action is never moved."""
    features = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32)
    weight = np.ones((40, 3)) * [1.0, 0.0, 1.0]
    net = RowNet(features, 3, 8, 2, torch.device("cpu"), 3)
    net.fit(np.full((40, 3), 0.5) * [1.6, 0.0, 0.4], weight, FitPlan(100, 64, 1e-2, True), 4, shares=True)
    assert (net.table()[:, 1] == 0.0).all()
    assert np.abs(net.shares(weight > 0.0)[:, 0] - 0.8).max() < 0.05


def test_cumulative_advantages_are_discounted_clipped_and_bootstrapped() -> None:
    """Two iterations of a table by hand ([Xu26]): R = max(R, 0) d + sampled advantage, d = (t-1)^alpha / ((t-1)^alpha + offset)."""
    learner = start("vr-deep-dcfr+", "advantages=table")
    sampled: list[Floats] = []
    play = learner._play

    def spy(player: int, **told: float) -> object:
        found = play(player, **told)
        weight = learner.encoding.sums_of_infosets(found.weight)
        sampled.append(learner.encoding.by_row(found.total) / np.maximum(weight, 1.0)[:, None])
        return found

    learner._play = spy
    advanced(learner, 2)
    first, second = sampled[0] + sampled[1], sampled[2] + sampled[3]
    np.testing.assert_allclose(learner.tables[0], np.maximum(first, 0.0) * (1.0 / (1.0 + 1.5)) + second)
    assert VRDeep().kept(1) == 0.0
    assert VRDeep(alpha=1.5, offset=1.0).kept(5) == pytest.approx(8.0 / 9.0)


def test_the_predictive_method_plays_by_the_next_sums() -> None:
    learner = advanced(start("vr-deep-pdcfr+", "advantages=table"), 2)
    d = 2.0**2.3 / (2.0**2.3 + 1.0)
    sums = d * np.maximum(learner.tables[0], 0.0) + learner.tables[1]
    expected = strategies_of(learner.encoding, sums, np.diff(KUHN.infosets.first_slot), False)
    np.testing.assert_allclose(learner.strategy, expected)


@pytest.mark.parametrize("player", [0, 1])
def test_escher_with_exact_values_expects_regrets_weighted_by_its_fixed_policy(player: int) -> None:
    learner = start("escher", "advantages=table,values=exact,linear=false")
    tree = KUHN.tree
    random = np.random.default_rng(3)
    weights = random.random(KUHN.infosets.slots) + 0.1
    learner.strategy = normalise(KUHN.infosets, weights).probabilities.copy()
    learner.values.fit(learner.strategy, 0)
    even = KUHN.infosets.uniform().probabilities
    plays = 200_000
    found = learner.plays.play(player, plays, strategy=learner.strategy, q=learner.values.q, exploration=1.0)
    for n in np.flatnonzero(tree.player == player):
        p = reach_of(tree, n, learner.strategy, {-1, 1 - player}) * reach_of(tree, n, even, {player})
        assert found.visits[n] / plays == pytest.approx(p, abs=5.0 * (p / plays) ** 0.5)
        found.visits[n] = round(1e12 * p)
    learner._add_regrets(player, found)
    regrets = counterfactual_regrets(tree, learner.strategy, player) / learner.plays.scale
    for n in np.flatnonzero(tree.player == player):
        fixed = reach_of(tree, n, even, {player})
        np.testing.assert_allclose(learner.total[slots(tree, n)] / 1e12, fixed * regrets[slots(tree, n)], atol=1e-9)


# -- values -----------------------------------------------------------------------------------------------------------------------------


def test_values_of_histories_are_learned_from_single_steps() -> None:
    learner = start("dream", "plays=4000,memory=30000,value_steps=1500,width=64,rate=0.003")
    learner.plays.play(0, 4000, strategy=learner.strategy, q=learner.values.q, exploration=1.0)
    learner.values.fit(learner.strategy, 0)
    exact = learner.plays.exact(learner.strategy)
    steps = learner.plays.child
    assert np.abs(learner.values.q[steps] - exact[steps]).max() < 0.05


def test_histories_that_nobody_can_tell_apart_share_a_row() -> None:
    game = compiled("leduc")
    histories = read_histories(game)
    tree = game.tree
    rows = histories.row[tree.player >= 0]
    assert rows.min() == 0
    assert (histories.row[tree.player < 0] == -1).all()
    keys = np.array(game.infosets.keys, dtype=object)[tree.infoset[tree.player >= 0]]
    ranks = ["".join(c for c in key if c not in "cd") for key in keys]
    shown: dict[int, set[str]] = {}
    for row, rank in zip(rows, ranks, strict=True):
        shown.setdefault(int(row), set()).add(rank)
    assert all(len(told) == 1 for told in shown.values())
    assert len(shown) < len(rows) / 3


@pytest.mark.parametrize(
    "text",
    ["dream(average=sampled)", "escher(values=learned)", "vr-deep-dcfr+(advantages=nets)", "escher(exploration=0.5)"],
)
def test_words_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(EquilibristError):
        load_method(text)


@pytest.mark.parametrize(("name", "most"), [("escher", 0.10), ("dream", 0.15)])
def test_tables_with_exact_values_come_below_the_published_curves(name: str, most: float) -> None:
    """NashConv of Leduc after 1,000 iterations of 500 plays; averages by importance weights come to 0.54 and 0.37 [McAleer23, Fig. 3]."""
    text = f"{name}(plays=500,advantages=table,values=exact,linear=false,gamma=0,uniform=true)"
    game = compiled("leduc")
    learner = load_method(text).start(game, seed=0, device="cpu")
    for _ in range(1000):
        learner.advance()
    assert 2.0 * evaluate_policy(game, learner.policy()).exploitability < most
