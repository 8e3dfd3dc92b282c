"""Weights of ranges count by their ratios: tiny ones give the values of the same range scaled up, or are refused."""

from __future__ import annotations

import numpy as np
import pytest

from equilibrist.cards.ranges import FAINTEST, Range, parse_range
from equilibrist.core.errors import ParameterError
from equilibrist.evaluation.verification.spots import verify_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.solve_spot import solve_spot


def spot(oop: str | Range, ip: str | Range) -> Spot:
    bets = {"bet": "50%, a", "raise": "a"}
    return Spot(board="Td9d6hQc2s", pot=100, stack=100, range={"oop": oop, "ip": ip}, bets=bets)


def weighted(text: str, factor: float) -> Range:
    return Range(parse_range(text).weights * factor)


@pytest.mark.parametrize("factor", [0.5, 1e-4, 1e-12, 1e-25, 1e-300])
@pytest.mark.parametrize("both", [False, True], ids=["one", "both"])
def test_scaled_ranges_have_the_same_values(factor: float, both: bool) -> None:
    oop, ip = "AA,KQs:0.5,54s:0.25", "KK,QJs:0.5,87s"
    usual = solve_spot(spot(oop, ip), iterations=100)
    tiny = solve_spot(spot(weighted(oop, factor), weighted(ip, factor) if both else ip), iterations=100)
    assert np.allclose(tiny.ev, usual.ev, atol=1e-3)
    assert verify_spot(tiny).agrees
    assert tiny.equity == pytest.approx(usual.equity, abs=1e-9)
    assert tiny.root.frequencies == pytest.approx(usual.root.frequencies, abs=1e-3)


def test_the_better_hand_wins_the_pot_whatever_its_weight() -> None:
    assert solve_spot(spot("AA:1e-25", "KK:1e-25"), iterations=50).ev == pytest.approx((100.0, 0.0), abs=1e-3)


@pytest.mark.parametrize("text", ["AA,KK:1e-21", "AA:1e-5,KK:1e-300", "AA:0.5,2c2d:4e-21"])
def test_weights_that_vanish_beside_the_largest_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"In 'range.oop': .* has the weight .* of the largest"):
        spot(text, "QQ,JJ")


def test_the_smallest_weight_that_is_taken_is_counted() -> None:
    """A hand of weight 1e-20 does not move the others' values, and has one of its own."""
    solution = solve_spot(spot(f"AA,7c2d:{FAINTEST}", "KK,QQ"), iterations=50)
    assert verify_spot(solution).agrees
    assert solution.ev.oop == pytest.approx(solve_spot(spot("AA", "KK,QQ"), iterations=50).ev.oop, abs=0.1)
    assert np.isfinite(solution.root.ev("oop")).all()


def test_weights_are_shown_as_they_were_given() -> None:
    solution = solve_spot(spot("AA:0.5,KK:0.25", "QQ"), iterations=5)
    assert set(solution.root.reach("oop").round(6)) == {0.25, 0.5}
