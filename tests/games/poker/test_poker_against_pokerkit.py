"""The betting rules beside an independent implementation: the same random hands here and in pokerkit."""

import math
import random
import warnings

import pytest

pokerkit = pytest.importorskip("pokerkit")

from equilibrist.cards.deck import Deck  # noqa: E402
from equilibrist.games.poker.bet_sizes import Menu  # noqa: E402
from equilibrist.games.poker.game import (  # noqa: E402
    Poker,
    PokerState,
    pots,
)
from equilibrist.games.poker.rules import PokerRules  # noqa: E402
from equilibrist.games.rules import CHANCE, TERMINAL  # noqa: E402

AUTOMATIC = tuple(
    getattr(pokerkit.Automation, name)
    for name in (
        "ANTE_POSTING", "BET_COLLECTION", "BLIND_OR_STRADDLE_POSTING", "CARD_BURNING", "RUNOUT_COUNT_SELECTION",
        "HOLE_CARDS_SHOWING_OR_MUCKING", "HAND_KILLING", "CHIPS_PUSHING", "CHIPS_PULLING",
    )
)  # fmt: skip


def table(rng, players, limit):
    """Our rules and their state for one random hand: stacks from a few big blinds to a hundred."""
    small, big, ante = 5, 10, rng.choice((0, 0, 0, 1, 3))
    deep = rng.choice((30, 200, 1000))
    stacks = tuple(rng.randint(big + ante + 1, deep) for _ in range(players))
    blinds = (big, small) if players == 2 else (small, big) + (0,) * (players - 2)
    menus = (Menu(("10c",)),) * 2 + (Menu(("20c",)),) * 2 if limit else (Menu(("*1",)),) * 4
    rules = PokerRules(
        Deck(),
        board=(0, 3, 1, 1),
        menus=menus,
        caps=(4,) * 4 if limit else (math.inf,) * 4,
        players=players,
        hole=2,
        ante=ante,
        blinds=blinds,
        first=(1, 0, 0, 0) if players == 2 else (2, 0, 0, 0),
        stack=max(stacks),
        stacks=stacks,
        chip=1,
        minimum_bet=0 if limit else big,
        raise_at_least_last=True,
    )
    if limit:
        theirs = pokerkit.FixedLimitTexasHoldem.create_state(
            AUTOMATIC, True, ante, (small, big), 10, 20, stacks, players
        )
    else:
        theirs = pokerkit.NoLimitTexasHoldem.create_state(AUTOMATIC, True, ante, (small, big), big, stacks, players)
    return rules, theirs


def choose(rng, node):
    """Mostly calls and small raises, so that hands go on; now and then a fold or all-in."""
    labels, draw = node.labels, rng.random()
    raises = len(labels) - len(node._answers)
    if draw < 0.12 and "f" in labels:
        return "f"
    if draw < 0.5 and raises:
        first = len(labels) - raises
        return labels[first] if draw < 0.3 else labels[-1] if draw < 0.36 else labels[rng.randrange(first, len(labels))]
    return "c" if "c" in labels else "x"


def compare(seed, players=None, limit=None):
    """Play one hand in both; returns what was met, for counting."""
    rng = random.Random(seed)
    drawn = rng.randint(2, 6), rng.random() < 0.3
    players, limit = drawn[0] if players is None else players, drawn[1] if limit is None else limit
    rules, theirs = table(rng, players, limit)
    game = Poker("table", rules)
    cards = rng.sample(range(52), 2 * players + 5)
    hole = tuple(tuple(sorted(cards[2 * p : 2 * p + 2])) for p in range(players))
    board, met = tuple(cards[2 * players :]), set()
    for hand in hole:
        theirs.deal_hole("".join(map(rules.deck.label, hand)))
    node = game.first
    while node.player != TERMINAL:
        if node.player == CHANCE:
            shown = sum(rules.board[: node.round + 1])
            coming = board[shown : shown + rules.board[node.round + 1]]
            theirs.deal_board("".join(map(rules.deck.label, coming)))
            node = node.after_deal
            continue
        assert theirs.actor_index == node.player
        assert theirs.checking_or_calling_amount == node.facing
        bounds = node.raise_bounds
        low, high = (
            theirs.min_completion_betting_or_raising_to_amount,
            theirs.max_completion_betting_or_raising_to_amount,
        )
        label = choose(rng, node)
        if (bounds is None) != (low is None):
            # they add up short all-ins since the last full raise, for everybody alike; here, as in rule 47 of the
            # Tournament Directors Association, a player who has acted raises again when he faces a full raise himself
            assert node.acted[node.player]
            assert (bounds is None) == (node.facing < max(node.last_raise, rules.minimum_bet))
            met.add("closed")
            label = "c"
        else:
            assert bounds == (None if low is None else (low, high)), node.line
        met.add(label[0])
        after = node.play(label)
        if label == "f":
            theirs.fold()
        elif label in "cx":
            theirs.check_or_call()
        else:
            to = after.paid[node.player] - rules.ante
            to -= max(node.at_start) - rules.ante
            theirs.complete_bet_or_raise_to(int(to))
        node = after
    while theirs.status:  # all-in: the rest of the board
        shown = len(theirs.board_cards)
        theirs.deal_board("".join(map(rules.deck.label, board[shown : 3 if shown == 0 else shown + 1])))
    shown = sum(rules.board[: node.round + 1])
    ours = PokerState(game, node, hole, board[:shown], "").returns()
    check_payoffs(ours, theirs.payoffs, node, met)
    return met | {players, "limit" if limit else "nolimit"}


def check_payoffs(ours, theirs, node, met):
    assert sum(ours) == 0
    if len(pots(node.paid, node.folded)) > 2:
        met.add("side pots")
    if tuple(theirs) == ours:
        return
    # they give all odd chips of a pot to the first winner, here each of the first winners gets one
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    assert sum(differences) == 0
    assert max(map(abs, differences)) <= len(differences) - 2
    assert sum(d != 0 for d in differences) >= 2
    met.add("odd chips")


def compare_many(seeds):
    met = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds:
            for what in compare(seed):
                met[what] = met.get(what, 0) + 1
    assert all(
        met.get(what, 0) > 0 for what in ("f", "c", "x", "b", "r", "side pots", "limit", "nolimit", *range(2, 7))
    )
    assert met.get("closed", 0) < 0.06 * len(seeds)
    assert met.get("odd chips", 0) < 0.01 * len(seeds)
    return met


def test_random_hands_agree():
    compare_many(range(1000))


@pytest.mark.slow
def test_a_hundred_thousand_random_hands_agree():
    compare_many(range(1000, 102_000))
