"""Equity: known numbers, naive twins, symmetries, several players, the command."""

from __future__ import annotations

import json
import math
import re
import runpy
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from equilibrist.cards import equity as equity_module
from equilibrist.cards.deck import Deck
from equilibrist.cards.equity import EquityResult, equity, multiway_equity, strength_features
from equilibrist.cards.evaluator import evaluate
from equilibrist.cards.ranges import Range, hand_name, hand_number, parse_cards, parse_range
from equilibrist.cards.runouts import Runouts, runouts_of
from equilibrist.cards.strength import hand_strength
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.interfaces.cli.guard import guarded
from equilibrist.interfaces.cli.study.equity import equity as equity_command

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


def naive_strength(cards: tuple[int, ...]) -> tuple[int, ...]:
    return hand_strength([card // 4 for card in cards], [card % 4 for card in cards])


def cards_of(hand: int) -> tuple[int, ...]:
    return parse_cards(hand_name(hand))


def naive_equity(ranges: list[Range], board: tuple[int, ...]) -> tuple[list[float], list[dict[int, list[float]]]]:
    """Shares by player, and per hand [mass, share], by trying every deal on every board."""
    by_hand: list[dict[int, list[float]]] = [{} for _ in ranges]

    def visit(hands: tuple[int, ...], weight: float) -> None:
        dealt = sum((cards_of(hand) for hand in hands), board)
        if len(set(dealt)) < len(dealt):
            return
        if len(hands) < len(ranges):
            held = ranges[len(hands)]
            for hand in held.hands:
                visit((*hands, int(hand)), weight * held.weights[hand])
            return
        free = [card for card in range(52) if card not in dealt]
        for runout in combinations(free, 5 - len(board)):
            strengths = [naive_strength(cards_of(hand) + board + runout) for hand in hands]
            best = [strength == max(strengths) for strength in strengths]
            for player, hand in enumerate(hands):
                sums = by_hand[player].setdefault(hand, [0.0, 0.0])
                sums[0] += weight
                sums[1] += weight * best[player] / sum(best)

    visit((), 1.0)
    totals = [np.sum(list(hands.values()), axis=0) for hands in by_hand]
    return [float(share / mass) for mass, share in totals], by_hand


def assert_same(one: EquityResult, other: EquityResult, tolerance: float = 1e-12) -> None:
    for name in ("win", "tie", "equity", "reach", "hand_win", "hand_tie", "hand_equity"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=tolerance, err_msg=name)


def exchanged(held: Range, suits: tuple[int, ...]) -> Range:
    weights = np.zeros(1326)
    for hand in held.hands:
        low, high = sorted(4 * (card // 4) + suits[card % 4] for card in cards_of(int(hand)))
        weights[high * (high - 1) // 2 + low] = held.weights[hand]
    return Range(weights)


@st.composite
def spots(draw: st.DrawFn, board_cards: tuple[int, ...], hands: int = 8) -> tuple[list[Range], tuple[int, ...]]:
    """Two ranges of some weighted hands and a board of one of these sizes, from few cards so that much collides and ties."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pool = rng.permutation(52)[:16]
    board = tuple(int(card) for card in pool[: draw(st.sampled_from(board_cards))])
    ranges = []
    for _ in range(2):
        weights = np.zeros(1326)
        while not Range(weights).without(board).total:
            for _ in range(hands):
                low, high = sorted(rng.choice(pool, 2, replace=False))
                weights[high * (high - 1) // 2 + low] = rng.integers(1, 5) / 4
        ranges.append(Range(weights))
    return ranges, board


# boards


@pytest.mark.parametrize(
    ("board", "canonical", "total"),
    [
        ("", 134_459, 2_598_960),  # standard figures
        ("Td9d6h", 721, 1176),  # clubs and spades alike: 13 + C(23, 2) pairs stay where they are, (1176 + 266) / 2
        ("AdKd6d", 344, 1176),
        ("Td9d6hQc", 48, 48),
        ("TdTh9d9h", 24, 48),
        ("Td9d6hQc2s", 1, 1),
    ],
)
def test_runouts(board: str, canonical: int, total: int) -> None:
    runouts = runouts_of(parse_cards(board))
    assert int(runouts.multiplicity.sum()) == total
    assert len(runouts.boards) == canonical
    assert len({tuple(row) for row in runouts.boards.tolist()}) == canonical
    assert all(len(set(row)) == 5 for row in runouts.boards[:: max(1, canonical // 500)].tolist())


@pytest.mark.parametrize("board", ["Td9d6h", "AdKd6d", "7c7d2h", "TdTh9d9h", "AcKdQhJs"])
def test_runouts_are_one_of_each_orbit(board: str) -> None:
    """Against orbits found by exchanging suits of every runout."""
    runouts = runouts_of(parse_cards(board))
    lying = set(runouts.board)
    orbits: dict[frozenset[int], int] = {}
    suits = {
        tuple(4 * (c // 4) + int(p) for c, p in zip(range(52), np.tile(s, 13), strict=True))
        for s in permutations(range(4))
    }
    fixing = [move for move in suits if {move[card] for card in lying} == lying]
    assert len(runouts.images) == len(fixing)
    for runout in combinations([card for card in range(52) if card not in lying], 5 - len(lying)):
        first = min(tuple(sorted(move[card] for card in runout)) for move in fixing)
        orbits[frozenset(first)] = orbits.get(frozenset(first), 0) + 1
    assert len(orbits) == len(runouts.boards)
    for row, count in zip(runouts.boards.tolist(), runouts.multiplicity.tolist(), strict=True):
        runout = [card for card in row if card not in lying]
        first = min(tuple(sorted(move[card] for card in runout)) for move in fixing)
        assert orbits[frozenset(first)] == count


# known values


def test_postflop_reference_spots() -> None:
    # raw equities of postflop-solver, shared/reference/postflop.md 1.3 (five digits of a percentage are given)
    turn, flop = equity(OOP, IP, "Td9d6hQc"), equity(OOP, IP, "Td9d6h")
    assert 100 * np.array(turn.equity) == pytest.approx([53.06030, 46.93971], rel=3e-7)
    assert 100 * np.array(flop.equity) == pytest.approx([53.64703, 46.35297], rel=3e-7)
    assert (turn.boards, flop.boards) == (44, 990)
    assert equity("random", "random", "Td9d6hQc2s").equity == pytest.approx((0.5, 0.5), abs=1e-14)


def test_aces_against_kings_before_the_flop() -> None:
    # widely published: 1,410,336 wins, 292,660 losses and 9,308 ties of C(48, 5) boards when both suits are shared
    result = equity("AsAh", "KsKh")
    assert result.boards == math.comb(48, 5) == 1_712_304
    assert round(result.win[0] * result.boards) == 1_410_336
    assert round(result.win[1] * result.boards) == 292_660
    assert round(result.tie[0] * result.boards) == 9_308
    assert result.win[0] == 1_410_336 / 1_712_304  # counts are whole numbers


@pytest.mark.sampled(2)
@pytest.mark.parametrize("hands", [("AsAh", "KsKh"), ("AsKs", "QdQh"), ("7c2d", "7h2s"), ("AcKc", "AdKd")])
def test_hand_against_hand_by_plain_enumeration(hands: tuple[str, str]) -> None:
    """The same without suit isomorphism, all 1,712,304 boards through the evaluator for hands of seven cards."""
    one, other = (parse_cards(hand) for hand in hands)
    free = np.array([card for card in range(52) if card not in one + other], np.uint8)
    boards = free[np.array(list(combinations(range(48), 5)), np.uint8)]
    strengths = [
        evaluate(np.hstack([np.tile(np.array(hand, np.uint8), (len(boards), 1)), boards])) for hand in (one, other)
    ]
    result = equity(*hands)
    assert result.win[0] == np.mean(strengths[0] > strengths[1])
    assert result.tie[0] == np.mean(strengths[0] == strengths[1])
    for place in range(0, len(boards), 9001):  # the evaluator itself against the readable rules
        board = tuple(boards[place].tolist())
        naive = [naive_strength(hand + board) for hand in (one, other)]
        assert (naive[0] > naive[1], naive[0] == naive[1]) == (
            strengths[0][place] > strengths[1][place],
            strengths[0][place] == strengths[1][place],
        )


def test_classes_before_the_flop() -> None:
    """AA against KK is the average over the 36 pairs of hands; 6, 24 and 6 share both, one and no suit."""
    pairs = [equity(a, k) for a, k in (("AsAh", "KsKh"), ("AsAh", "KsKd"), ("AsAh", "KdKc"))]
    expected = sum(n * r.equity[0] for n, r in zip((6, 24, 6), pairs, strict=True)) / 36
    assert equity("AA", "KK").equity[0] == pytest.approx(expected, abs=1e-12)


def test_expected_hand_strength_postflop() -> None:
    # [Ganzfried15, chapter 5], recomputed; three digits
    known = {
        ("KcQc", "7dQh4h2s3c"): 0.856,
        ("TcQd", "7h9hQh"): 0.683,
        ("5c9d", "3d5d7d"): 0.679,
        ("TcQd", "7h9hQhAd"): 0.695,
    }
    for (hand, board), value in known.items():
        assert strength_features(board).ehs[hand_number(hand)] == pytest.approx(value, abs=5e-4)


@pytest.mark.slow
def test_expected_hand_strength_preflop() -> None:
    # [Ganzfried15, chapter 5] and [Lu16, §3.3.2] (E[HS] of AKs = 0.6704)
    known = {"AsAh": 0.852, "KdKc": 0.824, "KcQc": 0.634, "6c6d": 0.633}
    features = strength_features("")
    for hand, value in known.items():
        assert features.ehs[hand_number(hand)] == pytest.approx(value, abs=5e-4)
    assert features.ehs[hand_number("AhKh")] == pytest.approx(0.6704, abs=5e-5)
    assert features.ehs[hand_number("AhKh")] == pytest.approx(equity("AhKh", "random").equity[0], abs=1e-12)
    np.testing.assert_allclose(features.ehs[parse_range("AKs").hands], features.ehs[hand_number("AhKh")], rtol=1e-14)
    assert np.mean(features.ehs) == pytest.approx(0.5, abs=1e-12)


# naive twins


@settings(max_examples=25, deadline=None)
@given(spots((5,)), st.sampled_from([0, 10**9]))
def test_river_equals_naive(spot: tuple[list[Range], tuple[int, ...]], few_pairs: int) -> None:
    check_against_naive(*spot, few_pairs)


@settings(max_examples=6, deadline=None)
@given(spots((4,), hands=4), st.sampled_from([0, 10**9]))
def test_turn_equals_naive(spot: tuple[list[Range], tuple[int, ...]], few_pairs: int) -> None:
    check_against_naive(*spot, few_pairs)


def check_against_naive(ranges: list[Range], board: tuple[int, ...], few_pairs: int) -> None:
    """By sweep (`few_pairs` 0) or by pairs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equity_module, "FEW_PAIRS", few_pairs)
        try:
            result = equity(ranges[0], ranges[1], board)
        except ParameterError as error:
            assert "collide" in str(error)
            assert not any(naive_possible(ranges, board))
            return
    shares, by_hand = naive_equity(ranges, board)
    assert result.equity == pytest.approx(shares, abs=1e-12)
    assert sum(result.win) + result.tie[0] == pytest.approx(1.0, abs=1e-12)
    for player, hands in enumerate(by_hand):
        total = sum(mass for mass, _ in hands.values())
        assert set(np.flatnonzero(~np.isnan(result.hand_equity[player]))) == set(hands)
        for hand, (mass, share) in hands.items():
            assert result.hand_equity[player][hand] == pytest.approx(share / mass, abs=1e-12)
            assert result.reach[player][hand] == pytest.approx(mass / total, abs=1e-12)


def naive_possible(ranges: list[Range], board: tuple[int, ...]) -> list[bool]:
    one, other = ([set(cards_of(int(h))) for h in held.without(board).hands] for held in ranges)
    return [not a & b for a in one for b in other]


def test_flop_equals_naive() -> None:
    ranges, board = [parse_range("AsKs,9c8d:0.5"), parse_range("QhQd,AsJs:0.25,7s6s")], parse_cards("Ts9s2d")
    shares, _ = naive_equity(ranges, board)
    assert equity(*ranges, board).equity == pytest.approx(shares, abs=1e-12)


def test_features_equal_naive() -> None:
    """E[HS], E[HS^2] and the histogram of a turn hand from the definition."""
    board, hand = parse_cards("7h9hQhAd"), parse_cards("TcQd")
    rest = [card for card in range(52) if card not in board + hand]
    strengths = []
    for river in rest:
        mine = naive_strength(hand + board + (river,))
        left = [card for card in rest if card != river]
        others = [naive_strength((*pair, *board, river)) for pair in combinations(left, 2)]
        strengths.append(sum((mine > o) + 0.5 * (mine == o) for o in others) / len(others))
    features, place = strength_features("7h9hQhAd"), hand_number("TcQd")
    assert features.ehs[place] == pytest.approx(np.mean(strengths), abs=1e-12)
    assert features.ehs_squared[place] == pytest.approx(np.mean(np.square(strengths)), abs=1e-12)
    bins = np.bincount([min(math.floor(50 * s), 49) for s in strengths], minlength=50) / 46
    np.testing.assert_allclose(features.histogram[place], bins, atol=1e-12)


def test_features_hold_together() -> None:
    features = strength_features("3d5d7d")
    possible = ~np.isnan(features.ehs)
    assert possible.sum() == math.comb(49, 2)
    histogram = features.histogram[possible]
    np.testing.assert_allclose(histogram.sum(axis=1), 1.0, atol=1e-12)
    middle = histogram @ (np.arange(50) + 0.5) / 50
    assert np.abs(middle - features.ehs[possible]).max() <= 0.01
    assert (features.ehs_squared >= features.ehs**2 - 1e-12)[possible].all()
    assert strength_features("3d5d7d", 10).histogram.shape == (1326, 10)


# symmetries


@settings(max_examples=12, deadline=None)
@given(spots((3, 4, 5), hands=30), st.permutations(range(4)))
def test_exchanging_suits_changes_nothing(spot: tuple[list[Range], tuple[int, ...]], suits: list[int]) -> None:
    ranges, board = spot
    moved = [exchanged(held, tuple(suits)) for held in ranges]
    moved_board = [4 * (card // 4) + suits[card % 4] for card in board]
    one, other = equity(*ranges, board), equity(*moved, moved_board)
    assert one.equity == pytest.approx(other.equity, abs=1e-12)
    mirrored = equity(ranges[1], ranges[0], board)
    assert mirrored.equity == pytest.approx(one.equity[::-1], abs=1e-12)


@pytest.mark.parametrize("board", ["AdKd6d", "Td9d6h", "7c7d2h", "TdTh9d9h"])
def test_isomorphism_with_lopsided_ranges(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges that tell suits apart on boards that do not: the same as with every runout looked at by itself."""
    rng = np.random.default_rng(7)
    ranges = [Range(rng.random(1326) * (rng.random(1326) < share)) for share in (0.3, 0.6)]
    merged = equity(*ranges, board)
    plain = runouts_without_isomorphism(parse_cards(board))
    monkeypatch.setattr(equity_module, "runouts_of", lambda cards: plain)
    assert_same(merged, equity(*ranges, board))


def runouts_without_isomorphism(board: tuple[int, ...]) -> Runouts:
    free = [card for card in range(52) if card not in board]
    boards = np.array([board + rest for rest in combinations(free, 5 - len(board))], np.uint8)
    return Runouts(board, boards, np.ones(len(boards), np.uint8), np.arange(1326)[None])


def test_lopsided_ranges_before_the_flop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweep with 24 exchanges of suits against pairs counted one by one."""
    ranges = "AsKs:0.5,QhQd,7c6d,AhAc:0.25", "KcQs:0.3,TdTh,5s5c,AsJd"
    by_pairs = equity(*ranges)
    monkeypatch.setattr(equity_module, "FEW_PAIRS", 0)
    assert_same(equity(*ranges), by_pairs, 1e-11)


# several players


def test_three_hands_on_the_flop() -> None:
    hands = ["AsKs", "QhQd", "Jc9c"]
    shares, _ = naive_equity([parse_range(hand) for hand in hands], parse_cards("Ts9s2d"))
    result = multiway_equity(hands, "Ts9s2d")
    assert result.exact
    assert result.boards == math.comb(43, 2)
    assert result.equity == pytest.approx(shares, abs=1e-12)
    assert sum(result.equity) == pytest.approx(1.0, abs=1e-12)


def test_small_ranges_of_three_players_equal_naive() -> None:
    texts = ["AsKs,QcQs:0.5", "QhQd,AsAd:0.25", "Jc9c,Ks9h:0.75"]
    shares, by_hand = naive_equity([parse_range(text) for text in texts], parse_cards("Ts9s2dTh"))
    result = multiway_equity(texts, "Ts9s2dTh")
    assert result.equity == pytest.approx(shares, abs=1e-12)
    for player, hands in enumerate(by_hand):
        for hand, (mass, share) in hands.items():
            assert result.hand_equity[player][hand] == pytest.approx(share / mass, abs=1e-12)


def test_three_hands_before_the_flop_by_plain_enumeration() -> None:
    hands = ["AsAh", "KsKd", "7c6c"]
    cards = [parse_cards(hand) for hand in hands]
    free = np.array([card for card in range(52) if card not in sum(cards, ())], np.uint8)
    boards = free[np.array(list(combinations(range(46), 5)), np.uint8)]
    rows = [np.hstack([np.tile(np.array(hand, np.uint8), (len(boards), 1)), boards]) for hand in cards]
    strengths = np.stack([evaluate(row) for row in rows], axis=1)
    best = strengths == strengths.max(axis=1, keepdims=True)
    result = multiway_equity(hands)
    assert result.equity == pytest.approx((best / best.sum(axis=1, keepdims=True)).mean(axis=0), abs=1e-12)
    assert result.boards == 1_370_754


def test_six_equal_hands_split() -> None:
    result = multiway_equity(["2c3d", "2d3c", "2h3s", "2s3h", "4c5d", "4d5c"], "AsKsQsJsTs")
    assert result.win == (0.0,) * 6
    assert result.tie == (1.0,) * 6
    assert result.equity == pytest.approx((1 / 6,) * 6, abs=1e-15)


def test_sampled_intervals_hold_the_exact_value(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, board = ["TT+,AKs:0.5", "AJs+,KQs", "99-66,JTs:0.25"], "Ts9s2d"
    exact = multiway_equity(texts, board)
    monkeypatch.setattr(equity_module, "FEW_DEALS", 0)
    runs = [multiway_equity(texts, board, samples=40_000, seed=seed) for seed in range(20)]
    assert exact.exact
    assert not any(run.exact for run in runs)
    held = [
        low <= value <= high
        for run in runs
        for value, (low, high) in zip(exact.equity, run.interval or (), strict=True)
    ]
    assert len(held) == 60
    assert sum(held) >= 52  # 57 expected; fewer than 52 has probability below 1 %, and the seeds are fixed
    average = np.mean([run.equity for run in runs], axis=0)
    assert average == pytest.approx(exact.equity, abs=4 * 0.5 / math.sqrt(20 * 40_000))
    np.testing.assert_allclose(runs[0].reach[0], exact.reach[0], atol=0.01)


def test_sampling_is_reproducible() -> None:
    one, again, other = (multiway_equity(["random"] * 4, samples=20_000, seed=seed) for seed in (1, 1, 2))
    assert one.equity == again.equity != other.equity
    assert sum(one.equity) == pytest.approx(1.0, abs=1e-12)
    low, high = (one.interval or ((0.0, 0.0),))[0]
    assert low < 0.25 < high
    assert (one.samples, one.seed) == (20_000, 1)


# refusals


@pytest.mark.parametrize(
    ("ranges", "board", "words"),
    [
        (("AA", "KK"), "Ts9s", "3, 4 or 5 cards, or none before the flop, but 2 were given"),
        (("AA", "KK"), "Ts9s2d3c4c5c", "but 6 were given"),
        (("AA", "KK"), "TsTs2d", "given before"),
        (("AA", "KK"), "TsXs2d", "expected cards such as"),
        (("AsKd", "KK"), "As2d3c", "Range 1 is empty: every hand of 'AsKd' shares a card with the board"),
        (("KK", "none"), "", "Range 2 is empty"),
        (("AsKd", "AsQd"), "", "collide completely"),
        (("AsKd,AsQd", "AsQh,AsJh"), "Ts9s2d", "collide completely"),
        (("AA",), "", "two to 6 ranges, but 1"),
        (("AA",) * 7, "", "two to 6 ranges, but 7"),
        (("AA", "AA", "AA"), "", "collide completely"),
        (("AA", "KX"), "", "'KX' at character 1"),
    ],
)
def test_refusals(ranges: tuple[str, ...], board: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        multiway_equity(ranges, board)


def test_complete_collision_is_noticed_by_sweep_and_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equity_module, "FEW_PAIRS", 0)
    with pytest.raises(ParameterError, match="collide completely"):
        equity("AsKd", "AsQh:0.6,KdJh:0.3,As2c:0.8")  # 1.7 - 1.4 - 0.3 is not 0 in floating point
    monkeypatch.setattr(equity_module, "FEW_DEALS", 0)
    monkeypatch.setattr(equity_module, "FUTILE_TRIES", 10**5)
    with pytest.raises(ParameterError, match="collide completely"):
        multiway_equity(["AA", "AA", "AA"])


def test_other_decks_and_boards_of_numbers() -> None:
    with pytest.raises(NotApplicableError, match="52 cards"):
        equity(parse_range("AA", Deck(ranks=9)), "KK")
    with pytest.raises(ParameterError, match="0 to 51"):
        equity("AA", "KK", [1, 2, 52])
    with pytest.raises(ParameterError, match="different"):
        equity("AA", "KK", [1, 1, 2])
    with pytest.raises(ParameterError, match="samples=0"):
        multiway_equity(["random"] * 3, samples=0)


# the page


def test_the_page_runs_and_says_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "ranges.md").read_text(encoding="utf-8")
    script = tmp_path / "page.py"
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), encoding="utf-8")
    (tmp_path / "my_range.txt").write_text("0.5 " * 1326)
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    assert names["held"].total == 40.0
    assert str(names["held"]) == "TT+,AKs,KQo:0.5"
    assert [round(x, 6) for x in (*names["result"].win, names["result"].tie[0])] == [0.823648, 0.170916, 0.005436]
    assert round(strength_features("7h9hQh").ehs[hand_number("QdTc")], 4) == 0.6826


# the command


def run(*arguments: str) -> tuple[int, str, str]:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(guarded(equity_command))
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_command_prints_a_table() -> None:
    code, out, _ = run(OOP, IP, "--board", "Td9d6hQc")
    assert code == 0
    for words in ("53.0603 %", "46.9397 %", "167", "250", "exact over 44 boards"):
        assert words in out


def test_command_prints_json() -> None:
    code, out, _ = run("AsAh", "KsKh,QQ:0.5", "--board", "Td 9d 6h", "--json", "--hands")
    facts = json.loads(out)
    assert code == 0
    assert facts["board"] == "Td9d6h"
    assert facts["exact"] is True
    assert facts["boards"] == 990
    assert [player["combos"] for player in facts["players"]] == [1.0, 4.0]
    assert sum(player["equity"] for player in facts["players"]) == pytest.approx(1.0)
    by_hand = facts["players"][1]["by_hand"]
    assert len(by_hand) == 7
    assert by_hand["KsKh"]["equity"] == pytest.approx(1 - equity("AsAh", "KsKh", "Td9d6h").equity[0])


def test_command_says_the_strength_of_one_range() -> None:
    code, out, _ = run("QdTc", "--board", "7h9hQh", "--hands")
    assert code == 0
    assert "0.6826" in out
    code, out, _ = run("QdTc,AA:0.5", "--board", "7h9hQh", "--json")
    facts = json.loads(out)
    assert facts["combos"] == 4.0
    assert facts["by_hand"]["QdTc"]["ehs"] == pytest.approx(equity("QdTc", "random", "7h9hQh").equity[0], abs=1e-12)
    mean = sum(row["weight"] * row["ehs"] for row in facts["by_hand"].values()) / 4.0
    assert facts["ehs"] == pytest.approx(mean)
    assert sum(facts["by_hand"]["AsAh"]["histogram"]) == pytest.approx(1.0)
    assert facts["ehs_squared"] >= facts["ehs"] ** 2
    code, _, err = run("AsKs", "--board", "As2d3c")
    assert (code, "No hand of" in err) == (2, True)


def test_command_with_several_players() -> None:
    code, out, _ = run("AA", "KK", "random", "--samples", "20000", "--seed", "3", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["exact"] is False
    assert (facts["samples"], facts["seed"]) == (20_000, 3)
    for player in facts["players"]:
        low, high = player["interval"]
        assert low < player["equity"] < high
    code, out, _ = run("AA", "KK", "random", "--samples", "20000", "--hands")
    assert code == 0
    assert "95 % intervals" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("AA", "KK", "--board", "Ts9s"),
        ("AA", "KK", "--board", "TsTs2d"),
        ("AsKd", "AsQd"),
        ("AsKd", "QQ", "--board", "As2d3c"),
        ("AA,AXs", "QQ"),
        ("@/no/such/file", "QQ"),
        ("AA", "KK", "QQ", "JJ", "TT", "99", "88"),
    ],
)
def test_command_refuses_with_one_sentence(arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.strip().count("\n") == 0
    assert err.strip().endswith(".")
