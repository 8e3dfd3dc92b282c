"""Rounds trained again from beliefs: deals fit beliefs, rivers come out near equilibrium, several players play without faults."""

import random

import numpy as np
import pytest

from equilibrist import load_game
from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.agents.blueprint.round_searcher import RoundSearcher, RoundSearchSettings
from equilibrist.cards.evaluator import evaluate
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.play.referee import play_hand, view_of
from equilibrist.experiments.brown.bots.sampled_values import RoundValues
from equilibrist.experiments.river_values import RiverDuel
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.poker.bet_menus import menu_of, same_everywhere, with_menus
from equilibrist.search.engines.pluribus_search import RoundSearch, subtree
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.training import Training

TABLE = load_game("nolimit-holdem(stack=600)")


class OneBucket:
    """All hands alike."""

    sizes = (1, 1, 1, 1)
    hash = "one"

    def __init__(self, deck):
        self.deck = deck

    def bucket(self, round, cards):
        return np.zeros(len(cards), dtype=np.int64)

    def strength(self, cards):
        return evaluate(cards.astype(np.uint8), self.deck)


def even(table):
    """A blueprint that knows nothing."""
    tree = betting_tree(with_menus(table.rules, same_everywhere(menu_of("100%, a"))))
    run = BlueprintRun(AbstractPoker(tree, OneBucket(table.rules.deck)), Training(), planned=BLOCK)
    return PokerBlueprint(BlueprintPlan(table.name, {}), run.game, run.packed())


@pytest.fixture(scope="module")
def blueprint():
    return even(TABLE)


def river():
    state, rng = TABLE.start(), random.Random(3)
    while state.player < 0 or state.node.round < 3:
        passive = None if state.player < 0 else view_of(state, state.player).passive()
        state = state.child(state.sample_chance(rng) if passive is None else state.actions().index(passive))
    return state


def test_a_subtree_is_the_tree_below_its_root(blueprint):
    tree = blueprint.abstract.tree
    root = int(np.flatnonzero(tree.round == 2)[0])
    part, place = subtree(tree, root)
    for node, at in place.items():
        assert part.player[at] == tree.player[node]
        assert np.array_equal(part.paid[at], tree.paid[node])
        if at:
            assert part.parent[at] == place[int(tree.parent[node])]
            assert part.first_child[part.parent[at]] <= at
    inside = [n for n in range(len(tree)) if below(tree, n, root)]
    assert sorted(place) == inside


def below(tree, node, root):
    while node > root:
        node = int(tree.parent[node])
    return node == root


def test_deals_are_drawn_from_beliefs(blueprint):
    tree, rng = blueprint.abstract.tree, np.random.default_rng(0)
    root = int(np.flatnonzero((tree.round == 1) & (tree.round[tree.parent] == 0))[0])
    board = (0, 13, 51)
    ranges = [np.zeros(1326), np.zeros(1326)]
    for held in ranges:
        held[rng.choice(1326, 40, replace=False)] = rng.random(40)
    search = RoundSearch(blueprint.abstract, root, board, ranges)
    cards = search.draw(np.arange(4, dtype=np.uint64))
    assert cards.shape == (BLOCK, 2 * 2 + 5)
    assert (np.diff(np.sort(cards, axis=1), axis=1) > 0).all()  # no card twice
    assert (cards[:, 4:7] == board).all()
    for player in range(2):
        held = cards[:, 2 * player : 2 * player + 2].astype(int)
        number = held.max(axis=1) * (held.max(axis=1) - 1) // 2 + held.min(axis=1)
        assert (search.chances[player][number] > 0).all()
    narrow = [np.zeros(1326), np.zeros(1326)]
    narrow[0][500] = narrow[1][500] = 1.0
    with pytest.raises(NotApplicableError, match="hardly ever fit"):
        RoundSearch(blueprint.abstract, root, board, narrow).advance(1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("final", [True, False])
def test_searched_rivers_are_hard_to_exploit(blueprint, final):
    state, ranges = river(), (np.ones(1326), np.ones(1326))

    def gap(make):
        players = [make(), make()]
        for seat, player in enumerate(players):
            player.reset(seat, TABLE, random.Random(seat))
        return RiverDuel(state, tuple(players), ranges).exploitability() / state.node.pot

    settings = RoundSearchSettings("river", blocks=60, seconds=600.0, final=final)
    before, after = gap(lambda: BlueprintPlayer(blueprint)), gap(lambda: RoundSearcher(blueprint, None, settings))
    assert after < 0.15 * before
    assert after < 0.25 if final else after < 0.1


def test_gains_of_a_searching_seat_agree_with_exact_values(blueprint):
    """A river of two: all hands against all hands (`RiverDuel`), and deals drawn from the same ranges, actions averaged."""
    state, ranges = river(), (np.ones(1326), np.ones(1326))
    board, root = tuple(state.board), blueprint.abstract.tree.find(":".join("cxxxxx"))
    search = RoundSearch(blueprint.abstract, root, board, ranges)
    search.advance(20)
    judged = RoundValues(blueprint, search)
    settings = RoundSearchSettings("river", blocks=20, seconds=600.0, final=False)
    for searching in (None, 0, 1):
        players = [
            RoundSearcher(blueprint, None, settings) if p == searching else BlueprintPlayer(blueprint) for p in (0, 1)
        ]
        for seat, player in enumerate(players):
            player.reset(seat, TABLE, random.Random(seat))
            if seat == searching:
                player._found[root] = search
        exact = RiverDuel(state, tuple(players), ranges).values()
        drawn = [judged.value(seat, searching) for seat in (0, 1)]
        assert np.allclose(drawn[0] + drawn[1], 0.0)
        assert drawn[0].mean() == pytest.approx(exact[0], abs=4.0 * drawn[0].std() / np.sqrt(len(drawn[0])))
    assert judged.gain(0).mean() > 0.0
    assert judged.gain(1).mean() > 0.0


def test_three_players_search_without_faults():
    table = load_game("nolimit-holdem(stack=1000,ranks=5,players=3)")
    blueprint = even(table)
    player, found = RoundSearcher(blueprint, None, RoundSearchSettings(blocks=1)), 0
    for deal in range(12):
        seats = [BlueprintPlayer(blueprint), BlueprintPlayer(blueprint)]
        seats.insert(deal % 3, player)
        draws = [random.Random(f"{deal}/{p}") for p in range(3)]
        assert play_hand(table, seats, random.Random(deal), draws).faults == ()
        found += len(player._found)
    assert found > 0


def test_settings_are_checked(blueprint):
    with pytest.raises(ParameterError, match="preflop"):
        RoundSearchSettings("showdown")
    with pytest.raises(ParameterError, match="block"):
        RoundSearchSettings(blocks=0)
    player = RoundSearcher(blueprint)
    player.reset(0, TABLE, random.Random(0))
    player._deadline = 0.0  # long ago: the blueprint answers
    state = river()
    assert player.strategy(view_of(state, state.player, public=True)) is not None
    assert set(player._found.values()) == {None}
