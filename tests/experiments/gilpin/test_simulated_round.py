"""A last round that is simulated: its betting, its table, its payoffs."""

import numpy as np
import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.experiments.gilpin.gs.simulated_round import (
    action_table,
    hand_value,
    last_round,
    play_out,
    round_worth,
    smoothed_table,
    truncated_payoff,
)


def test_hand_values():
    assert hand_value(990, 0, 0) == 990
    assert hand_value(400, 100, 490) == -40  # w - l + d/2, as printed
    assert hand_value(400, 100, 490, symmetric=True) == -90
    assert truncated_payoff(10, 0.7, 0.2) == pytest.approx(5)


def test_the_places_of_the_text():
    # [Gilpin09, §7.2]: the first player checks or bets, the second after a bet folds, calls or raises … the last folds or calls
    tree = last_round(share=10, bet=4, cap=3)
    actions = {tree.line(int(n)): tree.actions(int(n)) for n in tree.decisions}
    assert actions[""] == actions["x"] == ("x", "b")
    assert actions["b"] == actions["b:r"] == actions["x:b"] == ("f", "c", "r")
    assert actions["b:r:r"] == actions["x:b:r:r"] == ("f", "c")


def test_always_calling_is_the_simple_form():
    tree = last_round(10, 4, 3)
    samples = [("", 0, "x"), ("x", 0, "x")]
    table = action_table(tree, samples)
    assert play_out(tree, table, (500, -500), (1, 0)).tolist() == [10, -10]
    assert play_out(tree, table, (0, 0), (1, 1)).tolist() == [0, 0]


def test_bets_and_folds_by_value():
    tree = last_round(10, 4, 1)
    samples = [("", 900, "b"), ("", -900, "x"), ("x", 0, "x"), ("b", 900, "c"), ("b", -900, "f")]
    table = action_table(tree, samples)
    assert play_out(tree, table, (900, -900), (1, 0)).tolist() == [10, -10]  # bet, fold
    assert play_out(tree, table, (900, 900), (1, 0)).tolist() == [14, -14]  # bet, call
    assert play_out(tree, table, (-900, 900), (0, 1)).tolist() == [-10, 10]


def test_smoothing_and_rounding():
    tree = last_round(10, 4, 1)
    samples = [("", 12.4, "b"), ("", -13, "x"), ("", 30, "b")]
    table = action_table(tree, samples)
    # buckets 0 (12.4), -25 and 25 hold b, x, b; each is averaged with its neighbours, empty ones take the nearest
    assert table.probabilities("", 0) == pytest.approx([1 / 3, 2 / 3])
    assert table.probabilities("", 400) == pytest.approx([0, 1])
    assert table.probabilities("", -990) == pytest.approx([1, 0])
    for rows in table.rows.values():
        assert np.allclose(rows.sum(axis=1), 1)


def test_refusal():
    with pytest.raises(ParameterError, match="does not offer"):
        action_table(last_round(10, 4, 1), [("b", 0, "r")])


def test_worth_by_part_of_the_pot_and_bets_is_what_playing_out_gives():
    small, rng = last_round(1.0, 1.0, 4), np.random.default_rng(0)
    counts = {small.line(int(n)): rng.random((81, int(small.children[n]))) for n in small.decisions}
    table = smoothed_table(counts)
    part, bets = round_worth(small, table)
    tree = last_round(7.0, 4.0, 4)
    for first, second in ((0, 80), (40, 3), (62, 55)):
        values = (first - 40) * 25.0, (second - 40) * 25.0
        for outcome, strengths in enumerate(((0, 1), (1, 1), (1, 0))):
            expected = play_out(tree, table, values, strengths)[0]
            assert 7.0 * part[first, second, outcome] + 4.0 * bets[first, second, outcome] == pytest.approx(expected)
