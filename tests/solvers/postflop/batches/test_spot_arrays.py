"""Batches given as arrays: the same spots as given one by one, by text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equilibrist.cards.ranges import parse_range
from equilibrist.core.errors import ParameterError
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_arrays import SpotArrays
from equilibrist.solvers.postflop.batches.grouped_spots import compile_spots, group_spots
from equilibrist.solvers.postflop.batches.solve_batch import solve_batch
from equilibrist.solvers.postflop.solve_spot import solve_spot

TEXTS = [("QQ+,AKs,T9s:0.25,65s", "JJ-88,AQs,KQs,87s"), ("AA,55,AKo,76s", "KK,44,AQo:0.5,T9s,65s"), ("random", "TT+")]
BOARDS = ["Ks7h2d9c3s", "AhTd8d4c4s", "QcJc6h5d2s"]
POTS, STACKS = [100.0, 60.0, 60.0], [300.0, 200.5, 20.0]
PATTERN = Spot(
    board="2c3c4c5c7d", pot=10, stack=20, range={"oop": "AA", "ip": "KK"}, bets={"bet": "50%, a", "raise": "a"}
)
RANGES = np.array([[parse_range(text).weights for text in pair] for pair in TEXTS])


def one_by_one() -> list[Spot]:
    return [
        PATTERN.changed(board=board, range={"oop": oop, "ip": ip}, pot=pot, stack=stack)
        for board, (oop, ip), pot, stack in zip(BOARDS, TEXTS, POTS, STACKS, strict=True)
    ]


def arrays(**changes: Any) -> SpotArrays:
    return SpotArrays.of(PATTERN, **{"boards": BOARDS, "ranges": RANGES, "pots": POTS, "stacks": STACKS} | changes)


def test_arrays_are_the_spots_given_by_text() -> None:
    spots = one_by_one()
    assert list(arrays()) == spots
    assert arrays()[-1] == spots[-1]
    assert arrays()[1:] == spots[1:]
    assert [one.to_toml() for one in arrays()] == [one.to_toml() for one in spots]
    numbers = [spot.board for spot in spots]
    assert list(arrays(boards=np.array(numbers))) == spots
    by_text, by_array = compile_spots(spots), compile_spots(arrays())
    at = np.arange(3)
    assert np.array_equal(by_array.boards(at), by_text.boards(at))
    assert by_array.pots.tolist() == POTS
    for p in range(2):
        assert np.array_equal(by_array.weights(p, at), by_text.weights(p, at))
        assert np.array_equal(by_array.compiled(1).weights[p], by_text.compiled(1).weights[p])
    assert [group.tolist() for group in group_spots(by_array)] == [[0, 1], [2]]


def test_a_batch_of_arrays_is_the_batch_of_its_spots() -> None:
    goals = ["2%", "0.5%", "1%"]
    by_text = solve_batch(one_by_one(), until=goals)
    by_array = solve_batch(
        PATTERN, boards=BOARDS, ranges=RANGES, pots=POTS, stacks=STACKS, until=goals, threads=2
    )  # fmt: skip
    for name in ("iterations", "exploitability", "values"):
        assert np.array_equal(getattr(by_array, name), getattr(by_text, name)), name
    for p in range(2):
        assert np.array_equal(by_array.by_hand[p], by_text.by_hand[p], equal_nan=True)
    assert list(by_array.spots) == list(by_text.spots)
    assert by_array.solution(1).ev == solve_spot(one_by_one()[1], until="0.5%").ev


def test_what_is_left_out_is_as_in_the_pattern() -> None:
    assert list(SpotArrays.of(PATTERN, boards=BOARDS)) == [PATTERN.changed(board=board) for board in BOARDS]
    alike = SpotArrays.of(PATTERN, ranges=RANGES[0], pots=[10, 30])
    here = dict(zip(("oop", "ip"), TEXTS[0], strict=True))
    assert list(alike) == [PATTERN.changed(range=here, pot=pot) for pot in (10, 30)]
    assert list(SpotArrays.of(PATTERN)) == [PATTERN]
    uneven = Spot(
        board=BOARDS[0], pot=10, stacks={"oop": 30, "ip": 20}, range={"oop": "AA", "ip": "QQ"}, bets={"bet": "a"}
    )
    assert SpotArrays.of(uneven, pots=[12])[0] == uneven.changed(pot=12)


def test_only_ratios_of_weights_count() -> None:
    """Probabilities, counts and single precision will do."""
    whole = arrays()
    for factor in (1e-6, 40.0):
        scaled = arrays(ranges=RANGES * factor)
        for p in range(2):
            top = RANGES[:, p].max(axis=1)[:, None]
            assert scaled.weights(p) == pytest.approx(whole.weights(p) / top, rel=1e-12)
        assert scaled[0].ranges[0].weights.max() == 1.0
    single = arrays(ranges=RANGES.astype(np.float32))
    assert single.weights(0) == pytest.approx(whole.weights(0), rel=1e-6)
    assert single.ranges.dtype == np.float32  # as it was given


def weights_with(value: float) -> np.ndarray:
    return np.where(np.arange(RANGES.size).reshape(RANGES.shape) == 1326 * 3 + 5, value, RANGES)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"boards": "Ks7h2d9c3s"}, "'boards' is a list of boards"),
        ({"boards": 5}, "'boards' is a list of boards"),
        ({"boards": np.array(5)}, r"shape \(1,\)"),
        ({"boards": [[0, 1, 2, 3, 4], [0, 1]]}, r"array \[spot, 5\] of card numbers"),
        ({"pots": [[100.0], [60.0, 70.0]]}, "'pots' is an array"),
        ({"boards": np.zeros((3, 4), dtype=int)}, r"array \[spot, 5\] of card numbers.*\(3, 4\)"),
        ({"boards": np.zeros((0, 5), dtype=int)}, r"\(0, 5\)"),
        ({"boards": np.zeros((3, 5))}, "float64"),
        ({"boards": [[0, 1, 2, 3, 4], [0, 1, 2, 3, 52], [0, 1, 2, 3, 3]]}, r"Board 1 is \[0, 1, 2, 3, 52\]; expected 5 different"),
        ({"boards": [[0, 1, 2, 3, 4], [0, 1, 2, 5, 6], [0, 1, 2, 3, 3]]}, r"Board 2 is \[0, 1, 2, 3, 3\]"),
        ({"boards": ["Ks7h2d9c3s", "Ks7h2d9cKs", "Ks7h2d9c3s"]}, "Board 1 is 'Ks7h2d9cKs': .*only one"),
        ({"boards": ["Ks7h2d9c3s", "Ks7h2d9c", "Ks7h2d9c3s"]}, "Board 1 is 'Ks7h2d9c'; expected 5 cards"),
        ({"ranges": RANGES[:, 0]}, r"'ranges' is an array \[spot, 2, 1326\].*\(3, 1326\)"),
        ({"ranges": RANGES[:, :, :-1]}, r"\(3, 2, 1325\)"),
        ({"ranges": [["AA", "KK"]]}, "'ranges' is an array"),
        ({"ranges": RANGES[:2]}, "2 ranges were given for 3 spots"),
        ({"pots": [100.0, 60.0]}, "2 pots were given for 3 spots"),
        ({"ranges": weights_with(np.nan)}, "range of ip of spot 1 .* has the weight nan"),
        ({"ranges": weights_with(-0.5)}, "range of ip of spot 1 2s2h has the weight -0.5"),
        ({"ranges": weights_with(np.inf)}, "weight inf"),
        ({"ranges": weights_with(1e-30)}, "weight 1e-30, less than 1e-20"),
        ({"ranges": RANGES * np.array([1.0, 0.0])[:, None]}, "range of ip of spot 0 no hand is left on the board Ks7h2d9c3s"),
        ({"pots": [100.0, -1.0, 60.0]}, "Spot 1: 'pot'"),
        ({"pots": [100.0, np.nan, 60.0]}, "Spot 1: 'pot'"),
        ({"stacks": [100.0, 60.0, 1e9]}, "Spot 2: The effective stack"),
        ({"pots": "100"}, "'pots' is an array"),
    ],
)  # fmt: skip
def test_arrays_that_are_none_are_refused_in_a_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        arrays(**given)


def test_ranges_without_a_possible_pair_are_refused() -> None:
    """Also where the board alone makes it so, with one pair of ranges for all boards."""
    pair = np.stack([parse_range("AsKs").weights, parse_range("AsQs,QcJc").weights])
    assert len(SpotArrays.of(PATTERN, ranges=pair, boards=["2c3c4c5c7d", "2c3c4c5c7h"])) == 2
    with pytest.raises(ParameterError, match="ranges of spot 1 collide.*Qc"):
        SpotArrays.of(PATTERN, ranges=pair, boards=["2c3c4c5c7d", "2c3c4c5cQc"])
    with pytest.raises(ParameterError, match="range of oop of spot 1 no hand is left"):
        SpotArrays.of(PATTERN, ranges=pair, boards=["2c3c4c5c7d", "2c3c4c5cKs"])
    many = np.stack([pair] * 500)
    many[333, 1] = many[333, 0]
    with pytest.raises(ParameterError, match="ranges of spot 333 collide"):
        SpotArrays.of(PATTERN, ranges=many)


def test_arrays_go_with_one_spot() -> None:
    with pytest.raises(ParameterError, match=r"Arrays \(pots\) say how spots differ"):
        solve_batch(one_by_one(), pots=POTS)
    for goal in (np.array([1.0, np.nan, 1.0]), -1.0, [1.0, 2.0, "x%"]):
        with pytest.raises(ParameterError, match=r"until|target"):
            solve_batch(PATTERN, boards=BOARDS, until=goal)


@pytest.mark.gpu
def test_arrays_on_a_gpu_are_the_spots_given_by_text() -> None:
    goals = np.array([2.0, 0.3, 0.6])
    by_text = solve_batch(one_by_one(), until=goals, device="cuda")
    by_array = solve_batch(PATTERN, boards=BOARDS, ranges=RANGES, pots=POTS, stacks=STACKS, until=goals, device="cuda")
    for name in ("iterations", "exploitability", "values"):
        assert np.array_equal(getattr(by_array, name), getattr(by_text, name)), name
    for p in range(2):
        assert np.array_equal(by_array.by_hand[p], by_text.by_hand[p], equal_nan=True)
    one = by_array.solution(1)
    assert one.converged
    assert one.seconds > 0.0
    assert one.record.settings["until"] == 0.3
