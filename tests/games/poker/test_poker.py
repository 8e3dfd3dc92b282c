"""Poker rules: hands, pots, betting, known sizes and values."""

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist import compiled, load_game, solve
from equilibrist.cards.deck import Deck
from equilibrist.cards.strength import hand_strength
from equilibrist.core.errors import ParameterError
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.deals import unrank
from equilibrist.games.poker.game import settle
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.games.size_estimate import estimate_histories


def strengths(cards, deck_ranks=13, suits=4):
    for hand in itertools.combinations(range(deck_ranks * suits), cards):
        yield hand_strength([c // suits for c in hand], [c % suits for c in hand], deck_ranks)


def test_three_card_hands():
    """[Gilpin09, Table 3.1]: straight flush 48, trips 52, straight 720, flush 1,096, pair 3,744, high card 16,440."""
    counts = Counter(s[0] for s in strengths(3))
    assert [counts[k] for k in (5, 4, 3, 2, 1, 0)] == [48, 52, 720, 1096, 3744, 16440]


def test_aces_count_low_in_straights():
    low = hand_strength([12, 0, 1], [0, 1, 2])
    high = hand_strength([10, 11, 12], [0, 1, 2])
    assert low[0] == high[0] == 3
    assert low < hand_strength([0, 1, 2], [0, 1, 2]) < high
    assert hand_strength([11, 12, 0], [0, 1, 2])[0] == 0  # no straight goes round the corner
    wheel = hand_strength([12, 0, 1, 2, 3], [0, 1, 2, 3, 0])
    assert wheel[0] == 4
    assert wheel < hand_strength([0, 1, 2, 3, 4], [0, 1, 2, 3, 0])


@pytest.mark.slow
def test_five_card_classes():
    """2,598,960 hands in 7,462 classes with the usual counts."""
    seen = Counter(strengths(5))
    assert len(seen) == 7462
    by_category = Counter()
    for strength, count in seen.items():
        by_category[strength[0]] += count
    expected = [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
    assert [by_category[k] for k in range(9)] == expected


@pytest.mark.slow
def test_five_card_categories_in_a_short_deck():
    """36 cards, 6 to A: counts by hand: 48 quads x 32 ... (9 * 32 = 288), 6 straights x 4 suits = 24 straight flushes."""
    counts = Counter(s[0] for s in strengths(5, deck_ranks=9))
    assert counts[7] == 288
    assert counts[8] == 24
    assert sum(counts.values()) == 376992


def test_seven_cards_take_the_best_five():
    ranks, suits = [12, 11, 10, 9, 8, 0, 0], [1, 1, 1, 1, 1, 0, 2]
    assert hand_strength(ranks, suits) == hand_strength([12, 11, 10, 9, 8], [1] * 5)


def test_two_card_hands():
    assert hand_strength([0, 0], [0, 1]) > hand_strength([2, 0], [0, 1]) > hand_strength([1, 0], [0, 1])


def node(paid, folded):
    return BettingNode(load_game("limit-holdem").rules, TERMINAL, 0, tuple(paid), tuple(folded), (0.0,) * len(paid))


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 3), st.booleans()), min_size=2, max_size=6))
def test_pots_are_paid_out_completely(seats):
    paid, ranking, folded = [s[0] for s in seats], [s[1] for s in seats], [s[2] for s in seats]
    folded[paid.index(max(paid))] = False
    net = settle(node(paid, folded), ranking)
    assert sum(net) == pytest.approx(0.0, abs=1e-9)
    for p in range(len(seats)):
        assert net[p] >= -paid[p] - 1e-9
        if folded[p]:
            assert net[p] == -paid[p]


def test_side_pots():
    """A short stack wins only what it can match: 10 from each of three, the rest goes to the second best."""
    assert settle(node([10, 50, 50], [False] * 3), [3, 2, 1]) == (20, 30, -50)
    assert settle(node([10, 50, 50], [False] * 3), [2, 2, 1]) == (5, 45, -50)
    assert settle(node([10, 50, 80], [False, True, False]), [3, 9, 1]) == (20, -50, 30)
    assert settle(node([5, 5], [False, False]), [1, 1]) == (0, 0)


def walk(game, seed):
    rng = random.Random(seed)
    state, states = game.start(), []
    while state.player != TERMINAL:
        states.append(state)
        if state.player == CHANCE:
            index = state.sample_chance(rng)
        else:
            index = rng.randrange(len(state.actions()))
        state = state.child(index)
    return [*states, state]


