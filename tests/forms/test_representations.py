"""Three routes to the same numbers: game tree, sequence form and public tree against the naive walk over the rules."""

import numpy as np
import pytest
from hypothesis import given, settings

from equilibrist import best_response, evaluate_policy, load_game
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.forms.compiled import compiled
from equilibrist.forms.history_tree.game_tree import affine_tree, compile_tree
from equilibrist.games.rules import Game, State
from equilibrist.solvers.responses.best_response import counterfactual_values
from random_games import random_policy, small_games, small_zero_sum_games
from reference.naive_cfr import naive_best_response_value, naive_values

NAMES = [
    "kuhn", "leduc(suits=merged)", "liars-dice(faces=3)", "goofspiel(cards=3)", "goofspiel(cards=3,reveal=false)",
    "phantom-tic-tac-toe", "coin-toss(subgames=2)", "two-stage", "rpst", "clairvoyance", "kuhn(players=3)", "lemonade(stands=4)",
]  # fmt: skip


def naive(policy, infosets):
    """The same policy for the naive walk, keyed by (player, text)."""
    keys = [key.split("|", 1)[1] if "|" in key and key[0].isdigit() else key for key in infosets.keys]
    return {(int(infosets.player[i]), keys[i]): policy.row(i).tolist() for i in range(len(infosets))}


@pytest.mark.parametrize("name", NAMES)
def test_values_agree_on_all_routes(name):
    check_routes(compiled(name))


@settings(max_examples=25, deadline=None)
@given(small_games())
def test_values_agree_on_random_games(game):
    check_routes(compiled(game))


def check_routes(game):
    policy = random_policy(game.infosets, seed=3)
    table = naive(policy, game.infosets)
    expected = naive_values(game.game, table)
    evaluation = evaluate_policy(game, policy)
    assert evaluation.value == pytest.approx(expected, abs=1e-10)
    for p in range(game.game.players):
        response = naive_best_response_value(game.game, table, p)
        assert evaluation.best_response_value[p] == pytest.approx(response, abs=1e-10)
    tree = game.public_tree
    assert tree.infosets.keys == game.infosets.keys
    assert tree.values(policy) == pytest.approx(expected, abs=1e-10)
    if game.game.players == 2:
        form = game.sequence_form
        plan = form.plan(form.strategy(policy))
        for p in range(2):
            own = slice(form.offset[p], form.offset[p + 1])
            other = slice(form.offset[1 - p], form.offset[2 - p])
            assert plan[own] @ form.payoff.gradient(p, plan[other]) == pytest.approx(expected[p], abs=1e-10)


def test_best_response_policy_earns_its_value():
    game = compiled("leduc(suits=merged)")
    policy = random_policy(game.infosets)
    for p in range(2):
        response = best_response(game, policy, p)
        assert evaluate_policy(game, response.policy).value[p] == pytest.approx(response.value, abs=1e-12)


def test_counterfactual_values_sum_to_the_root_value():
    game = compiled("kuhn")
    policy = random_policy(game.infosets)
    response = counterfactual_values(game, policy, 0)
    first_decisions = [i for i, key in enumerate(game.infosets.keys) if key in ("J", "Q", "K")]
    assert sum(response.infoset_value[first_decisions]) == pytest.approx(response.value, abs=1e-12)


# sizes recomputed, and those of OpenSpiel
@pytest.mark.parametrize(
    ("name", "histories", "infosets", "terminals"),
    [
        ("kuhn", 55, 12, 30),
        ("leduc(suits=merged)", 1936, 288, 1116),
        ("leduc", 9451, 936, 5520),
        ("leduc-5", 269560, 34224, 177684),
        ("kuhn(players=3)", 601, 48, 312),
    ],
)
def test_sizes(name, histories, infosets, terminals):
    tree = compile_tree(load_game(name))
    assert (tree.histories, len(tree.infosets), len(tree.payoff)) == (histories, infosets, terminals)


@pytest.mark.parametrize(("name", "sequences"), [("kuhn", 13), ("one-card-poker", 53), ("leduc(suits=merged)", 337)])
def test_sequences_per_player(name, sequences):
    assert compiled(name).sequence_form.sequences == (sequences, sequences)


def test_plan_and_behaviour_are_inverse():
    game = compiled("leduc(suits=merged)")
    form = game.sequence_form
    strategy = form.strategy(random_policy(game.infosets))
    assert form.behaviour(form.plan(strategy)) == pytest.approx(strategy, abs=1e-12)
    assert form.policy(strategy).probabilities == pytest.approx(random_policy(game.infosets).probabilities)


@settings(max_examples=25, deadline=None)
@given(small_zero_sum_games())
def test_parents_come_first(game):
    tree = compile_tree(game)
    assert (tree.parent[1:] < np.arange(1, tree.histories)).all()
    form = compiled(tree).sequence_form
    assert (form.parent < form.first_sequence).all()


