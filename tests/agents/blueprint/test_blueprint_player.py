"""Blueprints at the table: real bets are read as bets of the tree, and answered in real chips."""

import random

import numpy as np
import pytest

from equilibrist import load_game
from equilibrist.abstraction.bets.translation import find_mapping
from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer, parts_of
from equilibrist.agents.blueprint.hand_reader import HandReader, OwnSizes
from equilibrist.agents.blueprint.searching_player import SearchingPlayer, SearchSettings
from equilibrist.agents.simple import AlwaysCall, RandomPlayer
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.play.referee import play_hand, view_of
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.poker.bet_menus import menu_of, same_everywhere, with_menus
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.training import Training

TABLE = load_game("nolimit-holdem(stack=2000)")
MENU = "50%, 100%, a"  # raises to 200, 300 and 2000 at the beginning


class RankBuckets:
    """One bucket per highest hole card, and real strengths: enough to play by."""

    sizes = (13, 13, 13, 13)
    hash = "ranks"

    def bucket(self, round, cards):
        return cards[:, :2].max(axis=1).astype(np.int64) // 4

    def strength(self, cards):
        from equilibrist.cards.evaluator import evaluate

        return evaluate(cards.astype(np.uint8))


@pytest.fixture(scope="module")
def blueprint():
    tree = betting_tree(with_menus(TABLE.rules, same_everywhere(menu_of(MENU))))
    run = BlueprintRun(AbstractPoker(tree, RankBuckets()), Training(), planned=10 * BLOCK)
    run.advance(10)
    return PokerBlueprint(BlueprintPlan(TABLE.name, {"menu": {"bet": MENU}}), run.game, run.packed())


def reader(blueprint, mapping):
    return HandReader(blueprint.abstract.tree, TABLE.rules, find_mapping(mapping))


def test_bets_of_the_tree_are_read_as_themselves(blueprint):
    tree, read = blueprint.abstract.tree, reader(blueprint, "rand-pshar")
    for line in ("r300", "r300:r900", "c:x:2c3d4h:x:b200", "r200:c:2c3d4h:b200:r600:c:5s:x"):
        words = [word for word in line.split(":") if word[0] in "fcxbr"]
        assert read.read(line, "any").node == tree.find(":".join(words))


@pytest.mark.parametrize(("word", "read_as"), [("r240", "r200"), ("r242", "r200"), ("r243", "r300"), ("r290", "r300")])
def test_other_bets_are_read_by_the_mapping(blueprint, word, read_as):
    # pseudo-harmonic turning point of half the pot and the pot: (A + B + 2AB) / (A + B + 2) = 2.5 / 3.5; the pot after the call is 200,
    # so raising 142.86 to 242.86
    tree = blueprint.abstract.tree
    step = reader(blueprint, "det-pshar").read(word, "any").steps[0]
    assert tree.actions(0)[step.action] == read_as


def test_small_bets_may_be_read_as_checks_and_calls(blueprint):
    tree, read = blueprint.abstract.tree, reader(blueprint, "rand-pshar")
    # x = 0.25 of the pot between 0 and B = 0.5: (B - x)(1 + 0) / ((B - 0)(1 + x)) = 0.25 / 0.625 = 0.4
    bets = [read.read("r300:c:b150", str(salt)).steps[2] for salt in range(2000)]
    assert np.mean([tree.actions(bet.node)[bet.action] == "x" for bet in bets]) == pytest.approx(0.4, abs=0.04)
    first = reader(blueprint, "det-pshar").read("r300:c:b100", "any")  # the button answers what was read as a check
    assert (first.node, first.ahead) == (tree.find("r300:c:x"), -1)
    assert reader(blueprint, "relative").read("r300:c:b100", "any").node == tree.find("r300:c:b300")  # never a check


@pytest.fixture(scope="module")
def large_sizes():
    """A reader whose tree has raises by 150 % of the pot, and nothing smaller."""
    tree = betting_tree(with_menus(TABLE.rules, same_everywhere(menu_of("150%, a"))))
    return HandReader(tree, TABLE.rules, find_mapping("rand-pshar"))


