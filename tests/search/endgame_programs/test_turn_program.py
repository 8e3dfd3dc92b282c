"""Turn and river as a program over buckets: against best responses, CFR, and the same spot with every hand by itself."""

import numpy as np
import pytest

from equilibrist import Spot, solve
from equilibrist.abstraction.information.board_hands import board_hands
from equilibrist.cards.range_text import parse_cards
from equilibrist.cards.ranges import parse_range
from equilibrist.core.errors import ParameterError
from equilibrist.search.endgame_programs.turn_program import (
    TurnBuckets,
    expectation_buckets,
    threshold_buckets,
    turn_program,
)
from equilibrist.solvers.hand_classes.solve_classes import solve_rounds

BOARD = parse_cards("Kh9s4d2c")
RANGES = ("AhAs:0.5,9c9d,7h6h,QhJh", "KsKd,AdQd,8h8c,JsTs:0.25")
POT = 12.0


@pytest.fixture(scope="module")
def hands():
    return board_hands(BOARD)


def test_sizes_of_gs2_and_gs1(hands):
    # [Gilpin09, §6.4.1]: 10 and 100 buckets; [Gilpin09, §6.3.1]: about 25 and 125 classes, within 20 %
    assert expectation_buckets(hands).counts == (10, 100)
    found = threshold_buckets(hands).buckets
    assert 20 <= found.counts[0] <= 30
    assert 100 <= found.counts[1] <= 150
    for made in (expectation_buckets(hands), found):
        card, hand = np.nonzero(made.river >= 0)
        assert np.array_equal(made.parent[made.river[card, hand]], made.turn[hand])  # nothing is forgotten
        assert np.array_equal(made.river >= 0, hands.possible)


def test_program_best_responses_and_cfr_agree(hands):
    rng = np.random.default_rng(2)
    ranges = rng.random(1326), rng.random(1326) ** 2
    program = turn_program(BOARD, ranges, POT, buckets=expectation_buckets(hands, (3, 9)))
    one, two = (program.solve(player, "simplex") for player in range(2))
    assert one.value == pytest.approx(two.value, abs=1e-8)
    assert one.evaluation.value[0] == pytest.approx(one.value, abs=1e-7)
    assert one.evaluation.nash_conv == pytest.approx(0.0, abs=1e-7)
    low, high = solve_rounds(program.form, until=0.01).bracket
    assert low - 1e-6 <= one.value <= high + 1e-6


def each_hand(hands, weights):
    """A bucket for every hand that somebody holds and for every river after it; all others are lumped together."""
    held = (weights[0] + weights[1])[hands.hands] > 0
    turn = np.where(held, np.cumsum(held), 0)
    river = np.where(hands.possible, turn, -1)
    after = len(hands.coming) * (turn - 1) + np.arange(len(hands.coming))[:, None] + 1
    river = np.where(hands.possible & held, after, river)
    used = np.unique(river[river >= 0])
    return TurnBuckets(hands, turn, np.where(river >= 0, np.searchsorted(used, river), -1))


def test_with_every_hand_by_itself_it_is_the_spot(hands):
    weights = [np.asarray(parse_range(text).weights, float) for text in RANGES]
    program = turn_program(BOARD, tuple(weights), POT, buckets=each_hand(hands, weights))
    bucketed = solve_rounds(program.form, until=0.005)
    spot = Spot.from_text(
        f'board = "Kh9s4d2c"\npot = {POT}\n[range]\noop = "{RANGES[0]}"\nip = "{RANGES[1]}"\n'
        '[betting]\nkind = "limit"\nsize = 4\ncap = 4\n'
    )
    exact = solve(spot, until=0.005)
    assert sum(bucketed.bracket) / 2 == pytest.approx(exact.ev[0] - POT / 2, abs=0.02)


def test_impossible_situations_are_refused(hands):
    nothing = np.zeros(1326)
    with pytest.raises(ParameterError, match="dealt together"):
        turn_program(BOARD, (nothing, np.ones(1326)), POT, buckets=expectation_buckets(hands, (2, 4)))
    with pytest.raises(ParameterError, match="pot above 0"):
        turn_program(BOARD, (np.ones(1326), np.ones(1326)), 0.0, buckets=expectation_buckets(hands, (2, 4)))
