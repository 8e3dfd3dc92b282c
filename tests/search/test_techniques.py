"""Search techniques on Coin Toss (known values) and against the linear program on other games."""

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import EquilibristError
from equilibrist.evaluation.verification.search_safety import check_search
from equilibrist.experiments.brown.subgames.gadget_game import GadgetGame
from equilibrist.forms.compiled import compiled
from equilibrist.search.beliefs import Beliefs
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.subgame import Subgame, after_chance
from equilibrist.search.subgame_solving import search
from equilibrist.search.techniques import TECHNIQUES, find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import evaluate_public
from random_games import random_policy

COIN = compiled("coin-toss")
LEDUC = compiled("leduc(suits=merged)")


def coin_blueprint():
    """[Brown20, Figure 5.2]: play with 3/4 (heads) and 1/2 (tails); guess 1/2, 1/4, forfeit 1/4."""
    policy = COIN.public_tree.infosets.uniform()
    policy = policy.with_row("H", [0.25, 0.75]).with_row("T", [0.5, 0.5]).with_row("play", [0.5, 0.25, 0.25])
    return TreeProfile(COIN.public_tree, policy)


# [Brown20, §5.1.2 and §5.1.3]: player 2 in the subgame, and the best player 1 can do in the whole game
COIN_TABLE = {
    "unsafe": ((1.0, 0.0, 0.0), 0.75),
    "maxmargin": ((5 / 8, 3 / 8, 0.0), 0.375),
    "reach-maxmargin": ((0.5, 0.5, 0.0), 0.25),
}


@pytest.mark.parametrize("technique", COIN_TABLE)
def test_coin_toss_by_cfr(technique):
    blueprint = coin_blueprint()
    assert blueprint.evaluate().best_response_value[0] == pytest.approx(0.5)
    result = search(Subgame.of(blueprint, ["play"]), 1, technique, blueprint=blueprint, iterations=4000)
    strategy, best = COIN_TABLE[technique]
    assert list(result.policy["play"].values()) == pytest.approx(strategy, abs=1e-3)
    assert evaluate_public(COIN.public_tree, result.policy).best_response_value[0] == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("technique", COIN_TABLE)
def test_coin_toss_by_linear_program(technique):
    blueprint = coin_blueprint()
    subgame = Subgame.of(blueprint, ["play"])
    door = find_technique(technique).inputs(subgame, 0, blueprint)
    kind = "unsafe" if technique == "unsafe" else "maxmargin"
    found = eq.solve(GadgetGame(subgame, 1, kind, door), "lp").policy["play"]
    assert list(found.values()) == pytest.approx(COIN_TABLE[technique][0], abs=1e-9)


def test_resolve_on_coin_toss_keeps_what_the_blueprint_has():
    blueprint = coin_blueprint()
    result = search(Subgame.of(blueprint, ["play"]), 1, "resolve", blueprint=blueprint, iterations=2000)
    heads, tails, _ = result.policy["play"].values()
    assert heads >= 0.5 - 1e-3
    assert tails >= 0.25 - 1e-3
    assert result.tolerance < 1e-3


@pytest.mark.parametrize("technique", ["resolve", "maxmargin"])
@pytest.mark.parametrize(("game", "heads"), [("coin-toss", 0.25), ("coin-toss(swapped=true)", 0.75)])
def test_true_values_as_estimates_find_the_optimum(technique, game, heads):
    # [Brown20, §5.1]: alternatives (1/2, -1/2), the values of selling, make P(heads) = 1/4; swapped prices flip it
    tree = compiled(game).public_tree
    policy = tree.infosets.uniform()
    subgame = Subgame.of(TreeProfile(tree, policy), ["play"])
    prices = np.array([0.5, -0.5]) if heads < 0.5 else np.array([-0.5, 0.5])
    door = GadgetInputs(subgame.mass(0), subgame.groups(0), subgame.ranges[0], prices)
    result = search(subgame, 1, technique, inputs=door, iterations=4000)
    assert list(result.policy["play"].values()) == pytest.approx([heads, 1 - heads, 0.0], abs=2e-3)
    assert evaluate_public(tree, result.policy).best_response_value[0] == pytest.approx(0.0, abs=2e-3)


