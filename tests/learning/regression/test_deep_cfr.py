"""Deep CFR and SD-CFR: what untrained nets play, what losses see, going on, units, and how well they learn."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import NotApplicableError, ParameterError  # noqa: E402
from equilibrist.forms.compiled import compiled  # noqa: E402
from equilibrist.learning.encoders.infosets import encode  # noqa: E402
from equilibrist.learning.networks.feature_net import FeatureNet  # noqa: E402
from equilibrist.learning.regression.deep_cfr import DeepCFR  # noqa: E402
from equilibrist.learning.regression.experience import Walks, empty_store  # noqa: E402
from equilibrist.learning.regression.fitting import FitPlan, Targets, fit, masked_loss, predict  # noqa: E402
from equilibrist.learning.regression.kept_nets import KEPT  # noqa: E402
from equilibrist.solvers.responses.best_response import evaluate_policy  # noqa: E402
from learning.contract import check_learner, scaled  # noqa: E402

SMALL = DeepCFR("sd-cfr", "nets", traversals=60, steps=20, width=16, depth=2)
KINDS = {
    "sums": SMALL,
    "reservoir": replace(SMALL, memory=500, batch=64),
    "window": replace(SMALL, memory=500, window=True, batch=64, restart=False),
    "deep": replace(SMALL, title="deep-cfr", average="net"),
    "deep-reservoir": replace(SMALL, title="deep-cfr", average="net", memory=500, batch=64, linear=False, uniform=True),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_contract_of_learners(kind):
    check_learner(KINDS[kind], "kuhn")


def test_three_players_have_an_exact_average_but_no_sampled_one():
    game = compiled("kuhn(players=3)")
    learner = SMALL.start(game, seed=1)
    for _ in range(4):
        learner.advance()
    assert np.isfinite(evaluate_policy(game, learner.policy()).exploitability)
    with pytest.raises(NotApplicableError, match="two players"):
        KINDS["deep"].start(game)


def test_a_window_needs_a_size():
    with pytest.raises(ParameterError, match="memory"):
        replace(SMALL, window=True).start(compiled("kuhn"))


def test_outputs_that_are_no_action_are_no_part_of_the_loss():
    """Fitting them costs a quarter of the result in flop hold'em, others found; here their gradient is nothing at all."""
    out = torch.randn(5, 3, requires_grad=True)
    legal = torch.tensor([[1.0, 1.0, 0.0]] * 5)
    for shares in (False, True):
        out.grad = None
        masked_loss(out, legal, torch.full((5, 3), 0.5), torch.ones(5), shares).backward()
        assert not out.grad[:, 2].any()
        assert out.grad[:, :2].any()


@pytest.mark.parametrize("memory", [0, 100_000])
def test_a_net_that_has_time_finds_the_mean_regrets(memory):
    """By sums or by samples: the least loss is the weighted mean at every row."""
    game = compiled("kuhn")
    encoding, store, spare = encode(game), empty_store(game, memory, 2, False), empty_store(game, 0, 2, False)
    strategy, walks = game.infosets.uniform().probabilities, Walks(game, 3)
    sums, other = empty_store(game, 0, 2, False), Walks(game, 3)
    for weight in (1.0, 2.0):
        walks.collect(0, 300, weight, strategy, store, spare)
        other.collect(0, 300, weight, strategy, sums, spare)
    rows, cpu = encoding.rows_of(0), torch.device("cpu")
    net = FeatureNet(encoding.features.shape[1], encoding.width, 32, 2)
    random = torch.Generator().manual_seed(0)
    loss = fit(net, Targets(encoding, rows, store, cpu), FitPlan(2500, 512, 3e-3), random)
    mean = encoding.by_row(sums.total)[rows] / encoding.sums_of_infosets(sums.weight)[rows][:, None]
    legal = encoding.legal[rows]
    found = predict(net, encoding, rows, cpu)[rows]
    assert np.abs(found - mean)[legal].max() < (0.01 if memory == 0 else 0.05)
    assert loss < 1e-4 if memory == 0 else loss > 1e-3  # samples scatter


def test_a_reservoir_of_everything_learns_what_sums_learn():
    game = compiled("kuhn")
    values = []
    for memory in (0, 1_000_000):
        learner = replace(SMALL, traversals=200, steps=150, memory=memory, batch=4096).start(game, seed=2)
        for _ in range(15):
            learner.advance()
        values.append(evaluate_policy(game, learner.policy()).exploitability)
    assert max(values) < 0.08  # uniform play loses 0.46


def test_nets_that_are_kept_stay_few_and_fill_memories_again():
    game = compiled("kuhn")
    learner = replace(SMALL, memory=400, batch=64, steps=5).start(game, seed=3)
    for _ in range(3 * KEPT):
        learner.advance()
    assert 1 <= len(learner.kept) <= KEPT
    stamps = sorted(learner.kept.nets)
    assert stamps == list(range(1, learner.iteration + 1, learner.kept.stride))  # evenly spaced, the first among them
    again = learner.settings.start(game, seed=9)
    again.restore(learner.small_state(), None)
    assert again.counts()["samples"] >= learner.counts()["samples"]
    assert again.strategy.tolist() == learner.strategy.tolist()
    far = np.abs(again.policy().probabilities - learner.policy().probabilities)
    even = np.abs(0.5 - learner.policy().probabilities)
    assert far.max() == 0.0  # the average is part of the small state
    assert even.max() > 0.1
    again.advance()
    assert again.iteration == learner.iteration + 1


def test_amounts_of_another_unit_change_nothing():
    game = compiled("kuhn")
    policies = []
    for each in (game, scaled(game, 1000.0)):
        learner = SMALL.start(each, seed=4)
        for _ in range(3):
            learner.advance()
        policies.append(learner.policy().probabilities)
    assert policies[0].tolist() == pytest.approx(policies[1].tolist(), abs=1e-6)


def test_steps_grow_with_the_iteration_where_that_is_asked_for():
    learner = replace(SMALL, growth=0.5).start(compiled("kuhn"))
    learner.iteration = 50
    assert learner.settings.fit_plan(learner.iteration).steps == 20
    learner.iteration = 400
    assert learner.settings.fit_plan(learner.iteration).steps == 40


@pytest.mark.slow
def test_leduc_is_learned():
    """[Brown20, §4.1.3] names 37 thousandths of an ante for NFSP; a short run of SD-CFR comes below 100."""
    game = compiled("leduc")
    learner = DeepCFR("sd-cfr", "nets", traversals=300, steps=200).start(game, seed=0)
    for _ in range(250):
        learner.advance()
    assert 1000 * evaluate_policy(game, learner.policy()).exploitability < 100
