"""Blueprints that read real bets in their own trees, against exact best responses and values where there are any."""

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.abstraction.bets.coupled_tree import LOST, couple
from equilibrist.abstraction.bets.translated_policy import TranslatedPolicy
from equilibrist.abstraction.bets.translation import find_mapping
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.lu.cross_table import cross_table
from equilibrist.forms.betting_tree.betting_tree import DECISION, RAISED, betting_tree
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_menus import asymmetric, menu_of, with_menus
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.blueprint.abstract_poker import lift
from equilibrist.solvers.blueprint.plan import EXACT, BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.blueprint.values.one_sided_cfr import (
    DealBlocks,
    learn_against,
    learned_exploitability,
    make_reader,
)
from equilibrist.solvers.responses.best_response import best_response, counterfactual_values, evaluate_policy

SOFT = find_mapping("soft-geometric")
MENUS = {1: [1.0], 2: [0.5, 1.0], 4: [0.5, 1.0, 1.5, 2.0]}


def tree_of(first, second):
    base = load_game("nolimit-leduc(stack=20)")
    rules = replace(base.rules, raise_at_least_last=True)
    return betting_tree(with_menus(rules, asymmetric(*(menu_of([*MENUS[k], "a"], lift=True) for k in (first, second)))))


def test_a_tree_coupled_with_itself_is_that_tree():
    tree = tree_of(2, 2)
    for seat in (0, 1):
        pairs = couple(tree, tree, seat, SOFT)
        inner = tree.kind[pairs.real] == DECISION
        assert len(pairs) == len(tree)
        own = inner & (tree.player[pairs.real] == seat)
        assert np.array_equal(pairs.model[own], pairs.real[own])


@pytest.mark.parametrize("seat", [0, 1])
def test_bets_are_read_by_chance_and_played_as_they_are(seat):
    real, model = tree_of(4, 4), tree_of(*((1, 2) if seat == 0 else (2, 1)))
    pairs = couple(real, model, seat, SOFT)
    for m in range(len(pairs)):
        n, first, width = int(pairs.real[m]), int(pairs.first_edge[m]), int(pairs.width[m])
        if real.kind[n] != DECISION:
            assert width == 0
        elif real.player[n] == seat:
            assert width == (1 if pairs.model[m] == LOST else model.children[pairs.model[m]])
            assert np.array_equal(
                pairs.real[pairs.child[first : first + width]],
                real.first_child[n] + pairs.action[first : first + width],
            )
        else:
            assert width == real.children[n]
            assert pairs.chance[first : first + 2 * width].reshape(-1, 2).sum(axis=1) == pytest.approx(np.ones(width))
    met = pairs.model != LOST
    assert np.array_equal(real.player[pairs.real[met]], model.player[pairs.model[met]])
    assert np.array_equal(real.round[pairs.real[met]], model.round[pairs.model[met]])
    assert met.sum() > 20


def test_a_bet_between_two_sizes_is_read_as_either():
    """One and a half pots between one pot and all-in: the soft geometric share ([Lu16, §3.3.4]), A(B-x) / (A(B-x) + x(x-A))."""
    real, model = tree_of(4, 4), tree_of(1, 1)
    pairs = couple(real, model, 1, SOFT)
    raises = [a for a in range(int(real.children[0])) if real.step[real.first_child[0] + a] == RAISED]
    sizes = [float(real.paid[real.first_child[0] + a].max() - 1.0) / 2.0 for a in raises]  # in pots of 2 chips
    place = raises[sizes.index(1.5)]
    largest = float(model.paid[model.first_child[0] : model.first_child[0] + model.children[0]].max() - 1.0) / 2.0
    share = (largest - 1.5) / ((largest - 1.5) + 1.5 * 0.5)
    assert pairs.chance[pairs.first_edge[0] + 2 * place] == pytest.approx(share, abs=1e-6)


@pytest.fixture(scope="module")
def leduc():
    """The table, a strategy that plays evenly and one that is trained a little, with their policies."""
    plan = BlueprintPlan("leduc", cards=EXACT)
    game, infosets = plan.game(), compiled("leduc").tree.infosets
    even = PokerBlueprint(plan, game, BlueprintRun(game, Training(), planned=BLOCK).packed())
    run = BlueprintRun(game, Training(seed=1), planned=20 * BLOCK)
    run.advance(20)
    able = PokerBlueprint(plan, game, run.packed())
    return (
        DealBlocks(game, seed=3),
        {"even": even, "able": able},
        {n: lift(game, infosets, b.packed) for n, b in (("even", even), ("able", able))},
    )


