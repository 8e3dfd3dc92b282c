"""Spots: what is read, what comes back, what is refused."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.ranges import hand_number, parse_range
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError
from equilibrist.games.poker.bet_sizes import BettingSituation, Menu, parse_menu
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import Thresholds, round_chips, street_totals

SPOTS = Path(__file__).parents[3] / "examples" / "spots"
NO_RULES = Thresholds()

# hands each player has left on the board, OOP and IP (reference table, "hands OOP/IP")
HANDS = {
    "flop": (180, 265),
    "turn": (167, 250),
    "river": (1081, 1081),
    "xflop": (180, 265),
    "xturn": (167, 250),
    "xriver": (1081, 1081),
}


def small(**changes: Any) -> Spot:
    """A spot with everything in it that must be."""
    keys: dict[str, Any] = {
        "board": "Td9d6hQc2s",
        "pot": 200,
        "stack": 900,
        "range": {"oop": "AA,KQs", "ip": "QQ-99"},
        "bets": {"bet": "60%, a", "raise": "2.5x"},
    }
    if "stacks" in changes:
        del keys["stack"]
    return Spot(**{**keys, **changes})


@pytest.mark.parametrize("name", sorted(HANDS))
def test_the_example_files_hold_the_reference_spots(name: str) -> None:
    spot = Spot.from_toml(SPOTS / f"{name}.toml")
    assert (spot.pot, spot.stack, spot.rake.rate) == (200, 900, 0)
    assert tuple(int((spot.weights(player) > 0).sum()) for player in (0, 1)) == HANDS[name]
    assert Spot.from_text(spot.to_toml()) == spot


def test_all_example_files_are_covered() -> None:
    of_three = {"three_way_river", "three_way_turn"}  # test_three_way_spot.py
    assert {path.stem for path in SPOTS.glob("*.toml")} == set(HANDS) | of_three


def test_a_file_with_everything_in_it(tmp_path: Path) -> None:
    weights = np.zeros(1326)
    weights[hand_number("AsAc")] = 0.25
    (tmp_path / "aces.txt").write_text(" ".join(map(str, weights)), encoding="utf-8")
    (tmp_path / "spot.toml").write_text(
        """
        board = "Td 9d 6h"
        pot = 5.5
        stacks = {oop = 97.5, ip = 120}
        chip = 0.1
        [range]
        oop = "@aces.txt"       # beside this file
        ip = "QQ-22:0.5"
        [bets]
        bet = "33%, 75%"
        raise = "3x"
        [bets.river]
        bet = "150%"
        donk = "50%"
        [bets.river.oop]
        bet = ""
        [thresholds]
        merge = 0.1
        commit_allin = 0.67
        [rake]
        rate = 0.05
        cap = 3
        [betting]
        cap = 3
        """,
        encoding="utf-8",
    )
    spot = Spot.from_toml(tmp_path / "spot.toml")
    assert (spot.board_text, spot.street, spot.pot, spot.chip) == ("Td9d6h", 0, 5.5, 0.1)
    assert (spot.stacks, spot.stack) == ((97.5, 120), 97.5)
    assert spot.weights(0)[hand_number("AsAc")] == 0.25
    assert spot.weights(0).sum() == 0.25
    assert spot.thresholds == Thresholds(merge=0.1, commit_allin=0.67)
    assert (spot.rake.rate, spot.rake.cap) == (0.05, 3)
    assert (spot.betting.kind, spot.betting.cap) == ("nolimit", (3, 3, 3))
    river_oop, river_ip = spot.menus[2]
    assert (str(river_oop.bet), str(river_oop.raises), str(river_oop.donk)) == ("", "3x", "50%")
    assert (str(river_ip.bet), str(river_ip.raises)) == ("150%", "3x")
    assert str(spot.menus[1][0].donk) == "33%, 75%"  # absent: the bet menu
    assert Spot.from_text(spot.to_toml()) == spot
    assert spot.changed(pot=6).pot == 6
    assert spot.changed(stack=50).stacks == (50, 50)


def test_board_cards_leave_the_ranges() -> None:
    spot = small(range={"oop": "TT", "ip": "random"})
    assert (spot.weights(0) > 0).sum() == 3  # one ten lies on the board
    assert spot.weights(1).sum() == math.comb(47, 2)
    assert spot.ranges[0] == parse_range("TT")  # what was given is kept


def test_ranges_may_share_hands_as_long_as_one_pair_fits() -> None:
    small(range={"oop": "AsKs", "ip": "AsKs,QsQh"})


def test_nobody_donks_on_the_street_a_spot_begins_with() -> None:
    assert small(bets={"bet": "60%, a", "raise": "2.5x", "donk": "25%"}) == small()


def test_fixed_limit() -> None:
    table = {"kind": "limit", "size": {"flop": 2, "turn": 4, "river": 4}}
    spot = small(board="Td9d6hQc", stack=None, bets=None, betting=table)
    assert spot.betting.size == (4, 4)
    assert spot.betting.cap == (4, 4)
    assert spot.stack == 40  # never all-in
    assert Spot.from_text(spot.to_toml()) == spot


REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({"board": "Td9d"}, "'board' must have 3 to 5 cards, but 'Td9d' has 2"),
    ({"board": "Td9d6hQc2s3s"}, "'board' must have 3 to 5 cards"),
    ({"board": "Td9dTd"}, "In 'board': The card 'Td' at character 5"),
    ({"board": "Td9d1h"}, "In 'board': The card '1h' at character 5"),
    ({"board": ["Td", "9d"]}, "'board' must be text"),
    ({"pot": 0}, "'pot' must be above 0, but 0 was given"),
    ({"pot": -1}, "'pot' must be above 0, but -1"),
    ({"pot": "200"}, "'pot' must be a number, but '200'"),
    ({"pot": True}, "'pot' must be a number, but True"),
    ({"pot": math.nan}, "'pot' must be above 0, but nan"),
    ({"pot": math.inf}, "'pot' must be above 0, but inf"),
    ({"stack": 0}, "'stack' must be above 0, but 0"),
    ({"stack": -5}, "'stack' must be above 0, but -5"),
    ({"stack": None}, "The spot has no 'stack'"),
    ({"stack": 9, "stacks": {"oop": 9, "ip": 9}}, "Both 'stack' and 'stacks'"),
    ({"stacks": {"oop": 900}}, "'stacks.ip' is missing"),
    ({"stacks": {"oop": 900, "ip": 0}}, "'stacks.ip' must be above 0"),
    ({"chip": -1}, "'chip' must be at least 0"),
    ({"range": {"oop": "AA"}}, "'range.ip' is missing"),
    ({"range": {"oop": "AA", "ip": "ZZ"}}, "In 'range.ip': The hand 'ZZ' at character 1"),
    ({"range": {"oop": "AA", "ip": "@no/such/file"}}, "In 'range.ip': The range file 'no/such/file'"),
    ({"range": {"oop": "AA", "villain": "KK"}}, "Unknown key 'villain' in 'range'"),
    ({"range": {"oop": "none", "ip": "KK"}}, "'range.oop' has no hand left on the board Td9d6hQc2s"),
    ({"range": {"oop": "Td9d,Qc2s", "ip": "KK"}}, "'range.oop' has no hand left"),
    ({"range": {"oop": "AsKs", "ip": "AsKs,AsKd,KsQs"}}, "'range.oop' and 'range.ip' collide"),
    ({"bets": {"bet": "60%, 1oo%"}}, "The bet size '1oo%' at character 6 of bets.bet"),
    ({"bets": {"bet": "2.5x"}}, "'2.5x' at character 1 of bets.bet cannot be read: an opening bet has no bet"),
    ({"bets": {"bet": "60%", "river": {"donk": "3x"}}}, "'3x' at character 1 of bets.river.donk"),
    ({"bets": {"bet": "60%", "river": {"oop": {"raise": "0%"}}}}, "'0%' at character 1 of bets.river.oop.raise"),
    ({"bets": {"bet": "60"}}, "did you mean '60%'"),
    ({"bets": {"bet": "60%,,a"}}, "The bet size '' at character 5"),
    ({"bets": {"bet": "5e"}}, "expected 1, 2, 3 or 4 rounds"),
    ({"bets": {"bet": "60%200%"}}, "only a geometric size takes a limit"),
    ({"bets": {"bet": "60%", "raise": "1x"}}, "expected a factor above 1"),
    ({"bets": {"bet": 60}}, "'bets.bet' must be text such as \"60%, a\", but 60"),
    ({"bets": {"bet": "60%", "rivr": {}}}, "Unknown key 'rivr' in 'bets'.*Did you mean 'river'?"),
    ({"bets": {"bet": "60%", "river": {"ip": {"donk": "50%"}}}}, "Unknown key 'donk' in 'bets.river.ip'"),
    ({"bets": {"raise": "3x"}}, "'bets' offers no opening bet to anybody"),
    ({"bets": None}, "'bets' offers no opening bet to anybody"),
    ({"bets": {"bet": "", "flop": {"bet": "60%"}}}, "'bets' offers no opening bet"),  # the flop is over
    ({"thresholds": {"merge": -0.1}}, "'thresholds.merge' must be at least 0, but -0.1"),
    ({"thresholds": {"commit_allin": 67}}, "'thresholds.commit_allin' must be at least 0 and at most 1, but 67"),
    ({"thresholds": {"addallin": 1}}, "Unknown key 'addallin' in 'thresholds'.*Did you mean 'add_allin'?"),
    ({"rake": {"rate": 5}}, "'rake.rate' must be at least 0 and at most 1, but 5"),
    ({"rake": {"rate": 0.05, "cap": -1}}, "'rake.cap' must be above 0"),
    ({"rake": {"rate": 0.05, "cap": 0}}, "'rake.cap' must be above 0"),
    ({"rake": 0.05}, "'rake' must be a table with the keys rate, cap, but 0.05"),
    ({"betting": {"kind": "potlimit"}}, "'betting.kind' must be \"nolimit\" or \"limit\", but 'potlimit'"),
    ({"betting": {"cap": 1.5}}, "'betting.cap' must be a whole number"),
    ({"betting": {"size": 4}}, "'betting.size' is for kind = \"limit\""),
    ({"betting": {"kind": "limit"}, "bets": None}, "'betting.size' is missing"),
    ({"betting": {"kind": "limit", "size": 4}}, "'bets' and 'thresholds' are for no-limit betting"),
    ({"betting": {"kind": "limit", "size": 4, "cap": 0}, "bets": None}, "'betting.cap' must be a whole number"),
    ({"betting": {"kind": "limit", "size": {"flop": 2}}, "bets": None}, "'betting.size.river' is missing"),
]


@pytest.mark.parametrize(("changes", "sentence"), REFUSALS, ids=lambda value: str(value)[:60])
def test_bad_input_is_refused_in_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    pattern = sentence if ".*" in sentence else re.escape(sentence)
    with pytest.raises(ParameterError, match=pattern) as caught:
        small(**changes)
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        ("board = Td9d6h", FormatError, "The spot is not valid TOML: Invalid value (at line 1"),
        ('board = "Td9d6h"\npots = 200', ParameterError, "Unknown key 'pots' in 'spot'"),
        ('board = "Td9d6h"\npot = 200', ParameterError, "The spot has no 'range'"),
        (
            'board = "Td9d6h"\npot = 200\nstack = 9\nrange = "AA"\nbets.bet = "a"',
            ParameterError,
            "'range' must be a table",
        ),
    ],
)
def test_bad_files_are_refused(text: str, kind: type[EquilibristError], sentence: str) -> None:
    with pytest.raises(kind, match=re.escape(sentence)):
        Spot.from_text(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        Spot.from_toml(tmp_path / "absent.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="is not text"):
        Spot.from_toml(tmp_path / "binary.toml")


def test_a_spot_without_rake_may_say_so_with_zeros() -> None:
    assert small(rake={"rate": 0, "cap": 0}) == small()


# --- sizes ---------------------------------------------------------------------------------------------------------


def turn_of(*, pot: float, facing: float, owed: float, limit: float, streets: int) -> BettingSituation:
    """`pot` once the bet faced is called, the opponent's street total, what a call costs, the street total when all-in."""
    return BettingSituation(pot, owed, limit - facing, owed, bet=facing, rounds=streets)


