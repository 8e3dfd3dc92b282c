"""Values over all flops beside best responses on the whole tree of a tiny deck."""

import numpy as np
import pytest

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.threads import Team
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import Compiled
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.blueprint.abstract_poker import lift
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BlueprintRun
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.blueprint.values.flop_values import FlopWalk, flop_values
from equilibrist.solvers.responses.best_response import evaluate_policy

LATER = {"turn": {"bet": "", "raise": ""}, "river": {"bet": "", "raise": ""}}
CHECKED_DOWN = {"menu": {"bet": "a", "raise": "a", **LATER}}
NINE_CARDS = "nolimit-holdem(stack=400,ranks=3,suits=3)"


def blueprint(game, cards, blocks, seed=0, menu=CHECKED_DOWN):
    plan = BlueprintPlan(game, menu, cards)
    run = BlueprintRun(plan.game(), Training(seed=seed), planned=blocks * 4096)
    run.advance(blocks)
    return PokerBlueprint(plan, run.game, run.packed())


@pytest.fixture(scope="module")
def two():
    return [
        blueprint(NINE_CARDS, "ehs-equal(sizes=all/2/2/1, sample=1000)", 1),
        blueprint(NINE_CARDS, "ehs-equal(sizes=2/4/1/1, sample=1000)", 2, seed=1),
    ]


@pytest.mark.slow
def test_values_and_responses_agree_with_the_whole_tree(two):
    """Nine cards, two tables of buckets: every history laid out, suits told apart."""
    game = Compiled(Poker("nine cards", two[0].plan.rules))
    policies = [lift(each.abstract, game.tree.infosets, each.packed) for each in two]
    found = flop_values(two)
    owner = np.repeat(game.tree.infosets.player, np.diff(game.tree.infosets.first_slot))
    for number, policy in enumerate(policies):
        whole = evaluate_policy(game, policy)
        assert found.value[number, number] == pytest.approx(whole.value[0], abs=1e-3)
        assert found.response[:, number] == pytest.approx(whole.best_response_value, abs=1e-3)
        assert found.exploitability(number) == pytest.approx(whole.exploitability, abs=1e-3)
    mixed = [np.where(owner == a, policies[0].probabilities, policies[1].probabilities) for a in (0, 1)]
    first, second = (evaluate_policy(game, TabularPolicy(game.tree.infosets, each)).value[0] for each in mixed)
    assert found.value[0, 1] == pytest.approx(first, abs=1e-3)
    assert found.value[1, 0] == pytest.approx(second, abs=1e-3)
    assert found.gain(0, 1) == pytest.approx((first - second) / 2.0, abs=1e-3)


def test_interrupted_walks_go_on_and_threads_change_nothing(two, tmp_path):
    whole = flop_values(two)
    walk, kept = FlopWalk(two), Checkpoints(tmp_path, "two")
    walk.advance(Team(), 3)
    kept.save("flops", walk.state())
    resumed = flop_values(two, threads=2, checkpoints=kept)
    assert np.array_equal(resumed.value, whole.value)
    assert np.array_equal(resumed.response, whole.response)
    assert kept.load("flops")["done"][0] == walk.flops
    with pytest.raises(ParameterError, match="Only 3 of"):
        walk.values()


def test_betting_after_the_flop_is_refused(two):
    longer = blueprint(
        NINE_CARDS, "ehs-equal(sizes=all/2/2/1, sample=1000)", 1, menu={"menu": {"bet": "a", "raise": "a"}}
    )
    with pytest.raises(NotApplicableError, match="Betting goes on after the flop"):
        FlopWalk([longer])
    with pytest.raises(NotApplicableError, match="one betting tree"):
        FlopWalk([two[0], longer])
