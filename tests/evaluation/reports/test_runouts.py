"""Next cards of solved spots, and solved spots side by side."""

import math
from dataclasses import replace

import numpy as np
import pytest

from equilibrist.cards.range_text import STANDARD, hand_number, hands_of
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.reports.comparison import compare_solutions
from equilibrist.evaluation.reports.runouts import runout_report
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.pictures.heat_map import runout_figure
from equilibrist.solvers.postflop.solve_spot import solve_spot

FEW = {"oop": "AA,K9s,76s:0.5,T9o", "ip": "QQ,A5s,98s,T8o:0.7"}
TURN = {"board": "2c7cQcKc", "pot": 100, "stack": 150, "range": FEW, "bets": {"bet": "50%", "raise": "a"}}
FLOP = {"board": "2c7cQc", "pot": 100, "stack": 80, "range": FEW, "bets": {"bet": "a"}}
HANDS = hands_of(STANDARD)


def solved(spot, iterations, solver="dcfr"):
    return solve_spot(Spot(**spot), solver, iterations=iterations)


@pytest.fixture(scope="module")
def turn():
    return solved(TURN, 15)


@pytest.fixture(scope="module")
def flop():
    return solved(FLOP, 4)


def mean(report, values):
    return math.fsum(row.probability * value for row, value in zip(report.rows, values, strict=True))


def check_means(node):
    """A card changes nothing on average: EV and equity before it are the means of those after it."""
    report = runout_report(node)
    assert mean(report, [1.0] * len(report.rows)) == pytest.approx(1.0, abs=1e-12)
    for seat in range(2):
        assert mean(report, [row.ev[seat] for row in report.rows]) == pytest.approx(node.range_ev(seat), abs=2e-4)
        after = mean(report, [row.equity[seat] for row in report.rows])
        assert after == pytest.approx(node.range_equity(seat), abs=1e-7)  # reach is kept in single precision


@pytest.mark.parametrize("line", ["x:x", "b50:c", "x:b50:c"])
def test_ev_and_equity_before_a_river_are_means_over_rivers(turn, line):
    check_means(turn.at(line))


@pytest.mark.parametrize("line", ["x:x", "x:x:8h:x:x"])
def test_ev_and_equity_before_a_card_are_means_on_two_streets(flop, line):
    check_means(flop.at(line))


def test_probabilities_count_pairs_of_hands(turn):
    """Against a plain sum over both ranges: every pair of hands leaves 44 rivers alike."""
    node, chance = turn.at("x:x"), np.zeros(52)
    for mine, weight in zip(node.hands_of(0), node.reach(0), strict=True):
        for theirs, other in zip(node.hands_of(1), node.reach(1), strict=True):
            held = {HANDS.low[mine], HANDS.high[mine], HANDS.low[theirs], HANDS.high[theirs]}
            if len(held) == 4:
                live = [card for card in range(52) if card not in held and card not in node.cards]
                chance[live] += weight * other / len(live)
    chance /= chance.sum()
    report = runout_report(node)
    found = {row.card: row.probability for row in report.rows}
    for card in set(range(52)) - set(node.cards):
        assert found[STANDARD.label(card)] == pytest.approx(chance[card], rel=1e-6)


def test_rows_are_what_a_cursor_says_after_each_card(turn):
    """Also of cards that were copied from one like them; those agree."""
    node = turn.at("x:x")
    report = runout_report(node)
    assert [row.card for row in report.rows] == list(node.next_cards)
    assert (report.player, report.labels) == ("oop", ("x", "b50"))
    for row in report.rows:
        after = node.play(row.card)
        assert row.frequencies == pytest.approx(tuple(after.frequencies), abs=1e-5)
        assert row.ev == pytest.approx((after.range_ev(0), after.range_ev(1)), abs=1e-3)
        assert row.equity == pytest.approx((after.range_equity(0), after.range_equity(1)), abs=1e-5)
        assert report.betting(row) == pytest.approx(after.frequencies[1], abs=1e-5)
    like = {row.card: row.like for row in report.rows}
    assert (like["8h"], like["8s"], like["8c"]) == ("8d", "8d", "8c")  # all ranges and the board leave d, h and s alike


