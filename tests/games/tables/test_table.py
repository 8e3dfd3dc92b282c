"""Tables as people write them: read, written back, refused with one sentence."""

import pytest

from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.forms.table_tree.table_tree import grow_table
from equilibrist.games.tables.table import Table, seat_names

JAM = {"stacks": [10, 10, 10], "blinds": [0.5, 1]}
WHOLE = """
blinds = [50, 100]
ante = { big_blind = 100 }
straddle = [200]
payouts = [50, 30, 20]
progressive = 0.5
players_to_flop = 2

[stacks]
"Mr X" = 2000
CO = 1500
BTN = 1000
SB = 900
BB = 2500

[bounties]
CO = 5
BTN = 10

[menu]
open = "2.5x, a"
3bet = "3x"
limp = true

[menu.BB]
3bet = "a"
call = true

[menu."Mr X"]
limp = false

[range]
BTN = "TT+,AKs"

[[lock]]
line = "f:f"
hands = "AA"
strategy = { f = 1.0 }
"""


def test_a_whole_file_is_read_and_written_back():
    table = Table.from_text(WHOLE)
    assert table.names == ("Mr X", "CO", "BTN", "SB", "BB")
    assert (table.ante.kind, table.ante.amount, table.straddles) == ("big_blind", 100.0, (200.0,))
    assert table.bounties == (0.0, 5.0, 10.0, 0.0, 0.0)
    assert [str(one.third_bet) for one in table.menus] == ["3x", "3x", "3x", "3x", "a"]
    assert [one.limp for one in table.menus] == [False, True, True, True, True]
    assert str(table.menus[0].isolates) == "2.5x, a"  # as it opens, unless it is said
    again = Table.from_text(table.to_toml())
    assert again.table() == table.table()
    assert again.changed(players_to_flop=3).players_to_flop == 3
    assert (table.unit, table.prize_pool) == ("prize money", 115.0)