@pytest.mark.slow
def test_a_learner_wins_what_a_best_response_wins(leduc):
    table, blueprints, policies = leduc
    for seat in (0, 1):
        reader = make_reader(table.game, blueprints["even"], seat, SOFT)
        found = learn_against(table, reader, 60 * BLOCK, 60 * BLOCK)
        exact = best_response(compiled("leduc"), policies["even"], 1 - seat).value
        assert exact - 0.12 < found.value < exact + 4 * found.error


def test_matches_come_out_as_values_say(leduc):
    table, blueprints, policies = leduc
    players = {n: tuple(make_reader(table.game, b, seat, SOFT) for seat in (0, 1)) for n, b in blueprints.items()}
    found = cross_table(table, players, 60 * BLOCK)
    game = compiled("leduc")
    owner = np.repeat(game.infosets.player, np.diff(game.infosets.first_slot))
    exact = 0.0
    for seat in (0, 1):
        mixed = np.where(owner == seat, policies["able"].probabilities, policies["even"].probabilities)
        exact += 0.5 * counterfactual_values(game, TabularPolicy(game.infosets, mixed), seat).value
    assert found.names == ("even", "able")
    assert found.value[1, 0] == pytest.approx(exact, abs=4 * found.error[1, 0])
    assert found.value[0, 1] == -found.value[1, 0]
    assert found.error[0, 1] < 0.02


def test_learners_in_both_seats_bound_the_exploitability(leduc):
    _, blueprints, policies = leduc
    found = learned_exploitability(blueprints["even"], 60 * BLOCK, 60 * BLOCK)
    exact = evaluate_policy(compiled("leduc"), policies["even"]).exploitability
    assert exact - 0.12 < found.value < exact + 4 * found.error
    with pytest.raises(ParameterError, match="at least 1 deal"):
        learned_exploitability(blueprints["even"], 0, 10)


def test_a_learner_with_more_bets_wins_more():
    plan = BlueprintPlan("nolimit-leduc(stack=12,suits=2)", {"menu": {"bet": "a"}}, EXACT)
    run = BlueprintRun(plan.game(), Training(seed=1), planned=20 * BLOCK)
    run.advance(20)
    blueprint = PokerBlueprint(plan, run.game, run.packed())
    few, many = (learned_exploitability(blueprint, 20 * BLOCK, 20 * BLOCK, bets=b) for b in ("", "50%, 100%, a"))
    assert many.value > few.value + 3 * (few.error + many.error)


def test_other_buckets_are_refused(leduc):
    table, blueprints, _ = leduc
    with pytest.raises(NotApplicableError):
        make_reader(table.game, blueprints["able"].purified(), 0, SOFT)


@pytest.mark.parametrize(
    ("real", "own"),
    [
        pytest.param("50%, 75%, 100%, a", "100%, a", marks=pytest.mark.slow),
        ("30%, 100%, a", "50%"),  # runs out of raises
    ],
)
@pytest.mark.slow
def test_bets_between_sizes_are_read_as_the_exact_translation_reads_them(real, own):
    """A strategy with fewer bet sizes than the table: the same value by play and by weighted states of both trees."""
    table_plan, own_plan = (
        BlueprintPlan("nolimit-leduc(stack=12,suits=2)", {"menu": {"bet": text}}, EXACT) for text in (real, own)
    )
    table_game, model = Poker("real", table_plan.rules), Poker("model", own_plan.rules)
    game, infosets = Compiled(table_game), compiled(model).tree.infosets
    run = BlueprintRun(own_plan.game(), Training(seed=1), planned=20 * BLOCK)
    run.advance(20)
    blueprint = PokerBlueprint(own_plan, run.game, run.packed())
    translated = TranslatedPolicy(table_game, model, lift(run.game, infosets, blueprint.packed), SOFT, all_in="call")
    table = DealBlocks(table_plan.game(), seed=5)
    even = PokerBlueprint(table_plan, table.game, BlueprintRun(table.game, Training(), planned=BLOCK).packed())
    evenly = lift(table.game, game.infosets, even.packed)
    players = {
        n: tuple(make_reader(table.game, b, seat, SOFT) for seat in (0, 1))
        for n, b in (("one", blueprint), ("even", even))
    }
    found = cross_table(table, players, 80 * BLOCK)
    owner = np.repeat(game.infosets.player, np.diff(game.infosets.first_slot))
    exact = 0.0
    for seat in (0, 1):
        read = translated.tabular(game.infosets, (seat,)).probabilities
        mixed = np.where(owner == seat, read, evenly.probabilities)
        exact += 0.5 * counterfactual_values(game, TabularPolicy(game.infosets, mixed), seat).value
    assert found.value[0, 1] == pytest.approx(exact, abs=4 * found.error[0, 1])
    assert found.error[0, 1] < 0.03
