"""Boards of whole games searched again, against the public tree of the same game, which shares neither boards nor kernels with them."""

from functools import cache

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import EquilibristError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.boards.street_betting import DEAL, IP
from equilibrist.forms.compiled import compiled
from equilibrist.search.alternatives import upper_bounds
from equilibrist.search.depth_limited.depth_limited import draws_below
from equilibrist.search.depth_limited.multi_valued_states import biased_set, exact_payoffs
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.board_subgame import BoardProfile, BoardSubgame
from equilibrist.search.engines.games import search_board, search_game
from equilibrist.search.engines.nested_boards import NestedBoards
from equilibrist.search.off_tree.nested_search import NestedSearch, answer_inexpensive, child_of, extend
from equilibrist.search.reach import gifts
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import search
from equilibrist.search.techniques import TECHNIQUES, find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy

GAME = "nolimit-leduc(stack=6,sizes=[0.5,1],suits=2)"
LINES = ("", "x", "x:b1", "x:x:Jc", "b1:c:Qc", "x:x:Jc:x:b1:r5", "x:b1:c:Qc:x:b2:r4")


@cache
def solution():
    return eq.solve(GAME, "dcfr(on=boards)", iterations=15)


@cache
def tree():
    return TreeProfile(compiled(GAME).public_tree, solution().tabular())


def hand_rows(subgame, state, player):
    """For each hand of a board subgame its infostate at the public state of the tree."""
    layout, keys = tree().layout, tree().tree.private[player].keys
    found = {keys[int(k) - layout.own(player).start].split(":")[0]: n for n, k in enumerate(tree().at([state], player))}
    deal = subgame.deal
    return [found[deal.deck.label(int(deal.hands[hand][0]))] for hand in subgame.hands(player)]


def subgame_at(line):
    policy = solution().policy
    place = policy.find(line)
    return BoardSubgame.of(BoardProfile(policy.run, policy.forests), place.path, (place.node,))


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("opponent", [0, 1])
def test_ranges_values_and_gifts_are_those_of_the_tree(line, opponent):
    state = tree().tree.number(line)
    subgame, hands = subgame_at(line), tree().at([state], opponent)
    rows = hand_rows(subgame, state, opponent)
    plain = Subgame.of(tree(), [state])
    inputs = subgame.inputs(find_technique("maxmargin"), opponent)
    assert subgame.ranges(opponent)[0] == pytest.approx(plain.ranges[opponent][rows], abs=1e-5)
    mass = plain.mass(opponent)[rows]
    assert inputs.mass / inputs.mass.sum() == pytest.approx(mass / mass.sum(), abs=1e-5)
    assert inputs.alternative == pytest.approx(upper_bounds(tree(), hands, opponent)[rows], abs=1e-4)
    for split in (True, False):
        ours = subgame.blueprint.gifts(subgame.path, subgame.nodes[0], opponent, split=split)[subgame._order[opponent]]
        assert ours == pytest.approx(gifts(tree(), hands, opponent, split=split)[rows], abs=1e-4)


def test_gifts_are_not_all_zero():
    assert (
        max(
            subgame_at(line).blueprint.gifts(subgame_at(line).path, subgame_at(line).nodes[0], p).max()
            for line in LINES
            for p in range(2)
        )
        > 0.05
    )


@pytest.mark.parametrize("name", [name for name in TECHNIQUES if "estimate" not in name])
@pytest.mark.parametrize(
    ("line", "searcher"), [("x:x:Jc", 0), ("b1:c:Qc", 0), ("x:b1", 0), ("x", 1), ("x:b1:c:Qc:x:b2:r4", 1)]
)
@pytest.mark.sampled(5)
def test_every_technique_finds_what_the_tree_finds(name, line, searcher):
    state = tree().tree.number(line)
    plain = search(Subgame.of(tree(), [state]), searcher, name, blueprint=tree(), solver="cfr+", iterations=1500)
    found = search_board(subgame_at(line), searcher, name, solver="cfr+", stop=Stop(iterations=1500))
    assert found.exploitability < 0.01
    if "maxmargin" in name:
        assert found.margin == pytest.approx(plain.margin, abs=5e-3)
    if found.technique.safe:
        assert found.tolerance == pytest.approx(plain.tolerance, abs=2e-3)
    else:
        assert np.isnan(found.tolerance)


@pytest.mark.parametrize("name", [name for name in TECHNIQUES if "estimate" in name])
def test_estimates_are_what_both_get_by_following_the_solution(name):
    subgame = subgame_at("x:x:Jc")
    inputs = subgame.inputs(find_technique("estimate-resolve"), 1)
    state = tree().tree.number("x:x:Jc")
    rows, hands = hand_rows(subgame, state, 1), tree().at([state], 1)
    followed = tree().followed[1].value[hands] / tree().mass[1][hands]
    assert inputs.alternative == pytest.approx(followed[rows], abs=1e-4)
    found = search_board(subgame, 0, name, stop=Stop(iterations=300))
    assert 0.0 <= found.exploitability < 0.05


