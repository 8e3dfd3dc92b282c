"""The 13×13 grid: where classes lie, how hands are summed up, how it looks as text and as a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.ranges import hand_name, hand_number, parse_cards, parse_range
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.interfaces.pictures.grid import SIDE, class_grid, class_hands, class_name, grid_text
from equilibrist.interfaces.pictures.palette import CALL, FOLD
from equilibrist.interfaces.pictures.strategy_pictures import save_grid_picture

ACTIONS = ("f", "c", "r300")


def numbers(*names: str) -> list[int]:
    return [hand_number(name) for name in names]


def test_pairs_lie_on_the_diagonal_and_suited_hands_above() -> None:
    assert class_name(0, 0) == "AA"
    assert class_name(0, 1) == "AKs"
    assert class_name(1, 0) == "AKo"
    assert class_name(12, 12) == "22"
    assert len({class_name(row, column) for row in range(SIDE) for column in range(SIDE)}) == 169


def test_classes_have_as_many_hands_as_they_should() -> None:
    """6 pairs, 4 suited, 12 offsuit; together 1,326."""
    assert [len(class_hands(name)) for name in ("77", "AKs", "AKo", "AK", "ako")] == [6, 4, 12, 16, 12]
    everything = [
        hand for row in range(SIDE) for column in range(SIDE) for hand in class_hands(class_name(row, column))
    ]
    assert sorted(everything) == list(range(1326))
    assert {hand_name(int(hand)) for hand in class_hands("AKs")} == {"AsKs", "AhKh", "AdKd", "AcKc"}
    with pytest.raises(ParameterError, match="no class of hands 'AKx'"):
        class_hands("AKx")


def test_a_cell_averages_its_hands_by_reach() -> None:
    """Two of four combinations: reach 1 folds, reach 0.5 calls, so 2/3 fold; the average reach is 1.5 / 4."""
    grid = class_grid(numbers("AsKs", "AhKh"), [1.0, 0.5], [[1, 0, 0], [0, 1, 0]], ACTIONS)
    assert grid.mix[0, 1] == pytest.approx([2 / 3, 1 / 3, 0.0])
    assert grid.weight[0, 1] == pytest.approx(1.5 / 4)
    assert grid.height[0, 1] == 1.0
    assert grid.present.sum() == 1


def test_hands_that_the_board_rules_out_do_not_make_a_class_smaller() -> None:
    """With the king of spades on the board three suited combinations are left."""
    grid = class_grid(numbers("AhKh"), [1.0], [[1, 0, 0]], ACTIONS, parse_cards("Ks7d2c"))
    assert grid.combos[0, 1] == 3
    assert grid.weight[0, 1] == pytest.approx(1 / 3)
    assert grid.combos.sum() == 49 * 48 // 2


def test_an_empty_range_is_a_grid_of_absent_classes() -> None:
    grid = class_grid([], [], [], ACTIONS)
    assert not grid.present.any()
    assert not grid.height.any()
    assert "AKs" in grid_text(grid).plain


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_sums_over_the_grid_are_sums_over_the_hands(seed: int) -> None:
    rng = np.random.default_rng(seed)
    hands = rng.choice(1326, size=rng.integers(1, 400), replace=False)
    reach, strategy = rng.random(len(hands)), rng.dirichlet((1, 1, 1), len(hands))
    grid = class_grid(hands, reach, strategy, ACTIONS)
    by_class = (grid.weight * grid.combos)[..., None] * grid.mix
    np.testing.assert_allclose(by_class.sum(axis=(0, 1)), reach @ strategy)
    np.testing.assert_allclose(grid.mix[grid.present].sum(axis=1), 1.0)
    whole = np.zeros(1326)
    whole[hands] = reach
    from equilibrist.cards.ranges import Range

    np.testing.assert_allclose(grid.weight, Range(whole).grid())


def test_text_names_every_class_and_the_likeliest_action() -> None:
    hands = parse_range("AKs,77").hands
    folds = [[0.75, 0.25, 0.0] if hand in class_hands("77") else [0.0, 0.0, 1.0] for hand in hands]
    grid = class_grid(hands, np.ones(len(hands)), folds, ACTIONS)
    lines = grid_text(grid, coloured=False).plain.split("\n")
    assert len(lines) == 2 * SIDE
    assert lines[0].split()[:3] == ["AA", "AKs", "AQs"]
    assert lines[1].split() == ["r100"]
    assert lines[2 * 7 + 1].split() == ["f75"]
    assert {len(line) for line in lines} == {6 * SIDE - 1}


def test_the_width_of_a_colour_is_the_share_of_its_action() -> None:
    """30 % fold, 70 % call: three of ten samples are blue; the class at full reach keeps its full colour."""
    grid = class_grid(numbers("AsAh"), [1.0], [[0.3, 0.7, 0.0]], ACTIONS)
    styles = [str(span.style) for span in grid_text(grid).spans if " on #" in str(span.style)]
    assert len(styles) == 10
    assert sum(style.endswith(f"on {FOLD}") for style in styles) == 3
    assert sum(style.endswith(f"on {CALL}") for style in styles) == 7


def test_rarely_reached_classes_are_paler() -> None:
    grid = class_grid(numbers("AsAh", "KsKh"), [1.0, 0.1], [[1.0, 0.0, 0.0]] * 2, ACTIONS)
    shown = {str(span.style).split(" on ")[1] for span in grid_text(grid).spans if " on #" in str(span.style)}
    assert FOLD in shown
    assert len(shown) == 2


def test_a_picture_is_drawn_and_a_bad_name_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    hands = parse_range("TT+,AQs+").hands
    grid = class_grid(hands, np.linspace(0.01, 1.0, len(hands)), [[0.2, 0.5, 0.3]] * len(hands), ACTIONS)
    given = {"board": parse_cards("Td9d6hQc2s"), "frequencies": [0.2, 0.5, 0.3], "names": ("fold", "call", "raise 300")}
    save_grid_picture(grid, tmp_path / "grid.png", **given, caption="a caption")
    data = (tmp_path / "grid.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) > 10_000
    with pytest.raises(FormatError, match=r"ends in \.png"):
        save_grid_picture(grid, tmp_path / "grid.nonsense", **given, caption="")
