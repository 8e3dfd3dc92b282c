"""AIVAT: unbiased whatever the values, and almost all luck gone in small games."""

import random

import numpy as np
import pytest

from equilibrist import load_agent, load_game, solve
from equilibrist.agents.policy_player import PolicyPlayer
from equilibrist.agents.tabulate import tabulate
from equilibrist.core.errors import NotApplicableError
from equilibrist.evaluation.play.aivat import (
    FLOP_SLOPE,
    Aivat,
    EquityValues,
    PolicyValues,
    flop_lead,
    pair_equity,
    states_its_strategy,
)
from equilibrist.evaluation.play.referee import HandRecord, chance_label, play_hand
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.solvers.responses.best_response import history_values

LEDUC = load_game("leduc")
SMALL = load_game("leduc(ranks=2,cap=1)")  # few enough hands to go through all of them


def seated(first, second, game=LEDUC):
    players = [load_agent(first), load_agent(second)]
    for seat, player in enumerate(players):
        player.reset(seat, game, random.Random(0))
    return players


def every_hand(game, players):
    """All ways a hand can go, with probabilities: expectations without sampling."""
    from equilibrist.evaluation.play.referee import view_of

    stack = [(game.start(), 1.0, ())]
    while stack:
        state, chance, moves = stack.pop()
        if state.player == TERMINAL:
            yield HandRecord(moves, state.returns(), (), state.public(), state), chance
        elif state.player == CHANCE:
            for index, (_, share) in enumerate(state.chance()):
                after = state.child(index)
                stack.append((after, chance * share, (*moves, (None, chance_label(state, after)))))
        else:
            probabilities = players[state.player].probabilities(view_of(state, state.player))
            for label, share in probabilities.items():
                if share > 0:
                    after = state.child(state.actions().index(label))
                    stack.append((after, chance * share, (*moves, (state.player, label))))


