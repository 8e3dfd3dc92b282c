"""Expectation-based, potential-aware and strategy-based abstraction: published counts, perfect recall, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.abstraction.information.hand_strength import HandStrength, hand_strength
from equilibrist.abstraction.information.methods import METHODS, abstract, make_method, parse_sizes
from equilibrist.abstraction.information.ordered_game import ordered_game
from equilibrist.abstraction.information.potential_aware import HistogramPotential
from equilibrist.abstraction.information.strategy_based import StrategyBased
from equilibrist.cards.hand_order import hand_order
from equilibrist.core.errors import ParameterError, UnknownNameError
from equilibrist.forms.hand_classes.classes import HandClasses, parent_hands
from equilibrist.games.catalogue import load_game


@pytest.fixture(scope="module")
def rhode_island() -> HandStrength:
    return hand_strength(ordered_game(load_game("rhode-island")))


def same_partition(one: HandClasses, other: HandClasses) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.table, other.table, strict=True))


def assert_perfect_recall(classes: HandClasses) -> None:
    """Every class has one class before it ([Gilpin09, Proposition 1])."""
    for round in range(1, len(classes.seen)):
        before = classes.table[round - 1]
        if classes.seen[round] > classes.seen[round - 1]:
            before = before[parent_hands(classes.indexer, classes.seen[round])]
        assert np.array_equal(classes.parent[round][classes.table[round]], before)


def test_strength_by_enumeration() -> None:
    """Equities of a small Rhode Island deck, by fractions over all deals."""
    strength = hand_strength(ordered_game(load_game("rhode-island(ranks=4,suits=2)")))
    deck, order = range(8), hand_order(strength.indexer.deck, 3)

    def outcome(mine: int, theirs: int, board: tuple[int, int]) -> Fraction:
        a, b = order(np.array([[mine, *board], [theirs, *board]], np.int8))
        return Fraction(1) if a > b else Fraction(0) if a < b else Fraction(1, 2)

    for hand in range(strength.indexer.sizes[1]):
        card, flop = strength.indexer.unindex(np.array([hand]), 1)[0].tolist()
        results = [
            outcome(card, theirs, (flop, turn))
            for turn in deck
            for theirs in deck
            if len({card, flop, turn, theirs}) == 4
        ]
        assert strength.equity(1)[hand] == pytest.approx(float(sum(results) / len(results)), abs=1e-15)


@pytest.mark.parametrize("method", ["eb", "eb2", "eb(error=squared)"])
def test_expectation_uses_204_and_1748_classes_at_most(rhode_island: HandStrength, method: str) -> None:
    """[Gilpin09, §6.7.1]: more cannot be told apart by winning probability."""
    assert abstract(rhode_island, method).counts == (13, 204, 1_748)
    assert abstract(rhode_island, method, (13, 205, 1_774)).counts == (13, 204, 1_748)


def test_kings_confuse_expectation(rhode_island: HandStrength) -> None:
    """With a king, a three of its suit and an ace of another are worth the same, and are the only pair lost."""
    classes, signatures = abstract(rhode_island, "eb"), shrink(rhode_island.game, "signature")
    inside = signatures.within(classes, 1)
    lost = [n for n in range(205) if (inside == inside[n]).sum() > 1]
    three, ace = 4 * 1, 4 * 12 + 1  # cards are rank * 4 + suit, deuces first
    assert lost == sorted(signatures.find([[4 * 11, three], [4 * 11, ace]], 1).tolist())


@pytest.mark.slow
def test_full_resolution_potential_is_gameshrink(rhode_island: HandStrength) -> None:
    """[Gilpin09, §6.7]: the 13 - 205 - 1,774 partition of signatures, if leaves are told apart by w - l + d/2; 1,751 by w + d/2."""
    signatures = shrink(rhode_island.game, "signature")
    assert same_partition(abstract(rhode_island, "pa", (13, 205, 1_774)), signatures)
    assert same_partition(abstract(rhode_island, "pa"), signatures)
    assert abstract(rhode_island, "pa(strength=equity)").counts == (13, 205, 1_751)


@pytest.mark.parametrize("method", ["eb", "eb2", "pa(restarts=2)", "pa(temporary=5,restarts=2)", "threshold"])
def test_totals_are_met(rhode_island: HandStrength, method: str) -> None:
    classes = abstract(rhode_island, method, (13, 50, 250))
    assert classes.counts == (13, 50, 250)
    assert_perfect_recall(classes)


def test_seeds_decide(rhode_island: HandStrength) -> None:
    one, again, other = (abstract(rhode_island, f"pa(restarts=1,seed={seed})", (13, 60, 300)) for seed in (1, 1, 2))
    assert same_partition(one, again)
    assert not same_partition(one, other)


@pytest.mark.parametrize(
    "game", ["leduc", "leduc(suits=merged)", "bl26", "kuhn(cards=7)", "flop-holdem(ranks=4,suits=2)"]
)
@pytest.mark.parametrize("method", sorted(set(METHODS.names()) - {"threshold", "suits"}))
def test_other_ordered_games(game: str, method: str) -> None:
    """Without limits no method tells apart what signatures do not, and potential loses nothing against them."""
    classes, signatures = abstract(load_game(game), method), shrink(load_game(game), "signature")
    for round in range(len(classes.seen)):
        signatures.within(classes, round)  # refuses if some signature were split
    assert_perfect_recall(classes)
    if method == "pa":
        assert classes.counts == signatures.counts


def test_first_rounds_are_clustered_too() -> None:
    strength = hand_strength(ordered_game(load_game("rhode-island(ranks=6,suits=3)")))
    for method in ("eb", "pa", "pa(temporary=4)"):
        classes = abstract(strength, method, (3, 9, 30))
        assert classes.counts == (3, 9, 30)
        assert_perfect_recall(classes)


def test_strategies_cluster_the_first_round() -> None:
    strength = hand_strength(ordered_game(load_game("leduc(ranks=4)")))
    vectors = np.array([[0.0, 1.0], [0.1, 0.9], [0.9, 0.1], [1.0, 0.0]])
    classes = StrategyBased(vectors, HistogramPotential()).classes(strength, (2, 6))
    assert classes.counts == (2, 6)
    assert classes.table[0].tolist() == [0, 0, 1, 1]
    with pytest.raises(ParameterError, match="4 first-round hands"):
        StrategyBased(vectors[:3]).classes(strength)


@pytest.mark.parametrize(
    ("method", "sizes", "says"),
    [
        ("eb", (13, 50), "3 betting rounds"),
        ("eb", (13, 12, 100), "13 classes before it"),
        ("signature", (13, 50, 100), "leave the sizes out"),
        ("threshold", None, "give a size"),
        ("pa(strength=luck)", None, "margin, equity"),
        ("eb(seed=1)", None, "no parameter 'seed'"),
        ("eb(error=cubic)", None, "absolute, squared"),
    ],
)
def test_refusals(rhode_island: HandStrength, method: str, sizes: tuple[int, ...] | None, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        abstract(rhode_island, method, sizes)


def test_unknown_methods_and_sizes() -> None:
    with pytest.raises(UnknownNameError, match="There is no abstraction method 'ebb'"):
        make_method("ebb")
    with pytest.raises(ParameterError, match="13-25-125"):
        parse_sizes("13,25")
