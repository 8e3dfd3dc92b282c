"""Published bots by name: each finds its plan, its parts and its blueprint; deadlines are kept; sizes are learned from bets."""

import random
import time

import numpy as np
import pytest

from equilibrist import load_game
from equilibrist.agents.blueprint import searching_player
from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer, parts_of
from equilibrist.agents.blueprint.round_searcher import RoundSearchSettings
from equilibrist.agents.blueprint.searching_player import SearchingPlayer, SearchSettings
from equilibrist.agents.presets import BOTS
from equilibrist.agents.registry import AGENTS, agent_game, load_agent
from equilibrist.agents.simple import AlwaysCall, AlwaysRaise
from equilibrist.agents.strength_players import OffTreeBettor
from equilibrist.core.errors import EquilibristError, ParameterError, UnknownNameError
from equilibrist.evaluation.play.referee import play_hand, view_of
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.forms.betting_tree.counting import count_betting
from equilibrist.games.poker.bet_menus import menu_of, same_everywhere, with_menus
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.folder import TrainingOrder, start_training
from equilibrist.solvers.blueprint.plan import BlueprintPlan, PlanPreset
from equilibrist.solvers.blueprint.presets import PRESETS
from equilibrist.solvers.blueprint.strategy import PokerBlueprint, load_blueprint
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.postflop.solve_spot import solve_spot

HOLDEM = load_game("nolimit-holdem(stack=2000)")
SMALL = BlueprintPlan("nolimit-leduc(stack=12,suits=2)", {"menu": {"bet": "50%, 100%, a"}}, "exact")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("bots") / "leduc"
    start_training(path, TrainingOrder(SMALL, Training(), 40_000))
    return path


class OneBucket:
    """All hands alike."""

    sizes = (1, 1, 1, 1)
    hash = "one"

    def bucket(self, round, cards):
        return np.zeros(len(cards), dtype=np.int64)

    def strength(self, cards):
        raise NotImplementedError


