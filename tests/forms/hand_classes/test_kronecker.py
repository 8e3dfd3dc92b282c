"""Poker with classes of hands: counts, pairs of classes, and the implicit payoff operator against matrices written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.forms.hand_classes.betting_rounds import betting_rounds
from equilibrist.forms.hand_classes.class_pairs import class_pairs
from equilibrist.forms.hand_classes.classes import HandClasses, classes_from_labels
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, kronecker_form
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.game import Poker
from reference.naive_classes import Sequence, walk_classes

SMALL = [
    "kuhn",
    "leduc",
    "leduc(suits=merged)",
    "leduc(ranks=4,suits=3)",
    "rhode-island(ranks=2,suits=2)",
    "rhode-island(ranks=4,suits=1)",
    "nolimit-kuhn",  # the second player may end the game without having acted
    "nolimit-leduc(stack=6,sizes=[0.5,1,a])",  # all-in before the last card, lines of different shapes
]


def poker(name: str) -> Poker:
    game = load_game(name)
    assert isinstance(game, Poker)
    return game


def random_classes(game: Poker, seed: int, labels: int = 3) -> HandClasses:
    """Some partition of hands that remembers, no finer than what players can see."""
    rng = np.random.default_rng(seed)
    finest = shrink(game)
    return classes_from_labels(game.rules, [rng.integers(0, labels, table.max() + 1)[table] for table in finest.table])


def name_sequences(form: KroneckerForm, player: int) -> list[Sequence]:
    """The sequence of every number, spelt out."""
    names: list[Sequence] = [()]
    lines = [
        (betting.number, row, line)
        for betting, classes in zip(form.rounds, form.layouts[player].classes[1:], strict=True)
        for row in range(classes)
        for line in betting.columns[player].labels
    ]
    infosets = slice(form.first_infoset[player], form.first_infoset[player + 1])
    first, actions, parent = (x[infosets] for x in (form.first_sequence, form.actions, form.parent))
    assert len(lines) == len(first)
    for place, begin, count, before in zip(lines, first, actions, parent - form.offset[player], strict=True):
        assert begin - form.offset[player] == len(names)  # numbered in order, after what they follow
        names += [(*names[before], (*place, action)) for action in range(count)]
    return names


def written_out(game: Poker, form: KroneckerForm) -> sparse.csr_array:
    number = [{name: i for i, name in enumerate(name_sequences(form, p))} for p in range(2)]
    entries = walk_classes(game, form.classes)
    first, second = [number[0][mine] for mine, _ in entries], [number[1][theirs] for _, theirs in entries]
    return sparse.csr_array((list(entries.values()), (first, second)), shape=form.sequences)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.sampled(6)
def test_the_product_is_that_of_the_matrix_written_out(name: str, coarse: bool) -> None:
    game = poker(name)
    classes = (random_classes(game, 1), random_classes(game, 2)) if coarse else (shrink(game), None)
    form = kronecker_form(game.rules, *classes, name=name)
    matrix = written_out(game, form)
    rng, largest = np.random.default_rng(0), np.abs(matrix.data).max()
    for player, against in ((0, matrix), (1, -matrix.T)):
        plan = rng.random(form.sequences[1 - player])
        for threads in (1, 2):
            found = form.with_threads(threads).gradient(player, plan)
            assert found == pytest.approx(against @ plan, abs=1e-12 * largest * len(plan))
        assert form.payoff.gradient(player, plan) == pytest.approx(against @ plan, abs=1e-10 * largest)
    if not coarse:
        assert form.payoff_nonzeros == (np.abs(matrix.data) > 1e-15).sum()


def test_a_finer_game_of_rhode_island() -> None:
    """Threads share rows here; one deck is large enough that this happens."""
    game = poker("rhode-island(ranks=6,suits=3)")
    form = kronecker_form(game.rules, shrink(game))
    plan = np.random.default_rng(0).random(form.sequences[1])
    alone = form.gradient(0, plan)
    assert np.array_equal(form.with_threads(2).gradient(0, plan), alone)
    out = np.full(form.sequences[0], np.nan)
    assert form.gradient(0, plan, out) is out
    assert np.array_equal(out, alone)
    # x'(A y) is the same sum as y'(A'x)
    mine = np.random.default_rng(1).random(form.sequences[0])
    assert mine @ alone == pytest.approx(-(plan @ form.gradient(1, mine)), rel=1e-12)


@given(st.integers(0, 1_000))
@settings(max_examples=10, deadline=None)
def test_pairs_of_classes_add_up(seed: int) -> None:
    """B is symmetric and sums to 1, W antisymmetric, |W| <= B, later rounds add up to earlier ones."""
    game = poker("rhode-island(ranks=4,suits=2)")
    classes = random_classes(game, seed)
    rounds = class_pairs(game.rules, classes)
    for number, pairs in enumerate(rounds):
        deals, balance = (dense(pairs, values) for values in (pairs.deals, pairs.balance))
        assert deals.sum() == 8 * 7 * 6 * 5
        assert np.array_equal(deals, deals.T)
        assert np.array_equal(balance, -balance.T)
        assert (np.abs(balance) <= deals).all()
        if number:
            parent = classes.parent[number]
            earlier = rounds[number - 1].merged(
                np.arange(classes.counts[number - 1]), np.arange(classes.counts[number - 1])
            )
            again = pairs.merged(parent, parent)
            assert np.array_equal(dense(again, again.deals), dense(earlier, earlier.deals))
            assert np.array_equal(dense(again, again.balance), dense(earlier, earlier.balance))


def dense(pairs: object, values: np.ndarray) -> np.ndarray:
    out = np.zeros(pairs.shape, np.int64)
    out[np.repeat(np.arange(pairs.shape[0]), np.diff(pairs.start)), pairs.column] = values
    return out


def test_merged_pairs_are_those_of_merged_classes() -> None:
    game = poker("rhode-island(ranks=5,suits=3)")
    fine, coarse = shrink(game), shrink(game, "signature")
    for number, (small, large) in enumerate(
        zip(class_pairs(game.rules, coarse), class_pairs(game.rules, fine), strict=True)
    ):
        inside = fine.within(coarse, number)
        merged = large.merged(inside, inside)
        assert np.array_equal(dense(merged, merged.deals), dense(small, small.deals))
        assert np.array_equal(dense(merged, merged.balance), dense(small, small.balance))


def test_pairs_of_different_classes_turn_round() -> None:
    game = poker("rhode-island(ranks=4,suits=2)")
    mine, theirs = random_classes(game, 3), random_classes(game, 4)
    for one, other in zip(class_pairs(game.rules, mine, theirs), class_pairs(game.rules, theirs, mine), strict=True):
        turned = one.transposed()
        assert np.array_equal(dense(turned, turned.deals), dense(other, other.deals))
        assert np.array_equal(dense(turned, turned.balance), dense(other, other.balance))


def test_rhode_island_pairs() -> None:
    """Non-zero class pairs of the signature game, and its payoff matrix (recomputed)."""
    game = poker("rhode-island")
    form = kronecker_form(game.rules, shrink(game, "signature"))
    pairs = form.pairs[0]
    assert [each.total for each in pairs] == [6_497_400] * 3
    assert [each.meeting for each in pairs] == [169, 6_393, 75_822]
    assert pairs[-1].decided == 74_032
    first = dense(pairs[0], pairs[0].deals) / pairs[0].total
    assert np.diag(first) == pytest.approx(np.full(13, 12 / 2652), abs=1e-15)
    assert first[~np.eye(13, dtype=bool)] == pytest.approx(np.full(156, 16 / 2652), abs=1e-15)
    assert form.payoff_nonzeros == 47_954_164
    assert form.sequences == (883_741, 883_741)
    assert form.infosets == (353_496, 353_496)


COUNTS = [  # sequences and infosets of each role per history, fold leaves, leaves that go on
    (1, 4, 2, 2, 3),
    (2, 7, 3, 4, 5),
    (3, 10, 4, 6, 7),
    (4, 13, 5, 8, 9),
]


@pytest.mark.parametrize(("cap", "sequences", "infosets", "folds", "going_on"), COUNTS)
def test_betting_counts(cap: int, sequences: int, infosets: int, folds: int, going_on: int) -> None:
    rules = replace(poker("rhode-island").rules, caps=(cap,) * 3)
    histories = 1
    for betting in betting_rounds(rules):
        assert betting.histories == histories
        for columns in betting.columns:
            assert (columns.count, columns.infosets) == (sequences * histories, infosets * histories)
        assert betting.folds == folds * histories
        histories *= going_on
    assert betting.leaves - betting.folds == histories


def test_betting_before_the_flop() -> None:
    """With the big blind as the first of four bets, 10 sequences for the big blind and 11 for the small one."""
    first = betting_rounds(poker("limit-holdem").rules)[0]
    assert [(columns.count, columns.infosets) for columns in first.columns] == [(10, 4), (11, 4)]
    assert (first.folds, first.continuing) == (7, 7)


def test_a_round_without_betting_is_rolled_out() -> None:
    """The two-round truncation behind the published instance of 10,421 sequences ([Gilpin09, Table 8.1])."""
    game = poker("rhode-island(ranks=3,suits=2)")
    rules = replace(game.rules, caps=(3, 3, 0))
    classes = shrink(rules)
    form = kronecker_form(rules, classes)
    assert form.sequences[0] == 1 + 10 * (classes.counts[0] + 7 * classes.counts[1])
    matrix = written_out(Poker("truncated", rules), form)
    plan = np.random.default_rng(0).random(form.sequences[1])
    assert form.gradient(0, plan) == pytest.approx(matrix @ plan, abs=1e-9)


def test_refusals() -> None:
    game = poker("leduc")
    form = kronecker_form(game.rules, shrink(game))
    with pytest.raises(ParameterError, match="64-bit floats"):
        form.gradient(0, np.ones(3))
    with pytest.raises(ParameterError, match="64-bit floats"):
        form.gradient(0, np.ones(form.sequences[1], np.float32))
    with pytest.raises(NotApplicableError, match="two players"):
        betting_rounds(poker("leduc(players=3)").rules)
    with pytest.raises(ParameterError, match="labels"):
        classes_from_labels(game.rules, [np.zeros(3)])
    with pytest.raises(ParameterError, match="labels"):
        classes_from_labels(game.rules, [np.zeros(3), np.zeros(3)])
    with pytest.raises(ParameterError, match="different games"):
        shrink(game).within(shrink(poker("leduc(ranks=4)")), 0)
    with pytest.raises(NotApplicableError, match="not coarser"):
        shrink(game, "signature").within(shrink(game), 1)
    with pytest.raises(ParameterError, match="At least one thread"):
        form.with_threads(0)


def test_a_matrix_too_large_to_write_out_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EQUILIBRIST_MEMORY", "1e6")
    game = poker("rhode-island(ranks=5,suits=3)")
    form = kronecker_form(game.rules, shrink(game))
    with pytest.raises(TooLargeError, match="entries"):
        _ = form.payoff