def test_usual_names():
    assert seat_names(2) == ("SB", "BB")
    assert seat_names(6) == ("UTG", "HJ", "CO", "BTN", "SB", "BB")
    assert [len(seat_names(count)) for count in range(2, 10)] == list(range(2, 10))
    assert all(seat_names(count)[-3:] == ("BTN", "SB", "BB") for count in range(3, 10))
    assert Table(seats=9, stack=20, blinds=[0.5, 1]).names == seat_names(9)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"names": ["A", "B", "A"]}, "Two seats are called 'A'"),
        ({"stacks": [10, -1, 10]}, "stacks.SB.*above 0"),
        ({"stacks": [10, 10, "x"]}, "must be a number"),
        ({"stacks": [10]}, "2 to 9 seats"),
        ({"stacks": [10] * 10}, "2 to 9 seats"),
        ({"stacks": {"A": 5, "B": 5}, "names": ["C", "D"]}, "leave 'names' out"),
        ({"stack": 10}, "either 'stacks' or"),
        ({"blinds": [1, 0.5]}, "small one first"),
        ({"blinds": [1]}, "small and the big blind"),
        ({"blinds": [0, 0]}, "above 0"),
        ({"ante": {"each": 1, "button": 1}}, "of one kind"),
        ({"ante": {"all": 1}}, "Unknown key 'all'"),
        ({"straddle": [0.5]}, "above 1"),
        ({"straddle": [2, 4]}, "2 straddles were given, but 1"),
        ({"payouts": [20, 30, 50]}, "must not increase"),
        ({"payouts": [0, 0]}, "pay nobody"),
        ({"bounties": [5, 5, 5]}, "no 'payouts'"),
        ({"payouts": [5], "bounties": [5, -5, 5]}, "zero or more"),
        ({"payouts": [5], "rake": {"rate": 0.05}}, "take no rake"),
        ({"rake": {"rate": 2}}, "at most 1"),
        ({"rake": {"rate": 0.05, "no_flop_no_drop": 1}}, "true or false"),
        ({"menu": "jam"}, 'must be "jam-fold" or a table'),
        ({"menu": {}}, "nobody raise or limp"),
        ({"menu": {"open": "2.5"}}, "did you mean '2.5%'"),
        ({"menu": {"open": 2.5}}, "must be text"),
        ({"menu": {"opens": "2x"}}, "Unknown key 'opens'"),
        ({"menu": {"open": "a", "limp": 1}}, "true or false"),
        ({"menu": {"open": "a", "cold_call": 11}}, "called cold"),
        ({"menu": {"open": "a", "CO": {"open": "a"}}}, "Unknown key 'CO'"),
        ({"players_to_flop": 4}, "from 2 to 3 here"),
        ({"players_to_flop": 1}, "from 2 to 3 here"),
        ({"leaves": "played"}, "'leaves' must be"),
        ({"bunching": 1}, "'bunching' must be true or false"),
        ({"menu": {"open": "a", "fold": 0}}, "true or false"),
        ({"three_way": "exact"}, "'three_way' must be"),
        ({"range": {"BTN": "zz"}}, "In 'range.BTN'"),
        ({"range": {"BTN": "AA:0"}}, "has no hand"),
        ({"range": {"CO": "AA"}}, "Unknown key 'CO'"),
        ({"range": {"BTN": "AA", "SB": "AA", "BB": "AA"}}, "no deal gives every seat a hand"),
        ({"range": {"BB": "AsQs,22"}}, "some suits of AQs and not others.*AQs:0.5"),
        ({"range": {"SB": "AsAh"}}, "some suits of AA"),
        ({"stacks": {"SB": 10, "BB": 10, "BTN": 10}}, "order in which they act before the flop.*expected BTN, SB, BB"),
        ({"stacks": {"BB": 10, "sb": 5}}, "expected SB, BB"),
        ({"stacks": [10, 0.2, 0.5], "players_to_flop": 2}, "put 2 seats all-in"),
        ({"stacks": [0.5, 0.4, 0.5], "ante": 1}, "put 3 seats all-in"),
        ({"lock": [{"line": "f"}]}, "needs a 'strategy'"),
    ],
)
def test_bad_tables_get_one_sentence(changes, said):
    with pytest.raises(EquilibristError, match=said) as caught:
        Table(**{**JAM, **changes})
    assert str(caught.value).replace(". Did you", "").count(". ") == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lock": [{"line": "f:x", "strategy": {"f": 1.0}}]}, "'x' is no action after 'f'; SB has f, a"),
        ({"lock": [{"line": "f:f", "strategy": {"f": 1.0}}]}, "Nobody has anything to decide after 'f:f'"),
        ({"menu": {"open": "1.1x"}}, "Nobody has anything to decide at this table.*a menu with limps"),
        ({"lock": [{"line": "f", "strategy": {"x": 1.0}}]}, "the actions there are f, a"),
        ({"lock": [{"line": "f", "strategy": {"a": 1.0}}] * 2}, "Two locks"),
        ({"lock": [{"line": "f", "frequency": {"a": 0.3}}]}, "is for spots"),
        (
            {"stacks": [1e6] * 3, "menu": {"open": "2x", "3bet": "2x", "4bet": "2x", "5bet": "*", "limp": True}},
            "bets at once|more than 200,000 decisions",
        ),
    ],
)
def test_locks_and_menus_that_cannot_be(changes, said):
    table = Table(**{**JAM, **changes})
    with pytest.raises(EquilibristError, match=said):
        len(grow_table(table).locks)


def test_no_blinds_and_unknown_keys():
    with pytest.raises(ParameterError, match="has no 'blinds'"):
        Table.from_text("stacks = [10, 10]")
    with pytest.raises(ParameterError, match=r"Unknown key 'blind'.*Did you mean 'blinds'"):
        Table.from_text("stacks = [10, 10]\nblind = [1, 2]")
