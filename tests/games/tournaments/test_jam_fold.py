"""What a jam/fold hand does to stacks and prizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.core.errors import ParameterError
from equilibrist.games.tournaments.jam_fold import EVENTS, HandEnd, JamFold

FULL, MINI, HEADS_UP = JamFold(), JamFold(chips=4500), JamFold(8000, 50, payouts=(1.0, 0.0))


def the(line: str, *ranks: int) -> HandEnd:
    return next(event for event in EVENTS[len(line)] if event.line == line and (not ranks or event.ranks == ranks))


def test_states_are_counted_and_numbered() -> None:
    """[Ganzfried15, §9.7.3]: -s1^2 / 2 + s1 (n - 1/2) + s2 - n."""
    assert (FULL.state_count, MINI.state_count, HEADS_UP.state_count) == (946, 91, 159)
    for rules in (FULL, MINI, HEADS_UP):
        assert len(rules.states) == rules.state_count
        assert [rules.number(stacks) for stacks in rules.states] == list(range(rules.state_count))
    for s1, s2, _ in FULL.states[::37]:
        assert FULL.number((s1, s2, 45 - s1 - s2)) == -0.5 * s1**2 + s1 * (45 - 0.5) + s2 - 45


def test_there_are_25_ways_to_end_a_hand_of_three_and_5_of_two() -> None:
    assert [len(EVENTS[3]), len(EVENTS[2])] == [25, 5]
    assert len(set(EVENTS[3])) == 25


@given(st.data())
def test_chips_and_prize_money_are_conserved(data: st.DataObject) -> None:
    rules = data.draw(st.sampled_from([FULL, MINI, HEADS_UP, JamFold(1500, 100, (200, 400), (10.0, 7.0, 0.0))]))
    state = data.draw(st.integers(0, rules.state_count - 1))
    event = data.draw(st.sampled_from(rules.events))
    after = rules.after(rules.states[state], event)
    assert sum(p for _, p in after) == 1.0
    for stacks, _ in after:
        assert sum(stacks) == rules.units
        assert min(stacks) >= 0
    end = rules.end(state, event)
    over = 1.0 - sum(p for _, p in end.following)
    assert sum(end.rewards) == pytest.approx(over * sum(rules.payouts))


def test_seats_move_on() -> None:
    """The button posts the big blind, the big blind the small one, the small blind has the button."""
    end = FULL.end(FULL.number((10, 15, 20)), the("FFF"))
    assert [FULL.states[state] for state, _ in end.following] == [(14, 21, 10)]
    assert end.roles == (2, 0, 1)
    swapped = HEADS_UP.end(HEADS_UP.number((60, 100)), the("FF"))
    assert [HEADS_UP.states[state] for state, _ in swapped.following] == [(106, 54)]


def test_pots_by_hand() -> None:
    stacks = (15, 15, 15)
    assert FULL.after(stacks, the("JFF")) == [((18, 14, 13), 1.0)]
    assert FULL.after(stacks, the("JFJ", 0, -1, 1)) == [((31, 14, 0), 1.0)]
    # 9,300 chips split evenly leave half a unit: a coin decides
    assert FULL.after(stacks, the("JFJ", 0, -1, 0)) == [((16, 14, 15), 0.5), ((15, 14, 16), 0.5)]
    # the short stack wins the main pot, the next one the side pot, the rest comes back
    assert FULL.after((5, 10, 30), the("JJJ", 0, 1, 2)) == [((15, 10, 20), 1.0)]
    assert FULL.after((5, 10, 30), the("JJJ", 0, 0, 0)) == [((5, 10, 30), 1.0)]


def test_blinds_that_are_whole_stacks() -> None:
    assert FULL.forced((1, 1, 43)) == (False, True, False)
    assert FULL.forced((20, 23, 2)) == (False, False, True)
    # the big blind of 300 wins what it can from each
    assert FULL.after((20, 24, 1), the("FJJ", -1, 1, 0)) == [((20, 23, 2), 1.0)]
    # a folded blind above all stacks that are left in is not lost: nobody could call it
    assert FULL.after((1, 22, 22), the("JFF")) == [((3, 21, 21), 1.0)]
    assert HEADS_UP.after((157, 3), the("FF")) == [((154, 6), 1.0)]
    # where both blinds are above the stack that jams, what the small blind has more goes to the big blind, who folds last
    assert JamFold(3000, 50).after((4, 28, 28), the("JFF")) == [((12, 22, 26), 1.0)]


def test_prizes_of_those_who_go_out_together() -> None:
    all_to_one = the("JJJ", 0, 1, 2)
    assert FULL.end(FULL.number((30, 10, 5)), all_to_one).rewards == (50.0, 30.0, 20.0)
    assert FULL.end(FULL.number((25, 10, 10)), all_to_one).rewards == (50.0, 25.0, 25.0)
    one_out = FULL.end(FULL.number((15, 15, 15)), the("JFJ", 0, -1, 1)).rewards
    assert one_out == pytest.approx((30 + 20 * 31 / 45, 30 + 20 * 14 / 45, 20.0))


def test_first_values_are_those_of_icm() -> None:
    """[Ganzfried15, §9.8.3]."""
    guess = FULL.guess()
    assert guess[FULL.state_of((300, 12_300, 900))] == pytest.approx([22.960, 48.191, 28.848], abs=1e-3)
    assert np.allclose(guess.sum(axis=1), 100.0)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"unit": 500}, "multiples of the unit"),
        ({"payouts": (20.0, 30.0, 50.0)}, "must not rise"),
        ({"payouts": (float("inf"), 1.0, 0.0)}, "must not rise"),
        ({"payouts": (1.0, float("nan"), 0.0)}, "must not rise"),
        ({"payouts": (100.0,)}, "two or three players"),
        ({"blinds": (600, 300)}, "Blinds are positive"),
        ({"chips": 90_000}, "too many"),
    ],
)
def test_impossible_tournaments_are_refused(given: dict[str, object], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        JamFold(**given)  # type: ignore[arg-type]


def test_impossible_stacks_are_refused() -> None:
    with pytest.raises(ParameterError, match="sum to 13,500"):
        FULL.state_of((300, 300, 300))
