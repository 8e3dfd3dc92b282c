"""Spots of three players as people write them."""

from pathlib import Path

import pytest

from equilibrist.core.errors import EquilibristError, NotApplicableError, ParameterError
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_lists import read_spots
from equilibrist.games.spots.three_way_spot import ThreeWaySpot, load_spot, three_way_name

EXAMPLES = Path(__file__).parents[3] / "examples" / "spots"
GOOD = {
    "board": "Ks9d6h4c2s",
    "pot": 60,
    "stack": 90,
    "range": {"sb": "TT+,AKs", "bb": "99-66", "btn": "88-44:0.5,KQs"},
    "bets": {"bet": "50%, a", "raise": "2.5x", "river": {"btn": {"bet": "33%"}}},
}


@pytest.mark.parametrize("name", ["three_way_river", "three_way_turn"])
def test_examples_read_and_write(name):
    spot = load_spot(EXAMPLES / f"{name}.toml")
    assert isinstance(spot, ThreeWaySpot)
    assert spot.seats == ("sb", "bb", "btn")
    assert ThreeWaySpot.from_text(spot.to_toml()) == spot
    assert load_spot(three_way_name(spot)) == spot


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"stack": None, "stacks": {"sb": 30.5, "bb": 90, "btn": 200}},
        {"rake": {"rate": 0.05, "cap": 3}, "betting": {"cap": 2}, "thresholds": {"force_allin": 0.1}},
        {"board": "Ks9d6h4c", "betting": {"cap": {"flop": 1, "turn": 1, "river": 3}}},
        {"chip": 0.5},
    ],
)
def test_what_is_written_is_read_back(changes):
    spot = ThreeWaySpot(**{**GOOD, **changes})
    assert ThreeWaySpot.from_text(spot.to_toml()) == spot


def test_menus_are_by_seat():
    spot = ThreeWaySpot(**GOOD)
    assert [menus.bet.exact for menus in spot.menus[0]] == ["50%, a", "50%, a", "33%"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"board": "Ks9d6h"}, "turns and rivers, but 'board' is the flop"),
        ({"range": {"sb": "AA", "bb": "KK"}}, "has 2 ranges"),
        (
            {"range": {"sb": "AA", "bb": "KK", "co": "QQ", "btn": "JJ"}},
            "two or three players, but 'range' has 4 ranges",
        ),
        ({"range": {"sb": "AA", "SB": "KK", "btn": "QQ"}}, "The seat 'sb' is named twice"),
        ({"range": {"btn": "AA", "sb": "KK", "bb": "QQ"}}, "after the flop it is sb, bb, btn"),
        ({"range": {"sb": "AA", "bb": "KK", "bet": "QQ"}}, "cannot be a seat's name"),
        ({"range": {"sb": "AA", "bb": "KK", "b b": "QQ"}}, "cannot be a seat's name"),
        ({"range": {"sb": "AsAd", "bb": "AsKd", "btn": "QQ"}}, "collide: any three hands share a card"),
        ({"range": {"sb": "AsAd,AsAh", "bb": "AdQd", "btn": "AhQh"}}, "collide"),
        ({"range": {"sb": "Ks9d", "bb": "KK", "btn": "QQ"}}, "no hand left on the board"),
        ({"range": {"sb": "xx", "bb": "KK", "btn": "QQ"}}, "In 'range.sb'"),
        ({"range": {"sb": 3, "bb": "KK", "btn": "QQ"}}, "must be a range"),
        ({"range": "AA"}, "must be a table of three ranges"),
        ({"stack": -5}, "'stack' must be above 0"),
        ({"stack": None}, "has no 'stack'"),
        ({"stack": 1e9}, "times the pot"),
        ({"stacks": {"sb": 5, "bb": 5, "btn": 5}}, "Both 'stack' and 'stacks'"),
        ({"stack": None, "stacks": {"sb": 5, "bb": -5, "btn": 5}}, "'stacks.bb' must be above 0"),
        ({"stack": None, "stacks": {"sb": 5, "bb": 5}}, "'stacks.btn' is missing"),
        ({"stack": None, "stacks": {"oop": 5, "bb": 5, "btn": 5}}, "Unknown key 'oop' in 'stacks'"),
        ({"pot": 0}, "'pot' must be above 0"),
        ({"bets": {}}, "offers no opening bet"),
        ({"bets": {"bet": "a", "donk": "a"}}, "Unknown key 'donk'"),
        ({"bets": {"bet": "a", "river": {"oop": {"bet": "a"}}}}, "Unknown key 'oop'"),
        ({"betting": {"kind": "limit", "size": 2}}, "without a limit"),
        ({"thresholds": {"commit_allin": 0.5}}, "for spots of two players"),
    ],
)
def test_bad_spots_get_one_sentence(changes, message):
    with pytest.raises(ParameterError, match=message):
        ThreeWaySpot(**{**GOOD, **changes})


@pytest.mark.parametrize("key", ["line", "lock"])
def test_what_only_two_players_have(key):
    with pytest.raises(ParameterError, match=f"'{key}' is for spots of two players"):
        ThreeWaySpot.from_table({**GOOD, key: "b30"})


def test_a_spot_of_two_says_where_three_are_solved():
    with pytest.raises(NotApplicableError, match="three or more ranges"):
        Spot(**GOOD)
    with pytest.raises(EquilibristError, match=r"three_way_river.toml': This spot has three"):
        read_spots([str(EXAMPLES / "three_way_river.toml")])


def test_the_browser_says_so_too():
    pytest.importorskip("fastapi")
    from equilibrist.interfaces.web.data.spot_forms import spot_of_table

    with pytest.raises(NotApplicableError, match="three or more ranges"):
        spot_of_table({**GOOD, "range": {"oop": "AA", "ip": "KK", "btn": "QQ"}})


def test_two_ranges_are_a_spot_of_two(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text(Spot(**{**GOOD, "range": {"oop": "AA", "ip": "KK"}, "bets": {"bet": "a"}}).to_toml())
    assert isinstance(load_spot(file), Spot)