@pytest.mark.parametrize("known", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("values", ["equity", "wrong", "exact"])
@pytest.mark.sampled(5)
def test_the_mean_is_exactly_the_value(known, values):
    """Over every possible hand of a small Leduc the adjusted results average to what the game is worth to these players."""
    if values == "equity" and known == (True, True):
        pytest.skip("equities are for one known hand at a time")
    players = seated("random", "rule-based", SMALL)
    estimate = {
        "equity": EquityValues(SMALL),
        "wrong": PolicyValues(SMALL, seated("always-raise", "always-raise", SMALL)),
        "exact": PolicyValues(SMALL, players),
    }[values]
    aivat = Aivat(SMALL, known, estimate)
    mean = square = total = plain = value = 0.0
    for record, chance in every_hand(SMALL, players):
        adjusted = aivat.adjusted(record, players)[0]
        value += chance * record.returns[0]
        plain += chance * record.returns[0] ** 2
        mean += chance * adjusted
        square += chance * adjusted**2
        total += chance
    assert total == pytest.approx(1.0)
    assert mean == pytest.approx(value, abs=1e-9)
    if values == "exact":
        left = (square - mean**2) / (plain - value**2)
        assert left < (0.01 if known == (True, True) else 0.75)
    if values == "equity":
        assert square - mean**2 < plain - value**2


def test_more_than_99_percent_of_variance_goes_in_leduc():
    """Both strategies known, values of the same strategies: nothing but rounding is left."""
    solution = solve("leduc", "dcfr", iterations=200)
    players = [PolicyPlayer(solution.policy, "leduc") for _ in range(2)]
    for seat, player in enumerate(players):
        player.reset(seat, LEDUC, random.Random(0))
    aivat = Aivat(LEDUC, (True, True), PolicyValues(LEDUC, players))
    raw, fair = [], []
    for hand in range(200):
        draws = [random.Random(f"{hand}/{p}") for p in range(2)]
        record = play_hand(LEDUC, players, random.Random(f"{hand}"), draws)
        raw.append(record.returns[0])
        fair.append(aivat.adjusted(record, players)[0])
    assert np.var(fair) < 0.01 * np.var(raw)
    assert np.mean(fair) == pytest.approx(solution.value[0], abs=1e-6)


def test_deals_alone_in_holdem():
    """All-in hands: what is left after correction averages to what it was, with less spread; the flop's mean is exact."""
    game = load_game("nolimit-holdem(stack=2000)")
    players = [load_agent("always-call"), load_agent("always-raise(size=9)")]
    aivat = Aivat(game, (False, False))
    raw, fair = [], []
    for hand in range(250):
        draws = [random.Random(f"{hand}/{p}") for p in range(2)]
        record = play_hand(game, players, random.Random(f"{hand}"), draws)
        raw.append(record.returns[0])
        fair.append(aivat.adjusted(record, players)[0])
    assert np.std(fair) < 0.75 * np.std(raw)
    difference = np.array(fair) - np.array(raw)
    assert abs(difference.mean()) < 4 * difference.std() / 250**0.5


def test_equities_of_two_hands():
    """Known: aces of other suits tie on every board with no flush difference; AhAd beats KcKd 81.26 % on average (brute force)."""
    game = load_game("nolimit-holdem(stack=2000)")
    aces, kings = (50, 49), (44, 45)
    flop = (0, 5, 10)
    on_flop = pair_equity(game, aces, kings, flop)
    turns = [c for c in range(52) if c not in (*aces, *kings, *flop)]
    by_turn = np.mean([pair_equity(game, aces, kings, (*flop, turn)) for turn in turns])
    assert on_flop == pytest.approx(by_turn, abs=1e-12)  # a martingale: what the correction of deals rests on
    assert flop_lead(aces, kings) == pytest.approx(0.79, abs=0.03)  # kings set or better on 11.8 % of flops


@pytest.mark.parametrize("street", [0, 1, 2])
def test_the_mean_of_a_deal_is_what_deals_average_to(street):
    """For fixed hands: aces against kings, random next cards against the exact mean that the correction uses."""
    game = load_game("nolimit-holdem(stack=2000)")
    values, node = EquityValues(game), game.first.play("c").play("x")
    for _ in range(street):
        node = node.after_deal.play("x").play("x")
    board = ((), (0, 5, 10), (0, 5, 10, 30))[street]
    rows = (np.array([50 * 49 // 2 + 49]), np.array([45 * 44 // 2 + 44]))
    left = [card for card in range(52) if card not in (50, 49, 45, 44, *board)]
    rng = random.Random(5)
    boards = [(*board, *rng.sample(left, 3 if street == 0 else 1)) for _ in range(2000 if street == 0 else 300)]
    mean, first = values.deal(node, board, boards[0], rows)
    if street == 0:  # the term of the flop, without going through all flops again for each of them
        came = [FLOP_SLOPE * flop_lead((49, 50), (44, 45), flop) * node.pot for flop in boards]
    else:
        came = [float(values.deal(node, board, after, rows)[1][0, 0]) for after in boards]
    assert came[0] == pytest.approx(float(first[0, 0]))
    assert np.mean(came) == pytest.approx(float(mean[0, 0]), abs=4 * np.std(came) / len(came) ** 0.5)


def test_other_games_are_refused():
    with pytest.raises(NotApplicableError):
        Aivat(load_game("leduc(players=3)"), (True, False, False))
    with pytest.raises(NotApplicableError):
        Aivat(load_game("leduc(suits=merged)"), (True, False))


def test_players_that_do_not_state_their_strategy_are_not_taken_to_be_known():
    game = load_game("nolimit-holdem(stack=2000)")
    players = [load_agent("random"), load_agent("always-call")]
    for seat, player in enumerate(players):
        player.reset(seat, game, random.Random(seat))
    assert [states_its_strategy(game, player, seat) for seat, player in enumerate(players)] == [False, True]
    record = play_hand(game, [players[1], players[0]], random.Random(1), [random.Random(2), random.Random(3)])
    with pytest.raises(NotApplicableError, match="cannot state"):
        Aivat(game, (False, True)).adjusted(record, [players[1], players[0]])


def test_tabulated_values_agree_with_the_tree():
    """`PolicyValues` at the root equals the tree's own pass over all histories."""
    players = seated("random", "random")
    values = PolicyValues(LEDUC, players)
    policy = tabulate(load_agent("random"), LEDUC)
    from equilibrist import compiled

    root = values.root(LEDUC.first, (np.arange(6), np.arange(6)))
    assert root[1] == pytest.approx(history_values(compiled("leduc").tree, policy)[0], abs=1e-12)