def test_public_tree_of_leduc():
    """One public state per line and board; private vectors hold a rank per possible card."""
    tree = compiled("leduc(suits=merged)").public_tree
    state = tree.number("b:c:Q")
    assert tree.player[state] == 0
    own = tree.privates(state, 0)
    assert [key.split(":")[0] for key in tree.private[0].keys[own]] == ["J", "Q", "K"]
    entries, belief = tree.belief(state, tree.infosets.uniform())
    assert belief.sum() == pytest.approx(1.0)
    # Q on the board leaves one Q: both players holding Q is impossible, a pair of jacks has 2*1 of the 5*4 orders
    keys = [(tree.private[0].keys[a][0], tree.private[1].keys[b][0]) for a, b in entries]
    assert ("Q", "Q") not in keys
    assert belief[keys.index(("J", "J"))] == pytest.approx(2 / 20)


def test_imperfect_recall_is_refused_by_the_sequence_form():
    game = load_game("tests/data/absent_minded_driver.efg")
    with pytest.raises(NotApplicableError, match="perfect recall"):
        _ = compiled(game).forest


def test_three_players_are_refused_by_the_sequence_form():
    with pytest.raises(NotApplicableError, match="two players"):
        _ = compiled("kuhn(players=3)").sequence_form


@pytest.mark.parametrize("name", ["limit-holdem", "nolimit-holdem", "rhode-island", "goofspiel(cards=9)"])
def test_games_too_large_are_refused_before_building(name):
    with pytest.raises(TooLargeError, match="GB"):
        compile_tree(load_game(name), limit_bytes=8 << 30)


def test_compile_stops_at_the_limit_when_the_estimate_was_too_low(monkeypatch):
    monkeypatch.setattr("equilibrist.forms.history_tree.game_tree.check_fits", lambda game, limit: None)
    with pytest.raises(TooLargeError, match="more than"):
        compile_tree(load_game("leduc"), limit_bytes=100_000)


def test_with_action_carries_state_to_the_larger_tree():
    small = compile_tree(load_game("nolimit-leduc(sizes=fcpa)"))
    extension = small.with_action("", "50%")
    assert "b1" in extension.tree.infosets.actions[extension.tree.infosets.number("K")]
    carried = extension.carry(np.arange(small.infosets.slots, dtype=float), fill=-1.0)
    for i, key in enumerate(small.infosets.keys):
        j = extension.tree.infosets.number(key)
        for a, action in enumerate(small.infosets.actions[i]):
            b = extension.tree.infosets.actions[j].index(action)
            assert carried[extension.tree.infosets.first_slot[j] + b] == small.infosets.first_slot[i] + a
    old_ends = np.flatnonzero(small.terminal >= 0)
    new_ends = extension.history[old_ends]
    assert np.array_equal(
        small.returns[small.terminal[old_ends]], extension.tree.returns[extension.tree.terminal[new_ends]]
    )


def test_with_action_is_refused_by_limit_games():
    with pytest.raises(NotApplicableError, match="limit game"):
        compile_tree(load_game("leduc")).with_action("", "50%")


def test_affine_payoffs_follow_the_bet_sizes():
    """Leduc's payoffs are affine in its two bet sizes ([Brown20, §4.2.4])."""

    def family(first, second):
        return load_game(f"leduc(suits=merged,bets=[{first},{second}])")

    tree = affine_tree(family, [2.0, 4.0])
    expected = compile_tree(family(3.0, 7.5)).returns
    assert tree.at([3.0, 7.5]).returns == pytest.approx(expected, abs=1e-9)
    with pytest.raises(ParameterError, match="2 parameters"):
        tree.at([1.0])


class HiddenCoin(Game):
    """A coin that nobody sees decides what a bet is worth: two histories share all that is observed."""

    name, players, zero_sum = "hidden-coin", 2, True

    def start(self):
        return CoinState(None, None)


class CoinState(State):
    __slots__ = ("bet", "coin", "player")

    def __init__(self, coin, bet):
        self.coin, self.bet = coin, bet
        self.player = -1 if coin is None else 0 if bet is None else -2

    def chance(self):
        return [("heads", 0.25), ("tails", 0.75)]

    def actions(self):
        return ["bet", "pass"]

    def child(self, index):
        return CoinState(index, None) if self.coin is None else CoinState(self.coin, index)

    def infoset(self, player):
        return self.public()

    def public(self):
        return "start" if self.coin is None else "flipped" if self.bet is None else f"flipped:{self.bet}"

    def returns(self):
        amount = (3.0 if self.coin == 0 else -2.0) if self.bet == 0 else 0.0
        return (amount, -amount)


def test_histories_that_nobody_can_tell_apart_are_added_up():
    game = compiled(HiddenCoin())
    check_routes(game)
    tree = game.public_tree
    assert tree.weight[tree.first_joint[tree.number("flipped")]] == pytest.approx(1.0)
    assert tree.values(game.infosets.uniform())[0] == pytest.approx(0.5 * (0.25 * 3 - 0.75 * 2))