def even(table, rules):
    """A blueprint that does everything alike: enough to be searched from."""
    tree = betting_tree(rules)
    game = AbstractPoker(tree, OneBucket())
    packed = np.zeros(game.slots, dtype=np.uint8)
    for node in tree.decisions.tolist():
        width, first = int(tree.children[node]), int(game.first_slot[node])
        packed[first : first + width] = 255 // width
        packed[first] += 255 - width * (255 // width)
    return PokerBlueprint(BlueprintPlan(table.name, {}), game, packed)


@pytest.fixture(scope="module")
def uniform():
    return even(HOLDEM, with_menus(HOLDEM.rules, same_everywhere(menu_of("100%, a"))))


def test_every_bot_has_a_plan_and_known_parts():
    for bot in BOTS.values():
        assert isinstance(PRESETS[bot.preset], PlanPreset)
        search = {key: value for key, value in bot.play.items() if key not in ("mapping", "post", "vary", "spare")}
        parts_of(**{key: value for key, value in bot.play.items() if key not in search})
        if search.get("technique") == "sampled":
            RoundSearchSettings(search.pop("search"), **{key: search[key] for key in search if key != "technique"})
        elif "search" in search:
            SearchSettings(street=search.pop("search"), **search)
        assert bot.name in AGENTS.names()


def test_plans_have_the_published_sizes():
    # [Gilpin09, §7.4.1]: 8,590 decisions with at most three bets a round
    assert sum(sum(row) for row in _count("tartanian")) == 8590
    # recomputed: public nodes 68/408/1320/3144
    assert [sum(row) for row in _count("lu-base")] == [68, 408, 1320, 3144]


def _count(word):
    return count_betting(PRESETS[word].plan.rules).decisions


def test_a_bot_plays_from_a_folder_or_a_file(folder):
    for text in (f"tartanian7(blueprint={folder})", f"tartanian2(blueprint={folder / 'blueprint.eqb'}, post=purify)"):
        player = load_agent(text)
        assert isinstance(player, BlueprintPlayer)
        assert agent_game(text) == "nolimit-leduc(suits=2)"
    assert load_agent(f"tartanian7(blueprint={folder})").parts.spare == "first"
    assert load_agent(f"tartanian4(blueprint={folder}, post=purify)").parts.rule == parts_of(post="purify").rule


def test_missing_blueprints_and_wrong_settings_are_explained(folder):
    with pytest.raises(ParameterError, match="train start FOLDER --preset tartanian7"):
        load_agent("tartanian7")
    with pytest.raises(ParameterError, match="none at 'nowhere'"):
        load_agent("libratus(blueprint=nowhere)")
    with pytest.raises(ParameterError, match="no parameter 'colour'"):
        load_agent(f"tartanian7(blueprint={folder}, colour=1)")
    with pytest.raises(UnknownNameError, match="tartanian7"):
        load_agent("tartanian77")


def test_post_processing_spares_what_it_should(folder):
    blueprint = load_blueprint(folder / "blueprint.eqb")
    game = load_game(blueprint.plan.game_name)

    def rows(spare, line):
        player = BlueprintPlayer(blueprint, parts_of(post="purify", spare=spare))
        player.reset(0, game, random.Random(0))
        state = game.start().child(0)
        for word in line:
            state = state.child(state.actions().index(word))
        return player.strategy(view_of(state, state.player, public=True)).probabilities

    def mixed(table):
        return bool(((table > 0.0) & (table < 1.0)).any())

    assert mixed(rows("first", []))
    assert not mixed(rows("", []))
    assert mixed(rows("preflop", ["b1"]))
    with pytest.raises(ParameterError, match="spare"):
        parts_of(spare="turn")


def test_purified_strategies_are_the_likeliest_actions(folder, tmp_path):
    whole = load_blueprint(folder / "blueprint.eqb")
    for first in (0, 1):
        whole.purified(first).save(tmp_path / "pure.eqb")
        pure = load_blueprint(tmp_path / "pure.eqb")
        assert pure.nbytes < whole.nbytes * (0.25 if first == 0 else 1.0)
        for node in whole.abstract.tree.decisions.tolist():
            buckets = np.arange(whole.abstract.buckets.sizes[whole.abstract.tree.round[node]])
            before, after = whole.strategies(node, buckets), pure.strategies(node, buckets)
            if whole.abstract.tree.round[node] < first:
                assert np.array_equal(before, after)
            else:
                assert np.array_equal(before.argmax(axis=1), after.argmax(axis=1))
                assert np.array_equal(after.sum(axis=1), np.ones(len(buckets)))
    with pytest.raises(ParameterError, match="purified already"):
        pure.purified()
    with pytest.raises(ParameterError, match="rounds 0 to 1"):
        whole.purified(2)


def searched(uniform, monkeypatch, deadline, technique="unsafe"):
    """Seconds that solves were given while a hand was played to the river with a deadline."""
    given = []

    def watched(spot, **how):
        given.append(how["seconds"])
        return solve_spot(spot, **{**how, "iterations": 2})

    monkeypatch.setattr(searching_player, "solve_spot", watched)
    player = SearchingPlayer(uniform, None, SearchSettings(technique=technique, iterations=5, seconds=3.0))
    for deal in range(6):
        draws = [random.Random(f"{deal}/{p}") for p in range(2)]
        record = play_hand(HOLDEM, [player, AlwaysCall()], random.Random(deal), draws, deadline)
        assert all(fault.kind == "late" for fault in record.faults), record.faults
    return given


def test_searches_are_given_what_the_deadline_leaves(uniform, monkeypatch):
    assert set(searched(uniform, monkeypatch, None)) == {3.0}
    timed = searched(uniform, monkeypatch, 2.0)
    assert timed
    assert max(timed) <= 2.0 - searching_player.SLACK
    assert searched(uniform, monkeypatch, 0.05) == []  # too little to set a river up: the blueprint answers


def test_what_a_search_took_too_long_is_taken_off_the_next(uniform):
    player = SearchingPlayer(uniform)
    player._deadline = time.monotonic() + 100.0
    before = player._time_left(2)
    player._timed(0.0, lambda: time.sleep(0.2))
    assert player._overrun >= 0.2
    player.search = SearchSettings(seconds=1000.0)
    assert player._time_left(2) <= 100.0 - 0.2
    assert before == 5.0


@pytest.mark.parametrize("technique", ["unsafe", "resolve", "reach-maxmargin"])
def test_off_tree_bets_are_answered_without_faults(uniform, technique):
    player = SearchingPlayer(uniform, parts_of(vary=0.08), SearchSettings(technique=technique, iterations=8))
    for deal in range(25):
        draws = [random.Random(f"{deal}/{p}") for p in range(2)]
        seats = [player, OffTreeBettor()] if deal % 2 else [OffTreeBettor(), player]
        assert play_hand(HOLDEM, seats, random.Random(deal), draws).faults == ()


def test_limit_rivers_are_searched():
    table = load_game("limit-holdem")
    player = SearchingPlayer(even(table, table.rules), None, SearchSettings(iterations=8))
    solved = 0
    for deal in range(12):
        draws = [random.Random(f"{deal}/{p}") for p in range(2)]
        seats = [player, AlwaysRaise()] if deal % 2 else [AlwaysRaise(), player]
        assert play_hand(table, seats, random.Random(deal), draws).faults == ()
        solved += sum(root is not None for root in player._solved.values())
    assert solved > 0


def test_the_fixed_raiser_puts_in_the_same_chips():
    table = load_game("nolimit-holdem(stack=1000,blinds=[1,2])")
    player = load_agent("fixed-raiser")
    player.reset(1, table, random.Random(0))
    seen = set()
    for deal in range(60):
        state = table.start()
        state = state.child(state.sample_chance(random.Random(deal)))
        seen.add(player.act(view_of(state, state.player)))
    assert seen == {"f", "r144"}


def test_libratus_and_modicum_search_as_published():
    libratus, modicum = BOTS["libratus"].play, BOTS["modicum"].play
    assert (libratus["search"], libratus["technique"]) == ("turn", "reach-maxmargin")
    assert (modicum["search"], modicum["depth_limit"], modicum["technique"]) == ("flop", "flop", "reach-maxmargin")


def test_a_street_below_the_depth_limit_is_searched_alone_and_the_next_ones_to_the_end(uniform, monkeypatch):
    """Like Modicum: the flop with continuations, then the turn from the ranges that the flop's search leaves."""
    seen = []
    alone, whole = searching_player.search_spot, searching_player.solve_spot

    def street(spot, *args, **how):
        seen.append(("alone", spot.street, how["depth"]))
        below = Continuations(blueprint="check")
        return alone(spot, *args, continuations=below, **how)

    def to_the_end(spot, **how):
        seen.append(("whole", spot.street, None))
        return whole(spot, **{**how, "iterations": 2})

    monkeypatch.setattr(searching_player, "search_spot", street)
    monkeypatch.setattr(searching_player, "solve_spot", to_the_end)
    settings = SearchSettings(
        "flop", iterations=2, bet="a", raises="a", technique="reach-maxmargin", depth_limit="flop", seconds=30.0
    )
    player = SearchingPlayer(uniform, None, settings)
    for deal in range(2):
        draws = [random.Random(f"{deal}/{p}") for p in range(2)]
        seen.clear()
        assert play_hand(HOLDEM, [player, AlwaysCall()], random.Random(deal), draws).faults == ()
        if len(seen) == 2:
            break
    assert seen == [("alone", 0, "street"), ("whole", 1, None)]  # the river is in the turn's solution


def test_a_street_is_searched_with_values_of_a_network_at_its_end(uniform, monkeypatch):
    pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")
    seen, alone = [], searching_player.search_spot

    def street(spot, *args, **how):
        found = alone(spot, *args, **how)
        seen.append((spot.street, found.solution.settings["values"]))
        return found

    monkeypatch.setattr(searching_player, "search_spot", street)
    settings = SearchSettings("turn", iterations=2, bet="a", raises="a", depth_limit="turn", values="net", seconds=30.0)
    player = SearchingPlayer(uniform, None, settings)
    for deal in range(4):
        draws = [random.Random(f"{deal}/{p}") for p in range(2)]
        assert play_hand(HOLDEM, [player, AlwaysCall()], random.Random(deal), draws).faults == ()
        if seen:
            break
    assert seen == [(1, "river")]
    with pytest.raises(EquilibristError, match="give depth_limit=flop or depth_limit=turn"):
        SearchSettings("turn", values="net")
    from equilibrist.learning.hand_values.network_values import READY

    limited = SearchSettings("flop", depth_limit="flop", values=str(READY / "river.eqb"))
    with pytest.raises(EquilibristError, match="start of the river, so they are for spots with 4 cards"):
        SearchingPlayer(uniform, None, limited)


@pytest.mark.parametrize("limit", ["river", "preflop"])
def test_depth_limits_where_no_card_comes_are_refused(limit):
    with pytest.raises(EquilibristError, match="cards are still to come"):
        SearchSettings("flop", depth_limit=limit)
