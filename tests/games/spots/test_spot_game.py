"""A spot as a game: the same rules as the naive twin, the same values as the vector solver, and a table that players sit at."""

import math
import random

import numpy as np
import pytest

from equilibrist.cards.range_text import hand_name
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.evaluation.play.referee import play_hand, view_of
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import load_game
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_game import SpotGame, spot_game_name
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.solve_spot import solve_spot
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.responses.best_response import evaluate_policy
from equilibrist.testing.games import check_game
from reference.spot_game import SpotGame as NaiveSpotGame

RIVER = {
    "board": "Ks7d2c5h9s",
    "pot": 100,
    "stack": 150,
    "range": {"oop": "AA,QJs:0.5", "ip": "QQ,AKs,AhTh"},
    "bets": {"bet": "50%, a", "raise": "a"},
}
TURN = {
    **RIVER,
    "board": "Ks7d2c5h",
    "range": {"oop": "AhAd,QcJc", "ip": "QhQd,AsKd"},
    "bets": {"bet": "100%", "raise": "a"},
}
SPOTS = {
    "river": RIVER,
    "turn": TURN,
    "rake": {**RIVER, "rake": {"rate": 0.05, "cap": 4}},
    "line": {**RIVER, "line": "b50"},
    "deep": {**RIVER, "stacks": {"oop": 150, "ip": 400}, "stack": None},
    "limit": {
        **TURN,
        "stack": None,
        "bets": None,
        "betting": {"kind": "limit", "size": {"turn": 4, "river": 8}, "cap": 2},
    },
}


def spot_of(name: str) -> Spot:
    return Spot(**{key: value for key, value in SPOTS[name].items() if value is not None})


@pytest.mark.parametrize("name", SPOTS)
def test_rules_agree_with_the_naive_twin(name):
    """The twin reads its betting from forests; hands of both, later cards, labels and payoffs are compared along every line."""
    ours, twin = SpotGame(spot_of(name)), NaiveSpotGame(spot_of(name))
    deals = dict(twin.deals)
    found = {}
    for i, (_, first) in enumerate(ours.start().chance()):
        dealt = ours.start().child(i)
        for j, (_, second) in enumerate(dealt.chance()):
            state = dealt.child(j)
            hands = tuple(tuple(sorted(pair, reverse=True)) for pair in (state.chips(0).hole, state.chips(1).hole))
            found[hands] = (first * second, state)
    assert {hands: share for hands, (share, _) in found.items()} == pytest.approx(deals)
    rng = random.Random(3)
    for hands, (_, state) in rng.sample(sorted(found.items()), min(6, len(found))):
        _walk_together(state, twin.start().child(list(deals).index(hands)), rng)


def _walk_together(ours, twin, rng):
    assert ours.player == twin.player
    if ours.player == TERMINAL:
        assert ours.returns() == pytest.approx(twin.returns())
    elif ours.player == CHANCE:
        assert len(ours.chance()) == len(twin.chance())
        for index in rng.sample(range(len(ours.chance())), 3):
            _walk_together(ours.child(index), twin.child(index), rng)
    else:
        assert tuple(ours.actions()) == tuple(twin.actions())
        for index in range(len(ours.actions())):
            _walk_together(ours.child(index), twin.child(index), rng)


@pytest.mark.parametrize("name", ["river", "rake", "line"])
def test_the_game_passes_the_conformity_suite(name):
    check_game(SpotGame(spot_of(name)))


@pytest.mark.parametrize("name", ["river", "rake", "line", "deep"])
def test_a_tree_of_the_game_is_worth_what_the_spot_is_worth(name):
    spot = spot_of(name)
    tree = make_solver("dcfr").solve(Compiled(SpotGame(spot)), Stop(iterations=2000))
    vectors = solve_spot(spot, iterations=2000)
    assert tree.value == pytest.approx(vectors.value, abs=0.05)
    assert tree.exploitability == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("name", ["river", "turn", "rake", "line", "limit"])
def test_the_policy_written_out_is_measured_as_the_solver_measured_it(name):
    """Value and best responses by the rules of the game equal those of the vector solver, infoset keys and all."""
    solution = solve_spot(spot_of(name), iterations=60)
    found = evaluate_policy(solution.game, solution.tabular())
    assert found.value == pytest.approx(solution.value, abs=2e-4)
    assert found.best_response_value == pytest.approx(solution.evaluation.best_response_value, abs=2e-4)


@pytest.mark.parametrize("name", SPOTS)
def test_the_name_gives_the_game_again(name):
    game = SpotGame(spot_of(name))
    again = load_game(game.name)
    assert isinstance(again, SpotGame)
    assert again.name == game.name
    assert again.spot.to_toml() == game.spot.to_toml()


def test_locks_are_strategies_and_not_rules(tmp_path):
    spot = spot_of("river")
    locked = spot.changed(lock=[{"line": "", "strategy": {"x": 1.0}}])
    assert spot_game_name(locked) == spot_game_name(spot)
    (tmp_path / "spot.toml").write_text(locked.to_toml())
    assert load_game(str(tmp_path / "spot.toml")).name == spot_game_name(spot)


def test_bad_names_are_refused():
    with pytest.raises(FormatError, match=r"not valid JSON.*spot file"):
        load_game("spot:{board")
    with pytest.raises(ParameterError, match="no 'board'"):
        load_game('spot:{"pot":3}')


def test_hands_are_drawn_as_often_as_they_are_dealt():
    game, rng = SpotGame(spot_of("river")), random.Random(5)
    first = dict(game.start().chance())
    counts = dict.fromkeys(first, 0)
    for _ in range(4000):
        state = game.start()
        counts[state.chance()[state.sample_chance(rng)][0]] += 1
    for hand, share in first.items():
        assert counts[hand] / 4000 == pytest.approx(share, abs=5 * math.sqrt(share / 4000))


class Watching:
    """Calls, and writes down what it sees."""

    def reset(self, seat, rules, rng):
        self.seat, self.events, self.views = seat, [], []

    def observe(self, event):
        self.events.append(event)

    def act(self, view, deadline=None):
        self.views.append(view)
        return view.passive()


def test_a_table_shows_each_seat_what_it_may_see():
    game, players = SpotGame(spot_of("turn")), [Watching(), Watching()]
    record = play_hand(game, players, random.Random(1), [random.Random(2), random.Random(3)])
    for seat, player in enumerate(players):
        kinds = [event.kind for event in player.events]
        assert kinds.count("deal") == 1
        assert kinds.count("reveal") == 1
        assert kinds.count("shown") == 2
        own = next(event.label for event in player.events if event.kind == "deal")
        assert own == hand_name(record.state.hands[seat])
        chips = player.views[0].chips
        assert (chips.pot, chips.to_call, chips.round) == (100.0, 0.0, 2)
        assert player.views[-1].chips.board == record.state.board
    assert sum(record.returns) == 0.0
    public = view_of(game.start().child(0).child(0), 0, public=True)
    assert (public.infoset, public.chips.hole) == ("", ())


def test_bounds_of_raises_are_those_of_the_menu():
    state = SpotGame(spot_of("river")).start().child(0).child(0)
    assert state.chips(0).raise_bounds == (50.0, 150.0)
    facing = state.child(list(state.actions()).index("b50"))
    assert (facing.chips(1).to_call, facing.chips(1).pot, facing.chips(1).round_base) == (50.0, 150.0, 50.0)
    assert np.isclose(facing.chips(1).pot_odds, 0.25)
