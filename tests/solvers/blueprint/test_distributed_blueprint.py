"""A head and workers: the same game as without them, in this process and on a Ray cluster, also when a worker is lost."""

import importlib.util

import numpy as np
import pytest

from equilibrist import load_game
from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.recipe import make_recipe
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import all_hands
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker, FittedBuckets
from equilibrist.solvers.blueprint.distributed.run import BATCH, DistributedRun, RayTeam, local_run
from equilibrist.solvers.blueprint.distributed.shares import split
from equilibrist.solvers.blueprint.plan import EXACT, BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.training import Training

NAME = "flop-holdem(ranks=6,suits=2)"


@pytest.fixture(scope="module")
def cards():
    return build_abstraction(make_recipe("ehs-equal", "12/32", streets=Streets(Deck(6, 2), (2, 3)), public=4))


@pytest.fixture(scope="module")
def game(cards):
    return AbstractPoker(betting_tree(load_game(NAME).rules), FittedBuckets(cards))


def first_round(game, tables):
    """[bucket, action] at the first decision."""
    width = int(game.tree.children[0])
    rows = tables[: int(game.first_slot[1])].reshape(-1, width)
    return rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-9)


def test_shares_hold_all_flops_once_and_weigh_them(game):
    shares = split(game, 3)
    together = np.concatenate([share.flops for share in shares])
    assert len(np.unique(together, axis=0)) == len(together) == 220  # C(12, 3)
    known = all_hands(game.rules.deck, 4)[::7].astype(np.int8)
    free = sum(share.compatible(known) for share in shares)
    assert free.tolist() == [56] * len(known)  # C(8, 3)
    for share in shares:
        for row in known[:5]:
            assert share.compatible(row[None])[0] == (~np.isin(share.flops, row).any(axis=1)).sum()


@pytest.mark.parametrize("workers", [1, 3])
def test_a_head_and_workers_learn_what_one_run_learns(game, workers):
    plain = BlueprintRun(game, Training(), planned=30 * BLOCK)
    plain.advance(30)
    run = local_run(game, Training(), workers, planned=120 * BATCH)
    run.advance(120)
    tables = run.whole()
    gap = np.abs(first_round(game, plain.average) - first_round(game, tables["average"]))
    assert gap.mean() < 0.12  # two noisy runs of different length; unrelated strategies differ by 0.4 and more
    later = game.tree.round[game.tree.decisions] == 1
    assert later.any()
    spans = [slice(int(game.first_slot[n]), int(game.first_slot[n + 1])) for n in game.tree.decisions[later].tolist()]
    touched = sum(np.count_nonzero(tables["regret"][span]) for span in spans)
    assert touched > 0.5 * sum(span.stop - span.start for span in spans)


def test_a_run_is_saved_and_goes_on_as_if_nothing_had_been(game, tmp_path):
    whole = local_run(game, Training(), 2, planned=12 * BATCH)
    whole.advance(12)
    cut = local_run(game, Training(), 2, planned=12 * BATCH)
    cut.advance(5)
    cut.save(tmp_path)
    again = local_run(game, Training(), 2, planned=12 * BATCH)
    again.load(tmp_path)
    again.advance(7)
    assert np.array_equal(whole.packed(), again.packed())
    with pytest.raises(ParameterError, match="2 workers"):
        local_run(game, Training(), 3, planned=12 * BATCH).load(tmp_path)


def test_what_cannot_be_shared_is_refused(game):
    with pytest.raises(ParameterError, match="1 to 4 workers"):
        split(game, 9)
    plan = BlueprintPlan("leduc", cards=EXACT)
    with pytest.raises(NotApplicableError, match="public flop"):
        split(plan.game(), 2)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra 'cluster' (Ray)")
def test_on_a_cluster_of_two_nodes_also_when_a_worker_is_lost(game, cards, tmp_path):
    import ray
    from ray.cluster_utils import Cluster

    cards.save(tmp_path / "cards.eqb")
    plan = BlueprintPlan(NAME, cards="cards.eqb")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    shares = split(game, 2)
    try:
        team = RayTeam(cluster.address, plan, str(tmp_path), [share.clusters for share in shares], Training())
        with team:
            run = DistributedRun(game, Training(), team, shares, planned=12 * BATCH)
            local = local_run(game, Training(), 2, planned=12 * BATCH)
            run.advance(6)
            local.advance(6)
            assert np.array_equal(run.packed(), local.packed())
            ray.kill(team.actors[1])
            run.advance(6)
            local.advance(6)
            assert team.lost == 1
            assert np.array_equal(run.packed(), local.packed())  # its checkpoint was fresh, so nothing was lost
    finally:
        cluster.shutdown()
