"""A head and workers: the same game as without them, in this process and on a Ray cluster, also when a worker is lost."""

import copy
import importlib.util
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from equilibrist import load_game
from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.recipe import make_recipe
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import all_hands
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker, FittedBuckets
from equilibrist.solvers.blueprint.distributed.run import BATCH, ClusterError, DistributedRun, RayTeam, local_run
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
@pytest.mark.slow
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


class LostError(Exception):
    pass


class LateError(Exception):
    pass


class StandIn:
    """What `RayTeam` uses of Ray: workers are objects, everything that passes is copied, and calls by number end the worker they meet."""

    exceptions = SimpleNamespace(RayActorError=LostError, GetTimeoutError=LateError)

    def __init__(self, loses=(), cores=2, free=99):
        self.loses, self.cores, self.free, self.calls = set(loses), cores, free, 0

    def cluster_resources(self):
        return {"CPU": self.cores}

    def shutdown(self):
        pass

    def remote(self, num_cpus):
        return lambda kind: SimpleNamespace(remote=lambda *given: StandInActor(self, kind(*given)))

    def get(self, answer, timeout=None):
        return answer(timeout)


class StandInActor:
    def __init__(self, ray, worker):
        self.ray, self.worker, self.gone = ray, worker, False
        self.waits = ray.free <= 0
        ray.free -= 1

    def __getattr__(self, name):
        return SimpleNamespace(remote=lambda *given: self.ask(name, copy.deepcopy(given)))

    def ask(self, name, given):
        """As an actor does, in the order of the questions; how it went is known when the answer is asked for."""
        self.ray.calls += 1
        self.gone = self.gone or self.ray.calls in self.ray.loses
        found = None if self.gone or self.waits else copy.deepcopy(getattr(self.worker, name)(*given))

        def answer(timeout):
            if self.waits:
                assert timeout is not None, "this would wait for ever"
                raise LateError
            if self.gone:
                raise LostError
            return found

        return answer


@pytest.fixture
def on_stand_in(game, cards, tmp_path, monkeypatch):
    """A run of two workers on a stand-in for Ray."""
    cards.save(tmp_path / "cards.eqb")
    shares = split(game, 2)

    def make(ray):
        monkeypatch.setattr("equilibrist.solvers.blueprint.distributed.run.require_ray", lambda: None)
        monkeypatch.setattr("equilibrist.solvers.blueprint.distributed.run.connect", lambda address, workers: ray)
        plan = BlueprintPlan(NAME, cards="cards.eqb")
        team = RayTeam("local", plan, str(tmp_path), [share.clusters for share in shares], TRAINING)
        return team, lambda: DistributedRun(game, TRAINING, team, shares, planned=6 * BATCH)

    return make


TRAINING = Training(discounts=3)  # every other block


@pytest.fixture(scope="module")
def uninterrupted(game):
    run = local_run(game, TRAINING, 2, planned=6 * BATCH)
    run.advance(6)
    return run.whole()


@pytest.mark.parametrize(
    ("loses", "saved_at"),
    [((), 3), ((1,), None), ((9, 30), 3), ((12, 13, 14, 15), None), (tuple(range(20, 80, 13)), 3)],
)
def test_a_lost_worker_changes_nothing(on_stand_in, uninterrupted, tmp_path, loses, saved_at):
    """Whenever workers are lost, while they are built, walk, discount, are saved or go back: the same bits in the end."""
    team, make = on_stand_in(StandIn(loses))
    with team:
        run = make()
        for block in range(6):
            if block == saved_at:
                run.save(tmp_path)
            run.advance()
        found = run.whole()
    assert team.lost > 0 if loses else team.lost == 0
    for name in ("regret", "average"):
        assert np.array_equal(found[name], uninterrupted[name]), name


def test_a_worker_lost_while_saving_is_not_written_as_it_began(on_stand_in, uninterrupted, game, tmp_path):
    team, make = on_stand_in(ray := StandIn())
    with team:
        run = make()
        run.advance(3)
        ray.loses = {ray.calls + 2}
        run.save(tmp_path)
        assert team.lost == 1
    again = local_run(game, TRAINING, 2, planned=6 * BATCH)
    again.load(tmp_path)
    again.advance(3)
    assert np.array_equal(again.whole()["regret"], uninterrupted["regret"])


def test_nobody_waits_for_ever_for_a_core(on_stand_in):
    team, make = on_stand_in(StandIn(cores=1))
    with pytest.raises(ClusterError, match="2 workers take a core each, but the cluster has 1"), team:
        pass
    team, make = on_stand_in(StandIn(free=1))
    with team, pytest.raises(ClusterError, match="No core of the cluster became free within .* for worker 2 of 2"):
        make().advance()


def test_workers_that_die_again_and_again_end_the_training_with_a_sentence(on_stand_in):
    team, make = on_stand_in(StandIn(range(1, 10_000)))
    with team, pytest.raises(ClusterError, match="times in a row"):
        make().advance()


