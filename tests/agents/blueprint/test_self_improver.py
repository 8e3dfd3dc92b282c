"""Bets of an opponent turned into sizes: the gap, its middle, and the menu."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.agents.blueprint.self_improver import gap_scores, improvement, with_sizes
from equilibrist.core.errors import ParameterError
from equilibrist.solvers.blueprint.plan import BlueprintPlan


def test_the_gap_between_half_and_whole_pot_is_chosen():
    # [Brown20, §6.4]: 0.6 pot every hand; midpoint (A + B + 2AB) / (A + B + 2) = 2.5 / 3.5
    found = improvement([0.5, 1.0, 2.0], [0.6] * 10)
    assert found.defensive == pytest.approx([5 / 7])
    assert found.offensive == 0.6
    assert found.sizes == pytest.approx([0.6, 5 / 7])


def test_scores_are_distances_to_the_nearer_end():
    scores = gap_scores([0.5, 1.0, 2.0], [0.6, 0.9, 1.7, 1.0, 3.0])
    assert scores == pytest.approx({(0.5, 1.0): 0.2, (1.0, 2.0): 0.3})
    assert improvement([0.5, 1.0, 2.0], [0.6, 0.9, 1.7], most=1).defensive == pytest.approx([7 / 5])


@given(st.lists(st.floats(0.01, 4.0), min_size=1, max_size=20))
def test_added_sizes_lie_inside_gaps_that_were_bet_into(bets):
    known = [0.25, 0.5, 1.0, 2.0]
    for size in improvement(known, bets).defensive:
        low, high = max(x for x in known if x < size), min(x for x in known if x > size)
        assert any(low < bet < high for bet in bets)


def test_known_sizes_add_nothing():
    assert improvement([0.5, 1.0], [0.5, 1.0, 1.0]).sizes == ()
    with pytest.raises(ParameterError, match="two sizes"):
        gap_scores([0.5], [0.7])


def test_sizes_join_a_menu():
    plan = BlueprintPlan("nolimit-holdem", {"menu": {"bet": "50%, 100%, a", "preflop": {"raise": "100%, a"}}})
    assert with_sizes(plan, [5 / 7]).menu["menu"]["bet"] == "50%, 71.4286%, 100%, a"
    assert with_sizes(plan, [0.6], street="preflop", kind="raise").menu["menu"]["preflop"]["raise"] == "60%, 100%, a"
    assert with_sizes(plan, [0.6], street="river").menu["menu"]["river"]["bet"] == "50%, 60%, 100%, a"
    assert plan.menu["menu"]["bet"] == "50%, 100%, a"  # the plan itself stays as it was
