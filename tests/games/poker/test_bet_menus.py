"""Bet menus by situation, from files and in games."""

from pathlib import Path

import pytest

from equilibrist.core.errors import EquilibristError
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_menus import Commitment, asymmetric, menu_of, plan_of, read_plan, with_menus
from equilibrist.games.poker.bet_sizes import BettingSituation
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.solve import solve

EXAMPLE = Path(__file__).parents[3] / "examples" / "menus" / "tartanian.toml"


def test_the_narrowest_entry_wins():
    plan = read_plan(EXAMPLE, 2, 4)
    assert plan.round(0).at(0, 0).tokens == ("50%", "100%", "a")
    assert plan.round(0).at(0, 1).tokens == ("100%", "a")
    assert plan.round(3).at(1, 0).tokens == ("33%", "75%", "150%", "a")
    assert [plan.round(3).at(0, level).tokens for level in (1, 2, 5)] == [("100%", "a"), ("a",), ("a",)]
    assert plan.round(3).at(1, 2).tokens == ("100%", "a")
    assert plan.round(1).commitment == Commitment(0.75)
    assert plan.round(3).commitment.share == float("inf")


@pytest.mark.parametrize(
    ("rule", "allowed"),  # 10 paid, 20 to call, 30 more, of 100: 60 in all, 50 in this bet, 50 of 90 that are left
    [("total", (0.6, 0.59)), ("increment", (0.5, 0.49)), ("remaining", (0.56, 0.55))],
)
def test_rules_of_commitment(rule, allowed):
    spot = BettingSituation(pot_after_call=80, facing=20, remaining=70, minimum=1, paid=10, stack=100)
    assert [Commitment(share, rule).allows(30, spot) for share in allowed] == [True, False]


def test_players_with_different_menus_are_solved():
    rules = load_game("nolimit-leduc(stack=4)").rules
    game = Poker("two menus", with_menus(rules, asymmetric(menu_of("100%"), menu_of("50%, a"))))
    solution = solve(game, "lp")
    assert solution.exploitability == pytest.approx(0, abs=1e-9)
    assert set(solution.policy["K"]) == {"x", "b2"}
    assert set(solution.policy["K:x"]) == {"x", "b1", "b3"}
    assert betting_tree(game.rules).actions(0) == ("x", "b2")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"menus": {}}, "Unknown key 'menus'"),
        ({"menu": {"flop": {"open": "50%"}}}, "Unknown key 'open'"),
        ({"menu": {"bet": 50}}, "must be text"),
        ({"menu": {"bet": "half"}}, "The bet size .* cannot be read"),
        ({"menu": {"p3": {}}}, "Unknown key 'p3'"),
        ({"menu": {"p1": 3}}, "must be a table"),
        ({"commit": {"flop": "much"}}, "share of the stack"),
        ({"commit": {"flop": 0.5, "rule": "all"}}, "by one of the rules"),
    ],
)
def test_files_that_say_something_else_are_refused(table, words):
    with pytest.raises(EquilibristError, match=words):
        plan_of(table, 2, 4)


def test_unreadable_files(tmp_path):
    with pytest.raises(EquilibristError, match="cannot be read"):
        read_plan(tmp_path / "none.toml", 2, 4)
    (tmp_path / "bad.toml").write_text("menu = [")
    with pytest.raises(EquilibristError, match="not valid TOML"):
        read_plan(tmp_path / "bad.toml", 2, 4)
