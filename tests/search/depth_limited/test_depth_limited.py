"""Depth limits: continuations by table and rollout against play itself, and leaves that are solved."""

import random

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import EquilibristError
from equilibrist.core.leaf_values import LeafValues
from equilibrist.experiments.brown.depth_limits.dice_leaves import optimal_below
from equilibrist.experiments.brown.depth_limits.random_iterates import DepthByDepth, states_at_depth
from equilibrist.forms.compiled import compiled
from equilibrist.search.depth_limited.cfr_d import AskedLeaves, OracleLeaves, SolvedLeaves
from equilibrist.search.depth_limited.depth_limited import (
    best_reply,
    draws_below,
    search_to_edge,
    self_generated,
)
from equilibrist.search.depth_limited.multi_valued_states import biased, biased_set, exact_payoffs
from equilibrist.search.engines.public_tree import LayoutEngine
from equilibrist.search.gadget_run import GadgetRun
from equilibrist.search.gadgets import GadgetInputs, Unsafe
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import cfr_settings, search
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import evaluate_public
from random_games import random_policy
from reference.naive_rollouts import rollout_payoffs

LEDUC = compiled("leduc(suits=merged)")
TREE = LEDUC.public_tree
EDGE = draws_below(TREE, 0)


def test_the_edge_of_leduc_is_where_the_card_is_dealt():
    assert {TREE.states[s] for s in EDGE} == {"x:x", "b:c", "x:b:c", "b:r:c", "x:b:r:c"}


def test_table_payoffs_are_those_of_play():
    # the edge replaced by its values is worth what the whole game is worth, for any continuation
    first, second = random_policy(LEDUC.infosets, 1), random_policy(LEDUC.infosets, 2)
    payoffs = exact_payoffs(TREE, EDGE, [first, second], [second])
    blueprint = TreeProfile(TREE, second)
    for n, policy in enumerate((first, second)):
        mixed = np.where(np.repeat(LEDUC.infosets.player == 0, np.diff(LEDUC.infosets.first_slot)), 1.0, 0.0)
        joined = TreeProfile(
            TREE, type(policy)(LEDUC.infosets, np.where(mixed > 0, policy.probabilities, second.probabilities))
        )
        for leaf in EDGE:
            here = joined.at([leaf], 0)
            entries = slice(int(TREE.first_joint[leaf]), int(TREE.first_joint[leaf + 1]))
            reach = blueprint.reach[TREE.joint[entries, 1] + blueprint.layout.base[1]]
            mass = TREE.weight[entries] * reach * payoffs[leaf][n, 0, :, 0]
            cfv = np.bincount(TREE.joint[entries, 0] - TREE.privates(leaf, 0).start, mass)
            assert cfv == pytest.approx(joined.followed[0].value[here])


def test_rollouts_come_to_the_table():
    policy = random_policy(LEDUC.infosets, 5)
    leaf = [TREE.number("x:x")]
    exact = exact_payoffs(TREE, leaf, [policy], [policy])[leaf[0]][0, 0]
    played = rollout_payoffs(TREE, leaf[0], [policy, policy], 2000)
    assert played == pytest.approx(exact, abs=0.5)  # payoffs to 9; nine entries, about five standard errors
    assert played[..., 0] == pytest.approx(-played[..., 1])


def test_rock_paper_scissors_plus():
    # [Brown20, §5.2.1]: with the opponent's three pure continuations player 1 must find 0.4, 0.4, 0.2
    tree = compiled("rps-plus").public_tree
    even = tree.infosets.uniform()
    pure = [even.with_row("column", row.tolist()) for row in np.eye(3)]
    found = search_to_edge(TreeProfile(tree, even), 0, [tree.number("row moved")], 0, pure, iterations=1000)
    assert list(found.policy["row"].values()) == pytest.approx([0.4, 0.4, 0.2], abs=0.01)


@pytest.mark.parametrize("searcher", [0, 1])
def test_self_generated_continuations_come_to_the_value(searcher):
    blueprint = TreeProfile(TREE, eq.solve(LEDUC, "cfr+", iterations=500).policy)
    policies = self_generated(blueprint, 1, EDGE, searcher, 8)
    gets = {}
    for count in (1, 8):
        found = search_to_edge(blueprint, 1, EDGE, searcher, policies[:count], iterations=800)
        gets[count] = evaluate_public(TREE, found.policy).best_response_value[1 - searcher]
    worth = 0.0856064 * (1 if searcher == 0 else -1)  # value of Leduc to player 2
    assert gets[8] - worth < 0.01
    assert gets[1] - worth > 0.05


