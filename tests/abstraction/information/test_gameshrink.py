"""GameShrink: published counts, the printed algorithm on small trees, what must not be merged, and what merging costs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.abstraction.information.lossy_gameshrink import (
    outcome_costs,
    shrink_by_thresholds,
    shrink_to,
    similarity,
)
from equilibrist.abstraction.information.ordered_game import OrderedGame, ordered_game
from equilibrist.abstraction.information.signal_tree import outcome_counts
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import hand_index
from equilibrist.cards.strength import hand_strength
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.experiments.gilpin.abstraction.tree_sizes import tree_size, tree_size_of_classes
from equilibrist.forms.hand_classes.classes import HandClasses, classes_from_labels, parent_hands, view_of
from equilibrist.forms.hand_classes.kronecker import kronecker_form
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.linear_programs.plan_program import PlanProgram
from reference.naive_gameshrink import NaiveShrink

JACKS_AND_KINGS = PokerRules(Deck(2, 2), board=(0,), menus=(Menu(("1c",)),), caps=(1,), ante=1)


def rules_of(name: str) -> PokerRules:
    game = load_game(name)
    assert isinstance(game, Poker)
    return game.rules


def value_by_program(rules: PokerRules, classes: HandClasses) -> float:
    return PlanProgram(kronecker_form(rules, classes), 0).maximise().guarantee


# -- published numbers ---------------------------------------------------------------------------------------------


def test_rhode_island_by_suits() -> None:
    """Suit isomorphism leaves 13 - 325 - 9,997 (recomputed)."""
    assert shrink(load_game("rhode-island")).counts == (13, 325, 9_997)


def test_rhode_island_by_signatures() -> None:
    """[Gilpin09, §6.7]: 13 - 205 - 1,774, and the second round by the rank of the private card."""
    rules = rules_of("rhode-island")
    classes = shrink(rules, "signature")
    assert classes.counts == (13, 205, 1_774)
    by_rank = [np.unique(classes.find([[4 * r, c] for c in range(52) if c != 4 * r], 1)).size for r in range(13)]
    assert by_rank == [10, 12, 14, 16, 18, 20, 20, 20, 19, 17, 15, 13, 11]


def test_outcomes_of_rhode_island() -> None:
    """53 triples of wins, ties and losses; 191 classes and 7,152 hands that cannot lose (recomputed)."""
    rules = rules_of("rhode-island")
    counts = outcome_counts(ordered_game(rules))
    assert (counts.sum(axis=1) == 49).all()
    assert len(np.unique(counts, axis=0)) == 53
    assert len(np.unique(2 * counts[:, 0] + counts[:, 1])) == 43
    classes = shrink(rules, "signature")
    unbeaten = counts[:, 2] == 0
    assert len(np.unique(classes.table[2][unbeaten])) == 191
    hands = classes.indexer.multiplicity(np.arange(classes.indexer.size))
    assert (int(hands.sum()), int(hands[unbeaten].sum())) == (132_600, 7_152)


def test_without_low_straights_the_counts_are_others() -> None:
    """13 - 195 - 1,613 if an ace does not count below a deuce; the counts would notice a wrong rule."""

    def order(hands: np.ndarray) -> np.ndarray:
        ranks, suits = hands // 4, hands % 4
        return np.array([table[strength(r, s)] for r, s in zip(ranks, suits, strict=True)])

    def strength(ranks: np.ndarray, suits: np.ndarray) -> tuple[int, ...]:
        # one rank more than the deck has, so that the ace is not next to the deuce
        return hand_strength(ranks.tolist(), suits.tolist(), 14)

    every = [[a, b, c] for a in range(52) for b in range(a) for c in range(b)]
    table = {s: i for i, s in enumerate(sorted({strength(np.array(h) // 4, np.array(h) % 4) for h in every}))}
    known = np.zeros(comb(52, 3), np.int64)
    known[hand_index(np.array(every))] = order(np.array(every))
    game = OrderedGame(rules_of("rhode-island"), (lambda hands: known[hand_index(hands)],))
    assert shrink(game, "signature").counts == (13, 195, 1_613)


def test_sizes_of_trees() -> None:
    """[Gilpin09, §5.5, Figure 5.2]: signal tree of Rhode Island, the toy tree before and after, and the tree that is no target."""
    assert ordered_game(load_game("rhode-island")).signal_tree_size == 6_632_705
    assert tree_size(JACKS_AND_KINGS).nodes == 113
    assert tree_size_of_classes(kronecker_form(JACKS_AND_KINGS, shrink(JACKS_AND_KINGS))).nodes == 39
    whole = tree_size(rules_of("rhode-island"))
    assert whole.nodes == pytest.approx(6.7e9, rel=0.01)  # not 3.1 billion
    assert whole.decisions == pytest.approx(2.55e9, rel=0.01)


def test_jacks_and_kings() -> None:
    """[Gilpin09, Figure 5.2]: 9 instead of 17 sequences, 4 instead of 8 infosets, value 0."""
    form = kronecker_form(JACKS_AND_KINGS, shrink(JACKS_AND_KINGS))
    assert (form.sequences, form.infosets) == ((9, 9), (4, 4))
    assert value_by_program(JACKS_AND_KINGS, shrink(JACKS_AND_KINGS)) == pytest.approx(0.0, abs=1e-9)


# -- the printed algorithm -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules",
    [
        JACKS_AND_KINGS,
        rules_of("kuhn"),
        rules_of("leduc"),
        rules_of("leduc(ranks=4,suits=3)"),
        rules_of("rhode-island(ranks=3,suits=2)"),
        rules_of("rhode-island(ranks=5,suits=1)"),
        replace(rules_of("leduc"), deck=Deck(3, 2), hole=2, board=(0, 1)),
    ],
    ids=["JJKK", "kuhn", "leduc", "leduc 4x3", "rhode island 3x2", "rhode island 5x1", "two private cards"],
)
def test_signatures_merge_what_matchings_merge(rules: PokerRules) -> None:
    classes = shrink(rules, "signature")
    for number, deal in enumerate(classes.seen):
        naive = NaiveShrink(rules).classes()[deal]
        cards = np.array([[card for street in node for card in street] for node in naive])
        pairs = set(zip(naive.values(), classes.find(cards, number).tolist(), strict=True))
        assert len(pairs) == len(set(naive.values())) == classes.counts[number]


@pytest.mark.parametrize("name", ["leduc", "rhode-island(ranks=4,suits=3)", "rhode-island"])
@pytest.mark.parametrize("mode", ["automorphism", "signature"])
def test_classes_never_forget(name: str, mode: str) -> None:
    """Information preservation: the class one round earlier is the same for all hands of a class."""
    rules = rules_of(name)
    classes = shrink(rules, mode)
    for number in range(1, len(classes.counts)):
        before = classes.table[number - 1][parent_hands(classes.indexer, classes.seen[number])]
        assert np.array_equal(classes.parent[number][classes.table[number]], before)
        assert set(classes.parent[number]) == set(range(classes.counts[number - 1]))
    finest = shrink(rules)
    for number in range(len(classes.counts)):
        finest.within(classes, number)  # signatures only ever merge what suits leave apart


# -- what merging costs --------------------------------------------------------------------------------------------


def test_signatures_of_leduc_are_not_lossless() -> None:
    """-0.0856064 with all cards told apart, -0.0687012 with 7 instead of 9 second-round classes (recomputed)."""
    rules = rules_of("leduc")
    exact, merged = shrink(rules), shrink(rules, "signature")
    assert (exact.counts, merged.counts) == ((3, 9), (3, 7))
    assert value_by_program(rules, exact) == pytest.approx(-0.0856064, abs=5e-8)
    assert value_by_program(rules, merged) == pytest.approx(-0.0687012, abs=5e-8)


def test_a_jack_must_tell_a_queen_from_a_king() -> None:
    """Even where every opponent card has the same outcome, merging two public cards moves the value."""
    rules = rules_of("leduc")
    indexer, _ = view_of(rules)
    cards = indexer.unindex(np.arange(indexer.size)) // 2
    ranks = np.where((cards[:, :1] == 0) & (cards > 0), 2, cards)
    classes = classes_from_labels(rules, [np.arange(3), ranks[:, 0] * 3 + ranks[:, 1]])
    assert classes.counts == (3, 8)
    assert value_by_program(rules, classes) == pytest.approx(-0.0802918, abs=5e-8)


@pytest.mark.parametrize(
    ("deck", "full", "signature"),  # recomputed
    [((4, 2), -0.1022429, -0.0996402), ((6, 2), -0.1045436, -0.1066634), ((6, 4), -0.1135389, -0.1126297)],
)
def test_leduc_with_other_decks(deck: tuple[int, int], full: float, signature: float) -> None:
    rules = rules_of(f"leduc(ranks={deck[0]},suits={deck[1]})")
    assert value_by_program(rules, shrink(rules)) == pytest.approx(full, abs=5e-8)
    assert value_by_program(rules, shrink(rules, "signature")) == pytest.approx(signature, abs=5e-8)


# -- what must not be merged ---------------------------------------------------------------------------------------


def test_players_must_rank_hands_alike() -> None:
    """The counter-example of [Gilpin09, §5.4.1]: K > J1 = J2 for one player, J2 > K > J1 for the other."""
    rules = PokerRules(Deck(3, 1), board=(0,), menus=(Menu(("1c",)),), caps=(1,), ante=1)
    first, second = (lambda hands: np.array([0, 0, 1])[hands[:, 0]]), (lambda hands: np.array([0, 2, 1])[hands[:, 0]])
    assert shrink(OrderedGame(rules, (first, first)), "signature").counts == (2,)
    with pytest.raises(NotApplicableError, match="players 1 and 2 rank them differently"):
        OrderedGame(rules, (first, second))


def test_players_must_see_actions() -> None:
    """The other counter-example of [Gilpin09, §5.4.1]."""
    with pytest.raises(NotApplicableError, match="see each other's actions"):
        OrderedGame(rules_of("leduc"), actions_seen=False)
    with pytest.raises(NotApplicableError, match="phantom-tic-tac-toe"):
        ordered_game(load_game("phantom-tic-tac-toe"))


def test_orders_must_not_tell_suits_apart() -> None:
    with pytest.raises(NotApplicableError, match="suits"):
        OrderedGame(rules_of("leduc"), (lambda hands: hands[:, 0],))


def test_bad_modes_and_games() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'signature'"):
        shrink(rules_of("leduc"), "signatures")
    with pytest.raises(NotApplicableError, match="two players"):
        shrink(rules_of("leduc(players=3)"))


# -- lossy ---------------------------------------------------------------------------------------------------------


def test_thresholds_reach_from_signatures_to_nothing() -> None:
    known = similarity(load_game("rhode-island(ranks=5,suits=3)"))
    exact = shrink(known.game, "signature")
    assert shrink_by_thresholds(known, (0, 0, 0)).counts == exact.counts
    assert shrink_by_thresholds(known, (np.inf,) * 3).counts == (1, 1, 1)
    counts = [shrink_by_thresholds(known, (0, t, 0)).counts[1] for t in (0, 1e6, 1e7, 1e8, 1e9)]
    assert counts == sorted(counts, reverse=True)
    for number in range(3):
        exact.within(shrink_by_thresholds(known, (0, 1e7, 1e7)), number)


@given(st.integers(5, 60), st.integers(0, 100))
@settings(max_examples=10, deadline=None)
def test_wanted_counts_are_met(second: int, more: int) -> None:
    known = small_similarity()
    most = shrink(known.game, "signature").counts
    wanted = (5, min(second, most[1]), min(second + more, most[2]))
    there_are = shrink_to(known, (*wanted[:2], most[2])).counts[2]  # merging earlier leaves fewer to tell apart later
    assert shrink_to(known, wanted).counts == (*wanted[:2], min(wanted[2], there_are))


@cache
def small_similarity():
    return similarity(rules_of("rhode-island(ranks=5,suits=2)"))


def test_costs_of_outcomes_are_those_of_the_best_matching() -> None:
    from scipy.optimize import linear_sum_assignment

    counts = np.array([[5, 0, 2], [2, 3, 2], [0, 7, 0], [1, 1, 5], [7, 0, 0]])
    found = outcome_costs(counts)
    for a, one in enumerate(counts):
        for b, other in enumerate(counts):
            mine, theirs = (np.repeat([1, 0, -1], each) for each in (one, other))
            weights = (mine[:, None] - theirs[None, :]) ** 2
            assert found[a, b] == weights[linear_sum_assignment(weights)].sum()


def test_impossible_targets_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least as many"):
        shrink_to(small_similarity(), (5, 3, 10))
    with pytest.raises(ParameterError, match="betting rounds"):
        shrink_to(small_similarity(), (5, 5))
    with pytest.raises(ParameterError, match="at least one class"):
        shrink_to(small_similarity(), (0, 5, 5))


def test_fewer_classes_are_merged_from_more() -> None:
    """The cheapest merges come first, so that every merge of a finer partition is also one of a coarser one."""
    partitions = [shrink_to(small_similarity(), (5, 15, wanted)) for wanted in range(15, 60, 3)]
    for coarse, fine in itertools.pairwise(partitions):
        joined = fine.within(coarse, 2)
        assert len(joined) - joined.max() - 1 == fine.counts[2] - coarse.counts[2]
