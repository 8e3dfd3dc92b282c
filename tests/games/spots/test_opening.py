"""Spots that begin in the middle of a street."""

import numpy as np
import pytest

from equilibrist import Spot, solve
from equilibrist.cards.ranges import Range
from equilibrist.core.errors import ParameterError
from equilibrist.evaluation.verification.spots import verify_spot
from equilibrist.forms.boards.street_betting import street_forests

SPOT = Spot(
    board="Td9d6hQc2s",
    pot=200,
    stack=900,
    range={"oop": "66+,A8s+,KTs+,AJo+", "ip": "55+,A2s+,K9s+,ATo+"},
    bets={"bet": "50%, 100%, a", "raise": "a"},
)


@pytest.fixture(scope="module")
def whole():
    return solve(SPOT, iterations=1500)


@pytest.mark.parametrize("line", ["b100", "x:b100", "b100:r900"])
def test_a_spot_from_the_middle_of_a_street_has_the_value_the_whole_has_there(whole, line):
    place = whole.at(line)
    ranges = []
    for player in range(2):
        weights = np.zeros(1326)
        weights[place.hands_of(player)] = place.reach(player)
        ranges.append(Range(weights))
    part = solve(SPOT.changed(range={"oop": ranges[0], "ip": ranges[1]}, line=line), iterations=1500)
    assert part.root.player == place.player
    assert part.root.actions == place.actions
    assert part.root.pot == pytest.approx(place.pot)
    # the part of an equilibrium is an equilibrium of the part: the value is the same, the strategies need not be
    assert part.ev == pytest.approx((place.range_ev(0), place.range_ev(1)), abs=0.05)
    assert sum(part.ev) == pytest.approx(place.pot, abs=1e-3)
    assert verify_spot(part).agrees


def test_sizes_of_the_line_need_not_be_on_the_menu():
    forest = street_forests(SPOT.changed(line="b37:r91"))[-1]
    assert (int(forest.kind[0]), forest.paid[0].tolist()) == (0, [37.0, 91.0])
    assert forest.labels(0)[:2] == ("f", "c")


def test_a_line_is_kept_in_spot_files():
    spot = SPOT.changed(line="x:b150")
    assert Spot.from_text(spot.to_toml()).line == ("x", "b150")
    assert "line" not in SPOT.to_toml()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x:x", "ends the street"),
        ("c", "ends the street"),
        ("b0", "the least bet is 1"),
        ("b66:r80", "the least raise is to 132"),
        ("b66:b500", "expected r"),
        ("b1000", "more than the 900"),
        ("b900:r900", "all-in"),
        ("hello", "expected b"),
    ],
)
def test_impossible_lines_are_refused(line, said):
    with pytest.raises(ParameterError, match=said):
        SPOT.changed(line=line)


def test_a_bet_of_nothing_is_no_bet_even_without_a_smallest_chip():
    with pytest.raises(ParameterError, match="too small"):
        SPOT.changed(chip=0, line="b0")


def test_bets_of_the_line_count_towards_the_cap():
    capped = SPOT.changed(betting={"cap": 2}, line="b100:r300")
    assert street_forests(capped)[-1].labels(0) == ("f", "c")
    assert len(street_forests(capped.changed(line="b100"))[-1].labels(0)) == 3