# a pot of 200, 900 behind, three streets to come
OPENING = turn_of(pot=200.0, facing=0.0, owed=0.0, limit=900.0, streets=3)
FACING_66 = turn_of(pot=332.0, facing=66.0, owed=66.0, limit=900.0, streets=1)


def totals(text: str, turn: BettingSituation, rules: Thresholds = NO_RULES, chip: float = 1.0) -> tuple[float, ...]:
    return street_totals(parse_menu(text, opening=not turn.bet), turn, rules, chip)


def test_each_unit() -> None:
    assert totals("33%, 60%", OPENING) == (66, 120)
    assert totals("150c", OPENING) == (150,)
    assert totals("a", OPENING) == (900,)
    assert totals("e", OPENING) == (115,)  # (10^(1/3) - 1) / 2 of 200 = 115.44
    assert totals("2e", OPENING) == (216,)  # (10^(1/2) - 1) / 2 of 200 = 216.2
    assert totals("1e", OPENING) == (900,)
    assert totals("2e100%", OPENING) == (200,)
    assert totals("1e300%", OPENING) == (600,)
    assert totals("2.5x, 60%, a", FACING_66) == (165, 265, 900)  # 2.5 * 66; 66 + 199.2
    assert totals("100c", FACING_66) == (166,)  # on top of the bet faced
    assert totals("2e", FACING_66) == (307,)  # (sqrt(2 * 834 / 332 + 1) - 1) / 2 of 332 = 241.4