@pytest.mark.parametrize(
    "name", ["limit-holdem", "nolimit-holdem(sizes=fcpa)", "nolimit-holdem(stack=1000)", "rhode-island", "turn-endgame-holdem",
             "nolimit-flop-holdem(sizes=[0.5,1,a])", "flop-holdem", "leduc(players=3)"],
)  # fmt: skip
def test_random_hands_keep_the_rules(name):
    game = load_game(name)
    for seed in range(60):
        states = walk(game, seed)
        end = states[-1]
        assert sum(end.returns()) == pytest.approx(0.0, abs=1e-9)
        dealt = [card for hand in end.hole for card in hand] + list(end.board)
        assert len(dealt) == len(set(dealt))
        assert max(end.node.paid) <= game.rules.stack
        for before, after in itertools.pairwise(states[1:]):
            assert all(b >= a for a, b in zip(before.node.paid, after.node.paid, strict=True))


def test_limit_holdem_betting():
    """[Davis15, §2.2.1]: 8 decision nodes and 7 continuing lines before the flop, 10 and 9 in later rounds."""

    def count(node):
        if node.player < 0:
            return 0, int(node.player == CHANCE)
        below = [count(after) for _, after in node.options]
        return 1 + sum(d for d, _ in below), sum(c for _, c in below)

    game = load_game("limit-holdem")
    assert count(game.first) == (8, 7)
    flop = game.first.options[1][1].options[0][1].after_deal
    assert flop.player == 0  # the big blind, player 1, acts first after the flop
    assert count(flop) == (10, 9)


def test_rhode_island_stage_tree():
    """[Gilpin09, §3.1.2]: eight decisions a round, six folds, at most 15,500 lost."""
    game = load_game("rhode-island")
    seen, worst, stack = 0, 0.0, [game.first]
    while stack:
        n = stack.pop()
        worst = max(worst, *n.paid)
        if n.player == CHANCE:
            stack.append(n.after_deal)
        elif n.player >= 0:
            seen += n.round == 0
            stack += [after for _, after in n.options]
    assert (seen, worst) == (8, 15500)


def test_nolimit_leduc_fcpa():
    """48 betting nodes; value -0.06556 chips (recomputed)."""
    game = load_game("nolimit-leduc(sizes=fcpa)")

    def count(node):
        if node.player == TERMINAL:
            return 0
        return count(node.after_deal) if node.player == CHANCE else 1 + sum(count(n) for _, n in node.options)

    assert count(game.first) == 48
    assert solve(game, "lp").value[0] == pytest.approx(-0.06556, abs=1e-5)


# recomputed
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kuhn", -1 / 18),
        ("one-card-poker", -5 / 78),
        ("leduc", -0.0856064),
        ("leduc(suits=merged)", -0.0856064),
        ("leduc(suits=merged,bets=[2,9.75])", -0.160734),
        ("nolimit-kuhn", 1 / 35),
        ("nolimit-kuhn(stack=3)", 1 / 35),
        ("kuhn(cards=50)", -0.0576),
    ],
)
def test_values_by_linear_program(name, value):
    solution = solve(name, "lp")
    assert solution.value[0] == pytest.approx(value, abs=5e-5 if "cards=50" in name else 1e-6)
    assert solution.exploitability < 1e-8


def test_nolimit_kuhn_bets_two_fifths():
    policy = solve("nolimit-kuhn(stack=5)", "lp").policy
    assert policy["K"]["b0.4"] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.slow
def test_game_sizes_are_exact_or_close():
    for name in ("leduc", "leduc-5", "kuhn(players=3)", "nolimit-kuhn"):
        game = load_game(name)
        assert game.histories() == len(compiled(game).tree.player)
    exact = len(compiled("goofspiel(cards=4)").tree.player)
    assert estimate_histories(load_game("goofspiel(cards=4)"), probes=2000) == pytest.approx(exact, rel=0.2)
    assert load_game("rhode-island").histories() > 3e9


def test_decks():
    assert [Deck(3, 2).label(c) for c in range(6)] == ["Jc", "Jd", "Qc", "Qd", "Kc", "Kd"]
    assert [Deck(5, 1).label(c) for c in range(5)] == list("TJQKA")
    assert Deck(13, 4).label(51) == "As"
    assert Deck(20, 1).label(19) == "20"
    with pytest.raises(ParameterError):
        Deck(0, 1)


@given(st.integers(1, 8), st.integers(1, 4))
def test_unrank_lists_all_combinations(items, size):
    if size <= items:
        expected = list(itertools.combinations(range(items), size))
        assert [unrank(range(items), size, i) for i in range(len(expected))] == expected
