"""Lemonade stands: payoffs by hand and their symmetries."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import ParameterError
from equilibrist.games.catalogue import load_game
from equilibrist.games.library.lemonade import earnings
from equilibrist.solvers.solve import solve
from reference.naive_cfr import naive_exploitability, naive_values

SPOTS = st.lists(st.integers(0, 11), min_size=3, max_size=3).map(tuple)


@pytest.mark.parametrize(
    ("spots", "expected"),
    [  # on a clock of twelve: all equal 8 each, two equal 6 and the third 12, else distances to both neighbours
        ((0, 0, 0), (8, 8, 8)),
        ((3, 3, 9), (6, 6, 12)),
        ((0, 4, 8), (8, 8, 8)),
        ((0, 1, 2), (11, 2, 11)),
        ((0, 6, 3), (9, 9, 6)),
    ],
)
def test_earnings(spots: tuple[int, ...], expected: tuple[float, ...]) -> None:
    assert earnings(spots, 12) == expected


@settings(max_examples=60, deadline=None)
@given(SPOTS, st.integers(0, 11))
def test_turning_the_circle_changes_nothing(spots: tuple[int, ...], turn: int) -> None:
    assert sum(earnings(spots, 12)) == pytest.approx(24)
    assert earnings(tuple((spot + turn) % 12 for spot in spots), 12) == earnings(spots, 12)
    assert earnings(spots[::-1], 12) == earnings(spots, 12)[::-1]


def test_three_hidden_choices() -> None:
    game = load_game("lemonade(stands=4)")
    third = game.start().child(1).child(3)
    assert (game.players, game.zero_sum, third.player) == (3, False, 2)
    assert [third.infoset(p) for p in range(3)] == ["seller 1@2:2 chosen", "seller 2@4:2 chosen", "seller 3"]
    assert third.public() == "2 chosen"


def test_uniform_play_is_worth_a_third_of_the_circle() -> None:
    game = load_game("lemonade(stands=6)")
    assert naive_values(game, {}) == pytest.approx([4, 4, 4])
    assert naive_exploitability(game, {}) == pytest.approx(0, abs=1e-12)  # by symmetry an equilibrium


def test_cfr_runs_on_three_sellers() -> None:
    solution = solve("lemonade(stands=6)", solver="cfr", iterations=200)
    assert sum(solution.value) == pytest.approx(12)
    assert solution.exploitability < 0.1


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="2 to"):
        load_game("lemonade(stands=1)")