def test_a_checkpoint_is_of_one_moment(game, tmp_path):
    """Killed between the files of two checkpoints, the earlier one is read; files of different moments are refused."""
    run = local_run(game, TRAINING, 2, planned=6 * BATCH)
    run.advance(2)
    run.save(tmp_path)
    before, packed = {path: path.read_bytes() for path in tmp_path.iterdir()}, run.packed()
    run.advance(1)
    run.save(tmp_path)
    after = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(after) == 3
    for path in after:
        path.unlink()
    for path, data in (before | {path: data for path, data in after.items() if "share-0" in path.name}).items():
        path.write_bytes(data)  # the first file of the second checkpoint was written
    again = local_run(game, TRAINING, 2, planned=6 * BATCH)
    again.load(tmp_path)
    assert np.array_equal(again.packed(), packed)
    for path, data in before.items():
        if "share-1" in path.name:
            path.write_bytes(next(data for other, data in after.items() if "share-1" in other.name))
            break
    with pytest.raises(FormatError, match="written at another moment"):
        local_run(game, TRAINING, 2, planned=6 * BATCH).load(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra 'cluster' (Ray)")
def test_on_a_cluster_of_two_nodes_also_when_workers_are_lost(game, cards, tmp_path):
    """A real Ray: workers are killed long after the last checkpoint, one of them with kill -9."""
    import ray
    from ray.cluster_utils import Cluster

    cards.save(tmp_path / "cards.eqb")
    plan = BlueprintPlan(NAME, cards="cards.eqb")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    shares = split(game, 2)
    try:
        team = RayTeam(cluster.address, plan, str(tmp_path), [share.clusters for share in shares], TRAINING)
        local = local_run(game, TRAINING, 2, planned=12 * BATCH)
        local.advance(12)
        with team:
            run = DistributedRun(game, TRAINING, team, shares, planned=12 * BATCH)
            run.advance(3)
            ray.kill(team.actors[1])
            run.advance(3)
            run.save(tmp_path)
            run.advance(3)
            ray.kill(team.actors[0])
            ray.kill(team.actors[1])
            run.advance(3)
            assert team.lost == 3
            assert np.array_equal(run.packed(), local.packed())
            for name, table in run.whole().items():
                assert np.array_equal(table, local.whole()[name])
    finally:
        cluster.shutdown()


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra 'cluster' (Ray)")
def test_a_busy_cluster_is_said(game, cards, tmp_path):
    """Both cores are taken by somebody else."""
    import ray

    class Idle:  # inside: what belongs to a test module is unknown to processes of the cluster
        def ready(self):
            pass

    cards.save(tmp_path / "cards.eqb")
    shares = split(game, 2)
    team = RayTeam(
        "local", BlueprintPlan(NAME, cards="cards.eqb"), str(tmp_path), [s.clusters for s in shares], TRAINING
    )
    team.patience = 10.0
    with team:
        taken = ray.remote(num_cpus=2)(Idle).remote()
        ray.get(taken.ready.remote())
        with pytest.raises(ClusterError, match="No core of the cluster became free"):
            DistributedRun(game, TRAINING, team, shares, planned=12 * BATCH).advance()


def strategy_by_node(game, seed):
    """[node] strategies that do not depend on cards, and everybody's own reach."""
    tree, random = game.tree, np.random.default_rng(seed)
    rows = [random.uniform(0.05, 1.0, int(width)) for width in tree.children]
    rows = [row / row.sum() if len(row) else row for row in rows]
    reach = np.ones((len(tree.player), tree.players))
    for node in tree.decisions.tolist():
        for a, p in enumerate(rows[node]):
            child = int(tree.first_child[node]) + a
            reach[child] = reach[node]
            reach[child, tree.player[node]] *= p
    return rows, reach


def firm_regrets(game, first_slot, rows):
    """Regrets so large that walks do not change the strategy."""
    out = np.zeros(int(first_slot[-1]), dtype=np.float32)
    for node in game.tree.decisions.tolist():
        span = slice(int(first_slot[node]), int(first_slot[node + 1]))
        out[span] = np.tile(1e9 * rows[node], (span.stop - span.start) // len(rows[node]))
    return out


def plain_tables(game, blocks):
    """Averages after each of two profiles was held for some time, by one run."""
    run = BlueprintRun(game, Training(weighting="none"), planned=2 * blocks * BLOCK)
    for seed in (1, 2):
        for _ in range(blocks):
            run.regret[:] = firm_regrets(game, game.first_slot, strategy_by_node(game, seed)[0])
            run.advance(1)
    return run.average


def shared_tables(game, blocks):
    """The same by a head and two workers."""
    run = local_run(game, Training(weighting="none"), 2, planned=2 * blocks * BLOCK)
    for seed in (1, 2):
        rows = strategy_by_node(game, seed)[0]
        for _ in range(blocks * BLOCK // BATCH):
            run.regret[:] = firm_regrets(game, game.first_slot, rows)
            for worker in run.team.workers:
                worker.regret[:] = firm_regrets(game, worker.first_slot, rows)
            run.advance(1)
    return run.whole()["average"]


@pytest.mark.parametrize(("how", "blocks"), [(plain_tables, 2), (shared_tables, 1)])
def test_averages_of_three_players_weigh_by_own_reach(cards, how, blocks):
    """Two profiles, equally long: the average is theirs weighted by own reach; if that of others weighed, too, it would be 0.6 off."""
    rules = replace(load_game(NAME).rules, players=3, blinds=(1, 2, 0), first=(2, 0), caps=(2, 1))
    game = AbstractPoker(betting_tree(rules), FittedBuckets(cards))
    profiles, average = [strategy_by_node(game, seed) for seed in (1, 2)], how(game, blocks)
    off = {}
    for node in game.tree.decisions.tolist():
        player, width = int(game.tree.player[node]), int(game.tree.children[node])
        table = average[int(game.first_slot[node]) : int(game.first_slot[node + 1])].reshape(-1, width).sum(axis=0)
        exact = sum(reach[node, player] * rows[node] for rows, reach in profiles)
        off[node] = np.abs(table / max(table.sum(), 1e-9) - exact / exact.sum()).max()
    depth = [len(path(game.tree, node)) for node in off]
    near = [amount for amount, steps in zip(off.values(), depth, strict=True) if steps <= 4]
    assert max(near) < 0.06
    assert np.mean(list(off.values())) < 0.04


def path(tree, node):
    return [] if node == 0 else [*path(tree, int(tree.parent[node])), node]
