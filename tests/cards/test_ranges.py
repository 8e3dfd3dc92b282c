"""Ranges: text in and out, grids, card removal, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.deck import Deck
from equilibrist.cards.ranges import (
    Range,
    RangeTextError,
    from_classes,
    from_lexicographic_shdc,
    hand_name,
    hand_number,
    load_range,
    parse_cards,
    parse_range,
)
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
LIBRATUS = Path(__file__).parents[3] / "shared" / "reference" / "libratus"  # beside the project


def classes(text: str) -> set[str]:
    """Names of the classes that are fully in a range, for comparing with hand-written sets."""
    ranks = "AKQJT98765432"
    grid = parse_range(text).grid()
    names = set()
    for row, column in zip(*np.nonzero(grid), strict=True):
        high, low = sorted((row, column))
        names.add(ranks[high] + ranks[low] + ("" if row == column else "s" if row < column else "o"))
    return names


# hands


def test_pair_order() -> None:
    # index C(h2, 2) + h1 with card = 4 * rank + suit ([Ganzfried15, Algorithm 15])
    assert hand_number("2d2c") == hand_number("2c2d") == 0
    assert hand_number("AsAh") == 1325
    assert hand_number("2h2c") == 1
    assert hand_name(1325) == "AsAh"
    assert hand_name(hand_number("KdAs")) == "AsKd"
    assert [hand_number(hand_name(index)) for index in range(1326)] == list(range(1326))


@pytest.mark.parametrize("text", ["As", "AsKdQh", "AsAs", "A", "AxKd", ""])
def test_no_hand(text: str) -> None:
    with pytest.raises(ParameterError):
        hand_number(text)


def test_cards_are_read_with_spaces_and_commas() -> None:
    assert parse_cards("Td 9d,6h") == parse_cards("td9d6H") == (33, 29, 18)
    assert parse_cards("") == ()


# reading


@pytest.mark.parametrize(
    ("text", "combos"),
    [
        ("AA", 6),
        ("AKs", 4),
        ("AKo", 12),
        ("AK", 16),
        ("KA", 16),
        ("AsKd", 1),
        ("random", 1326),
        ("none", 0),
        ("QJo:0.5", 6),
        ("QJo:50%", 6),
        ("QJo : 50 %", 6),
        ("random,!AA", 1320),
        ("AA,!AsAh", 5),
        ("AA,AA:0.5", 3),
        ("aa,aKS,", 10),
        (" AA ,\n KK ", 12),
        ("22:1e-1", 0.6),
    ],
)
def test_combinations(text: str, combos: float) -> None:
    assert parse_range(text).total == pytest.approx(combos, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TT+", "TT JJ QQ KK AA"),
        ("A8s+", "A8s A9s ATs AJs AQs AKs"),
        ("K9s+", "K9s KTs KJs KQs"),
        ("96s+", "96s 97s 98s"),
        ("AJo+", "AJo AQo AKo"),
        ("KJ+", "KJs KQs KJo KQo"),
        ("AK+", "AKs AKo"),
        ("QQ-TT", "QQ JJ TT"),
        ("TT-QQ", "QQ JJ TT"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("A2s-A5s", "A5s A4s A3s A2s"),
        ("T9s-76s", "T9s 98s 87s 76s"),
        ("J9o-86o", "J9o T8o 97o 86o"),
        ("A3-A2", "A3s A2s A3o A2o"),
    ],
)
def test_spans(text: str, expected: str) -> None:
    assert classes(text) == set(expected.split())


def test_example_ranges_have_the_known_number_of_hands() -> None:
    # postflop-solver's example, shared/reference/postflop.md 1.1
    oop, ip = parse_range(OOP), parse_range(IP)
    assert [len(r.without("Td9d6h").hands) for r in (oop, ip)] == [180, 265]
    assert [len(r.without("Td9d6hQc").hands) for r in (oop, ip)] == [167, 250]


def test_a_later_entry_replaces_an_earlier_one() -> None:
    mixed = parse_range("TT+,QQ:0.5,!KK,KsKh:0.25")
    assert mixed.weights[hand_number("QsQd")] == 0.5
    assert mixed.weights[hand_number("KsKd")] == 0.0
    assert mixed.weights[hand_number("KsKh")] == 0.25
    assert mixed.total == 6 * (1 + 0.5 + 1 + 1) + 0.25


@pytest.mark.parametrize(
    ("text", "token", "index", "words"),
    [
        ("AA,AXs", "AXs", 3, "expected a hand such as"),
        ("A5s-AXs", "AXs", 4, "expected a hand such as"),
        ("AA, KKs", "KKs", 4, "neither suited nor offsuit"),
        ("AA,AsAs", "As", 5, "given before"),
        ("AA,1hAs", "1h", 3, "ranks 23456789TJQKA"),
        ("AA,,KK", "", 3, "empty"),
        ("", "", 0, "empty"),
        ("AA KK", "AA KK", 0, "separated by commas"),
        ("!AA,KK", "!AA", 0, "random"),
        ("AA,!KK:0.5", "!KK:0.5", 3, "no weight"),
        ("AA:1.5", "1.5", 3, "from 0 to 1"),
        ("KK, AA: x", "x", 8, "from 0 to 1"),
        ("AA:", "", 3, "from 0 to 1"),
        ("AA:-0.5", "-0.5", 3, "from 0 to 1"),
        ("AA:nan", "nan", 3, "from 0 to 1"),
        ("AA:0.5:1", "AA:0.5:1", 0, "one ':'"),
        ("AsKd+", "AsKd+", 0, "takes no +"),
        ("A5s-A2", "A5s-A2", 0, "both ends"),
        ("QQ-AKs", "QQ-AKs", 0, "both ends"),
        ("AKs-QTs", "AKs-QTs", 0, "high card"),
        ("TT++", "TT++", 0, "expected"),
        ("AKx", "AKx", 0, "expected"),
        ("T", "T", 0, "expected"),
        ("@file", "@file", 0, "load_range"),
    ],
)
def test_errors_name_the_place_and_the_token(text: str, token: str, index: int, words: str) -> None:
    with pytest.raises(RangeTextError) as raised:
        parse_range(text)
    assert (raised.value.token, raised.value.index) == (token, index)
    message = str(raised.value)
    assert words in message
    assert f"'{token}' at character {index + 1}" in message
    assert message.endswith(".")


@settings(max_examples=200)
@given(st.text(alphabet="AKQT92scdho+-:,!%0.5 @random", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        held = parse_range(text)
    except ParameterError:
        return
    assert parse_range(str(held)) == held


# writing


@pytest.mark.parametrize(
    "text",
    [
        OOP,
        IP,
        "AA,KK:0.5,AK",
        "random",
        "random:0.25",
        "none",
        "AKs,!AsKs",
        "AsKs,AhKh",
        "TT+:0.5,99-22",
        "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32s",
    ],
)
def test_canonical_texts_come_back_unchanged(text: str) -> None:
    assert str(parse_range(text)) == text


def test_compact_text() -> None:
    assert str(parse_range("AA,KK,QQ,JJ,T9s,T8s,A2s,A3s,AKo,AKs")) == "JJ+,AK,A3s-A2s,T8s+"
    assert str(parse_range("random").without("As2c")).startswith("KK-33,")  # classes half gone are listed by hand


small = st.sampled_from([0.0, 0.5, 1.0, 0.25])


@settings(max_examples=40, deadline=None)
@given(st.lists(small, min_size=169, max_size=169), st.lists(st.tuples(st.integers(0, 1325), small), max_size=30))
def test_round_trip_of_classes_with_exceptions(by_class: list[float], exceptions: list[tuple[int, float]]) -> None:
    weights = from_classes(by_class).weights.copy()
    for hand, weight in exceptions:
        weights[hand] = weight
    held = Range(weights)
    assert parse_range(str(held)) == held


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 3, 0]))
def test_round_trip_of_any_weights(seed: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.random(1326) if levels == 0 else rng.integers(0, levels + 1, 1326) / levels
    assert parse_range(str(Range(weights))) == Range(weights)


def test_tiny_weights_are_written_exactly() -> None:
    held = parse_range("AA:0.1,KK") * 1e-7
    assert parse_range(str(held)) == held


# other decks


def test_short_deck() -> None:
    deck = Deck(ranks=9)  # 6 to A
    held = parse_range("99+,A6s+,T9s-76s", deck)
    assert len(held.weights) == 36 * 35 // 2
    assert held.total == 6 * 6 + 8 * 4 + 4 * 4
    assert parse_range(str(held), deck) == held
    assert str(held) == "99+,A6s+,T9s,98s,87s,76s"
    with pytest.raises(RangeTextError, match="ranks 6789TJQKA"):
        parse_range("55", deck)


def test_small_decks() -> None:
    deck = Deck(ranks=3, suits=2)
    assert parse_range("KK,QJs", deck).total == 3
    assert parse_range("random", deck).total == 15
    assert hand_name(14, deck) == "KdKc"
    assert hand_number("KdKc", deck) == 14
    one_suit = Deck(ranks=3, suits=1)
    assert hand_name(2, one_suit) == "KQ"
    assert hand_number("KQ", one_suit) == 2
    assert str(parse_range("KQ,KJ", one_suit)) == "KJs+"
    with pytest.raises(RangeTextError, match="no such hand"):
        parse_range("KK", one_suit)
    with pytest.raises(NotApplicableError):
        parse_range("KK", Deck(ranks=3, suits=2, merged=True))


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 13), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_round_trip_on_any_deck(ranks: int, suits: int, seed: int) -> None:
    deck = Deck(ranks=ranks, suits=suits)
    size = deck.size * (deck.size - 1) // 2
    held = Range(np.random.default_rng(seed).integers(0, 3, size) / 2, deck)
    assert parse_range(str(held), deck) == held


# operations


def test_grid() -> None:
    grid = parse_range("AA,AKs:0.5,AKo:0.25,AsKs:1,22").grid()
    assert grid.shape == (13, 13)
    assert grid[0, 0] == 1.0
    assert grid[0, 1] == pytest.approx((3 * 0.5 + 1.0) / 4)  # suited above the diagonal
    assert grid[1, 0] == 0.25
    assert grid[12, 12] == 1.0
    assert grid.sum() == pytest.approx(1 + 0.625 + 0.25 + 1)


def test_classes_and_grids_are_inverse() -> None:
    grid = np.random.default_rng(1).random((13, 13))
    np.testing.assert_allclose(from_classes(grid).grid(), grid, rtol=1e-15)
    np.testing.assert_allclose(from_classes(grid.reshape(169)).grid(), grid, rtol=1e-15)
    with pytest.raises(ParameterError, match="169"):
        from_classes(np.zeros(170))


def test_card_removal() -> None:
    everything = parse_range("random")
    assert everything.without("Td9d6h").total == 49 * 48 / 2
    assert everything.without([33, 29, 18]) == everything.without("Td9d6h")
    assert parse_range("AA").without("AsAh").combos() == {"AdAc": 1.0}


def test_operators() -> None:
    wide, narrow = parse_range("QQ+:0.5,AKs"), parse_range("KK+")
    assert wide | narrow == parse_range("QQ:0.5,KK+,AKs")
    assert wide & narrow == parse_range("KK+:0.5")
    assert 0.5 * narrow == narrow * 0.5 == parse_range("KK+:0.5")
    assert (narrow * 0.5).normalised.total == pytest.approx(1.0)
    assert hash(parse_range("AA,KK")) == hash(parse_range("KK+"))
    with pytest.raises(ParameterError, match="between 0 and 1"):
        narrow * 1.5
    with pytest.raises(ParameterError, match="empty"):
        _ = parse_range("none").normalised
    with pytest.raises(ParameterError, match="same deck"):
        narrow | parse_range("AA", Deck(ranks=9))


def test_weights_are_kept_from_change() -> None:
    given = np.ones(1326)
    held = Range(given)
    given[0] = 0.0
    assert held.weights[0] == 1.0
    with pytest.raises(ValueError):
        held.weights[0] = 0.5


@pytest.mark.parametrize("weights", [np.ones(1325), np.full(1326, -0.1), np.full(1326, 1.01), np.full(1326, np.nan)])
def test_bad_weights(weights: np.ndarray) -> None:
    with pytest.raises(ParameterError):
        Range(weights)


# files


def test_file_of_weights(tmp_path: Path) -> None:
    held = parse_range("TT+:0.3,AKs,AsKd:0.125")
    file = tmp_path / "range.txt"
    file.write_text("\n".join(map(repr, held.weights.tolist())))
    assert load_range(f"@{file}") == held
    file.write_text(", ".join(map(repr, held.weights.tolist())))
    assert load_range(f" @{file} ") == held
    assert load_range("TT+") == parse_range("TT+")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"0.5 " * 1325, "1,325 numbers; expected 1,326"),
        (b"0.5 " * 1325 + b"AA", "Entry 1,326 .* is 'AA'"),
        (b"0.5 " * 1325 + b"1.5", "Entry 1,326 .* is '1.5'"),
        (b"nan " * 1326, "Entry 1 .* is 'nan'"),
        (b"", "0 numbers"),
        (b"\xff\xfe\x00", "not text"),
        (b"0 " * 600_000, "has more than"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "range.txt"
    file.write_bytes(content)
    with pytest.raises(FormatError, match=words):
        load_range(f"@{file}")


def test_missing_files(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path, tmp_path / ("x" * 300)):
        with pytest.raises(FormatError, match="cannot be read"):
            load_range(f"@{path}")


# subgame files


def test_lexicographic_order() -> None:
    # [Brown20, §3.1.3], subgame files: 2s2h, 2s2d, 2s2c, 2s3s, 2s3h, ... with suits s, h, d, c inside ranks 2 to A
    order = ["2s2h", "2s2d", "2s2c", "2s3s", "2s3h"]
    for place, name in enumerate(order):
        weights = np.zeros(1326)
        weights[place] = 0.5
        assert from_lexicographic_shdc(weights).combos() == {hand_name(hand_number(name)): 0.5}
    last = np.zeros(1326)
    last[-1] = 1.0
    assert from_lexicographic_shdc(last) == parse_range("AdAc")
    assert from_lexicographic_shdc(np.ones(1326)) == parse_range("random")
    with pytest.raises(ParameterError, match="1,326"):
        from_lexicographic_shdc(np.ones(1081))


@pytest.mark.skipif(not LIBRATUS.is_dir(), reason="the Libratus subgames are not beside the project")
def test_libratus_subgames_never_hold_a_board_card() -> None:
    """Only the right order of suits puts weight 0 on every hand that meets the board."""
    for file in sorted(LIBRATUS.glob("subgame*.txt")):
        lines = {line.split()[0]: line.split()[1:] for line in file.read_text().splitlines() if line.strip()}
        board = "".join(lines["-board"])
        for side in np.array(lines["-reach"], dtype=float).reshape(2, 1326):
            held = from_lexicographic_shdc(side)
            assert held.total > 0.0
            assert held.without(board) == held