@pytest.mark.parametrize("line", ["c:r250", "r400:c:b200:r400"])
def test_a_small_raise_is_no_call_that_ends_the_round(large_sizes, line):
    tree = large_sizes.tree
    for salt in range(50):
        found = large_sizes.read(line, str(salt))
        if (node := found.steps[-1].node) >= 0:  # an opening bet may have been read as a check
            read_as = tree.actions(node)[found.steps[-1].action]
            assert read_as == next(word for word in tree.actions(node) if word[0] in "br")
            assert found.node >= 0


def test_a_small_raise_may_be_a_call_where_somebody_acts_after_it(large_sizes):
    # x = 0.75 of the pot after the call between 0 and B = 1.5: 0.75 / (1.5 * 1.75)
    opened = [large_sizes.read("r250", str(salt)).steps[0].action for salt in range(2000)]
    read_as = [large_sizes.tree.actions(0)[action] for action in opened]
    assert np.mean([word == "c" for word in read_as]) == pytest.approx(0.75 / 2.625, abs=0.04)
    assert set(read_as) == {"c", "r400"}


@pytest.mark.parametrize(
    ("line", "in_the_tree"), [("r300:c:x:b100", "r300:c:x:x"), ("r300:c:b300:c:x:b200", "r300:c:b300:c:x:x")]
)
def test_after_a_small_bet_that_ends_the_round_in_the_tree_the_tree_waits_for_the_call(blueprint, line, in_the_tree):
    tree, read = blueprint.abstract.tree, reader(blueprint, "det-pshar")
    waiting, called = read.read(line, "any"), read.read(f"{line}:c", "any")
    assert (waiting.node, waiting.ahead) == (-1, tree.find(in_the_tree))
    assert (called.node, called.ahead) == (tree.find(in_the_tree), -1)  # the two go on together
    assert called.steps[-1].node == -1  # and the call says nothing of the cards
    assert read.read(f"{line}:c:x", "any").node == tree.find(f"{in_the_tree}:x")
    for end in ("f", "r800"):  # a raise that the tree does not see
        lost = read.read(f"{line}:{end}", "any")
        assert (lost.node, lost.ahead) == (-1, -1)


def test_a_player_calls_a_bet_that_it_reads_as_a_check(blueprint):
    player = seated(BlueprintPlayer(blueprint, parts_of("det-pshar")), seat=0)
    assert player.probabilities(view_of(state_after("r300", "c", "x", "b100"), 0)) == {"c": 1.0}


def test_sizes_are_recognised_up_to_half_a_chip(blueprint):
    tree, read = blueprint.abstract.tree, reader(blueprint, "rand-pshar")
    for salt in range(50):  # r305 is read as r300, so that half of the real pot of 610 is 305
        step = read.read(f"r305:c:b{304 + salt % 3}", f"{salt}").steps[-1]
        if salt % 3 == 1:
            assert tree.actions(step.node)[step.action] == "b300"


def test_own_bets_are_read_as_what_they_were_meant_to_be(blueprint):
    tree, read = blueprint.abstract.tree, reader(blueprint, "rand-pshar")
    for salt in range(50):  # the pot of 200 and half the pot of 568, times 0.92
        meant = read.read("r284:c:x:b261", f"{salt}", OwnSizes(1, 0.92)).steps[3]
        assert tree.actions(meant.node)[meant.action] == "b300"


def test_chance_in_reading_is_that_of_the_mapping_and_fixed_for_a_hand(blueprint):
    tree, read = blueprint.abstract.tree, reader(blueprint, "rand-pshar")
    smaller = [tree.actions(0)[read.read("r220", str(salt)).steps[0].action] == "r200" for salt in range(2000)]
    # x = 0.6 of the pot: (B - x)(1 + A) / ((B - A)(1 + x)) = 0.4 * 1.5 / (0.5 * 1.6) = 0.75
    assert np.mean(smaller) == pytest.approx(0.75, abs=0.04)
    assert read.read("r220", "one") == reader(blueprint, "rand-pshar").read("r220", "one")


def test_all_in_is_all_in_and_what_follows_is_called(blueprint):
    read = reader(blueprint, "rand-pshar")
    tree = blueprint.abstract.tree
    assert tree.actions(0)[read.read("r2000", "s").steps[0].action] == "r2000"
    beyond = read.read("r1990:c", "s")  # nearly all-in is read as all-in: the tree is over, the hand is not
    assert (beyond.node, beyond.real.player, beyond.real.round) == (-1, 0, 1)


