"""Which rows are shown, in which order, in which colours, and that they can be drawn."""

from __future__ import annotations

import pytest

import equilibrist as eq
from equilibrist.interfaces.cli.views.tables import _cells
from equilibrist.interfaces.pictures.palette import (
    CALL,
    FOLD,
    LARGEST_BET,
    SMALLEST_BET,
    colour_map,
    describe_action,
    is_betting,
)
from equilibrist.interfaces.pictures.strategy_pictures import solution_figure
from equilibrist.interfaces.strategies import merge_suits, shortened, strategy_rows


def test_fold_is_blue_call_green_and_bets_redden_with_size() -> None:
    colours = colour_map([("f", "c", "r8", "r11"), ("x", "b2", "b11")])
    assert (colours["f"], colours["c"], colours["x"]) == (FOLD, CALL, CALL)
    assert colours["b2"] == SMALLEST_BET
    assert colours["b11"] == colours["r11"] == LARGEST_BET
    assert len({colours["b2"], colours["r8"], colours["r11"]}) == 3


def test_an_action_has_one_colour_in_all_menus_of_a_game() -> None:
    bids = [f"{count}x{face}" for count in (1, 2) for face in range(1, 7)]
    colours = colour_map([(*bids[k:], "liar") for k in range(len(bids))])
    assert len(set(colours.values())) == 13


@pytest.mark.parametrize(
    ("actions", "betting"),
    [
        (("x", "b"), True),
        (("f", "c", "r0.5"), True),
        (("Pass", "Bet"), True),
        (("Fold", "Call", "Raise"), True),
        (("R", "P", "S"), False),
        (("a1", "b1", "c1"), False),
        (("sell", "play"), False),
        (("1", "2"), False),
    ],
)
def test_betting_menus_are_told_from_others(actions: tuple[str, ...], betting: bool) -> None:
    assert is_betting(actions) is betting


def test_letters_are_spelt_out() -> None:
    assert [describe_action(a) for a in ("f", "x", "b", "r8", "b0.5", "liar", "Bet")] == [
        "fold", "check", "bet", "raise 8", "bet 0.5", "liar", "Bet",
    ]  # fmt: skip


def test_rows_go_by_public_state_then_by_hand() -> None:
    rows = strategy_rows(eq.compiled("kuhn").infosets.uniform())
    assert [row.key for row in rows] == [
        "J",
        "Q",
        "K",
        "J:x",
        "Q:x",
        "K:x",
        "J:x:b",
        "Q:x:b",
        "K:x:b",
        "J:b",
        "Q:b",
        "K:b",
    ]


def test_suits_are_left_out_only_where_they_do_not_matter() -> None:
    uniform = eq.compiled("leduc").infosets.uniform()
    rows = strategy_rows(uniform)
    merged = merge_suits(rows)
    assert len(merged) == 288  # leduc(suits=merged) has 288 infosets
    assert sum(row.merged for row in merged) == 936
    one = merge_suits(strategy_rows(uniform.with_row("Kc", [1.0, 0.0])))
    assert {row.key for row in one if row.public == ""} == {"J", "Q", "Kc", "Kd"}


def test_a_short_list_keeps_whole_public_states() -> None:
    rows = shortened(strategy_rows(eq.compiled("leduc").infosets.uniform()), 10)
    assert [row.key for row in rows] == ["J", "Q", "K", "J:x", "Q:x", "K:x", "J:b", "Q:b", "K:b"]


def test_bars_fill_their_width() -> None:
    for shares in ([1.0], [0.5, 0.5], [1 / 3] * 3, [0.999, 0.001], [0.0, 1.0], [1 / 7] * 7):
        assert sum(_cells(shares, 24)) == 24
    assert _cells([0.75, 0.25], 24) == [18, 6]


@pytest.mark.parametrize("game", ["kuhn", "leduc", "kuhn(players=3)", "liars-dice(faces=3)", "rps", "lemonade"])
def test_every_kind_of_game_can_be_drawn(game: str) -> None:
    solution = eq.solve(game, iterations=20)
    figure = solution_figure(solution, curve=[(1, 0.5), (10, 0.1), (20, 0.0)])
    players = len(set(solution.policy.infosets.player.tolist()))
    assert len(figure.axes) == players + 1  # a column each, and the curve
    labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert labels[0] in {row.key for row in merge_suits(strategy_rows(solution.policy))}