def test_geometric_sizes_end_all_in() -> None:
    """The same share of the pot on each street, called, leaves nothing behind after the last."""
    pot, stack = 200.0, 900.0
    for streets in (3, 2, 1):
        (bet,) = totals("e", turn_of(pot=pot, facing=0.0, owed=0.0, limit=stack, streets=streets), chip=0.0)
        pot, stack = pot + 2 * bet, stack - bet
    assert stack == pytest.approx(0.0, abs=1e-6)


def test_halves_are_rounded_up() -> None:
    assert [round_chips(x, 1.0) for x in (0.5, 1.5, 2.4999, 2.5)] == [1, 2, 2, 3]
    assert round_chips(1.26, 0.1) == 1.3
    assert round_chips(1.2345, 0.0) == 1.2345
    assert totals("50%", turn_of(pot=25.0, facing=0.0, owed=0.0, limit=900.0, streets=1)) == (13,)


def test_small_sizes_grow_to_the_smallest_legal_one_and_large_ones_shrink_to_the_stack() -> None:
    assert totals("0.1%", OPENING) == (1,)
    assert totals("10%", FACING_66) == (132,)  # a raise of at least 66
    assert totals("10c", turn_of(pot=1400.0, facing=600.0, owed=600.0, limit=900.0, streets=1)) == (
        900,
    )  # less than a legal raise is behind
    assert totals("1000%", OPENING) == (900,)


