"""One finer game with actions hidden: the same as smaller games, and the same answers as those found one by one."""

import pytest

import equilibrist as eq
from equilibrist.core.errors import EquilibristError
from equilibrist.experiments.brown.subgames.bl26 import known_blueprint
from equilibrist.experiments.brown.subgames.nested_everywhere import opponents_get, size_missing
from equilibrist.forms.compiled import compiled
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.games.poker.game import Poker
from equilibrist.search.depth_limited.depth_limited import best_reply
from equilibrist.search.off_tree.nested_search import NestedSearch, carry
from equilibrist.search.off_tree.off_tree import (
    OffTree,
    answer_everywhere,
    answer_everywhere_expensively,
    translate_everywhere,
)
from equilibrist.search.off_tree.translated import pseudo_harmonic, translate_lines
from equilibrist.search.tree_profile import TreeProfile

SMALL = compiled("continuous-leduc(sizes=[0.5,1])")
FINER = compiled("continuous-leduc(sizes=[0.5,0.75,1])")
TREE = FINER.public_tree
assert isinstance(FINER.game, Poker)
OFF_TREE = OffTree.where(TREE, size_missing(FINER.game, 0.75))


def known(iterations=30):
    policy = OFF_TREE.known_part(carry(eq.solve(SMALL, "cfr+", iterations=iterations).policy, TREE.infosets))
    return TreeProfile(TREE, policy, hidden=OFF_TREE.after)


def test_a_game_with_hidden_actions_is_the_smaller_game():
    one, other = known(), TreeProfile(SMALL.public_tree, eq.solve(SMALL, "cfr+", iterations=30).policy)
    assert one.layout.slots == other.layout.slots
    assert one.evaluate().value == pytest.approx(other.evaluate().value, abs=1e-12)
    assert one.evaluate().best_response_value == pytest.approx(other.evaluate().best_response_value, abs=1e-12)
    response = best_reply(one, 0)
    assert TreeProfile(TREE, response, hidden=OFF_TREE.after).evaluate().value[0] == pytest.approx(
        one.evaluate().best_response_value[0], abs=1e-12
    )
    learned = known_blueprint(OFF_TREE, 30)
    assert learned.evaluate().exploitability == pytest.approx(other.evaluate().exploitability, abs=1e-9)


def test_levels_are_counted_by_the_opponents_actions():
    assert OFF_TREE.levels(1) >= 2
    assert TREE.number("b1.5") in OFF_TREE.roots(1, 1)
    assert TREE.number("b1.5") not in OFF_TREE.roots(0, 1)
    assert not set(OFF_TREE.roots(1, 1)) & set(OFF_TREE.hidden(1, 1))
    assert set(OFF_TREE.hidden(1, 0)) == set(OFF_TREE.after)


@pytest.mark.parametrize("technique", ["resolve", "maxmargin"])
def test_answers_side_by_side_are_those_of_one_hand_played_out(technique):
    """The smaller game is compiled again for each new bet there, and restricted here: two ways to the same strategies.

    Only for some iterations: regrets near zero blow differences of the last digit up, by 60 iterations to 0.01.
    """
    start = TreeProfile(SMALL.public_tree, eq.solve(SMALL, "cfr+", iterations=30).policy)
    hand = NestedSearch(start, 1, technique, iterations=20)
    everywhere = answer_everywhere(OFF_TREE, known().policy, 1, technique, iterations=20)
    hand.deal("")
    hand.act("75%")
    assert everywhere.at("b1.5", 1)[:, :2] == pytest.approx(hand.strategy()[:, :2], abs=1e-9)
    hand.act("c")
    hand.deal("b1.5:c:K")
    (size,) = [a for a in FINER.game.node_at("b1.5:c").labels if abs(_share("b1.5:c", a) - 0.75) < 1e-9]
    hand.act("75%")
    line = f"b1.5:c:K:{size}"
    assert hand.public_state == line
    known_actions = [
        i for i, a in enumerate(TREE.infosets.actions[TREE.infosets.at(line, 1)[0]]) if _share(line, a) != 0.75
    ]
    assert everywhere.at(line, 1)[:, known_actions] == pytest.approx(hand.strategy(), abs=1e-9)


def _share(state, action):
    node = FINER.game.node_at(state)
    return node.shares[node.labels.index(action)]


def test_answers_are_better_than_none_and_than_translation():
    blueprint = known(300)
    low = pseudo_harmonic(0.5, 0.75, 1.0)
    ignored = opponents_get(OFF_TREE, lambda p: blueprint.policy)
    translated = opponents_get(OFF_TREE, lambda p: translate_everywhere(OFF_TREE, blueprint.policy, p, (low, 1 - low)))
    searched = opponents_get(OFF_TREE, lambda p: answer_everywhere(OFF_TREE, blueprint.policy, p, "resolve"))
    assert searched < translated < ignored
    assert (
        searched >= 1000 * blueprint.evaluate().exploitability - 1e-6
    )  # the finer game has every response of the smaller


def test_translation_side_by_side_is_that_of_single_lines():
    blueprint, low = known(), pseudo_harmonic(0.5, 0.75, 1.0)
    everywhere = translate_everywhere(OFF_TREE, blueprint.policy, 1, (low, 1 - low))
    below, middle, above = (TREE.number(s) for s in ("b1", "b1.5", "b2"))
    one = translate_lines(TREE, blueprint.policy, 1, [middle], [([below], low), ([above], 1 - low)])
    assert everywhere.at("b1.5", 1) == pytest.approx(one.at("b1.5", 1))
    assert everywhere.at("b1", 1) == pytest.approx(blueprint.policy.at("b1", 1))


def test_expensive_answers_change_nothing_that_was_known():
    blueprint = known(100)
    answered = answer_everywhere_expensively(OFF_TREE, blueprint.policy, 1, "unsafe", iterations=60)
    inside = lay_out(TREE, hidden=OFF_TREE.after).slot
    assert answered.probabilities[inside] == pytest.approx(blueprint.policy.probabilities[inside], abs=1e-12)
    assert answered.at("b1.5", 1) != pytest.approx(blueprint.policy.at("b1.5", 1))


def test_bad_requests():
    with pytest.raises(EquilibristError, match="All actions"):
        lay_out(TREE, hidden=[s for s in range(len(TREE.states)) if TREE.parent[s] == 1])
    with pytest.raises(EquilibristError, match="no neighbour"):
        translate_everywhere(OffTree(TREE, (TREE.number("b2"),)), known().policy, 1, (0.5, 0.5))
