"""A flop of self-play: cards drawn in a pass, what one flop says of classes, turns that play goes on to."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")

from equilibrist.cards.range_text import STANDARD  # noqa: E402
from equilibrist.forms.boards.compiled_spot import compile_spot  # noqa: E402
from equilibrist.games.spots.spot import Spot  # noqa: E402
from equilibrist.learning.hand_values.belief_states import HANDS, possible_hands  # noqa: E402
from equilibrist.learning.hand_values.network_values import ready_values  # noqa: E402
from equilibrist.learning.hand_values.value_net import HandValueNet  # noqa: E402
from equilibrist.learning.rebel_holdem.flop_play import FLOPS_LEFT, FlopSearch, FlopTable  # noqa: E402
from equilibrist.learning.rebel_holdem.preflop_game import FLOP_BETS, PreflopGame  # noqa: E402
from equilibrist.learning.rebel_holdem.sampled_ends import SampledStreetEnds, SampledValues  # noqa: E402
from equilibrist.search.depth_limited.spot_continuations import Continuations  # noqa: E402
from equilibrist.search.depth_limited.spots import solve_street  # noqa: E402
from equilibrist.solvers.iteration_loop import Stop  # noqa: E402

GAME = PreflopGame()
RANGES = {"oop": "AA,76s,QJs,T9o", "ip": "KK,A5s,99,JTs"}


class Each:
    """Draws each of some cards in turn."""

    def __init__(self):
        self.turn = 0

    def choice(self, count, size, replace):
        self.turn += 1
        return np.array([(self.turn - 1) % count])


def ends(cards, random, board="Ks7h2d", **changed):
    spot = Spot(board=board, pot=400, stack=1800, range=RANGES, bets=FLOP_BETS, **changed)
    return SampledStreetEnds(ready_values(4), compile_spot(spot), cards, random)


def by_classes(one, random):
    """Reach at the leaves that suits do not matter for."""
    return tuple(random.random((len(one.pots), 169)).astype(np.float32)[:, HANDS.cell[hands]] for hands in one.hands)


@pytest.mark.parametrize("board", ["Ks7h2d", "Th8h2h"])
def test_the_mean_over_drawn_cards_is_what_all_of_them_say(board):
    one, all_of_them = ends(1, Each(), board), ends(0, None, board)
    random = np.random.default_rng(0)
    reach = by_classes(one, random)
    count = len(one.after.left)
    for player in range(2):
        whole = all_of_them.ask(player, reach)
        mean = np.mean([one.ask(player, reach) for _ in range(count)], axis=0)
        assert np.abs(mean - whole).max() < 1e-4 * np.abs(whole).max()


def test_checked_down_is_what_a_network_says_that_has_learned_nothing():
    one = ends(0, None)
    one.net = HandValueNet()
    reach = by_classes(one, np.random.default_rng(1))
    for player in range(2):
        asked, down = one.ask(player, reach), one.checked_down(player, reach) * one.pots[:, None]
        assert np.abs(asked - down).max() < 1e-3 * np.abs(down).max()


def test_what_one_flop_says_is_right_on_average():
    """Over all 22,100 flops: the mean of an example is what hands are worth if each pair of classes has its payoff."""
    random = np.random.default_rng(2)
    payoff = random.normal(size=(169, 169))
    theirs = random.random(169)
    hand = np.stack([HANDS.low, HANDS.high], axis=1)
    mine = np.array([int(np.flatnonzero(GAME.street.class_of == cell)[0]) for cell in (0, 40, 168)])  # one hand of each
    apart = (hand[mine][:, None, :, None] != hand[None, :, None, :]).all(axis=(2, 3))
    weight = apart * GAME.by_hand(theirs)[None] * GAME.by_hand(payoff[GAME.street.class_of[mine]])
    met = (apart * GAME.by_hand(theirs)[None]).sum(axis=1)
    wanted = weight.sum(axis=1) / met
    total, seen = np.zeros(len(mine)), np.zeros(len(mine))
    blocked = np.zeros((STANDARD.size, HANDS.count), dtype=bool)
    blocked[HANDS.low, np.arange(HANDS.count)] = blocked[HANDS.high, np.arange(HANDS.count)] = True
    for flop in combinations(range(STANDARD.size), 3):
        live = ~blocked[list(flop)].any(axis=0)
        here = live[mine]
        total[here] += FLOPS_LEFT * (weight[here] @ live) / met[here]
        seen += here
    assert (seen == comb(50, 3)).all()
    assert total / seen == pytest.approx(wanted, rel=1e-9)


def test_what_is_measured_is_sound():
    """Best responses get no less than the strategies they answer, though cards are drawn while these are learned."""
    spot = Spot(board="Ks7h2d", pot=400, stack=1800, range=RANGES, bets=FLOP_BETS)
    found = solve_street(spot, "cfr+", Stop(iterations=25), Continuations(values=SampledValues(cards=2)), 0, 1)
    assert found.evaluation.exploitability >= 0.0
    assert sum(found.evaluation.value) == pytest.approx(0.0, abs=1e-3)


@pytest.fixture(scope="module")
def played():
    search = FlopSearch(inside=3, cards=1, states=2, exploration=0.0)
    table = FlopTable(GAME, (3, 30, 45), ready_values(4), search)
    random = np.random.default_rng(3)
    weights = random.random((2, 169)) ** 2
    return weights, table.play(int(GAME.open[1]), weights, random)


def test_an_example_of_values_before_the_flop(played):
    _, (example, _) = played
    assert example.depth == pytest.approx([4.5])
    assert example.weights.shape == example.added.shape == (1, 2, 169)
    assert example.weights.max() == 1.0
    size = GAME.street.size
    assert (example.share[0] * size).sum() == pytest.approx(comb(49, 2))
    assert np.isfinite(example.added).all()
    assert 0.01 < np.abs(example.added).mean() < 1.0


def test_turns_that_play_goes_on_to(played):
    _, (_, turns) = played
    assert len(turns) == 2
    assert (turns.boards[:, :3] == [3, 30, 45]).all()
    live = possible_hands(turns.boards)
    assert (turns.ranges[~np.broadcast_to(live[:, None], turns.ranges.shape)] == 0.0).all()
    assert (turns.ranges.max(axis=2) == 1.0).all()
    assert ((turns.depth > 0.02) & (turns.depth < 13.0)).all()