def test_gifts_of_two_subgames_are_split():
    # [Brown20, Figure 5.4]: with two subgames each may count the gift of 1/2 once, not twice
    tree = compiled("coin-toss(subgames=2)").public_tree
    policy = tree.infosets.uniform()
    for key in ("play:S1", "play:S2"):
        policy = policy.with_row(key, [0.5, 0.5, 0.0])
    blueprint = TreeProfile(tree, policy)
    subgame = Subgame.of(blueprint, ["play:S1", "play:S2"])
    split = find_technique("reach-maxmargin").inputs(subgame, 0, blueprint)
    unsplit = find_technique("reach-maxmargin-unsplit").inputs(subgame, 0, blueprint)
    assert split.alternative == pytest.approx([0.5, 0.0, 0.5, 0.0])
    assert unsplit.alternative == pytest.approx([1.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize(("technique", "kind"), [("unsafe",) * 2, ("resolve",) * 2, ("maxmargin",) * 2])
@pytest.mark.parametrize("searcher", [0, 1])
def test_the_vector_solver_agrees_with_the_linear_program_on_leduc(technique, kind, searcher):
    blueprint = TreeProfile(LEDUC.public_tree, random_policy(LEDUC.infosets, 7))
    subgame = Subgame.of(blueprint, ["b:c:K"])
    door = find_technique(technique).inputs(subgame, 1 - searcher, blueprint)
    exact = eq.solve(GadgetGame(subgame, searcher, kind, door), "lp").value[1 - searcher]
    result = search(subgame, searcher, technique, blueprint=blueprint, iterations=3000)
    mass = result.mass * (subgame.ranges[1 - searcher] if kind == "unsafe" else 1.0)
    entered = np.maximum(result.values, result.alternative) if kind == "resolve" else result.values
    reached = -result.margin if kind == "maxmargin" else float((entered * mass).sum() / mass.sum())
    assert reached == pytest.approx(exact, abs=2e-3)


def test_subgames_side_by_side_are_those_one_by_one():
    blueprint = TreeProfile(LEDUC.public_tree, random_policy(LEDUC.infosets, 2))
    roots = sorted(after_chance(LEDUC.public_tree))[:4]
    together = search(Subgame.of(blueprint, roots), 1, "maxmargin", blueprint=blueprint, iterations=50)
    for root in roots:
        alone = search(Subgame.of(blueprint, [root]), 1, "maxmargin", blueprint=blueprint, iterations=50)
        inside = [i for i, at in enumerate(LEDUC.infosets.public) if at.startswith(LEDUC.public_tree.states[root])]
        for i in inside:
            assert together.policy.row(i) == pytest.approx(alone.policy.row(i), abs=1e-12)


def test_a_distribution_without_width_is_resolve_and_width_acts_continuously():
    # [Brown20, Theorem 22]
    blueprint = coin_blueprint()
    subgame = Subgame.of(blueprint, ["play"])
    sharp = find_technique("resolve").inputs(subgame, 0, blueprint)
    best = []
    for width in (0.0, 1e-4, 0.2, 0.2001):
        door = GadgetInputs(sharp.mass, sharp.group, sharp.reach, sharp.alternative, np.full(2, width))
        found = search(subgame, 1, "estimate-distributional", inputs=door, iterations=4000)
        best.append(evaluate_public(COIN.public_tree, found.policy).best_response_value[0])
    assert best[0] <= 0.5 + 2e-3
    assert best[0] == pytest.approx(best[1], abs=0.02)
    assert best[2] == pytest.approx(best[3], abs=0.02)


def test_hedge_entry_moves_towards_the_better_side():
    subgame = Subgame.of(coin_blueprint(), ["play"])
    mass, group, reach = subgame.mass(0), subgame.groups(0), subgame.ranges[0]
    door = GadgetInputs(mass, group, reach, np.array([0.0, 0.0]), np.array([0.1, 0.1]))
    gadget = find_technique("estimate-distributional-hedge").gadget.begin(door)
    for t in range(1, 200):
        weights = gadget.entry(np.array([0.5, -0.5]) * mass, mass, door.alternative, t)
    assert weights[0] > 0.95
    assert weights[1] < 0.05


def test_unsafe_search_can_hurt_and_safe_search_does_not():
    reports = {name: check_search(COIN, coin_blueprint().policy, ["play"], name) for name in ("unsafe", "maxmargin")}
    assert reports["unsafe"].rise[1] == pytest.approx(0.25, abs=1e-3)
    assert not reports["unsafe"].safe
    assert reports["maxmargin"].rise[1] == pytest.approx(-0.125, abs=2e-3)
    assert reports["maxmargin"].safe


def test_beliefs_count_cards_and_follow_bayes():
    tree = LEDUC.public_tree
    policy = random_policy(tree.infosets, 1)
    beliefs = Beliefs.of(tree, policy, "b:c")
    joint, probability = tree.belief(tree.number("b:c"), policy)
    assert np.array_equal(beliefs.joint()[0], joint)
    assert beliefs.joint()[1] == pytest.approx(probability)
    assert beliefs.marginal(0).sum() == pytest.approx(1.0)
    here = Beliefs.of(tree, policy, "b")
    assert here.after(policy, "b:c").ranges[1] == pytest.approx(beliefs.ranges[1])


def never_bets():
    policy = LEDUC.public_tree.infosets.uniform()
    for i in LEDUC.infosets.at("", 0):
        policy = policy.with_row(LEDUC.infosets.keys[i], [1.0, 0.0])
    return policy


@pytest.mark.parametrize(
    ("attempt", "says"),
    [
        (lambda: Beliefs.of(LEDUC.public_tree, never_bets(), "b"), "beliefs about player 1 at 'b' sum to zero"),
        (lambda: search(Subgame.of(TreeProfile(LEDUC.public_tree, never_bets()), ["b:c:K"]), 0), "needs the blueprint"),
        (
            lambda: search(Subgame.of(TreeProfile(LEDUC.public_tree, never_bets()), ["b:c:K"]), 0, "unsafe"),
            "beliefs about player 1 at 'b:c:K' sum to zero",
        ),
        (lambda: Subgame.of(coin_blueprint(), ["sell"]), "game is over"),
        (lambda: Subgame.of(coin_blueprint(), ["pay"]), "no public state 'pay'.*'play'"),
        (lambda: Subgame.of(TreeProfile(LEDUC.public_tree, never_bets()), ["b", "b:c:K"]).layout, "below another root"),
        (lambda: search(Subgame.of(coin_blueprint(), ["play"]), 1, "maxmargins"), "no search technique.*'maxmargin'"),
        (lambda: search(Subgame.of(coin_blueprint(), ["play"]), 1, "resolve(scale=2)"), "only Reach techniques"),
        (lambda: search(Subgame.of(coin_blueprint(), ["play"]), 1, "reach-resolve(split=no)"), "only Reach techniques"),
        (lambda: search(Subgame.of(coin_blueprint(), ["play"]), 1, "reach-resolve(scale=-1)"), "zero or more"),
        (lambda: search(Subgame.of(coin_blueprint(), ["play"]), 1, "unsafe", solver="lp"), "CFR family"),
        (lambda: search(Subgame.of(coin_blueprint(), ["play"]), 2, "unsafe"), "player 0 or 1"),
        (lambda: TreeProfile(compiled("kuhn(players=3)").public_tree, None), "two players"),
    ],
)  # fmt: skip
def test_clear_errors(attempt, says):
    with pytest.raises(EquilibristError, match=says):
        attempt()


def test_gifts_are_scaled_by_name():
    half = find_technique("reach-maxmargin(scale=0.5)")
    assert (half.gift_scale, half.split, half.name) == (0.5, True, "reach-maxmargin(scale=0.5)")
    assert half.safe
    assert not find_technique("reach-maxmargin(scale=2)").safe
    assert find_technique(half.name) == half


def test_a_solution_without_abstraction_believes_that_both_follow_it():
    known = TreeProfile(LEDUC.public_tree, LEDUC.public_tree.infosets.uniform())
    found = search(Subgame.of(known, ["b:c:K"]), 0, "estimate-resolve", blueprint=known, iterations=5)
    hands = known.at(found.subgame.roots, 1)
    assert found.alternative == pytest.approx(known.followed[1].value[hands] / known.mass[1][hands])
    assert found.alternative != pytest.approx(known.best[1].value[hands] / known.mass[1][hands])


def test_what_is_called_safe():
    safe = {name for name, technique in TECHNIQUES.items() if technique.safe}
    assert safe == {"resolve", "maxmargin", "reach-resolve", "reach-maxmargin"}
