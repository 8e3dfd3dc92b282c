"""The phases of GS1 and GS2: classes, meetings, duels in expectation, situations at the table."""

from functools import cache

import numpy as np
import pytest

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.threads import Team
from equilibrist.experiments.findings import Request
from equilibrist.experiments.gilpin.gs import gs_ablations, gs_turns, phase_one
from equilibrist.experiments.gilpin.gs.limit_duels import (
    draw_deals,
    duplicate,
    phase_choices,
    river_table,
    river_values,
    turn_starts,
    turn_worths,
    worth,
)
from equilibrist.experiments.gilpin.gs.simulated_round import last_round, round_worth, smoothed_table
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.poker.betting import first_node
from equilibrist.games.poker.family import limit_holdem
from equilibrist.games.poker.game import settle
from equilibrist.games.rules import CHANCE, TERMINAL

SIZES = (3, 6, 12)


@cache
def limit_tree():
    return betting_tree(limit_holdem().rules)


@pytest.fixture(scope="module")
def sample():
    patch = pytest.MonkeyPatch()  # the exact table takes six seconds
    patch.setattr(phase_one, "preflop_equity", lambda: np.random.default_rng(0).random(phase_one.HANDS))
    yield phase_one.board_sample(phase_one.SampleSize(3, 2, 2))
    patch.undo()


def river(seed=None):
    """A table of actions: random, or nobody ever bets."""
    tree, rng = last_round(1.0, 1.0, 4), np.random.default_rng(seed)
    rows = {}
    for n in tree.decisions:
        shares = rng.random((81, int(tree.children[n])))
        if seed is None:
            shares = np.zeros_like(shares)
            shares[:, tree.actions(int(n)).index("x" if "x" in tree.actions(int(n)) else "c")] = 1.0
        rows[tree.line(int(n))] = shares
    return smoothed_table(rows), tree


@pytest.fixture(scope="module")
def players(sample):
    table, _ = river(1)
    setting = gs_ablations.AblationSetting(SIZES, 5, 1000)
    return gs_ablations.all_variants(sample, table, setting, Checkpoints(None, ""), Request())


@pytest.mark.parametrize("method", ["expectation", "threshold"])
def test_classes_have_the_totals_and_forget_nothing(sample, method):
    made = phase_one.phase_classes(sample, SIZES, method)
    assert made.counts == SIZES
    assert np.array_equal(
        made.parents[1][made.flop[made.flop >= 0]], np.broadcast_to(made.preflop, made.flop.shape)[made.flop >= 0]
    )
    live = made.turn >= 0
    assert np.array_equal(made.parents[2][made.turn[live]], np.broadcast_to(made.flop[:, None], made.turn.shape)[live])
    assert int(live.sum()) == 3 * 2 * 1128


def test_when_nobody_bets_the_river_is_a_showdown(sample):
    made = phase_one.phase_classes(sample, SIZES, "expectation")
    table, tree = river()
    met = phase_one.meetings(sample, made, table, round_worth(tree, table), Team(2))
    assert met.chance.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(met.balance, -met.balance.T, atol=1e-15)
    np.testing.assert_allclose(met.share, met.balance, atol=1e-15)
    assert not met.bets.any()
    assert met.balance[-1].sum() > 0 > met.balance[0].sum()  # classes rise with strength inside every family


def test_games_of_three_rounds_have_the_published_betting(players):
    # 7 ways to the flop, 63 to the turn ([Gilpin09, §6.3.1]: 7 pre-flop x 9 flop)
    assert len(turn_starts(limit_tree())) == 63
    form = phase_one.phase_form(
        players[gs_ablations.WHOLE].classes, phase_one.Meetings(*[np.full((12, 12), 1 / 144)] * 4), estimated=False
    )
    assert [betting.histories for betting in form.rounds] == [1, 7, 63]


def test_a_player_neither_wins_nor_loses_against_itself(sample, players):
    deals = draw_deals(sample.flops, 50, np.random.default_rng(1))
    after = {node: np.random.default_rng(node).normal(size=50) for node in turn_starts(limit_tree())}
    one = players[gs_ablations.WHOLE]
    assert not duplicate(limit_tree(), one, one, deals, after).any()
    other = players[gs_ablations.Variant("threshold", False)]
    np.testing.assert_allclose(
        duplicate(limit_tree(), one, other, deals, after), -duplicate(limit_tree(), other, one, deals, after)
    )