def test_several_lines_side_by_side_are_several_searches():
    policy = solution().policy
    blueprint = BoardProfile(policy.run, policy.forests)
    path = policy.find("x:x:Jc").path
    forest = policy.forests[1]
    nodes = tuple(n for n in range(forest.roots) if forest.kind[n] <= IP)
    assert len(nodes) > 2
    together = search_board(BoardSubgame.of(blueprint, path, nodes), 0, "maxmargin", stop=Stop(iterations=800))
    values = together.values.reshape(len(nodes), -1)
    for number in (0, len(nodes) - 1):
        alone = search_board(
            BoardSubgame.of(blueprint, path, (nodes[number],)), 0, "maxmargin", stop=Stop(iterations=800)
        )
        assert values[number] == pytest.approx(alone.values, abs=1e-3)


def test_a_bet_that_the_solution_does_not_know_is_answered_as_on_the_tree():
    extended = extend(tree(), "x:x:Jc:x", "75%")
    state = extended.tree.number("x:x:Jc:x")
    label = next(iter(set(label_of(extended, state)) - set(label_of(tree(), tree().tree.number("x:x:Jc:x")))))
    root = child_of(extended.tree, state, label)
    plain = answer_inexpensive(tree(), extended, root, "reach-maxmargin", iterations=1500).solution
    found = search_game(
        solution().policy, "x:x:Jc:x", "reach-maxmargin", bet="75%", solver="cfr+", stop=Stop(iterations=1500)
    )
    assert found.line == f"x:x:Jc:x:{label}"
    assert found.found.searcher == 0
    assert found.found.margin == pytest.approx(plain.margin, abs=5e-3)
    with pytest.raises(EquilibristError, match="with which hands"):
        search_game(solution().policy, "x:x:Jc:x", "unsafe", bet="75%")
    with pytest.raises(EquilibristError, match="itself acts"):
        search_game(solution().policy, "x:x:Jc:x", bet="75%", searcher=1)


def label_of(blueprint, state):
    from equilibrist.search.off_tree.nested_search import actions_at

    return actions_at(blueprint.tree, state)


def test_searches_nest():
    """What was found is the blueprint of the next search, with the ranges that get there."""
    found = search_game(solution().policy, "b1:c:Qc", "maxmargin", stop=Stop(iterations=600)).found
    below = found.subgame.below[0]
    node = below.child(0, "x")
    again = search_board(BoardSubgame.of(found.blueprint, (), (node,)), 0, "maxmargin", stop=Stop(iterations=600))
    held = found.subgame.ranges(0)[0] * found.strategy()[:, below.labels(0).index("x")]
    assert again.subgame.ranges(0)[0] == pytest.approx(held, abs=1e-5)
    assert again.margin >= -2.0 * again.exploitability - 1e-4


def test_bets_inside_answers_to_bets_are_answered_as_on_the_tree():
    """Two bets that the solution does not know, before and after a card: each answer begins from the one before."""
    game = "nolimit-leduc(stack=12,sizes=[1],suits=2)"
    solved = eq.solve(game, "dcfr(on=boards)", iterations=30)
    known = TreeProfile(compiled(game).public_tree, solved.tabular())
    by_tree = NestedSearch(known, 1, "maxmargin", solver="dcfr", iterations=400)
    by_tree.follow("50%:c:Qc:50%")
    hand = NestedBoards(solved.policy, 1, "maxmargin", solver="dcfr", stop=Stop(iterations=400))
    hand.follow("50%:c:Qc:50%")
    assert hand.line == by_tree.public_state
    assert len(hand.searches) == len(by_tree.solutions) == 2
    for ours, theirs in zip(hand.searches, by_tree.solutions, strict=True):
        assert ours.margin == pytest.approx(theirs.margin, abs=0.02)
        assert ours.exploitability < 0.05
    first = hand.searches[0]
    assert hand.searches[1].subgame.blueprint.run is first.run
    # what is stated is counted in chips of the whole game: the second card is one of five, or of four that a hand can see
    dealt = hand.searches[1].subgame.blueprint.dealt(hand.searches[1].subgame.path, 0)
    assert dealt[dealt > 0] == pytest.approx(1.0 / 6 / 5 / 4)


def test_what_the_searcher_does_not_know_it_does_not_play():
    hand = NestedBoards(solution().policy, 0, "resolve", stop=Stop(iterations=1))
    with pytest.raises(EquilibristError, match="acts from its own strategy"):
        hand.follow("75%")
    hand = NestedBoards(solution().policy, 1, "resolve", stop=Stop(iterations=1))
    with pytest.raises(EquilibristError, match="is over"):
        hand.follow("b1:f:x")


