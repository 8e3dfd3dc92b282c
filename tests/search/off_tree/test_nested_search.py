"""Answers to off-tree actions: safety is handed on, and translation is what the formula says."""

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import EquilibristError
from equilibrist.forms.compiled import compiled
from equilibrist.search.off_tree.nested_search import (
    NestedSearch,
    answer_expensive,
    answer_inexpensive,
    carry,
    child_of,
    extend,
)
from equilibrist.search.off_tree.translated import pseudo_harmonic, translate_lines
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import evaluate_public

GAME = compiled("nolimit-leduc(stack=12,sizes=[1])")
SAFE = ("resolve", "maxmargin", "reach-resolve", "reach-maxmargin")


def blueprint(iterations=20):
    return TreeProfile(GAME.public_tree, eq.solve(GAME, "cfr+", iterations=iterations).policy)


@pytest.mark.parametrize("technique", SAFE)
@pytest.mark.parametrize("rough", [3, 20, 200])
def test_an_off_tree_bet_gains_no_more_than_the_solver_says(technique, rough):
    known = blueprint(rough)
    extended = extend(known, "", "60%")
    root = child_of(extended.tree, extended.tree.number(""), "b1.2")
    found = answer_inexpensive(known, extended, root, technique, iterations=400)
    before = known.evaluate().best_response_value[0]
    after = evaluate_public(extended.tree, found.blueprint.policy).best_response_value[0]
    unanswered = evaluate_public(extended.tree, extended.policy).best_response_value[0]
    assert after <= before + found.solution.tolerance + 1e-9
    assert unanswered > before + 0.1  # without an answer the bet is worth something: the check can fail


def test_a_hand_with_two_off_tree_bets_keeps_every_value():
    play = NestedSearch(blueprint(), 1, "maxmargin", iterations=600)
    play.deal("")
    play.act("60%")
    assert play.public_state == "b1.2"
    assert play.strategy().shape == (3, 3)
    play.act("c")
    play.deal("b1.2:c:K")
    before = play.blueprint
    played = before.policy.at("b1.2", 1)
    play.act("40%")
    assert play.public_state == "b1.2:c:K:b1.76"
    assert play.blueprint.policy.at("b1.2", 1) == pytest.approx(played)  # what was played is not changed
    here, then = (b.at([b.tree.number("b1.2:c:K")], 0) for b in (play.blueprint, before))
    gained = np.maximum(play.blueprint.best[0].value[here] - before.best[0].value[then], 0.0).sum()
    assert gained <= play.solutions[-1].tolerance + 1e-9
    assert len(play.solutions) == 2


def test_solving_again_after_a_card():
    play = NestedSearch(blueprint(), 1, "reach-maxmargin")
    play.deal("")
    play.act("b2")
    play.act("c")
    play.deal("b2:c:K")
    play.solve_here()
    assert play.solutions[-1].margin > -1e-3


def test_the_expensive_way_takes_any_technique():
    known = blueprint(100)
    extended = extend(known, "", "60%")
    root = child_of(extended.tree, extended.tree.number(""), "b1.2")
    found = answer_expensive(known, extended, root, "unsafe", iterations=400)
    best = evaluate_public(extended.tree, found.blueprint.policy).best_response_value[0]
    assert best < evaluate_public(extended.tree, extended.policy).best_response_value[0]
    with pytest.raises(EquilibristError, match="cannot answer an off-tree action"):
        answer_inexpensive(known, extended, root, "unsafe")


def test_carried_policies_are_the_same_where_nothing_is_new():
    known = blueprint()
    extended = extend(known, "x", "60%")
    assert extended.policy["K:x"]["b1.2"] == 0.0
    assert extended.policy["K:x"]["x"] == pytest.approx(known.policy["K:x"]["x"])
    assert carry(known.policy, known.policy.infosets).probabilities == pytest.approx(known.policy.probabilities)


def test_translation_is_a_draw_per_hand():
    # [Ganzfried15, §7.5]: half way at (A + B + 2AB) / (A + B + 2)
    assert pseudo_harmonic(0.5, 5 / 7, 1.0) == pytest.approx(0.5)
    known = TreeProfile(compiled("continuous-leduc(sizes=[0.5,0.75,1])").public_tree, _solved())
    tree = known.tree
    low, middle, high = (tree.number(s) for s in ("b1", "b1.5", "b2"))
    share = pseudo_harmonic(0.5, 0.75, 1.0)
    mixed = translate_lines(tree, known.policy, 1, [middle], [([low], share), ([high], 1 - share)])
    expected = share * known.policy.at("b1", 1) + (1 - share) * known.policy.at("b2", 1)
    assert mixed.at("b1.5", 1) == pytest.approx(expected)
    assert mixed.at("b1", 1) == pytest.approx(known.policy.at("b1", 1))


def _solved():
    game = compiled("continuous-leduc(sizes=[0.5,0.75,1])")
    return eq.solve(game, "cfr+", iterations=5).policy


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ("2%", "below the minimum raise of 1 chips"),
        ("100%", "in the tree already"),
        ("seven", "The bet size .* cannot be read"),
    ],
)
def test_bad_off_tree_actions(action, says):
    with pytest.raises(EquilibristError, match=says):
        extend(blueprint(1), "", action)


def test_bad_moves():
    play = NestedSearch(blueprint(1), 0)
    with pytest.raises(EquilibristError, match="does not follow"):
        play.deal("x")
    play.deal("")
    with pytest.raises(EquilibristError, match="searcher acts from its own strategy"):
        play.act("60%")
    with pytest.raises(EquilibristError, match="Nobody acts"):
        NestedSearch(blueprint(1), 0).act("x")