def test_force_allin() -> None:
    facing_300 = turn_of(pot=800.0, facing=300.0, owed=300.0, limit=900.0, streets=1)
    # 60 %: 780, pot after a call 1760, 15 % of it 264 >= 120 behind; 2.5x: 750 likewise (reference: [Fold, Call, AllIn])
    assert totals("60%, 2.5x, a", facing_300, Thresholds(force_allin=0.15)) == (900,)
    assert totals("60%, 2.5x, a", facing_300) == (750, 780, 900)


def test_add_allin() -> None:
    turn = turn_of(pot=600.0, facing=0.0, owed=0.0, limit=900.0, streets=1)
    assert totals("50%", turn, Thresholds(add_allin=1.5)) == (300, 900)
    assert totals("50%", turn, Thresholds(add_allin=1.49)) == (300,)
    assert totals("", turn, Thresholds(add_allin=1.5)) == (900,)


def test_commit_allin() -> None:
    # half the pot is 100, so 1000 in all; two thirds of it are 670: a bet of 570 is the last that is not all-in
    assert totals("570c", OPENING, Thresholds(commit_allin=0.67)) == (570,)
    assert totals("571c", OPENING, Thresholds(commit_allin=0.67)) == (900,)


def test_merging_goes_from_the_largest_down() -> None:
    # (100 + 60) / (100 + 57.5) = 1.016 < 1.1: 115 goes; (100 + 60) / (100 + 45) = 1.103: 90 stays
    assert totals("60%, 115c, 90c", OPENING, Thresholds(merge=0.1)) == (90, 120)
    # 92 is near 100 and goes; 84 is near 92 but not near 100, and stays
    assert totals("200c, 180c, 160c", OPENING, Thresholds(merge=0.1)) == (160, 200)


numbers = st.floats(0.5, 300.0).map(lambda x: round(x, 2))
size_texts = st.one_of(
    numbers.map(lambda x: f"{x}%"),
    numbers.map(lambda x: f"{x}c"),
    st.sampled_from(["e", "1e", "2e", "3e", "e75%", "2e150.5%", "a"]),
)
menu_texts = st.lists(size_texts, max_size=4).map(", ".join)
rules = st.builds(
    Thresholds,
    add_allin=st.sampled_from([0.0, 0.8, 1.5]),
    force_allin=st.sampled_from([0.0, 0.15, 0.5]),
    merge=st.sampled_from([0.0, 0.1, 0.3]),
    commit_allin=st.sampled_from([0.0, 0.67]),
)