def test_a_searched_last_street_can_be_written_into_the_game():
    policy = solution().policy
    whole = eq.solve(GAME, "dcfr(on=boards)", iterations=15).policy.run
    before = whole.evaluate().best_response_value
    blueprint, stated = BoardProfile(policy.run, policy.forests), 0.0
    forest = policy.forests[1]
    nodes = tuple(n for n in range(forest.roots) if forest.kind[n] <= IP)
    assert (policy.forests[0].kind == DEAL).any()
    for board in range(len(policy.run.streets[1].boards.cards)):
        subgame = BoardSubgame.of(blueprint, (board,), nodes)
        found = search_board(subgame, 0, "reach-maxmargin", stop=Stop(iterations=500))
        subgame.splice(found.run, 0, whole)
        stated += found.tolerance
    after = whole.evaluate().best_response_value
    assert after[0] == pytest.approx(before[0], abs=1e-5)  # player 2 plays as before
    assert after[1] <= before[1] + stated + 1e-5
    assert after[1] < before[1] - 0.01


def test_lines_to_nowhere_are_refused():
    for line, said in (("x:x", "card"), ("x:b1:f", "over"), ("x:b9", "no action")):
        with pytest.raises(EquilibristError, match=said):
            search_game(solution().policy, line)


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("name", ["maxmargin", "unsafe"])
@pytest.mark.slow
def test_one_street_with_continuations_is_that_of_the_tree(name, balanced):
    below = Continuations(factor=5.0, balanced=balanced)
    state = tree().tree.number("x")
    leaves = draws_below(tree().tree, state)
    chosen = biased_set(tree().policy, 5.0)
    own = chosen if balanced else [tree().policy]  # the searcher is player 2
    payoffs = exact_payoffs(tree().tree, leaves, chosen, own)
    plain = search(
        Subgame.of(tree(), [state], leaves), 1, name, blueprint=tree(), continuations=payoffs, iterations=1500
    )
    found = search_game(
        solution().policy, "x", name, continuations=below, solver="cfr+", stop=Stop(iterations=1500)
    ).found
    assert found.exploitability == pytest.approx(0.0, abs=0.01)
    assert plain.exploitability == pytest.approx(0.0, abs=0.01)
    order = hand_rows(subgame_at("x"), state, 0)
    if name == "maxmargin":
        assert found.margin == pytest.approx(plain.margin, abs=0.01)
    else:
        held = plain.subgame.ranges[0]
        ours, theirs = found.values @ (held[order] * found.mass), plain.values @ (held * plain.mass)
        assert ours / (held[order] @ found.mass) == pytest.approx(theirs / (held @ plain.mass), abs=0.02)


def test_one_street_after_an_unknown_bet_is_that_of_the_tree():
    """Below the street both follow what was learned for a while; the tree is told the same strategies."""
    below = Continuations(factor=5.0, iterations=20)
    found = search_game(
        solution().policy, "x", "maxmargin", bet="75%", continuations=below, solver="cfr+", stop=Stop(iterations=1500)
    )
    extended = extend(tree(), "x", "75%")
    root = extended.tree.number(found.line)
    learned = extended.policy.probabilities.copy()
    reader = BoardPolicy(extended.tree.game, found.found.subgame.below, lambda: found.found.run)
    index = extended.tree.infosets
    for i, (key, public) in enumerate(zip(index.keys, index.public, strict=True)):
        if public.startswith(f"{found.line}:") and any(word[0].isupper() for word in public.split(":")):
            row = reader[f"{key.split(':')[0]}{public.removeprefix(found.line)}"]
            learned[index.first_slot[i] : index.first_slot[i + 1]] = [row[action] for action in index.actions[i]]
    assert not np.array_equal(learned, extended.policy.probabilities)
    chosen = biased_set(TabularPolicy(index, learned), 5.0)
    payoffs = exact_payoffs(extended.tree, draws_below(extended.tree, root), chosen, chosen)
    plain = answer_inexpensive(tree(), extended, root, "maxmargin", continuations=payoffs, iterations=1500).solution
    assert found.found.exploitability == pytest.approx(0.0, abs=0.01)
    assert found.found.margin == pytest.approx(plain.margin, abs=0.01)


def test_depth_limits_that_make_no_sense_are_refused():
    with pytest.raises(EquilibristError, match="no depth to limit"):
        search_game(solution().policy, "x:x:Jc", continuations=Continuations())
    with pytest.raises(EquilibristError, match="are for spots"):
        search_game(solution().policy, "x", continuations=Continuations(sample="all"))
