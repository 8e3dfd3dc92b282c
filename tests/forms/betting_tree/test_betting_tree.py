"""Betting trees as arrays: against the rules themselves, and against published counts."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import EquilibristError, NotApplicableError, ParameterError, TooLargeError
from equilibrist.forms.betting_tree.betting_tree import DECISION, FOLD, betting_tree
from equilibrist.forms.betting_tree.counting import count_betting, count_situations
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_menus import (
    Commitment,
    MenuPlan,
    RoundMenu,
    asymmetric,
    menu_of,
    same_everywhere,
    with_menus,
)
from equilibrist.games.poker.game import settle
from equilibrist.games.poker.rules import PokerRules
from reference.naive_betting_tree import walk

AUDIT = [169, 1000, 1000, 1000]
LU = {1: [1], 2: [0.5, 1], 4: [0.5, 1, 1.5, 2], 8: [0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3]}


def assert_same(rules):
    """Every array against the naive walk."""
    tree, naive = betting_tree(rules), walk(rules)
    assert len(tree) == len(naive) == count_betting(rules).nodes
    for n, node in enumerate(naive):
        assert tree.player[n] == node["player"]
        assert tree.kind[n] == node["kind"]
        assert tree.round[n] == node["round"]
        assert tree.parent[n] == node["parent"]
        assert tree.paid[n].tolist() == pytest.approx(node["paid"], abs=1e-8)
        assert [bool(tree.folded[n] >> p & 1) for p in range(rules.players)] == list(node["folded"])
        assert tree.children[n] == node.get("children", 0)
        assert tree.first_child[n] == node.get("first_child", -1)
        if n:
            assert tree.line(n).split(":")[-1] == node["label"]
    return tree


@pytest.mark.parametrize(
    "name",
    [
        "kuhn",
        "kuhn(players=4)",
        "leduc",
        "leduc(players=3)",
        "rhode-island",
        "limit-holdem",
        "nolimit-kuhn(stack=2)",
        "nolimit-leduc(sizes=fcpa)",
        "nolimit-leduc(stack=5)",
        "continuous-leduc",
        "nolimit-holdem(stack=1000,sizes=[0.5,1,a])",
        "turn-endgame-holdem(stack=600)",
    ],
)
def test_the_games_of_the_catalogue(name):
    rules = load_game(name).rules
    assert_same(rules)
    assert count_situations(rules) == count_betting(rules)


SIZES = st.lists(st.sampled_from(["50%", "100%", "2.5x", "3c", "a", "*4"]), min_size=0, max_size=3, unique=True)


@st.composite
def random_rules(draw):
    players = draw(st.integers(2, 9))
    rounds = draw(st.integers(1, 3 if players < 4 else 2 if players < 6 else 1))
    menus = tuple(
        RoundMenu(
            tuple(
                tuple(menu_of(",".join(draw(SIZES)), lift=draw(st.booleans())) for _ in range(draw(st.integers(1, 3))))
                for _ in range(draw(st.sampled_from([1, players])))
            ),
            Commitment(
                draw(st.sampled_from([0.4, 0.7, np.inf])), draw(st.sampled_from(["total", "increment", "remaining"]))
            ),
        )
        for _ in range(rounds)
    )
    blinds = draw(st.sampled_from([(), (1, 2), (2, 1)]))
    stacks = tuple(float(draw(st.integers(3, 9))) for _ in range(players)) if draw(st.booleans()) else ()
    rules = PokerRules(
        Deck(13, 4),
        board=(0, 1, 1)[:rounds],
        menus=menus,
        caps=(*tuple(draw(st.sampled_from([0, 1, 2])) for _ in range(rounds - 1)), 2),
        players=players,
        ante=draw(st.sampled_from([0.5, 1.0])),
        blinds=blinds,
        first=tuple(draw(st.integers(0, players - 1)) for _ in range(rounds)),
        stack=np.inf if stacks else float(draw(st.integers(4, 9))),
        stacks=stacks,
        minimum_bet=draw(st.sampled_from([0.0, 1.0, 2.0])),
        raise_at_least_last=draw(st.booleans()),
    )
    assume(sum(rules.stack_of(p) > rules.forced(p) for p in range(players)) >= 2)  # else nobody can bet
    return rules


@settings(max_examples=60, deadline=None)
@given(random_rules())
def test_any_rules(rules):
    if count_betting(rules).nodes > 20_000:
        return
    tree = assert_same(rules)
    stacks = np.array([rules.stack_of(p) for p in range(rules.players)])
    assert (tree.paid <= stacks + 1e-8).all()
    size = count_situations(rules)
    assert size == count_betting(rules)
    assert sum(map(sum, size.decisions)) == len(tree.decisions)
    assert size.slots([1] * len(rules.board)) == tree.children.sum()


@settings(max_examples=40, deadline=None)
@given(random_rules(), st.randoms(use_true_random=False))
def test_chips_are_conserved_and_side_pots_are_those_of_the_rules(rules, rng):
    size = count_betting(rules)
    if size.nodes > 5_000:
        return
    tree = betting_tree(rules)

    class Node:
        pass

    for n in tree.terminals:
        strength = [rng.randrange(3) for _ in range(rules.players)]
        net = tree.payoffs(int(n), strength)
        assert net.sum() == pytest.approx(0.0, abs=1e-8)
        node = Node()
        node.rules = rules
        node.paid = tuple(tree.paid[n].tolist())
        node.folded = tuple(bool(tree.folded[n] >> p & 1) for p in range(rules.players))
        assert net.tolist() == pytest.approx(settle(node, strength), abs=1e-8)


def test_side_pots_by_hand():
    # 10, 30 and 30 in the middle, a fourth player folded 20: the shortest stack wins 40, the second best the rest
    rules = PokerRules(
        Deck(13, 4), (0,), (menu_of("a"),), (3,), players=4, ante=1, stacks=(10, 30, 30, 30), minimum_bet=1
    )
    tree = betting_tree(rules)
    node = tree.find("b29:c:c:f") if "b29" in tree.actions(0) else tree.find("b9:r29:c:f")
    assert tree.paid[node].tolist() == [10, 30, 30, 1]
    assert tree.payoffs(node, [9, 5, 3, 8]).tolist() == [21, 10, -30, -1]  # 31 and 40
    assert tree.payoffs(node, [5, 5, 3, 8]).tolist() == [5.5, 25.5, -30, -1]


def audit(ours, theirs):
    """Slots and decisions of the strategy "ours-theirs" over both seats."""
    rules = load_game("nolimit-holdem(stack=1000)").rules
    slots = nodes = 0
    for seat in (0, 1):
        menus = [menu_of([*LU[ours if p == seat else theirs], "a"]) for p in (0, 1)]
        size = count_betting(with_menus(rules, asymmetric(*menus)))
        slots += size.slots(AUDIT, seat)
        nodes += sum(row[seat] for row in size.decisions)
    return slots, nodes


@pytest.mark.parametrize(
    ("ours", "theirs", "slots", "nodes", "mebibytes"),  # [Lu16, Table 12], sizes recomputed
    [
        (8, 8, 27_556_389, 11_296, 105.1),
        (4, 4, 3_931_829, 1_712, 15.0),
        (1, 1, 565_577, 256, 2.2),
        (2, 1, 1_138_619, 504, 4.3),
        (1, 2, 1_138_619, 504, 4.3),
        (4, 1, 1_408_647, 624, 5.4),
        (1, 4, 1_408_647, 624, 5.4),
        (8, 1, 3_601_717, 1_522, 13.7),
        (1, 8, 3_601_717, 1_522, 13.7),
    ],
)
def test_the_size_audit(ours, theirs, slots, nodes, mebibytes):
    assert audit(ours, theirs) == (slots, nodes)
    assert round(slots * 4 / 2**20, 1) == mebibytes


def test_slots_lie_one_node_after_the_other():
    tree = betting_tree(load_game("nolimit-leduc(sizes=fcpa)").rules)
    first = tree.first_slot([3, 6])
    assert first[-1] == count_betting(tree.rules).slots([3, 6])
    buckets = np.array([3, 6])[tree.round]
    assert (np.diff(first) == tree.children * buckets).all()
    with pytest.raises(ParameterError, match="2 betting rounds"):
        tree.first_slot([3])


def test_lines_can_be_found_again():
    tree = betting_tree(load_game("nolimit-leduc(sizes=fcpa)").rules)
    assert all(tree.find(tree.line(n)) == n for n in range(len(tree)))
    with pytest.raises(ParameterError, match="not on offer"):
        tree.find("x:b7")


def test_six_players():
    rules = load_game("nolimit-holdem(stack=1000,sizes=[1,a],players=6)").rules
    rules = replace(rules, caps=(2, 1, 1, 1))
    tree = betting_tree(rules)
    assert tree.players == 6
    assert tree.player[0] == 2
    folds = tree.kind == FOLD
    assert np.bitwise_count(tree.folded[folds].astype(np.uint32)).tolist() == [5] * int(folds.sum())
    assert (tree.children[tree.kind == DECISION] >= 2).all() or rules.caps[0] == 0
    for n, p in itertools.product(range(0, len(tree), 997), range(6)):
        assert tree.paid[n, p] <= 1000


def test_refusals():
    rules = load_game("nolimit-holdem(sizes=[0.25,0.5,0.75,1,1.5,2,a])").rules
    with pytest.raises(TooLargeError, match="more than"):
        betting_tree(rules, limit_bytes=10**7)
    with pytest.raises(NotApplicableError, match="single lines"):
        betting_tree(load_game("nolimit-leduc(sizes=fcpa)").with_action("x", "75%").rules)
    with pytest.raises(EquilibristError):
        same_everywhere(menu_of("half pot"))
    with pytest.raises(ParameterError, match="share above 0"):
        Commitment(0.0)
    assert MenuPlan((RoundMenu(((menu_of("a"),),)),)).round(3).tokens == ("a",)