def hand(players, seed):
    draws = [random.Random(2 * seed + 1), random.Random(2 * seed + 2)]
    return play_hand(TABLE, players, random.Random(seed), draws)


def seated(player, seat=1, seed=3):
    player.reset(seat, TABLE, random.Random(seed))
    return player


def state_after(*words):
    cards = random.Random(4)
    state = TABLE.start()
    for word in (*words, None):
        while state.player < 0:
            state = state.child(state.sample_chance(cards))
        if word is not None:
            state = state.child(state.actions().index(word))
    return state


def test_strategies_are_shares_of_the_real_pot(blueprint):
    player = seated(BlueprintPlayer(blueprint), seat=0)
    view = view_of(state_after("r260"), 0)  # read as 200 or 300; the pot after a call is 520
    stated = player.strategy(view)
    assert set(stated.actions) <= {"f", "c", "r520", "r780", "r2000"}
    assert stated.probabilities.sum(axis=1) == pytest.approx(1.0)
    chances = player.probabilities(view)
    high, low = max(view.chips.hole), min(view.chips.hole)
    row = stated.probabilities[high * (high - 1) // 2 + low]
    assert {a: p for a, p in zip(stated.actions, row, strict=True) if p > 0} == pytest.approx(chances)


def test_post_processing_and_varied_sizes(blueprint):
    view = view_of(state_after("r300"), 0)
    pure = seated(BlueprintPlayer(blueprint, parts_of(post="purify")), seat=0).strategy(view)
    assert np.sort(pure.probabilities, axis=1)[:, -1].min() >= 0.5 - 1e-9  # one action, or a tie
    sizes = set()
    for seed in range(20):
        varied = seated(BlueprintPlayer(blueprint, parts_of(vary=0.08)), seat=0, seed=seed).strategy(view)
        sizes |= {float(a[1:]) for a in varied.actions if a[0] == "r" and a != "r2000"}
    assert len(sizes) > 10
    raised = [size - 300 for size in sizes]  # half the pot of 600 is 300, the pot 600, times 0.92 to 1.08
    assert all(275 <= extra <= 325 or 551 <= extra <= 649 for extra in raised)


@pytest.mark.parametrize("search", [None, SearchSettings("river", iterations=20), SearchSettings("turn", iterations=5)])
def test_hands_are_played_to_the_end_against_any_bets(blueprint, search):
    player = BlueprintPlayer(blueprint) if search is None else SearchingPlayer(blueprint, None, search)
    for seed in range(12):
        record = hand([player, RandomPlayer()] if seed % 2 else [RandomPlayer(), player], seed)
        assert record.faults == ()


def test_search_sees_real_pots_and_bets(blueprint):
    player = seated(
        SearchingPlayer(blueprint, None, SearchSettings("river", iterations=60, bet="75%, a", raises="a")), seat=0
    )
    state = state_after("r250", "c", "x", "x", "x", "x", "x", "b130")  # the button bets 130 into 500 on the river
    view = view_of(state, 0)
    labels, rows = player.stated(view, np.array([[*view.chips.hole, *view.chips.board]], dtype=np.int8))
    assert rows.sum() == pytest.approx(1.0, abs=1e-6)
    assert labels == ("f", "c", "r1750")  # all-in is what is left of 2,000 after 250


def test_other_tables_and_bad_settings_are_refused(blueprint):
    with pytest.raises(NotApplicableError, match="same stacks"):
        BlueprintPlayer(blueprint).reset(0, load_game("nolimit-holdem"), random.Random(0))
    with pytest.raises(ParameterError, match="'vary'"):
        parts_of(vary=2.0)
    with pytest.raises(ParameterError, match="Search begins"):
        SearchSettings("preflop")


def test_always_call_is_beaten_by_trained_play(blueprint):
    total, player, caller = 0.0, BlueprintPlayer(blueprint), AlwaysCall()
    for seed in range(300):
        total += hand([player, caller], seed).returns[0]
        total += hand([caller, player], seed).returns[1]
    assert total > 0