def test_where_all_chips_are_in_there_are_values_but_no_strategy(flop):
    node = flop.at("b80:c")
    report = runout_report(node)
    assert report.player is None
    assert report.frequencies == ()
    assert all(row.frequencies == () for row in report.rows)
    assert math.isnan(report.betting(report.rows[0]))
    check_means(node)
    for row in report.rows:  # then the EV is the equity, in chips of the pot of 260
        assert row.ev == pytest.approx([260.0 * share for share in row.equity], abs=1e-3)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "oop acts at the beginning"),
        ("x:b50", "oop acts after"),
        ("x:b50:f", "hand is over"),
        ("x:x:8h", "complete"),
    ],
)
def test_a_line_after_which_no_card_comes_is_refused(turn, line, words):
    with pytest.raises(ParameterError, match=words) as refusal:
        runout_report(turn.at(line))
    assert "complete" in words or "such as x:x" in str(refusal.value)


def test_a_line_that_is_never_played_has_a_report_without_values(turn):
    report = replace(runout_report(turn.at("x:x")), ev=(math.nan, math.nan))
    never = replace(report, rows=tuple(replace(row, probability=0.0, ev=(math.nan, math.nan)) for row in report.rows))
    assert all(math.isnan(share) for share in never.frequencies)
    pytest.importorskip("matplotlib")
    assert any("never played" in text.get_text() for axes in runout_figure(never).axes for text in axes.texts)


# two solutions


def test_a_solution_does_not_differ_from_itself(turn):
    found = compare_solutions(turn, turn)
    assert found.difference == 0.0
    assert found.hands == ()
    assert found.first == found.second
    assert found.first.ev == pytest.approx(turn.ev, abs=1e-4)


def test_the_largest_differences_come_first_and_add_up(turn):
    other = solved(TURN, 3, "cfr+")
    found = compare_solutions(turn, other, "x", listed=1000)
    one, two = turn.at("x"), other.at("x")
    sizes = [row.weight * row.difference for row in found.hands]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0
    assert sum(sizes) == pytest.approx(found.difference, abs=1e-6)  # the ranges are the same, so weights sum to one
    assert found.first.exploitability == turn.exploitability
    assert found.second.percent_of_pot == other.percent_of_pot
    assert found.second.frequencies == pytest.approx(tuple(two.frequencies))
    row = found.hands[0]
    place = list(one.hands).index(hand_number(row.hand))
    assert row.first == pytest.approx(tuple(one.strategy[place]))
    assert row.second == pytest.approx(tuple(two.strategy[place]))
    assert row.difference == pytest.approx(np.abs(one.strategy[place] - two.strategy[place]).max())  # of two actions
    assert compare_solutions(turn, other, "x", listed=3).hands == found.hands[:3]


def test_only_hands_of_both_ranges_are_compared(turn):
    other = solved(TURN | {"range": {**FEW, "oop": "AA,JJ"}}, 3)
    found = compare_solutions(turn, other, listed=1000)
    assert {row.hand[0] + row.hand[2] for row in found.hands} <= {"AA"}
    assert 0.0 < found.difference <= 1.0


def test_where_a_card_comes_there_are_values_to_compare(turn):
    found = compare_solutions(turn, turn, "x:x")
    assert found.player is None
    assert math.isnan(found.difference)
    assert found.hands == ()
    assert sum(found.first.ev) == pytest.approx(100.0, abs=1e-3)


def test_what_cannot_be_compared_is_refused_with_the_reason(turn, flop):
    with pytest.raises(NotApplicableError, match="boards differ, 2c7cQcKc and 2c7cQc"):
        compare_solutions(turn, flop)
    larger = solved(TURN | {"bets": {"bet": "75%"}}, 1)
    with pytest.raises(NotApplicableError, match="oop has x, b50 and oop has x, b75"):
        compare_solutions(turn, larger)
    with pytest.raises(NotApplicableError, match="second solution does not have the line 'b50'"):
        compare_solutions(turn, larger, "b50")
    with pytest.raises(ParameterError, match="no action 'b75'"):
        compare_solutions(turn, larger, "b75")