def test_a_deal_is_worth_what_the_rules_say(sample, players):
    """The walk over arrays against the rules themselves, node by node; uniform play on turn and river."""
    deals = draw_deals(sample.flops, 2, np.random.default_rng(4))
    pair = players[gs_ablations.WHOLE], players[gs_ablations.Variant("threshold", True)]
    even = turn_worths(
        limit_tree(),
        deals,
        lambda node: np.full((2, int(limit_tree().children[node])), 1.0 / limit_tree().children[node]),
    )
    found = worth(limit_tree(), 0, deals, phase_choices(limit_tree(), pair, deals), even)
    for n in range(2):
        classes = [
            (each.classes.preflop[deals.hands[n, p]], each.classes.flop[deals.flop[n], deals.hands[n, p]])
            for p, each in enumerate(pair)
        ]

        def expected(node, n=n, classes=classes):
            if node.player == CHANCE:
                return expected(node.after_deal)
            if node.player == TERMINAL:
                return settle(node, tuple(deals.strength[n]))[0]
            actions = len(node.labels)
            chances = np.full(actions, 1.0 / actions)
            if node.round < 2:
                chances = pair[node.player].lines[node.line][classes[node.player][node.round]]
            return sum(c * expected(node.after(a)) for a, c in enumerate(chances))

        assert found[n] == pytest.approx(expected(first_node(limit_holdem().rules)), abs=1e-9)


def test_deals_are_dealt_once_and_see_the_same_board(sample):
    deals = draw_deals(sample.flops, 200, np.random.default_rng(2))
    for cards, flop in zip(deals.cards, deals.flop, strict=True):
        assert len({*cards[0].tolist(), *cards[1, :2].tolist()}) == 9
        assert np.array_equal(cards[0, 2:], cards[1, 2:])
        assert np.array_equal(cards[0, 2:5], sample.flops[flop])
    values = river_values(deals)
    assert np.abs(values).max() <= 990  # [Gilpin09, §7.2]
    better = deals.strength[:, 0] > deals.strength[:, 1]
    assert np.mean((values[:, 0] > values[:, 1]) == better) > 0.95  # but for the cards that each player blocks and ties


def test_a_recorded_river_gives_back_how_it_was_played(sample):
    deals = draw_deals(sample.flops, 30, np.random.default_rng(3))
    shares = {2: np.array([0.7, 0.3]), 3: np.array([0.2, 0.5, 0.3])}
    table = river_table(
        limit_tree(),
        deals,
        lambda node: np.tile(shares[int(limit_tree().children[node])], (30, 1)),
        river_values(deals),
    )
    tree = last_round(1.0, 1.0, 4)
    assert set(table.rows) == {tree.line(int(n)) for n in tree.decisions}
    for n in tree.decisions:
        np.testing.assert_allclose(table.rows[tree.line(int(n))], np.tile(shares[int(tree.children[n])], (81, 1)))


def test_interrupted_first_phases_are_taken_up_again(sample, players, tmp_path):
    table, _ = river(1)
    for iterations in (3, 5):
        setting = gs_ablations.AblationSetting(SIZES, iterations, 1000)
        found = gs_ablations.all_variants(sample, table, setting, Checkpoints(tmp_path, "these"), Request())
    for variant, each in found.items():
        assert each.iterations == 5
        for line, rows in players[variant].lines.items():
            np.testing.assert_allclose(each.lines[line], rows, atol=1e-9)


def test_situations_come_with_beliefs_and_pots(sample, players):
    player = players[gs_ablations.WHOLE]
    for board, ranges, pot in gs_turns.situations(player, sample, 4):
        assert len(set(board)) == 4
        assert pot >= 4.0
        assert pot % 2 == 0
        for given in ranges:
            assert 0.0 < given.max() <= 1.0
            assert np.count_nonzero(given) <= 1128
    checks, measured = gs_turns.table_checks(player, sample, gs_turns.TableSetting((2, 5), 2, 2), Request())
    assert [check.name for check in checks if not check.passed] == []
    assert len(measured["programs of turn and river"]) == 2


def test_bisected_counts_are_near_their_targets():
    checks, _ = gs_turns.shrunk_boards(2, Request())  # [Gilpin09, §6.3.1]
    assert [check.name for check in checks if not check.passed] == []
