"""The round before the flop: classes and lines, questions about beliefs, and CFR-D against another engine."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")

from equilibrist.cards.allins.classes import NAMES, class_number  # noqa: E402
from equilibrist.cards.allins.pairs import pair_outcomes  # noqa: E402
from equilibrist.learning.hand_values.value_net import HandValueNet  # noqa: E402
from equilibrist.learning.rebel_holdem.class_questions import ClassQuestions, river_spread  # noqa: E402
from equilibrist.learning.rebel_holdem.preflop_game import PreflopGame  # noqa: E402
from equilibrist.learning.rebel_holdem.preflop_search import NetShares, PreflopSearch  # noqa: E402
from equilibrist.search.depth_limited.preflop_search import LeafedPreflop  # noqa: E402
from equilibrist.solvers.cfr.schedules import LINEAR  # noqa: E402

GAME = PreflopGame()


class CheckedDown:
    """Nobody bets after the flop."""

    def shares(self, depths, weights):
        return 0.5 * ClassQuestions(GAME).edge(weights)[0]


def disturbed(seed=0, size=0.3):
    """A network that says more than equities."""
    torch.manual_seed(seed)
    net = HandValueNet(8, 16, 1, True)
    torch.nn.init.normal_(net.worth[-1].weight, std=size)
    return net


def test_lines_that_reach_the_flop():
    by_line = dict(zip(GAME.lines, GAME.depths.tolist(), strict=True))
    assert by_line["c:x"] == 9.5
    assert by_line["r200:c"] == by_line["c:r200:c"] == 4.5
    assert by_line["r200:r600:c"] == pytest.approx(14.0 / 12.0)
    assert by_line["r2000:c"] == 0.0
    assert len(GAME.open) == 5


def test_classes_know_their_equity_and_what_they_meet():
    aces = GAME.cell.tolist().index(class_number("AA"))
    assert GAME.equity[aces] == pytest.approx(0.852, abs=1e-3)
    assert GAME.meets.sum(axis=1) == pytest.approx(np.full(169, 1225.0))
    kings = GAME.cell.tolist().index(class_number("KK"))
    equity = pair_outcomes().equity[class_number("AA"), class_number("KK")]
    assert GAME.edges[aces, kings] == pytest.approx(2.0 * equity - 1.0)
    assert GAME.meets[aces, aces] == 1.0


def test_suited_hands_end_on_more_ends_of_the_scale():
    spread, outcomes = river_spread()
    assert outcomes.sum(axis=1) == pytest.approx(np.ones(169), abs=1e-6)
    assert spread[class_number("76s")] > spread[class_number("A2o")] - 0.1
    assert NAMES[int(spread.argmin())] == "AA"


def test_what_one_player_expects_the_other_loses():
    weights = np.random.default_rng(0).random((4, 2, 169)) ** 3
    shares = NetShares(disturbed(), ClassQuestions(GAME)).shares(np.array([9.5, 4.5, 1.0, 0.3]), weights)
    _, met = ClassQuestions(GAME).edge(weights)
    sums = (weights * GAME.street.size * met * shares).sum(axis=2)
    assert sums[:, 0] == pytest.approx(-sums[:, 1], rel=1e-3)
    checked = NetShares(HandValueNet(8, 16, 1, True), ClassQuestions(GAME)).shares(np.array([9.5]), weights[:1])
    assert checked == pytest.approx(CheckedDown().shares(np.array([9.5]), weights[:1]), abs=1e-6)


def test_a_search_without_later_betting_is_the_game_that_is_checked_down():
    """The same round with tables in place of questions, by the engine of depth-limited searches."""
    search = PreflopSearch(GAME, CheckedDown())
    search.advance(300)
    worth = (
        0.5 * GAME.pots[:, None, None, None] * (-GAME.edges * GAME.meets.T)
    )  # [leaf, way, searcher's class, chooser's]
    tabled = LeafedPreflop(GAME.street, worth, chooser=1, schedule=LINEAR)
    tabled.advance(300)
    other = GAME.street.average(np.vstack([tabled.values(1)]))
    assert search.exploitability() < 3.0
    assert search.value()[1] == pytest.approx(other, abs=3.0)
    assert search.value().sum() == pytest.approx(0.0, abs=1e-6)


def test_values_at_leaves_change_what_is_played():
    search = PreflopSearch(GAME, NetShares(disturbed(), ClassQuestions(GAME)))
    search.advance(60)
    other = PreflopSearch(GAME, CheckedDown())
    other.advance(60)
    assert np.abs(search.averaged(1) - other.averaged(1)).max() > 0.2
    reach = search.reach_of_leaves((search.averaged(0), search.averaged(1)))
    assert 0.0 < search.chances(reach).sum() < 1.0


def test_raises_that_a_table_has_seen_are_in_its_game():
    game = PreflopGame(added=((200.0,), (600.0,)))
    assert "r300:r900:c" in game.lines
    assert game.plan.game().tree.actions(0) == ("f", "c", "r200", "r300", "r2000")
