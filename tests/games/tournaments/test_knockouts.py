"""Bounties: fractions over all finish orders, conserved, and sampled."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import ParameterError, TooLargeError
from equilibrist.games.tournaments.icm import icm
from equilibrist.games.tournaments.knockout_factors import knockout_bubble_factors
from equilibrist.games.tournaments.knockouts import knockout_icm
from equilibrist.games.tournaments.standings import make_standings
from reference.naive_icm import naive_knockouts

THREE = [50.0, 30.0, 20.0]
players = st.lists(st.tuples(st.floats(1.0, 1e6), st.floats(0.0, 100.0)), min_size=1, max_size=4)


@settings(max_examples=25, deadline=None)
@given(players, st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_bounties_over_all_finish_orders(given_players, kept):
    chips, heads = (list(column) for column in zip(*given_players, strict=True))
    exact = [float(value) for value in naive_knockouts(chips, heads, Fraction(kept))]
    found = knockout_icm(chips, THREE, heads, progressive=kept)
    assert found.bounties == pytest.approx(exact, abs=1e-12 * max(sum(heads), 1.0))
    assert found.bounties.sum() == pytest.approx(sum(heads), rel=1e-12)
    assert (found.prizes == icm(chips, THREE)).all()
    assert found.samples == 0


def test_heads_up_by_hand():
    """Two players of 3:1 with 10 on each head: the winner is paid both, whatever is kept."""
    for kept in (0.0, 0.5, 1.0):
        assert knockout_icm([3, 1], [5.0], [10, 10], progressive=kept).equity == pytest.approx([18.75, 6.25])


def test_three_by_hand():
    """Equal stacks: the third goes to either of the two above, the second to the winner, who is paid its own head."""
    found = knockout_icm([1, 1, 1], THREE, [6, 0, 0])
    # on the winner's head (1/3): 6 to itself; second (1/3): to the winner; third: one of two
    assert found.bounties == pytest.approx([2.0, 2.0, 2.0])
    unequal = knockout_icm([2, 1, 1], THREE, [0, 4, 0]).bounties
    assert unequal == pytest.approx([float(value) for value in naive_knockouts([2, 1, 1], [0, 4, 0], Fraction(0))])


def test_larger_fields_are_sampled():
    rng = np.random.default_rng(0)
    chips, heads = rng.lognormal(0.0, 1.0, 13), rng.uniform(1.0, 5.0, 13)
    exact = knockout_icm(chips[:12], THREE, heads[:12], progressive=0.5)
    assert exact.samples == 0
    found = knockout_icm(
        [*chips[:12], 1e-9], THREE, [*heads[:12], 0.0], progressive=0.5, samples=40_000
    )  # a 13th who never matters
    assert found.bounties.sum() == pytest.approx(heads[:12].sum(), rel=1e-12)
    assert np.abs((found.bounties - np.append(exact.bounties, 0.0))[:12] / found.standard_error[:12]).max() < 4.5


def test_players_without_chips_have_no_bounty():
    found = knockout_icm([3, 0, 1], THREE, [10, 0, 10])
    assert found.bounties == pytest.approx([15, 0, 5])
    with pytest.raises(ParameterError, match="has been taken"):
        knockout_icm([3, 0, 1], THREE, [10, 1, 10])


@pytest.mark.parametrize(
    ("heads", "kept", "told"),
    [
        ([1], 0, "for each of the 2"),
        ([1, -1], 0, "zero or more"),
        ([1, 1], 1.5, "share from 0 to 1"),
        ([1, 1], -1, "zero or more"),
        (3, 0, "list"),
    ],
)
def test_bad_bounties_are_refused(heads, kept, told):
    with pytest.raises(ParameterError, match=told):
        knockout_icm([1, 2], THREE, heads, progressive=kept)


@pytest.mark.parametrize("part", [0.4, 1.0])
def test_bubble_factors_with_bounties_are_those_of_equities_after_the_hand(part):
    chips, heads = [5.0, 0.0, 3.0, 2.0], [10.0, 0.0, 8.0, 6.0]
    start = make_standings(chips, THREE, bounties=heads, progressive=0.5)
    amounts = part * np.minimum.outer([5.0, 3.0, 2.0], [5.0, 3.0, 2.0])
    found = knockout_bubble_factors(chips, THREE, heads, progressive=0.5, at_risk=amounts)
    assert found.equity == pytest.approx(knockout_icm(chips, THREE, heads, progressive=0.5).equity[[0, 2, 3]])
    for a, one in enumerate(found.seats):
        for b, other in enumerate(found.seats):
            if a != b:
                for giver, taker, told in ((other, one, found.equity_won), (one, other, found.equity_lost)):
                    after, cash = start.moved(giver, taker, amounts[a, b])
                    later = knockout_icm(after.stacks, THREE, after.bounties, progressive=0.5, before=chips)
                    assert told[a, b] == pytest.approx((later.equity + cash)[one])


def test_a_bounty_is_worth_a_risk_to_whoever_covers():
    plain = knockout_bubble_factors([5, 3, 2], THREE, [0, 0, 0]).factor
    rich = knockout_bubble_factors([5, 3, 2], THREE, [0, 0, 50]).factor
    assert rich[0, 2] < 1.0 < plain[0, 2]
    with pytest.raises(TooLargeError, match="up to 12 players"):
        knockout_bubble_factors([1.0] * 13, THREE, [1.0] * 13)