def test_balanced_choices_and_a_safe_entry_run():
    blueprint = TreeProfile(TREE, eq.solve(LEDUC, "cfr+", iterations=50).policy)
    four = biased_set(blueprint.policy)
    balanced = search_to_edge(blueprint, 1, EDGE, 0, four, four, iterations=200)
    assert np.isfinite(balanced.values).all()
    below = [s for s in EDGE if TREE.states[s].startswith("b")]
    safe = search_to_edge(blueprint, "b", below, 1, [best_reply(blueprint, 0), *four], technique="resolve")
    assert safe.tolerance < 0.05


def test_biased_policies():
    policy = LEDUC.infosets.uniform()
    assert biased(policy, "fold")["K:b"]["f"] == pytest.approx(10 / 12)
    assert biased(policy, "raise", 5.0)["K"]["b"] == pytest.approx(5 / 6)
    with pytest.raises(EquilibristError, match="kind 'bluff'"):
        biased(policy, "bluff")


DICE = compiled("liars-dice(faces=2)").public_tree
LEAVES = states_at_depth(DICE, 1, 2)


def dice_run(asking, iterations, leaves=None):
    blueprint = TreeProfile(DICE, DICE.infosets.uniform())
    subgame = Subgame.of(blueprint, [1], LEAVES)
    door = GadgetInputs(subgame.mass(1), subgame.groups(1), subgame.ranges[1])
    source = leaves or OracleLeaves(SolvedLeaves(DICE, LEAVES, iterations=300), asking)
    engine = LayoutEngine.of(cfr_settings("lcfr(updates=simultaneous)"), subgame, leaves=source)
    GadgetRun(engine, 0, Unsafe(), door, subgame.ranges[0]).advance(iterations)
    return engine.splice(blueprint.policy, engine.average_strategy(), (0, 1))


@pytest.mark.parametrize("asking", ["cfr-d", "cfr-avg"])
def test_solved_leaves_lead_to_an_equilibrium_above_them(asking):
    # [Brown20, Theorem 28]; the value of this game is its own, so both sides are compared
    found = [sum(optimal_below(DICE, dice_run(asking, t), p, LEAVES) for p in (0, 1)) / 2 for t in (4, 100)]
    assert found[1] < 0.02
    assert found[1] < found[0]


def test_asking_through_the_contract_is_the_same():
    oracle = SolvedLeaves(DICE, LEAVES, iterations=300)
    assert isinstance(oracle, LeafValues)
    direct, asked = dice_run("cfr-d", 20), dice_run("cfr-d", 20, AskedLeaves(oracle, LEAVES))
    assert asked.probabilities == pytest.approx(direct.probabilities)


def test_a_search_takes_leaf_values_themselves():
    blueprint, oracle = TreeProfile(DICE, DICE.infosets.uniform()), SolvedLeaves(DICE, LEAVES, iterations=100)
    subgame = Subgame.of(blueprint, [1], LEAVES)
    found = [
        search(subgame, 0, "unsafe", blueprint=blueprint, leaves=leaves, iterations=20)
        for leaves in (oracle, OracleLeaves(oracle, "cfr-d"))
    ]
    assert found[0].policy.probabilities == pytest.approx(found[1].policy.probabilities)


def test_random_iterates_are_policies_and_their_mean_is_no_worse_than_bad():
    tree = compiled("liars-dice(faces=3)").public_tree
    plan = DepthByDepth(tree, 1, iterations=24, leaf_iterations=60)
    one = plan.sample(random.Random(1))
    sums = np.add.reduceat(one.probabilities, tree.infosets.first_slot[:-1])
    assert sums == pytest.approx(np.ones(len(tree.infosets)))
    mean = evaluate_public(tree, plan.mean_of_samples(30)).exploitability
    assert mean < evaluate_public(tree, one).exploitability  # a single iterate may be exploitable, the algorithm is not
    assert mean < 0.25


@pytest.mark.parametrize(
    ("attempt", "says"),
    [
        (lambda: search(Subgame.of(TreeProfile(TREE, LEDUC.infosets.uniform()), [1], EDGE), 0, "unsafe"), "what they are worth"),
        (lambda: search_to_edge(TreeProfile(TREE, LEDUC.infosets.uniform()), 1, EDGE, 0, []), "at least one continuation"),
        (lambda: OracleLeaves(SolvedLeaves(DICE, LEAVES), "cfr"), "asked by"),
    ],
)  # fmt: skip
def test_clear_errors(attempt, says):
    with pytest.raises(EquilibristError, match=says):
        attempt()