@given(menu_texts)
def test_menus_print_as_they_are_read(text: str) -> None:
    menu = parse_menu(text, opening=True)
    assert parse_menu(str(menu), opening=True) == menu


@given(menu_texts, rules, st.integers(1, 5000), st.integers(2, 2000), st.sampled_from([0.0, 0.1, 1.0, 5.0]), st.data())
def test_sizes_are_legal_and_rise(
    text: str, thresholds: Thresholds, pot: int, limit: int, chip: float, data: st.DataObject
) -> None:
    facing = data.draw(st.integers(0, limit - 1))
    own = data.draw(st.integers(0, facing - 1)) if facing else 0
    turn = turn_of(
        pot=float(pot + 2 * facing), facing=float(facing), owed=float(facing - own), limit=float(limit), streets=2
    )
    found = street_totals(parse_menu(text), turn, thresholds, chip)
    assert list(found) == sorted(set(found))
    assert all(facing < amount <= limit for amount in found)
    assert all(amount - facing >= turn.facing for amount in found if amount < limit)  # the minimum raise
    if "a" in text.split(", "):
        assert found[-1] == limit


menu_tables = st.fixed_dictionaries({}, optional={"bet": menu_texts, "raise": menu_texts})
donk_tables = st.fixed_dictionaries({}, optional={"bet": menu_texts, "raise": menu_texts, "donk": menu_texts})
street_tables = st.builds(lambda both, oop, ip: {**both, "oop": oop, "ip": ip}, donk_tables, donk_tables, menu_tables)


@settings(max_examples=60)
@given(
    board=st.sampled_from(["Td9d6h", "Td9d6hQc", "Td9d6hQc2s"]),
    wide=donk_tables,
    streets=st.fixed_dictionaries({}, optional=dict.fromkeys(("flop", "turn", "river"), street_tables)),
    thresholds=rules,
    pot=numbers,
    stacks=st.tuples(numbers, numbers),
    rake=st.sampled_from([{}, {"rate": 0.05}, {"rate": 0.05, "cap": 3}]),
    cap=st.sampled_from([0, 3, {"flop": 1, "turn": 2, "river": 0}]),
    chip=st.sampled_from([0, 0.1, 1]),
)
def test_spots_survive_toml(
    board: str,
    wide: dict[str, str],
    streets: dict[str, Any],
    thresholds: Thresholds,
    pot: float,
    stacks: tuple[float, float],
    rake: dict[str, float],
    cap: Any,
    chip: float,
) -> None:
    wide = {"bet": "50%", **wide, **streets}
    try:
        spot = small(
            board=board,
            pot=pot,
            stacks=dict(zip(("oop", "ip"), stacks, strict=True)),
            bets=wide,
            thresholds=vars(thresholds),
            rake=rake,
            betting={"cap": cap},
            chip=chip,
            range={"oop": "AA:0.3,KQs", "ip": "random,!QQ,AsKd:0.125"},
        )
    except ParameterError as error:
        assert "no opening bet" in str(error)
        return
    assert Spot.from_text(spot.to_toml()) == spot
    assert spot.changed() == spot


def test_menus_forget_repeated_sizes() -> None:
    assert parse_menu("60%, 60.0%, A, a", opening=True) == Menu(("60%", "a"))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"chip": 0.5},
        {"stack": None, "stacks": {"oop": 300, "ip": 200}},
        {"line": "b50"},
        {"rake": {"rate": 0.05, "cap": 3}},
        {"thresholds": {"add_allin": 1.5, "force_allin": 0.15}},
    ],
)
@pytest.mark.parametrize("amounts", [{"pot": 60}, {"stack": 90.5}, {"pot": 80.25, "stack": 123.4567}, {}])
def test_other_amounts_are_as_changed(more: dict[str, Any], amounts: dict[str, float]) -> None:
    spot = Spot(
        **{
            "board": "Ks7h2d9c3s",
            "pot": 100,
            "stack": 300,
            "range": {"oop": "AA", "ip": "QQ"},
            "bets": {"bet": "50%, a"},
        }
        | more
    )
    assert spot.with_amounts(**amounts) == spot.changed(**amounts)
    assert spot.with_amounts(**amounts).to_toml() == spot.changed(**amounts).to_toml()
